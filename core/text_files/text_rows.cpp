// core/text_files/text_rows.cpp -- see text_rows.h.
#include "core/text_files/text_rows.h"

#include "core/array/dtype.h"
#include "core/base/error.h"

namespace gpuopt {
namespace {

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

}  // namespace

void TextRows::read(TableReader &reader, int64_t most) {
  while (count_ < most && reader.next()) {
    add_row(reader);
    ++count_;
  }
}

void TextRows::add_row(const TableReader &reader) {
  const size_t there = reader.columns();
  if (columns_ == 0) columns_ = there;
  if (rules_.chooses) {
    for (const int64_t column : rules_.columns) add(reader, place_of(reader, column));
    return;
  }
  if (there != columns_)
    fail(GPUOPT_ERR_FORMAT,
         "loadtxt: %s, line %lld: the number of columns changed from %zu to %zu; use `usecols` to "
         "select a subset and avoid this error",
         where_.c_str(), static_cast<long long>(reader.line()), columns_, there);
  for (size_t k = 0; k < there; ++k) add(reader, k);
}

size_t TextRows::place_of(const TableReader &reader, int64_t column) const {
  const int64_t count = static_cast<int64_t>(reader.columns()), place = column < 0 ? column + count : column;
  if (place < 0 || place >= count)
    fail(GPUOPT_ERR_INDEX, "loadtxt: %s, line %lld: invalid column index %lld with %lld columns", where_.c_str(),
         static_cast<long long>(reader.line()), static_cast<long long>(column), static_cast<long long>(count));
  return static_cast<size_t>(place);
}

void TextRows::add(const TableReader &reader, size_t column) {
  const std::string_view text = reader.column(column);
  char *const element = elements_.add();
  if (rules_.fills && is_missing(text, rules_.missing))
    std::memcpy(element, rules_.filling, rules_.width);
  else if (!rules_.read(text, element))
    fail(GPUOPT_ERR_FORMAT, "loadtxt: %s, line %lld, column %zu: could not convert string '%s' to %s", where_.c_str(),
         static_cast<long long>(reader.line()), column + 1, shown(text).c_str(), dtype_name(rules_.dtype));
}

}  // namespace gpuopt
