// plugins/shared/linalg/numbers.h -- arithmetic of the elements of matrices, real or complex, and of columns of them
//
// Every product and every sum is rounded by itself, so that vectors of any width have the same bits, with and without
// hardware for multiply-adds. Matrices are in column-major order: element (i, j) is at i + j * (elements from one
// column to the next).
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_NUMBERS_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_NUMBERS_H_

#include "plugins/shared/math/complex_arithmetic.h"
#include "plugins/shared/prelude.h"

// Functions that are too long to be inlined everywhere.
#if defined(__CUDACC_RTC__)
#define GPO_ROUTINE __device__ inline
#elif defined(__CUDACC__)
#define GPO_ROUTINE __host__ __device__ inline
#else
#define GPO_ROUTINE inline
#endif

namespace gpo {
namespace factor {

// ---- Elements

template <class T>
GPO_FN T conjugate(T a) {
  return a;
}
template <class T>
GPO_FN cplx<T> conjugate(cplx<T> a) {
  return {a.re, -a.im};
}
template <class T>
GPO_FN T plus(T a, T b) {
  return a + b;
}
template <class T>
GPO_FN cplx<T> plus(cplx<T> a, cplx<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
GPO_FN T times(T a, T b) {
  return a * b;
}
template <class T>
GPO_FN cplx<T> times(cplx<T> a, cplx<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// Returns c - a b. A complex product's terms are subtracted one after the other.
template <class T>
GPO_FN T minus_product(T c, T a, T b) {
  return c - a * b;
}
template <class T>
GPO_FN cplx<T> minus_product(cplx<T> c, cplx<T> a, cplx<T> b) {
  return {(c.re - a.re * b.re) + a.im * b.im, (c.im - a.re * b.im) - a.im * b.re};
}
// Returns c + conj(a) b.
template <class T>
GPO_FN T plus_conjugate_product(T c, T a, T b) {
  return c + a * b;
}
template <class T>
GPO_FN cplx<T> plus_conjugate_product(cplx<T> c, cplx<T> a, cplx<T> b) {
  return {(c.re + a.re * b.re) + a.im * b.im, (c.im + a.re * b.im) - a.im * b.re};
}
template <class T>
GPO_FN T quotient(T a, T b) {
  return a / b;
}
template <class T>
GPO_FN cplx<T> quotient(cplx<T> a, cplx<T> b) {
  return math::divide(a, b);
}
template <class T>
GPO_FN T scaled(T a, T by) {
  return a * by;
}
template <class T>
GPO_FN cplx<T> scaled(cplx<T> a, T by) {
  return {a.re * by, a.im * by};
}
template <class T>
GPO_FN T real_part(T a) {
  return a;
}
template <class T>
GPO_FN T real_part(cplx<T> a) {
  return a.re;
}
template <class T>
GPO_FN T imaginary_part(T) {
  return T(0);
}
template <class T>
GPO_FN T imaginary_part(cplx<T> a) {
  return a.im;
}
// Returns a real number as a T.
template <class T>
GPO_FN T from_real(real_of<T> a) {
  if constexpr (is_complex<T>) {
    return {a, real_of<T>(0)};
  } else {
    return a;
  }
}
template <class T>
GPO_FN T from_parts(real_of<T> re, real_of<T> im) {
  if constexpr (is_complex<T>) {
    return {re, im};
  } else {
    return re;
  }
}
// Returns |re| + |im|, by which pivots are compared.
template <class T>
GPO_FN T size_of(T a) {
  return abs(a);
}
template <class T>
GPO_FN T size_of(cplx<T> a) {
  return abs(a.re) + abs(a.im);
}
template <class T>
GPO_FN bool is_zero(T a) {
  return real_part(a) == 0 && imaginary_part(a) == 0;
}
// Returns the greater of the components' absolute values; NaN if one of them is NaN.
template <class T>
GPO_FN real_of<T> largest_component(T a) {
  const real_of<T> re = abs(real_part(a)), im = abs(imaginary_part(a));
  return isnan(re) || re > im ? re : im;
}
// Returns 2^e, for exponents of normal numbers.
template <class T>
GPO_FN T power_of_two(int e) {
  return from_bits(uint_of<T>(uint_of<T>(e + fp<T>::bias) << fp<T>::mantissa));
}

// ---- Columns

// c[i] -= l[i] u for i < n.
template <class T>
GPO_ROUTINE void subtract_one(i64 n, const T *__restrict l, T u, T *__restrict c) {
  for (i64 i = 0; i < n; i++) c[i] = minus_product(c[i], l[i], u);
}

// c[i] -= the sum over t of l[i + t * step] u[t * ustep], for i < n and t < count: term after term in order of t,
// whichever terms are taken together in one pass over c.
template <class T>
GPO_ROUTINE void subtract_products(i64 n, i64 count, const T *l, i64 step, const T *u, i64 ustep, T *__restrict c) {
  i64 t = 0;
  for (; t + 4 <= count; t += 4) {
    const T *const l0 = l + t * step, *const l1 = l0 + step, *const l2 = l1 + step, *const l3 = l2 + step;
    const T u0 = u[t * ustep], u1 = u[(t + 1) * ustep], u2 = u[(t + 2) * ustep], u3 = u[(t + 3) * ustep];
    for (i64 i = 0; i < n; i++) {
      const T two = minus_product(minus_product(c[i], l0[i], u0), l1[i], u1);
      c[i] = minus_product(minus_product(two, l2[i], u2), l3[i], u3);
    }
  }
  for (; t < count; t++) subtract_one(n, l + t * step, u[t * ustep], c);
}

// Returns the sum of conj(a[i]) b[i]: element i belongs to lane i % 8, a lane adds its elements from the first to the
// last, starting with 0, and lane l becomes lane l + lane l + 4, then 2, then 1.
template <class T>
GPO_ROUTINE T dot(i64 n, const T *a, const T *b) {
  T lane[8];
  for (int l = 0; l < 8; l++) lane[l] = from_real<T>(0);
  i64 i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int l = 0; l < 8; l++) lane[l] = plus_conjugate_product(lane[l], a[i + l], b[i + l]);
  }
  for (int l = 0; i + l < n; l++) lane[l] = plus_conjugate_product(lane[l], a[i + l], b[i + l]);
  for (int half = 4; half > 0; half /= 2) {
    for (int l = 0; l < half; l++) lane[l] = plus(lane[l], lane[l + half]);
  }
  return lane[0];
}

// Runs f(i) for all i < count, in order; backends with threads have others of this form.
struct InOrder {
  template <class F>
  GPO_ROUTINE void operator()(i64 count, F f) const {
    for (i64 i = 0; i < count; i++) f(i);
  }
};

}  // namespace factor
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_NUMBERS_H_
