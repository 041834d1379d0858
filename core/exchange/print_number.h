// core/exchange/print_number.h -- one floating-point number as decimal text, digit for digit as NumPy prints it.
#pragma once
#include <gpuopt/gpuopt.h>

#include <string>

namespace gpuopt {

// What becomes of trailing zeros: all kept; dropped with the point kept ("1."); one kept ("1.0"); dropped with the
// point ("1").
enum class Trim { KEEP, POINT, ZERO, ALL };

// The shortest digits that read back as the same number of its dtype are used, unless they are more than `precision`
// behind the point (then the exact value is rounded there, halves to even) or fewer than `min_digits` (then the exact
// value's digits follow).
struct NumberStyle {
  int precision = -1;  // -1: as many as it takes
  int min_digits = 0;
  Trim trim = Trim::ALL;
  bool plus = false;  // a sign also where it is positive
  int pad_left = 0;   // at least so many characters before the point
  int pad_right = 0;  // positional: behind it
  int exponent_digits = 2;
};

// `value` is finite and exactly a number of the real floating dtype `dtype`.
std::string positional(double value, gpuopt_dtype dtype, const NumberStyle &style);
std::string scientific(double value, gpuopt_dtype dtype, const NumberStyle &style);

// v rounded to `dtype` and back.
double round_to_dtype(double v, gpuopt_dtype dtype);

}  // namespace gpuopt
