// core/text_files/text_format.cpp -- see text_format.h.
#include "core/text_files/text_format.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "core/array/dtype.h"
#include "core/base/error.h"
#include "core/text_files/text_number.h"

namespace gpuopt {
namespace {

constexpr int kLargest = 512;  // width and precision

bool is_integer_type(char type) { return std::strchr("diuoxX", type) != nullptr; }

bool read_flag(char c, Conversion &to) {
  if (c == '-')
    to.left = true;
  else if (c == '+')
    to.plus = true;
  else if (c == ' ')
    to.space = true;
  else if (c == '0')
    to.zero = true;
  else
    return false;
  return true;
}

// Reads decimal digits, none of which count as 0.
int read_count(const char *&at, const char *format) {
  int count = 0;
  for (; *at >= '0' && *at <= '9'; ++at) {
    count = 10 * count + (*at - '0');
    if (count > kLargest)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "savetxt: invalid fmt '%.60s': a width or precision is above %d", format,
           kLargest);
  }
  return count;
}

// Reads a conversion behind its percent sign.
Conversion read_conversion(const char *&at, const char *format) {
  Conversion made;
  while (*at && read_flag(*at, made)) ++at;
  made.width = read_count(at, format);
  if (*at == '.') made.precision = read_count(++at, format);
  made.type = *at;
  if (!*at || !std::strchr("diuoxXeEfFgGs", *at))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "savetxt: invalid fmt '%.60s': a conversion is none of d i u o x X e E f F g G s",
         format);
  if (made.precision >= 0 && (is_integer_type(*at) || *at == 's'))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "savetxt: invalid fmt '%.60s': only conversions of floats have a precision",
         format);
  ++at;
  return made;
}

// Appends a number, of which this is the text with its sign, in the width of the conversion.
void append_padded(std::string &text, const Conversion &how, std::string number, bool finite) {
  const bool negative = number[0] == '-';
  std::string sign = negative ? "-" : how.plus ? "+" : how.space ? " " : "";
  if (negative) number.erase(0, 1);
  const size_t length = sign.size() + number.size(), width = static_cast<size_t>(how.width);
  const size_t missing = width > length ? width - length : 0;
  if (how.left)
    text += sign + number + std::string(missing, ' ');
  else if (how.zero && finite)
    text += sign + std::string(missing, '0') + number;
  else
    text += std::string(missing, ' ') + sign + number;
}

std::string upper(std::string text) {
  for (char &c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string float_text(double value, const Conversion &how) {
  const char type = static_cast<char>(how.type | 32);
  const auto notation = type == 'e'   ? std::chars_format::scientific
                        : type == 'f' ? std::chars_format::fixed
                                      : std::chars_format::general;
  char digits[1024];  // 309 digits, a point and the precision
  if (value != value) value = std::fabs(value);
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, notation, how.precision < 0 ? 6 : how.precision);
  const std::string text(digits, end.ptr);
  return how.type == type ? text : upper(text);
}

std::string whole_text(double value) {
  if (!std::isfinite(value))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "savetxt: cannot convert float %s to integer",
         value != value ? "NaN" : "infinity");
  Conversion fixed;
  fixed.type = 'f';
  fixed.precision = 0;
  return float_text(std::trunc(value) + 0.0, fixed);  // -0 becomes 0
}

std::string integer_text(const gpuopt_scalar &value, char type) {
  const int base = type == 'o' ? 8 : (type | 32) == 'x' ? 16 : 10;
  char digits[72];
  char *const end = value.kind == 'u' ? std::to_chars(digits, digits + sizeof digits, value.value.u, base).ptr
                                      : std::to_chars(digits, digits + sizeof digits, value.value.i, base).ptr;
  return type == 'X' ? upper(std::string(digits, end)) : std::string(digits, end);
}

double as_double(const gpuopt_scalar &value) {
  if (value.kind == 'f' || value.kind == 'c') return value.value.f;
  return value.kind == 'u' ? static_cast<double>(value.value.u) : static_cast<double>(value.value.i);
}

void append_real_element(std::string &text, const Conversion &how, gpuopt_dtype dtype, const void *element) {
  const gpuopt_scalar value = load_scalar(dtype, element);
  const bool is_float = value.kind == 'f';
  std::string number;
  if (how.type == 's')
    append_shortest(number, dtype, element);
  else if (!is_integer_type(how.type))
    number = float_text(as_double(value), how);
  else
    number = is_float ? whole_text(value.value.f) : integer_text(value, how.type);
  append_padded(text, how, number, std::isfinite(as_double(value)));
}

// Makes "+-", a sign of the text in front of that of a number, one sign from a place of the text on.
void join_signs(std::string &text, size_t from) {
  for (size_t at = text.find("+-", from); at != std::string::npos; at = text.find("+-", at)) text.erase(at, 1);
}

}  // namespace

RowFormat::RowFormat(const char *format, int64_t columns, gpuopt_dtype dtype) {
  plain_ = !format;
  read(format ? format : "%s");
  const size_t count = conversions_.size();
  is_row_ = count > 1;
  parts_ = dtype_kind(dtype) == 'c' ? 2 : 1;
  if (count == 0 || (is_row_ && (count % parts_ || static_cast<int64_t>(count / parts_) != columns)))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "savetxt: fmt has wrong number of %% formats:  %.60s", format);
  for (const Conversion &one : conversions_) {
    if (dtype_kind(dtype) != 'f' && dtype_kind(dtype) != 'c') continue;
    if (one.type == 'o' || (one.type | 32) == 'x')
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "savetxt: %%%c format: an integer is required, not %s", one.type,
           dtype_name(dtype));
  }
}

void RowFormat::read(const char *format) {
  std::string text;
  for (const char *at = format; *at;) {
    if (*at != '%') {
      text += *at++;
    } else if (at[1] == '%') {
      text += '%';
      at += 2;
    } else {
      conversions_.push_back(read_conversion(++at, format));
      texts_.push_back(std::move(text));
      text.clear();
    }
  }
  texts_.push_back(std::move(text));
}

void RowFormat::append(std::string &text, int64_t column, gpuopt_dtype dtype, const void *element) const {
  if (plain_) {
    append_shortest(text, dtype, element);
    return;
  }
  const size_t begin = text.size();
  if (parts_ == 2)
    append_complex(text, column, real_component(dtype), static_cast<const char *>(element));
  else
    append_part(text, is_row_ ? static_cast<size_t>(column) : 0, dtype, element);
  if (parts_ == 2) join_signs(text, begin > 0 ? begin - 1 : 0);
}

void RowFormat::append_part(std::string &text, size_t k, gpuopt_dtype dtype, const void *element) const {
  text += texts_[k];
  append_real_element(text, conversions_[k], dtype, element);
  if (k + 1 == conversions_.size()) text += texts_[k + 1];
}

void RowFormat::append_complex(std::string &text, int64_t column, gpuopt_dtype part, const char *element) const {
  const char *const imaginary = element + dtype_size(part);
  if (is_row_) {
    append_part(text, 2 * static_cast<size_t>(column), part, element);
    append_part(text, 2 * static_cast<size_t>(column) + 1, part, imaginary);
    return;
  }
  text += " (";
  append_part(text, 0, part, element);
  text += '+';
  append_part(text, 0, part, imaginary);
  text += "j)";
}

}  // namespace gpuopt
