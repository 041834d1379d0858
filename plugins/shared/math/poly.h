// plugins/shared/math/poly.h -- what the math functions share: Horner's rule, rounding by a magic addend, exact sums
#ifndef GPUOPT_PLUGINS_SHARED_MATH_POLY_H_
#define GPUOPT_PLUGINS_SHARED_MATH_POLY_H_

#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

// c0 + c1 x + c2 x^2 + ...
template <class T>
GPO_FN T poly(T, T c0) {
  return c0;
}
template <class T, class... C>
GPO_FN T poly(T x, T c0, T c1, C... rest) {
  return fma(poly(x, c1, rest...), x, c0);
}

// An integer held twice: as a float, and as the low bits of an integer. AVX2 has no conversion between 64-bit integers
// and doubles, so the adder makes both: adding 1.5 * 2^mantissa leaves the integer in the low bits of the sum.
template <class T>
struct rounded {
  T value;
  uint_of<T> bits;  // the integer plus whatever bias was asked for, modulo 2^(mantissa - 1)
};
template <class T>
inline constexpr T magic = T(uint_of<T>(3) << (fp<T>::mantissa - 1));
// The integer nearest x * y, for |x * y| + bias < 2^(mantissa - 2).
template <class T>
GPO_FN rounded<T> round_product(T x, T y, T bias = T(0)) {
  const T shifted = fma(x, y, magic<T> + bias);
  return {shifted - (magic<T> + bias), to_bits(shifted)};
}

// 2^n as a product of two factors, so that results may be denormal or overflow. `bits` is n + 2 * bias.
template <class T>
struct two_factors {
  T first, second;
  GPO_FN T times(T x) const { return x * first * second; }
};
template <class T>
GPO_FN two_factors<T> exp2_of_biased(uint_of<T> bits) {
  using U = uint_of<T>;
  constexpr int m = fp<T>::mantissa;
  const U both = bits << m;
  const U first = (both >> 1) & ~((U(1) << m) - 1);
  return {from_bits(first), from_bits(U(both - first))};
}

// An unevaluated sum, |lo| small beside |hi|.
template <class T>
struct hi_lo {
  T hi, lo;
};
// a + b exactly, for |a| >= |b| or a = 0 (Dekker's Fast2Sum).
template <class T>
GPO_FN hi_lo<T> fast_two_sum(T a, T b) {
  const T sum = a + b;
  return {sum, (a - sum) + b};
}
// a + b exactly (Knuth's TwoSum).
template <class T>
GPO_FN hi_lo<T> two_sum(T a, T b) {
  const T sum = a + b;
  const T b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}
// a * b exactly.
template <class T>
GPO_FN hi_lo<T> two_product(T a, T b) {
  const T product = a * b;
  return {product, fma(a, b, -product)};
}
// Returns num / den with an error little above half an ULP.
template <class T>
GPO_FN T divide_sums(hi_lo<T> num, hi_lo<T> den) {
  const T inverse = T(1) / den.hi;
  const T q = num.hi * inverse;
  const T rest = fma(-q, den.lo, fma(-q, den.hi, num.hi) + num.lo);
  return fma(rest, inverse, q);
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_POLY_H_
