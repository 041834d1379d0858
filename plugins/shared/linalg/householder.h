// plugins/shared/linalg/householder.h -- q and r by Householder reflections
//
// Reflection k is H = 1 - tau v v^H, where v[i] = 0 for i < k and v[k] = 1, and H^H brings column k of what the
// reflections before have left to beta, which is real, on the diagonal, and to zeros below. As in LAPACK's geqrf, beta
// is the norm of the column from row k on with the opposite sign of the real part of its element k, and where there
// is nothing to bring to 0, tau is 0. q is the product of all H in order. (G. Golub, C. Van Loan, "Matrix
// Computations", 5.1.)
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_HOUSEHOLDER_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_HOUSEHOLDER_H_

#include "plugins/shared/linalg/triangular.h"

namespace gpo {
namespace factor {

// Returns a power of two that brings the greatest component among n elements to about 1, where the squares of such
// components could overflow or underflow; else 1.
template <class T>
GPO_ROUTINE real_of<T> safe_scale(i64 n, const T *x) {
  using Real = real_of<T>;
  Real most = 0;
  for (i64 i = 0; i < n; i++) {
    const Real size = largest_component(x[i]);
    if (!(size <= most)) most = size;
  }
  constexpr int bound = fp<Real>::bias / 4;
  if (!(most > 0) || !isfinite(most)) return 1;
  const int e = math::split(most).e;
  if (e > -bound && e < bound) return 1;
  return power_of_two<Real>(e < 1 - fp<Real>::bias   ? fp<Real>::bias - 1
                            : e > fp<Real>::bias - 2 ? 2 - fp<Real>::bias
                                                     : -e);
}

// Makes a reflection of the n >= 1 elements of a column: x[0] becomes beta, the others v. Returns tau.
template <class T>
GPO_ROUTINE T make_reflection(i64 n, T *x) {
  using Real = real_of<T>;
  const Real scale = safe_scale(n, x);
  if (scale != 1) {
    for (i64 i = 0; i < n; i++) x[i] = scaled(x[i], scale);
  }
  const Real below = real_part(dot(n - 1, x + 1, x + 1)), re = real_part(x[0]), im = imaginary_part(x[0]);
  T tau = from_real<T>(0);
  if (!(below == 0 && im == 0)) {
    const Real beta = -copysign(sqrt((re * re + im * im) + below), re);
    tau = from_parts<T>((beta - re) / beta, -im / beta);
    const T divisor = from_parts<T>(re - beta, im);
    for (i64 i = 1; i < n; i++) x[i] = quotient(x[i], divisor);
    x[0] = from_real<T>(beta);
  }
  if (scale != 1) x[0] = scaled(x[0], Real(1) / scale);
  return tau;
}

// c -= t v (v^H c), of n elements; v[0] counts as 1.
template <class T>
GPO_ROUTINE void reflect(i64 n, const T *v, T t, T *c) {
  if (is_zero(t)) return;
  const T w = times(t, plus(c[0], dot(n - 1, v + 1, c + 1)));
  c[0] = minus_product(c[0], from_real<T>(1), w);
  subtract_one(n - 1, v + 1, w, c + 1);
}

// Replaces a, of m rows and n columns, by r and, below its diagonal, the vectors v; tau has as many elements as the
// lesser of m and n. `each` runs what may run at the same time.
template <class T, class Each>
GPO_ROUTINE void factorize_qr(i64 m, i64 n, T *a, T *tau, const Each &each) {
  const i64 steps = m < n ? m : n;
  for (i64 first = 0; first < steps; first += kBlock) {
    const i64 end = first + kBlock < steps ? first + kBlock : steps;
    for (i64 k = first; k < end; k++) {
      for (i64 j = first; j < k; j++) reflect(m - j, a + j + j * m, conjugate(tau[j]), a + j + k * m);
      tau[k] = make_reflection(m - k, a + k + k * m);
    }
    each(n - end, [=](i64 j) {
      for (i64 k = first; k < end; k++) reflect(m - k, a + k + k * m, conjugate(tau[k]), a + k + (end + j) * m);
    });
  }
}

// Writes the first `columns` columns of q, of m rows, which factorize_qr() left in a and in `count` elements of tau.
template <class T, class Each>
GPO_ROUTINE void form_q(i64 m, i64 columns, i64 count, const T *a, const T *tau, T *q, const Each &each) {
  each(columns, [=](i64 j) {
    T *const column = q + j * m;
    for (i64 i = 0; i < m; i++) column[i] = from_real<T>(i == j ? 1 : 0);
    for (i64 k = j < count ? j : count - 1; k >= 0; k--) reflect(m - k, a + k + k * m, tau[k], column + k);
  });
}

// Fills the columns [given, m) of q, an m x m matrix whose first `given` columns are orthonormal, with columns that are
// orthonormal to these and to each other: those of the q of the given ones. `copy` has m * given elements, tau `given`.
template <class T, class Each>
GPO_ROUTINE void complete_basis(i64 m, i64 given, T *q, T *copy, T *tau, const Each &each) {
  for (i64 i = 0; i < m * given; i++) copy[i] = q[i];
  factorize_qr(m, given, copy, tau, each);
  each(m - given, [=](i64 j) {
    T *const column = q + (given + j) * m;
    for (i64 i = 0; i < m; i++) column[i] = from_real<T>(i == given + j ? 1 : 0);
    for (i64 k = given - 1; k >= 0; k--) reflect(m - k, copy + k + k * m, tau[k], column + k);
  });
}

}  // namespace factor
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_HOUSEHOLDER_H_
