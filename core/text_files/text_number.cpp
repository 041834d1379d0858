// core/text_files/text_number.cpp -- see text_number.h.
#include "core/text_files/text_number.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/array/dtype.h"
#include "core/exchange/print_number.h"

namespace gpuopt {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Removes a plus sign, which from_chars() does not know, unless another sign follows.
void drop_plus(std::string_view &text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
}

// Returns whether the magnitude of a decimal number that is out of the range of its type is above 1, and not below.
bool is_huge(std::string_view text) {
  const size_t e = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, e);
  int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view power = text.substr(e + 1);
    drop_plus(power);
    if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec != std::errc()) return power[0] != '-';
  }
  const size_t point = std::min(digits.find('.'), digits.size()), first = digits.find_first_of("123456789");
  const int64_t place = static_cast<int64_t>(point) - static_cast<int64_t>(first);  // of the first digit
  return exponent > -place;
}

// Reads a real number at the beginning of the text. Returns its length, 0 if there is none.
template <class T>
size_t read_real(std::string_view text, T &value) {
  const size_t whole = text.size();
  drop_plus(text);
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const size_t length = static_cast<size_t>(end - text.data());
  if (problem == std::errc::result_out_of_range) {
    value = is_huge(text.substr(0, length)) ? std::numeric_limits<T>::infinity() : T(0);
    if (text[0] == '-') value = -value;
  } else if (problem != std::errc() || text[length - 1] == ')') {  // nan(...) is C's, not Python's
    return 0;
  }
  return length + whole - text.size();
}

template <class T>
bool read_float(std::string_view text, void *element) {
  text = trimmed(text);
  T value;
  if (text.empty() || read_real(text, value) != text.size()) return false;
  std::memcpy(element, &value, sizeof value);
  return true;
}

template <gpuopt_dtype dtype>
bool read_half(std::string_view text, void *element) {
  double value;
  if (!read_float<double>(text, &value)) return false;
  store_scalar(gpuopt_scalar_real(value), dtype, element, true);
  return true;
}

template <class T>
bool read_integer(std::string_view text, void *element) {
  text = trimmed(text);
  drop_plus(text);
  T value;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return false;
  std::memcpy(element, &value, sizeof value);
  return true;
}

bool read_bool(std::string_view text, void *element) {
  text = trimmed(text);
  int64_t number = 0;
  if (text == "True" || text == "true")
    number = 1;
  else if (text != "False" && text != "false" && !read_integer<int64_t>(text, &number))
    return false;
  *static_cast<unsigned char *>(element) = number != 0;
  return true;
}

bool is_unit(std::string_view text) { return text == "j" || text == "J"; }

// Reads "1", "2j", "1+2j" or one of these in parentheses.
template <class T>
bool read_complex(std::string_view text, void *element) {
  text = trimmed(text);
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') text = trimmed(text.substr(1, text.size() - 2));
  T parts[2] = {};
  const size_t first = text.empty() ? 0 : read_real(text, parts[0]);
  if (!first) return false;
  text.remove_prefix(first);
  if (is_unit(text)) {
    parts[1] = parts[0];
    parts[0] = 0;
  } else if (!text.empty()) {
    if (text[0] != '+' && text[0] != '-') return false;
    const size_t second = read_real(text, parts[1]);
    if (!second || !is_unit(text.substr(second))) return false;
  }
  std::memcpy(element, parts, sizeof parts);
  return true;
}

template <class T>
void append_number(std::string &text, T value) {
  char digits[64];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_half(std::string &text, gpuopt_dtype dtype, double value) {
  const double magnitude = std::fabs(value);
  if (!std::isfinite(value))
    append_number(text, value);
  else if (value == 0 || (magnitude >= 1e-4 && magnitude < 1e6))
    text += positional(value, dtype, {});
  else
    text += scientific(value, dtype, {});
}

// A NaN is written without its sign.
template <class T>
void append_real(std::string &text, T value) {
  append_number(text, value != value ? std::numeric_limits<T>::quiet_NaN() : value);
}

template <class T>
void append_complex(std::string &text, const void *element) {
  T parts[2];
  std::memcpy(parts, element, sizeof parts);
  text += '(';
  append_real(text, parts[0]);
  if (!std::signbit(parts[1]) || parts[1] != parts[1]) text += '+';
  append_real(text, parts[1]);
  text += "j)";
}

template <class T>
T element_as(const void *element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

}  // namespace

ReadNumber number_reader(gpuopt_dtype dtype) {
  switch (dtype) {
    case GPUOPT_BOOL:
      return read_bool;
    case GPUOPT_INT8:
      return read_integer<int8_t>;
    case GPUOPT_INT16:
      return read_integer<int16_t>;
    case GPUOPT_INT32:
      return read_integer<int32_t>;
    case GPUOPT_INT64:
      return read_integer<int64_t>;
    case GPUOPT_UINT8:
      return read_integer<uint8_t>;
    case GPUOPT_UINT16:
      return read_integer<uint16_t>;
    case GPUOPT_UINT32:
      return read_integer<uint32_t>;
    case GPUOPT_UINT64:
      return read_integer<uint64_t>;
    case GPUOPT_FLOAT16:
      return read_half<GPUOPT_FLOAT16>;
    case GPUOPT_BFLOAT16:
      return read_half<GPUOPT_BFLOAT16>;
    case GPUOPT_FLOAT32:
      return read_float<float>;
    case GPUOPT_COMPLEX64:
      return read_complex<float>;
    case GPUOPT_COMPLEX128:
      return read_complex<double>;
    default:
      return read_float<double>;
  }
}

void append_shortest(std::string &text, gpuopt_dtype dtype, const void *element) {
  const gpuopt_scalar value = load_scalar(dtype, element);
  if (dtype == GPUOPT_FLOAT32)
    append_real(text, element_as<float>(element));
  else if (dtype == GPUOPT_COMPLEX64)
    append_complex<float>(text, element);
  else if (dtype == GPUOPT_COMPLEX128)
    append_complex<double>(text, element);
  else if (is_half(dtype))
    append_half(text, dtype, value.value.f != value.value.f ? std::fabs(value.value.f) : value.value.f);
  else if (value.kind == 'f')
    append_real(text, value.value.f);
  else if (value.kind == 'u')
    append_number(text, value.value.u);
  else
    append_number(text, value.value.i);
}

}  // namespace gpuopt
