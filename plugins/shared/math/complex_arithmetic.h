// plugins/shared/math/complex_arithmetic.h -- complex multiply and divide, componentwise accurate, with C Annex G's
// infinities
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

// copysign for which every NaN is positive: a NaN's sign depends on processor and compiler, so no number may take it.
template <class T>
GPO_FN T with_sign(T magnitude, T x) {
  return copysign(magnitude, isnan(x) ? T(0) : x);
}

// 1 for an infinity, else 0, with x's sign.
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

// x * 2^n for |n| <= 3 * bias, rounded once unless the result is denormal.
template <class T>
GPO_FN T scale_by(T x, int n) {
  const int third = n / 3;
  const T s = from_bits(uint_of<T>(third + fp<T>::bias) << fp<T>::mantissa);
  const T t = from_bits(uint_of<T>(n - 2 * third + fp<T>::bias) << fp<T>::mantissa);
  return x * s * s * t;
}
// The exponent of the larger component of a finite z, 0 for 0; denormals count as the smallest normal.
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

// Annex G.5.1: a product with an infinite factor is infinite unless the other factor is zero or NaN throughout.
template <class T>
GPO_SLOW cplx<T> multiply_hard(cplx<T> a, cplx<T> b) {
  if (is_finite(a) && is_finite(b)) {  // only an intermediate overflowed
    const int ea = exponent_of(a), eb = exponent_of(b);
    return scale_by(multiply_easy(scale_by(a, -ea), scale_by(b, -eb)), ea + eb);
  }
  const cplx<T> plain = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  if (!isnan(plain.re) || !isnan(plain.im)) return plain;
  if (has_infinity(a)) {
    a = box_infinity(a);
    b = nan_to_zero(b);
  } else if (has_infinity(b)) {
    a = nan_to_zero(a);
    b = box_infinity(b);
  } else {
    return plain;
  }
  return {inf<T>() * (a.re * b.re - a.im * b.im), inf<T>() * (a.re * b.im + a.im * b.re)};
}
template <class T>
GPO_FN cplx<T> multiply(cplx<T> a, cplx<T> b) {
  const cplx<T> r = multiply_easy(a, b);
  return ((r.re != r.re) | (r.im != r.im)) ? multiply_hard(a, b) : r;
}

// Annex G.5.1 for the quotients that came out NaN in both components.
template <class T>
GPO_FN cplx<T> divide_special(cplx<T> a, cplx<T> b, cplx<T> plain) {
  if (b.re == T(0) && b.im == T(0) && (!isnan(a.re) || !isnan(a.im))) {
    return {copysign(inf<T>(), b.re) * a.re, copysign(inf<T>(), b.re) * a.im};
  }
  if (has_infinity(a) && is_finite(b)) {
    a = box_infinity(a);
    return {inf<T>() * (a.re * b.re + a.im * b.im), inf<T>() * (a.im * b.re - a.re * b.im)};
  }
  if (has_infinity(b) && is_finite(a)) {
    b = box_infinity(b);
    return {T(0) * (a.re * b.re + a.im * b.im), T(0) * (a.im * b.re - a.re * b.im)};
  }
  return plain;
}

// Both operands are brought to exponent 0 first, so nothing inside overflows.
template <class T>
GPO_SLOW cplx<T> divide(cplx<T> a, cplx<T> b) {
  if (!is_finite(a) || !is_finite(b) || (b.re == T(0) && b.im == T(0))) {
    const T norm = b.re * b.re + b.im * b.im;
    const cplx<T> plain = {(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
    return isnan(plain.re) && isnan(plain.im) ? divide_special(a, b, plain) : plain;
  }
  const int ea = exponent_of(a), eb = exponent_of(b);
  a = scale_by(a, -ea);
  b = scale_by(b, -eb);
  const T norm = fma(b.re, b.re, b.im * b.im);
  const cplx<T> q = {sum_of_products(a.re, b.re, a.im, b.im) / norm, sum_of_products(a.im, b.re, -a.re, b.im) / norm};
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
