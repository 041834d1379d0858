// plugins/shared/math/complex_arithmetic.h -- complex multiply and divide, componentwise accurate, with C Annex G's
// infinities
//
// The one definition of both, for every backend:
//   finite operands: each component is rounded as if its sum of products (and the quotient by |b|^2) were computed
//     without overflow or underflow on the way, within 4 ULP;
//   an infinite or NaN component (or a divisor of zero): the textbook formula with every product rounded, as NumPy
//     evaluates a product; where that makes both components NaN, C Annex G recovers infinities, zeros and signs.
// No sum here adds or subtracts a product that was rounded before: GCC 12 turns pairs of such sums into one
// vfmaddsub in spite of -ffp-contract=off, which gave an infinity on x86-64-v3 where every other machine gives NaN.
#ifndef GPUOPT_PLUGINS_SHARED_MATH_COMPLEX_ARITHMETIC_H_
#define GPUOPT_PLUGINS_SHARED_MATH_COMPLEX_ARITHMETIC_H_

#include "plugins/shared/math/root.h"
#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

// Kahan's a b + c d: within 1.5 ULP whatever cancels (Jeannerod, Louvet, Muller 2013). Subtracting the negated error
// keeps the sign of a sum of zeros.
template <class T>
GPO_FN T sum_of_products(T a, T b, T c, T d) {
  const T w = c * d;
  return fma(a, b, w) - fma(-c, d, w);
}

template <class T>
GPO_FN cplx<T> multiply_easy(cplx<T> a, cplx<T> b) {
  return {sum_of_products(a.re, b.re, -a.im, b.im), sum_of_products(a.re, b.im, a.im, b.re)};
}
template <class T>
GPO_FN bool multiply_is_hard(cplx<T> a, cplx<T> b) {
  const cplx<T> r = multiply_easy(a, b);
  return (r.re != r.re) | (r.im != r.im);
}

// Returns `magnitude` with the sign of x, where every NaN counts as positive: a NaN's sign depends on processor and
// compiler, so no number may take it.
template <class T>
GPO_FN T with_sign(T magnitude, T x) {
  return copysign(magnitude, isnan(x) ? T(0) : x);
}

// Returns 1 for an infinity, else 0, with x's sign.
template <class T>
GPO_FN T box_infinity(T x) {
  return with_sign(isinf(x) ? T(1) : T(0), x);
}
template <class T>
GPO_FN cplx<T> nan_to_zero(cplx<T> z) {
  return {isnan(z.re) ? T(0) : z.re, isnan(z.im) ? T(0) : z.im};
}
template <class T>
GPO_FN cplx<T> box_infinity(cplx<T> z) {
  return {box_infinity(z.re), box_infinity(z.im)};
}
template <class T>
GPO_FN bool has_infinity(cplx<T> z) {
  return isinf(z.re) || isinf(z.im);
}
template <class T>
GPO_FN bool is_finite(cplx<T> z) {
  return isfinite(z.re) && isfinite(z.im);
}

// x * 2^n for |n| <= 3 * (bias - 1), rounded once unless the result is denormal.
template <class T>
GPO_FN T scale_by(T x, int n) {
  const int third = n / 3;
  const T s = from_bits(uint_of<T>(third + fp<T>::bias) << fp<T>::mantissa);
  const T t = from_bits(uint_of<T>(n - 2 * third + fp<T>::bias) << fp<T>::mantissa);
  return x * s * s * t;
}
// Returns the exponent of the larger component of a finite z, 0 for 0; denormals count as the smallest normal.
template <class T>
GPO_FN int exponent_of(cplx<T> z) {
  const T re = abs(z.re), im = abs(z.im);
  const T larger = re > im ? re : im;
  return larger == T(0) ? 0 : int(to_bits(larger) >> fp<T>::mantissa) - fp<T>::bias;
}
template <class T>
GPO_FN cplx<T> scale_by(cplx<T> z, int n) {
  return {scale_by(z.re, n), scale_by(z.im, n)};
}

