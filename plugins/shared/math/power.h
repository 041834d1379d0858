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

// The exponents for which x^y is defined as what is quickest: sqrt(x), but for -0 and -inf, 1 / x, x, x * x and
// x * x * x.
template <class T>
GPO_FN bool is_simple_exponent(T y) {
  return (y == T(0.5)) | (y == T(-1)) | (y == T(1)) | (y == T(2)) | (y == T(3));
}
// The square root but for -0 and -inf, of which it is +0 and +inf.
template <class T>
GPO_FN T half_power(T x) {
  const T root = gpo::sqrt(x + T(0));
  return x == -inf<T>() ? inf<T>() : root;
}
// Returns x^y for simple exponents, `other` for all others.
template <class T>
GPO_FN T simple_power(T x, T y, T other) {
  const T square = x * x;
  const T first = y == T(1) ? x : other;
  const T second = y == T(2) ? square : first;
  const T third = y == T(3) ? square * x : second;
  const T inverse = y == T(-1) ? T(1) / x : third;
  return y == T(0.5) ? half_power(x) : inverse;
}

// A GPU branches, for as a rule all its threads have the same exponent; the CPU's vectors compute all of them.
#if defined(__CUDA_ARCH__)
inline constexpr bool power_branches = true;
#else
inline constexpr bool power_branches = false;
#endif

// exp(y log|x|), the logarithm and its product in double-double.
GPO_FN double pow(double x, double y) {
  if (power_branches && is_simple_exponent(y)) return simple_power(x, y, x);
  const double_double log_x = log_accurate(abs(x));
  // Past 2^64 the power of anything but 1 has left the format, and the product must not become inf - inf.
  const double bound = abs(y) > 0x1p64 ? copysign(0x1p64, y) : y;
  const double power = pow_special(x, y, exp_of_sum(multiply(log_x, bound)));
  return power_branches ? power : simple_power(x, y, power);
}
GPO_FN float pow(float x, float y) {
  if (power_branches && is_simple_exponent(y)) return simple_power(x, y, x);
  const double log_x = log(double(abs(x)));
  const float power = pow_special(x, y, float(exp(log_x * double(y))));
  return power_branches ? power : simple_power(x, y, power);
}

// The _easy forms are right for normal x and ordinary y whose power is normal, too; pow_is_hard() is true for all
// others, and for the exponents that need a root or a division.
GPO_FN double_double log_power(double x, double y) {
  const log_reduced<double> r = reduce_normal_log(abs(x));
  return multiply(log_sum_accurate(r.k, {r.f, 0.0}), y);
}
GPO_FN double log_power(float x, float y) { return log_easy(double(abs(x))) * double(y); }
GPO_FN double leading_part(double_double x) { return x.hi; }
GPO_FN double leading_part(double x) { return x; }
// exp(x.hi + x.lo) is (small + large + 1) scale.
struct exp_terms {
  double small, large, scale;
};
GPO_FN exp_terms exp_terms_of(double_double x) {
  using D = exp_data<double>;
  const exp_reduced<double> e = reduce_exp(x.hi, 1023.0);
  const double r_lo = e.r_lo + x.lo;
  const double r = e.r_hi + r_lo;
  return {fma(r * r, D::exp_tail(r), r_lo), e.r_hi, from_bits(e.n.bits << 52)};
}
GPO_FN double sum_of_terms(exp_terms e) { return (e.small + e.large + 1.0) * e.scale; }
GPO_FN double exp_easy(double_double x) { return sum_of_terms(exp_terms_of(x)); }
GPO_FN double exp_easy(double x) {
  using D = exp_data<double>;
  const exp_reduced<double> e = reduce_exp(x, 1023.0);
  return (fma(e.r * e.r, D::exp_tail(e.r), e.r_lo) + e.r_hi + 1.0) * from_bits(e.n.bits << 52);
}

// x^y from |x|^y, and of exponents whose powers are defined as products those.
template <class T>
GPO_FN T pow_of_magnitude(T x, T y, T magnitude) {
  const T half_y = T(0.5) * y;
  const bool odd = (trunc(y) == y) & (trunc(half_y) != half_y);
  const T power = (signbit(x) & odd) ? -magnitude : magnitude;
  const T square = x * x;
  const T second = y == T(2) ? square : power;
  return y == T(3) ? square * x : second;
}
template <class T>
GPO_FN T pow_easy(T x, T y) {
  return pow_of_magnitude(x, y, T(exp_easy(log_power(x, y))));
}
// `log` is the leading part of log_power(x, y).
template <class T>
GPO_FN bool pow_is_hard(T x, T y, double log) {
  // The exponential of a number of this size is normal in double; that of one of float's range is so in float, or is
  // rounded or overflows as it should.
  const bool in_range = abs(log) < 708.0;
  const bool undefined = (x < T(0)) & (trunc(y) != y);
  const bool slow = (y == T(0.5)) | (y == T(-1));
  return log_is_hard(abs(x)) | !in_range | undefined | slow;
}
template <class T>
GPO_FN bool pow_is_hard(T x, T y) {
  return pow_is_hard(x, y, leading_part(log_power(x, y)));
}
// By branches, for one element.
template <class T>
GPO_FN T pow_hard(T x, T y) {
  if (y == T(0.5)) return half_power(x);
  if (y == T(-1)) return T(1) / x;
  return pow(x, y);
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
