// plugins/shared/math/power.h -- pow for integers, float and double
#ifndef GPUOPT_PLUGINS_SHARED_MATH_POWER_H_
#define GPUOPT_PLUGINS_SHARED_MATH_POWER_H_

#include "plugins/shared/math/double_double.h"

namespace gpo {
namespace math {

// Returns x^y with C's special cases (C17 F.10.4.4); `magnitude` is |x|^y wherever that is neither 0^y, inf^y nor 1^y.
template <class T>
GPO_FN T pow_special(T x, T y, T magnitude) {
  const T ax = abs(x), half_y = T(0.5) * y;
  const bool integer = trunc(y) == y;  // infinities count, and are even
  const bool odd = integer & (trunc(half_y) != half_y);
  const bool extreme = (ax == T(0)) | (ax == inf<T>());
  const T at_extreme = (ax == T(0)) == (y < T(0)) ? inf<T>() : T(0);
  const T finite_base = extreme ? at_extreme : magnitude;
  const bool is_one = ((ax == T(1)) & (y == y)) | (y == T(0)) | (x == T(1));
  const T size = is_one ? T(1) : finite_base;
  const bool undefined = (x < T(0)) & (ax < inf<T>()) & !integer;
  const bool is_nan = ((x != x) | (y != y) | undefined) & (y != T(0)) & (x != T(1));
  const T result = (signbit(x) & odd) ? -size : size;
  return is_nan ? nan<T>() : result;
}

// exp(y log|x|), the logarithm and its product in double-double.
GPO_FN double pow(double x, double y) {
  const double_double log_x = log_accurate(abs(x));
  // Past 2^64 the power of anything but 1 has left the format, and the product must not become inf - inf.
  const double bound = abs(y) > 0x1p64 ? copysign(0x1p64, y) : y;
  return pow_special(x, y, exp_of_sum(multiply(log_x, bound)));
}
GPO_FN float pow(float x, float y) {
  const double log_x = log(double(abs(x)));
  return pow_special(x, y, float(exp(log_x * double(y))));
}

// Wraps like multiplication. A negative exponent gives the exact quotient 1 / a^-b truncated, and 0 for base 0.
template <class T>
GPO_FN T int_pow(T base, T exponent) {
  using W = conditional<(sizeof(T) < 4), u32, uint_of<T>>;
  if (is_negative(exponent)) {
    const T unit = (uint_of<T>(exponent) & 1) ? base : T(1);
    return base == T(1) ? T(1) : (is_signed_int<T> && base == T(-1) ? unit : T(0));
  }
  W result = 1, factor = W(base);
  for (uint_of<T> n = uint_of<T>(exponent); n != 0; n = uint_of<T>(n >> 1)) {
    result = (n & 1) ? result * factor : result;
    factor *= factor;
  }
  return T(result);
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_POWER_H_