// A number as m 2^e with 1 <= |m| < 2; zero has an exponent below every other.
template <class T>
struct split_number {
  T m;
  int e;
};
inline constexpr int exponent_of_zero = -20000;
template <class T>
GPO_FN split_number<T> split(T x) {
  if (x == T(0)) return {x, exponent_of_zero};
  const bool denormal = abs(x) < from_bits(uint_of<T>(1) << fp<T>::mantissa);
  const uint_of<T> bits = to_bits(denormal ? x * from_bits(uint_of<T>(2 * fp<T>::bias - 1) << fp<T>::mantissa) : x);
  const int e = int((bits & ~fp<T>::sign) >> fp<T>::mantissa) - fp<T>::bias;
  const uint_of<T> one = uint_of<T>(fp<T>::bias) << fp<T>::mantissa;
  const uint_of<T> fraction = (uint_of<T>(1) << fp<T>::mantissa) - 1;
  return {from_bits(uint_of<T>((bits & (fp<T>::sign | fraction)) | one)), denormal ? e + 1 - fp<T>::bias : e};
}
// Returns a b + c d of finite numbers as m 2^e. Nothing overflows, and only what is too small to affect the sum
// underflows.
template <class T>
GPO_SLOW split_number<T> split_sum_of_products(T a, T b, T c, T d) {
  const split_number<T> x = split(a), y = split(b), z = split(c), w = split(d);
  const int first = x.e + y.e, second = z.e + w.e, larger = first > second ? first : second;
  if (larger <= exponent_of_zero / 2) return {a * b + c * d, 0};  // zeros, which have signs
  const int least = -(fp<T>::bias - fp<T>::mantissa - 4) / 2;  // a term so far below the other does not affect the sum
  const int down = first - larger > least ? first - larger : least,
            down2 = second - larger > least ? second - larger : least;
  return {sum_of_products(scale_by(x.m, down), y.m, scale_by(z.m, down2), w.m), larger};
}
template <class T>
GPO_FN T from_split(T m, int e) {
  const int bound = 3 * (fp<T>::bias - 1);
  return scale_by(m, e > bound ? bound : (e < -bound ? -bound : e));
}

// p + q for terms of which one is infinite or NaN. Not an addition: see the top of this file.
template <class T>
GPO_FN T sum_of_special(T p, T q) {
  if (isnan(p) || isnan(q)) return nan<T>();
  if (isinf(p)) return q == -p ? nan<T>() : p;
  return q;
}
// a b + c d where a and c are 1, 0 or -1 (for infinities), or a quarter of that, and b and d are not NaN. The products
// are exact unless they are NaN, so that one rounding is as good as two.
template <class T>
GPO_FN T sum_with_unit(T a, T b, T c, T d) {
  return fma(a, b, c * d);
}

// Annex G.5.1: a product with an infinite factor is infinite unless the other factor is zero or NaN throughout.
template <class T>
GPO_SLOW cplx<T> multiply_special(cplx<T> a, cplx<T> b) {
  const cplx<T> plain = {sum_of_special(a.re * b.re, -a.im * b.im), sum_of_special(a.re * b.im, a.im * b.re)};
  if (!isnan(plain.re) || !isnan(plain.im)) return plain;
  if (has_infinity(a)) {
    a = box_infinity(a);
    b = has_infinity(b) ? box_infinity(b) : nan_to_zero(b);
  } else if (has_infinity(b)) {
    const cplx<T> other = nan_to_zero(a);
    a = box_infinity(b);
    b = other;
  } else {
    return plain;
  }
  return {inf<T>() * sum_with_unit(a.re, b.re, -a.im, b.im), inf<T>() * sum_with_unit(a.re, b.im, a.im, b.re)};
}
// The product where multiply_easy() gives a NaN. A component that is NaN although all operands are finite overflowed on
// the way, and is computed again with its exponent kept apart.
template <class T>
GPO_SLOW cplx<T> multiply_hard(cplx<T> a, cplx<T> b) {
  if (!is_finite(a) || !is_finite(b)) return multiply_special(a, b);
  cplx<T> r = multiply_easy(a, b);
  if (isnan(r.re)) {
    const split_number<T> re = split_sum_of_products(a.re, b.re, -a.im, b.im);
    r.re = from_split(re.m, re.e);
  }
  if (isnan(r.im)) {
    const split_number<T> im = split_sum_of_products(a.re, b.im, a.im, b.re);
    r.im = from_split(im.m, im.e);
  }
  return r;
}
template <class T>
GPO_FN cplx<T> multiply(cplx<T> a, cplx<T> b) {
  const cplx<T> r = multiply_easy(a, b);
  return ((r.re != r.re) | (r.im != r.im)) ? multiply_hard(a, b) : r;
}

