// core/exchange/print_number.cpp -- computes shortest and correctly rounded decimal digits, and builds the two
// notations from them.
#include "core/exchange/print_number.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "core/array/dtype.h"

namespace gpuopt {
namespace {

// A decimal number that is not negative: digits[0].digits[1]digits[2]... * 10^exponent.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

// Parses a number in the scientific notation of to_chars, such as "1.25e-07".
Decimal parse_scientific(const char *begin, const char *end) {
  Decimal d;
  const char *p = begin;
  for (; p != end && *p != 'e'; ++p)
    if (*p != '.') d.digits += *p;
  if (p != end) d.exponent = std::atoi(std::string(p + 1, end).c_str());
  return d;
}

// Returns `value` correctly rounded to `fraction` digits after the point of scientific notation.
Decimal rounded_scientific(double value, int fraction) {
  std::string text(static_cast<size_t>(fraction) + 32, '\0');
  char *end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, fraction).ptr;
  return parse_scientific(text.data(), end);
}

// Returns `value` correctly rounded to `fraction` digits after the point of positional notation.
Decimal rounded_positional(double value, int fraction) {
  std::string text(static_cast<size_t>(fraction) + 400, '\0');
  char *end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, fraction).ptr;
  Decimal d;
  d.exponent = -1;
  bool behind_point = false;
  for (const char *p = text.data(); p != end; ++p) {
    behind_point |= *p == '.';
    if (*p == '.') continue;
    d.digits += *p;
    d.exponent += !behind_point;
  }
  return d;
}

// Returns digits * 10^exponent, correctly rounded.
double read_decimal(uint64_t digits, int exponent) {
  const std::string text = std::to_string(digits) + "e" + std::to_string(exponent);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Returns the fewest digits that read back as `value`, for the 16-bit dtypes, which to_chars does not support. For each
// number of digits this tries the nearest decimal and the next one above: if `value` is a power of two, numbers below
// it are half as far apart as numbers above, so that a decimal below may be nearer to `value` and yet read back as
// another number.
Decimal shortest_of_half(double value, gpuopt_dtype dtype) {
  constexpr int enough = 16;  // digits after the point with which any double reads back as itself
  for (int fraction = 0; fraction < enough; ++fraction) {
    Decimal d = rounded_scientific(value, fraction);
    const uint64_t digits = std::strtoull(d.digits.c_str(), nullptr, 10);
    for (uint64_t candidate : {digits, digits + 1}) {
      if (round_to_dtype(read_decimal(candidate, d.exponent - fraction), dtype) != value) continue;
      const std::string text = std::to_string(candidate);
      d.exponent += static_cast<int>(text.size() - d.digits.size());
      d.digits = text;
      return d;
    }
  }
  return rounded_scientific(value, enough);
}

Decimal shortest(double value, gpuopt_dtype dtype) {
  if (value == 0) return {"0", 0};
  char text[64];
  if (dtype == GPUOPT_FLOAT16 || dtype == GPUOPT_BFLOAT16) return shortest_of_half(value, dtype);
  const auto write = [&](auto number) {
    return std::to_chars(text, text + sizeof text, number, std::chars_format::scientific).ptr;
  };
  return parse_scientific(text, dtype == GPUOPT_FLOAT32 ? write(static_cast<float>(value)) : write(value));
}

// Applies `precision` and `min_digits` to d, of whose digits `fraction` are after the point. `rounded(n)` returns the
// exact value rounded to n digits after the point.
template <class Rounded>
Decimal limit_digits(Decimal d, int fraction, const NumberStyle &style, Rounded rounded) {
  if (style.precision >= 0 && fraction > style.precision) return rounded(style.precision);
  if (fraction < style.min_digits) return rounded(style.min_digits);
  return d;
}

void trim_fraction(std::string &fraction, Trim trim) {
  if (trim == Trim::KEEP) return;
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (trim == Trim::ZERO && fraction.empty()) fraction += '0';
}

// Returns the sign of `value` and the digits `whole` before the point, padded to style.pad_left.
std::string whole_text(double value, const std::string &whole, const NumberStyle &style) {
  std::string text = std::signbit(value) ? "-" : style.plus ? "+" : "";
  text += whole;
  const size_t width = static_cast<size_t>(style.pad_left);
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string join_point(std::string whole, const std::string &fraction, Trim trim) {
  if (!fraction.empty() || trim != Trim::ALL) whole += '.';
  return whole + fraction;
}

}  // namespace

double round_to_dtype(double v, gpuopt_dtype dtype) {
  alignas(16) unsigned char element[16];
  store_scalar(gpuopt_scalar_real(v), dtype, element, true);
  return load_scalar(dtype, element).value.f;
}

std::string positional(double value, gpuopt_dtype dtype, const NumberStyle &style) {
  const double magnitude = std::fabs(value);
  Decimal d = shortest(magnitude, dtype);
  const int fraction_digits = std::max(0, static_cast<int>(d.digits.size()) - 1 - d.exponent);
  d = limit_digits(d, fraction_digits, style, [&](int n) { return rounded_positional(magnitude, n); });
  if (d.exponent < 0) {
    d.digits.insert(0, static_cast<size_t>(-d.exponent), '0');
    d.exponent = 0;
  }
  const size_t whole_digits = static_cast<size_t>(d.exponent) + 1;
  if (d.digits.size() < whole_digits) d.digits.append(whole_digits - d.digits.size(), '0');
  std::string fraction = d.digits.substr(whole_digits);
  trim_fraction(fraction, style.trim);
  const std::string text = join_point(whole_text(value, d.digits.substr(0, whole_digits), style), fraction, style.trim);
  const size_t missing = static_cast<size_t>(std::max(0, style.pad_right - static_cast<int>(fraction.size())));
  return text + std::string(missing, ' ');
}

std::string scientific(double value, gpuopt_dtype dtype, const NumberStyle &style) {
  const double magnitude = std::fabs(value);
  Decimal d = shortest(magnitude, dtype);
  const int fraction_digits = static_cast<int>(d.digits.size()) - 1;
  d = limit_digits(d, fraction_digits, style, [&](int n) { return rounded_scientific(magnitude, n); });
  std::string fraction = d.digits.substr(1);
  trim_fraction(fraction, style.trim);
  std::string exponent = std::to_string(std::abs(d.exponent));
  const size_t width = static_cast<size_t>(style.exponent_digits);
  if (exponent.size() < width) exponent.insert(0, width - exponent.size(), '0');
  return join_point(whole_text(value, d.digits.substr(0, 1), style), fraction, style.trim) +
         (d.exponent < 0 ? "e-" : "e+") + exponent;
}

}  // namespace gpuopt
