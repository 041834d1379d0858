// core/text_files/load.cpp -- gpuopt_loadtxt and loadtxt_memory: tables of numbers in text become arrays.
#include <algorithm>
#include <cstring>
#include <memory>

#include "core/exchange/host.h"
#include "core/text_files/memory_source.h"
#include "core/text_files/text_pieces.h"

namespace gpuopt {
namespace {

std::string text_or(const char *given, const char *standard) { return given ? given : standard; }

bool has_line_end(const std::string &text) { return text.find_first_of("\r\n") != std::string::npos; }

TableSyntax table_syntax(const gpuopt_loadtxt_options &o) {
  TableSyntax syntax{text_or(o.delimiter, ""), text_or(o.comments, "#"), 0};
  const std::string quote = text_or(o.quote, "");
  if (quote.size() > 1 || (!quote.empty() && static_cast<unsigned char>(quote[0]) >= 128))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "loadtxt: quote is no single ASCII character");
  if (!quote.empty()) syntax.quote = quote[0];
  if (has_line_end(syntax.delimiter) || has_line_end(syntax.comments) || has_line_end(quote))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "loadtxt: control characters of lines cannot be delimiter, comments or quote");
  const char d = syntax.delimiter.c_str()[0], c = syntax.comments.c_str()[0], q = syntax.quote;
  if ((d && d == c) || (d && d == q) || (c && c == q))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "loadtxt: delimiter, comments and quote begin with the same character");
  const auto is_space = [](char x) { return x == ' ' || (x >= '\t' && x <= '\r'); };
  if (!d && (is_space(c) || is_space(q)))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "loadtxt: comments or quote is white space, which is between the columns");
  return syntax;
}

void check_counts(const gpuopt_loadtxt_options &o) {
  if (o.skiprows < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "loadtxt: argument must be nonnegative: skiprows");
  if (o.has_max_rows && o.max_rows < 0)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "loadtxt: argument must be nonnegative: max_rows");
  if (o.ndmin < 0 || o.ndmin > 2) fail(GPUOPT_ERR_INVALID_ARGUMENT, "loadtxt: Illegal value of ndmin keyword");
  if (o.nusecols < 0 || (o.nusecols > 0 && !o.usecols))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "loadtxt: usecols is NULL or its count negative");
}

RowRules row_rules(const gpuopt_loadtxt_options &options) {
  RowRules rules{};
  rules.syntax = table_syntax(options);
  rules.dtype = dtype_or(options.dtype, GPUOPT_FLOAT64, "loadtxt");
  rules.width = static_cast<size_t>(dtype_size(rules.dtype));
  rules.read = number_reader(rules.dtype);
  rules.missing = text_or(options.missing, "");
  rules.chooses = options.usecols != nullptr;
  if (rules.chooses) rules.columns.assign(options.usecols, options.usecols + options.nusecols);
  rules.fills = options.has_filling;
  if (rules.fills) {
    check_scalar(options.filling, "loadtxt");
    store_weak(options.filling, rules.dtype, rules.filling);
  }
  return rules;
}

TextParts read_rows(Source &source, const RowRules &rules, const gpuopt_loadtxt_options &options,
                    const std::string &where) {
  const uint64_t bytes = source.remaining();
  TableReader reader(source, rules.syntax, where);
  reader.skip_lines(options.skiprows);
  if (!options.has_max_rows && is_read_in_pieces(rules.syntax, bytes))
    return read_in_pieces(source, reader, rules, where);
  TextParts parts;
  parts.push_back(std::make_unique<TextRows>(rules, where));
  parts[0]->read(reader, options.has_max_rows ? options.max_rows : INT64_MAX);
  return parts;
}

// The shape as numpy.loadtxt has it: axes of size 1 stay only as far as ndmin needs them.
Dims result_shape(int64_t rows, int64_t columns, int32_t ndmin) {
  if (ndmin == 2) return {rows, columns};
  Dims shape;
  if (rows != 1) shape.push_back(rows);
  if (columns != 1) shape.push_back(columns);
  if (shape.empty() && ndmin == 1) shape.push_back(1);
  return shape;
}

// Returns the elements of all parts, which give up theirs.
ArrayRef array_of(const TextParts &parts, const RowRules &rules, const gpuopt_loadtxt_options &options,
                  gpuopt_device device) {
  int64_t rows = 0;
  size_t columns = rules.columns.size();
  for (const auto &part : parts) {
    if (!rules.chooses && part->count()) columns = part->columns();
    rows += part->count();
  }
  const Dims shape = result_shape(rows, rows || rules.chooses ? static_cast<int64_t>(columns) : 1, options.ndmin);
  const int ndim = static_cast<int>(shape.size());
  const int64_t size = checked_size(ndim, shape.data(), static_cast<int>(rules.width));
  ArrayRef x = make_array(device->default_stream, rules.dtype, ndim, shape.data());
  if (!size) return x;
  size_t part = 0, left = parts[0]->bytes();
  produce_elements(x.get(), [&](char *piece, size_t bytes) {
    while (bytes) {
      while (!left) left = parts[++part]->bytes();
      const size_t some = std::min(bytes, left);
      parts[part]->take(piece, some);
      piece += some, bytes -= some, left -= some;
    }
  });
  return x;
}

ArrayRef load_text(Source &source, gpuopt_device device, const gpuopt_loadtxt_options *given,
                   const std::string &where) {
  const auto options = options_or_default(given, "gpuopt_loadtxt_options");
  check_counts(options);
  const RowRules rules = row_rules(options);
  return array_of(read_rows(source, rules, options, where), rules, options, device);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_loadtxt(gpuopt_device device, const char *path, const gpuopt_loadtxt_options *options,
                             gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    if (!device || !path) fail(GPUOPT_ERR_INVALID_ARGUMENT, "loadtxt: device or path is NULL");
    File file = File::open_to_read(path);
    return load_text(file, device, options, path);
  });
}

gpuopt_status gpuopt_loadtxt_memory(gpuopt_device device, const char *text, uint64_t text_size,
                                    const gpuopt_loadtxt_options *options, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    if (!device || (!text && text_size)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "loadtxt: device or text is NULL");
    if (text_size > PTRDIFF_MAX) fail(GPUOPT_ERR_INVALID_ARGUMENT, "loadtxt: no text has so many bytes");
    MemorySource source(text, static_cast<size_t>(text_size));
    return load_text(source, device, options, "text");
  });
}

}  // extern "C"