// Returns the quotient if an operand is not finite or the divisor is zero, by Annex G.5.1. |b|^2 is left out: it is
// positive, and what it would divide is zero, infinite or NaN.
template <class T>
GPO_SLOW cplx<T> divide_special(cplx<T> a, cplx<T> b) {
  if (b.re == T(0) && b.im == T(0)) return {copysign(inf<T>(), b.re) * a.re, copysign(inf<T>(), b.re) * a.im};
  if (is_finite(b)) {
    const cplx<T> plain = {sum_of_special(a.re * b.re, a.im * b.im), sum_of_special(a.im * b.re, -a.re * b.im)};
    if (!isnan(plain.re) || !isnan(plain.im) || !has_infinity(a)) return plain;
    a = box_infinity(a);
    return {inf<T>() * sum_with_unit(a.re, b.re, a.im, b.im), inf<T>() * sum_with_unit(a.im, b.re, -a.re, b.im)};
  }
  if (!has_infinity(b) || !is_finite(a)) return {nan<T>(), nan<T>()};
  b = box_infinity(b);  // made smaller if a is large: the sum would overflow
  const T size = ((abs(a.re) > T(1)) | (abs(a.im) > T(1))) ? T(0.25) : T(1);
  b = {b.re * size, b.im * size};
  return {T(0) * sum_with_unit(b.re, a.re, b.im, a.im), T(0) * sum_with_unit(b.re, a.im, -b.im, a.re)};
}

// Returns the quotient of finite numbers. The exponents of its sums of products are kept apart, so that none overflows.
template <class T>
GPO_SLOW cplx<T> divide_split(cplx<T> a, cplx<T> b) {
  const split_number<T> norm = split_sum_of_products(b.re, b.re, b.im, b.im);
  const split_number<T> re = split_sum_of_products(a.re, b.re, a.im, b.im);
  const split_number<T> im = split_sum_of_products(a.im, b.re, -a.re, b.im);
  return {from_split(re.m / norm.m, re.e - norm.e), from_split(im.m / norm.m, im.e - norm.e)};
}

// Returns whether one component of z is so far below the other that no scaling brings both exponents near 0; `unit` is
// z, scaled to exponent 0 of the larger one.
template <class T>
GPO_FN bool is_wide(cplx<T> z, cplx<T> unit) {
  const T least = from_bits(uint_of<T>(fp<T>::bias - fp<T>::bias / 4) << fp<T>::mantissa);
  return ((z.re != T(0)) & (abs(unit.re) < least)) | ((z.im != T(0)) & (abs(unit.im) < least));
}

// Returns the quotient. Both operands are scaled to exponent 0 first, so nothing inside overflows.
template <class T>
GPO_SLOW cplx<T> divide(cplx<T> a, cplx<T> b) {
  if (!is_finite(a) || !is_finite(b) || (b.re == T(0) && b.im == T(0))) return divide_special(a, b);
  const int ea = exponent_of(a), eb = exponent_of(b);
  const cplx<T> x = scale_by(a, -ea), y = scale_by(b, -eb);
  if (is_wide(a, x) || is_wide(b, y)) return divide_split(a, b);
  const T norm = fma(y.re, y.re, y.im * y.im);
  const cplx<T> q = {sum_of_products(x.re, y.re, x.im, y.im) / norm, sum_of_products(x.im, y.re, -x.re, y.im) / norm};
  return scale_by(q, ea - eb);
}

template <class T>
GPO_FN cplx<T> reciprocal(cplx<T> z) {
  return divide(cplx<T>{T(1), T(0)}, z);
}

// z / |z|; 0 for 0. One infinite component gives a unit on its axis, two leave the direction open: NaN.
template <class T>
GPO_FN cplx<T> sign(cplx<T> z) {
  const T re = abs(z.re), im = abs(z.im);
  if (isnan(re) || isnan(im) || (isinf(re) && isinf(im))) return {nan<T>(), nan<T>()};
  if (isinf(re) || isinf(im)) return box_infinity(z);
  if (re == T(0) && im == T(0)) return {T(0), T(0)};
  const cplx<T> unit = scale_by(z, -exponent_of(z));
  const T magnitude = hypot(unit.re, unit.im);
  return {unit.re / magnitude, unit.im / magnitude};
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_COMPLEX_ARITHMETIC_H_
