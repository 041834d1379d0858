// plugins/shared/math/power.h -- pow for every dtype kind
#ifndef GPUOPT_PLUGINS_SHARED_MATH_POWER_H_
#define GPUOPT_PLUGINS_SHARED_MATH_POWER_H_

#include "plugins/shared/math/complex_functions.h"
#include "plugins/shared/math/first_forms.h"
#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

GPO_FN double pow(double a, double b) { return GPO_LIBM(pow)(a, b); }
GPO_FN float pow(float a, float b) { return float(pow(double(a), double(b))); }

// Wraps like multiplication. A negative exponent gives the exact quotient 1 / a^-b truncated, and 0 for base 0.
template <class T>
GPO_FN T int_pow(T base, T exponent) {
  using W = conditional<(sizeof(T) < 4), u32, uint_of<T>>;
  if (exponent < T(0)) {
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

template <class T>
GPO_FN T pow(T a, T b) {
  if constexpr (is_int<T>) {
    return int_pow(a, b);
  } else {
    return complex_pow(a, b);
  }
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_POWER_H_
