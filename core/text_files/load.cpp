// core/text_files/load.cpp -- gpuopt_loadtxt and loadtxt_memory: tables of numbers in text become arrays.
#include <algorithm>
#include <cstring>
#include <memory>

#include "core/exchange/host.h"
#include "core/text_files/table_reader.h"
#include "core/text_files/text_number.h"

namespace gpuopt {
namespace {

// Bytes in memory as a stream.
class MemorySource : public Source {
 public:
  MemorySource(const char *text, size_t size) : at_(text), left_(size) {}
  size_t read(void *to, size_t bytes) override {
    const size_t got = std::min(bytes, left_);
    if (got) std::memcpy(to, at_, got);
    if (got) at_ += got;
    left_ -= got;
    return got;
  }
  uint64_t remaining() override { return left_; }

 private:
  const char *at_;
  size_t left_;
};

// Elements whose count is not known in advance, in chunks that are given back one by one.
class Elements {
 public:
  explicit Elements(size_t width) : width_(width) {}
  // Returns the place of a new element.
  char *add() {
    if (end_ == kChunk || chunks_.empty()) {
      chunks_.push_back(std::make_unique<char[]>(kChunk));
      end_ = 0;
    }
    end_ += width_;
    return chunks_.back().get() + end_ - width_;
  }
  // Moves the next elements to `to`.
  void take(char *to, size_t bytes) {
    while (bytes) {
      const size_t some = std::min(bytes, kChunk - begin_);
      std::memcpy(to, chunks_[first_].get() + begin_, some);
      to += some;
      bytes -= some;
      begin_ += some;
      if (begin_ < kChunk) continue;
      chunks_[first_++].reset();
      begin_ = 0;
    }
  }

 private:
  static constexpr size_t kChunk = size_t{1} << 20;  // a multiple of the size of any element
  const size_t width_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t end_ = 0, first_ = 0, begin_ = 0;
};

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

// Returns a text that a message can show: at most 40 bytes of it, none of which are control characters.
std::string shown(std::string_view text) {
  std::string some(text.substr(0, 40));
  for (char &c : some) c = static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  return some + (text.size() > 40 ? "..." : "");
}

bool is_missing(std::string_view text, const std::string &missing) {
  const size_t first = text.find_first_not_of(" \t\v\f");
  if (first == std::string_view::npos) return true;
  const size_t last = text.find_last_not_of(" \t\v\f");
  return !missing.empty() && text.substr(first, last + 1 - first) == missing;
}

class TextTable {
 public:
  TextTable(Source &source, const gpuopt_loadtxt_options &options, const std::string &where)
      : options_(options),
        where_(where),
        syntax_(table_syntax(options)),
        dtype_(dtype_or(options.dtype, GPUOPT_FLOAT64, "loadtxt")),
        width_(static_cast<size_t>(dtype_size(dtype_))),
        read_(number_reader(dtype_)),
        missing_(text_or(options.missing, "")),
        reader_(source, syntax_, where),
        elements_(width_) {
    if (options.usecols) columns_.assign(options.usecols, options.usecols + options.nusecols);
    if (!options.has_filling) return;
    check_scalar(options.filling, "loadtxt");
    store_weak(options.filling, dtype_, filling_);
  }

  void read() {
    reader_.skip_lines(options_.skiprows);
    const int64_t most = options_.has_max_rows ? options_.max_rows : INT64_MAX;
    while (rows_ < most && reader_.next()) {
      add_row();
      ++rows_;
    }
  }

  ArrayRef array(gpuopt_device device) {
    const Dims shape = result_shape();
    const int ndim = static_cast<int>(shape.size());
    const int64_t size = checked_size(ndim, shape.data(), static_cast<int>(width_));
    ArrayRef x = make_array(device->default_stream, dtype_, ndim, shape.data());
    if (size) produce_elements(x.get(), [&](char *piece, size_t bytes) { elements_.take(piece, bytes); });
    return x;
  }

 private:
  void add_row() {
    const size_t there = reader_.columns();
    if (rows_ == 0) in_row_ = there;
    if (options_.usecols) {
      for (const int64_t column : columns_) add(place_of(column, there));
      return;
    }
    if (there != in_row_)
      fail(GPUOPT_ERR_FORMAT,
           "loadtxt: %s, line %lld: the number of columns changed from %zu to %zu; use `usecols` to "
           "select a subset and avoid this error",
           where_.c_str(), static_cast<long long>(reader_.line()), in_row_, there);
    for (size_t k = 0; k < there; ++k) add(k);
  }

  size_t place_of(int64_t column, size_t there) const {
    const int64_t count = static_cast<int64_t>(there), place = column < 0 ? column + count : column;
    if (place < 0 || place >= count)
      fail(GPUOPT_ERR_INDEX, "loadtxt: %s, line %lld: invalid column index %lld with %lld columns", where_.c_str(),
           static_cast<long long>(reader_.line()), static_cast<long long>(column), static_cast<long long>(count));
    return static_cast<size_t>(place);
  }

  void add(size_t column) {
    const std::string_view text = reader_.column(column);
    char *const element = elements_.add();
    if (options_.has_filling && is_missing(text, missing_))
      std::memcpy(element, filling_, width_);
    else if (!read_(text, element))
      fail(GPUOPT_ERR_FORMAT, "loadtxt: %s, line %lld, column %zu: could not convert string '%s' to %s", where_.c_str(),
           static_cast<long long>(reader_.line()), column + 1, shown(text).c_str(), dtype_name(dtype_));
  }

  // The shape as numpy.loadtxt has it: axes of size 1 stay only as far as ndmin needs them.
  Dims result_shape() const {
    const int64_t columns = static_cast<int64_t>(options_.usecols ? columns_.size() : rows_ ? in_row_ : 1);
    if (options_.ndmin == 2) return {rows_, columns};
    Dims shape;
    if (rows_ != 1) shape.push_back(rows_);
    if (columns != 1) shape.push_back(columns);
    if (shape.empty() && options_.ndmin == 1) shape.push_back(1);
    return shape;
  }

  const gpuopt_loadtxt_options &options_;
  const std::string &where_;
  const TableSyntax syntax_;
  const gpuopt_dtype dtype_;
  const size_t width_;
  const ReadNumber read_;
  const std::string missing_;
  TableReader reader_;
  Elements elements_;
  std::vector<int64_t> columns_;
  unsigned char filling_[16] = {};
  size_t in_row_ = 0;
  int64_t rows_ = 0;
};

ArrayRef load_text(Source &source, gpuopt_device device, const gpuopt_loadtxt_options *given,
                   const std::string &where) {
  const auto options = options_or_default(given, "gpuopt_loadtxt_options");
  check_counts(options);
  TextTable table(source, options, where);
  table.read();
  return table.array(device);
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
