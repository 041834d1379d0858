// core/text_files/save.cpp -- gpuopt_savetxt: arrays of one or two dimensions become text.
#include <string>

#include "core/base/file.h"
#include "core/engine/engine.h"
#include "core/exchange/host.h"
#include "core/text_files/text_format.h"

namespace gpuopt {
namespace {

std::string text_or_standard(const char *given, const char *standard) { return given ? given : standard; }

// Writes rows to a file in large pieces.
class TableWriter {
 public:
  TableWriter(gpuopt_array x, const gpuopt_savetxt_options &o)
      : dtype_(x->dtype),
        width_(static_cast<size_t>(dtype_size(x->dtype))),
        columns_(x->ndim == 2 ? x->shape[1] : 1),
        format_(o.fmt, columns_, x->dtype),
        delimiter_(text_or_standard(o.delimiter, " ")),
        newline_(text_or_standard(o.newline, "\n")),
        comments_(text_or_standard(o.comments, "# ")) {}

  void write_comment(const char *text, Sink &sink) {
    if (!text || !*text) return;
    text_ += comments_;
    for (; *text; ++text) {
      text_ += *text;
      if (*text == '\n') text_ += comments_;
    }
    text_ += newline_;
    flush(sink);
  }

  // Writes consecutive elements of the rows.
  void write(const char *elements, size_t bytes, Sink &sink) {
    for (const char *end = elements + bytes; elements < end; elements += width_) {
      if (column_ && !format_.is_row()) text_ += delimiter_;
      format_.append(text_, column_, dtype_, elements);
      if (++column_ == columns_) {
        text_ += newline_;
        column_ = 0;
      }
      if (text_.size() >= kPiece) flush(sink);
    }
    flush(sink);
  }
  // Writes rows that have no columns.
  void write_empty_rows(int64_t count, Sink &sink) {
    for (; count > 0; --count) {
      text_ += newline_;
      if (text_.size() >= kPiece) flush(sink);
    }
    flush(sink);
  }

 private:
  static constexpr size_t kPiece = size_t{1} << 18;
  void flush(Sink &sink) {
    sink.write(text_.data(), text_.size());
    text_.clear();
  }

  const gpuopt_dtype dtype_;
  const size_t width_;
  const int64_t columns_;
  const RowFormat format_;
  const std::string delimiter_, newline_, comments_;
  std::string text_;
  int64_t column_ = 0;
};

void save_text(gpuopt_array x, const char *path, const gpuopt_savetxt_options *given) {
  if (deref(x, "savetxt").weak) fail(GPUOPT_ERR_INVALID_ARGUMENT, "savetxt: a weak scalar has no dtype to save");
  if (!path) fail(GPUOPT_ERR_INVALID_ARGUMENT, "savetxt: path is NULL");
  if (x->ndim < 1 || x->ndim > 2)
    fail(GPUOPT_ERR_SHAPE, "savetxt: Expected 1D or 2D array, got %dD array instead", static_cast<int>(x->ndim));
  const auto options = options_or_default(given, "gpuopt_savetxt_options");
  TableWriter writer(x, options);
  evaluate(x);
  save_atomically(path, [&](File &file) {
    writer.write_comment(options.header, file);
    if (x->size)
      consume_elements(x, [&](const char *piece, size_t bytes) { writer.write(piece, bytes, file); });
    else
      writer.write_empty_rows(x->shape[0], file);
    writer.write_comment(options.footer, file);
  });
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" gpuopt_status gpuopt_savetxt(gpuopt_array x, const char *path, const gpuopt_savetxt_options *options,
                                        gpuopt_error *error) {
  return guarded(error, [&] { save_text(x, path, options); });
}
