// core/exchange/print_number.h -- converts a floating-point number to decimal text, digit for digit as NumPy does.
#pragma once
#include <gpuopt/gpuopt.h>

#include <string>

namespace gpuopt {

// How trailing zeros after the decimal point are trimmed. KEEP: not at all. POINT: all are dropped, the point stays
// ("1."). ZERO: all but one, if no other digit follows the point ("1.0"). ALL: all, and then the point, too ("1").
enum class Trim { KEEP, POINT, ZERO, ALL };

// How a number is printed. The digits are the shortest that read back as the same number of its dtype. If more than
// `precision` of them are after the point, the exact value is rounded to `precision` digits instead, halves to even; if
// fewer than `min_digits` are, the exact value is rounded to that many.
struct NumberStyle {
  int precision = -1;  // -1: no limit
  int min_digits = 0;
  Trim trim = Trim::ALL;
  bool plus = false;  // print "+" before positive numbers
  int pad_left = 0;   // minimum number of characters before the point, sign included
  int pad_right = 0;  // minimum number of characters after it; positional notation only
  int exponent_digits = 2;
};

// Return `value`, which must be finite and exactly representable in the real floating dtype `dtype`, as "123.5" and as
// "1.235e+02".
std::string positional(double value, gpuopt_dtype dtype, const NumberStyle &style);
std::string scientific(double value, gpuopt_dtype dtype, const NumberStyle &style);

// Returns v rounded to `dtype`.
double round_to_dtype(double v, gpuopt_dtype dtype);

}  // namespace gpuopt
