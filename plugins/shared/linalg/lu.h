// plugins/shared/linalg/lu.h -- Gaussian elimination with partial pivoting, and determinants
//
// a = p l u. Element (i, j) of l and u is a[i, j] of the exchanged rows, from which the products l[i, k] u[k, j] are
// subtracted one after the other in ascending order of k; of l it is then divided by u[j, j]. The pivot of a column is
// its element of the greatest |re| + |im|, the first of equals, and NaN is greater than all. A column without one, all
// of whose elements are 0, stays as it is.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_LU_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_LU_H_

#include "plugins/shared/linalg/triangular.h"

namespace gpo {
namespace factor {

template <class T>
GPO_FN void exchange(T &a, T &b) {
  const T c = a;
  a = b;
  b = c;
}

// Returns the row of the pivot of a column, of rows from `first` to m.
template <class T>
GPO_ROUTINE i64 pivot_row(i64 first, i64 m, const T *column) {
  i64 best = first;
  real_of<T> most = size_of(column[first]);
  for (i64 i = first + 1; i < m && !isnan(most); i++) {
    const real_of<T> size = size_of(column[i]);
    if (size > most || isnan(size)) best = i, most = size;
  }
  return best;
}

// Brings a column up to date with the columns [first, end) of l, whose pivots are known: exchanges rows, and subtracts
// products.
template <class T>
GPO_ROUTINE void eliminate(i64 m, i64 first, i64 end, const T *a, const i64 *pivots, T *column) {
  for (i64 k = first; k < end; k++) exchange(column[k], column[pivots[k]]);
  for (i64 k = first; k < end; k++) subtract_one(end - k - 1, a + k + 1 + k * m, column[k], column + k + 1);
  subtract_products(m - end, end - first, a + end + first * m, m, column + first, 1, column + end);
}

// Factorizes a column that is up to date with all columns before it.
template <class T>
GPO_ROUTINE void factorize_column(i64 m, i64 k, T *column, i64 *pivots) {
  const i64 pivot = pivot_row(k, m, column);
  pivots[k] = pivot;
  exchange(column[k], column[pivot]);
  if (is_zero(column[k])) return;
  for (i64 i = k + 1; i < m; i++) column[i] = quotient(column[i], column[k]);
}

// Replaces a, of m rows and n columns, by l and u; pivots[k] is the row that was exchanged with row k, for k below the
// lesser of m and n. `each` runs what may run at the same time.
template <class T, class Each>
GPO_ROUTINE void factorize_lu(i64 m, i64 n, T *a, i64 *pivots, const Each &each) {
  const i64 steps = m < n ? m : n;
  for (i64 first = 0; first < steps; first += kBlock) {
    const i64 end = first + kBlock < steps ? first + kBlock : steps;
    for (i64 k = first; k < end; k++) {
      eliminate(m, first, k, a, pivots, a + k * m);
      factorize_column(m, k, a + k * m, pivots);
      for (i64 j = first; j < k; j++) exchange(a[k + j * m], a[pivots[k] + j * m]);
    }
    each(first, [=](i64 j) {
      for (i64 k = first; k < end; k++) exchange(a[k + j * m], a[pivots[k] + j * m]);
    });
    each(n - end, [=](i64 j) { eliminate(m, first, end, a, pivots, a + (end + j) * m); });
  }
}

// Solves l u x = p^T b for a column b; a is what factorize_lu() made of a square matrix without zeros on u's diagonal.
template <class T>
GPO_ROUTINE void solve_lu(i64 n, const T *a, const i64 *pivots, T *b) {
  for (i64 k = 0; k < n; k++) exchange(b[k], b[pivots[k]]);
  solve_triangle(Triangle<T>{n, a, n, true, true}, b);
  solve_triangle(Triangle<T>{n, a, n, false, false}, b);
}

// A number times 2^exponent.
template <class T>
struct Scaled {
  T number;
  i64 exponent;
};

// Moves the exponent of the number's greater component into the exponent, unless it is 0, infinite or NaN.
template <class T>
GPO_FN Scaled<T> normalized(Scaled<T> x) {
  using Real = real_of<T>;
  const Real size = largest_component(x.number);
  if (!(size > 0) || !isfinite(size)) return x;
  const int e = math::split(size).e;
  const int half = e / 2;  // neither half leaves the range of numbers
  const T once = scaled(x.number, power_of_two<Real>(-half));
  return {scaled(once, power_of_two<Real>(half - e)), x.exponent + e};
}

// Returns the determinant of p l u: the product of u's diagonal from the first element to the last, with its exponent
// apart, negated if the number of exchanges is odd.
template <class T>
GPO_ROUTINE T determinant(i64 n, const T *a, const i64 *pivots) {
  using Real = real_of<T>;
  Scaled<T> product = {from_real<T>(1), 0};
  bool odd = false;
  for (i64 k = 0; k < n; k++) {
    const Scaled<T> next = normalized(Scaled<T>{a[k + k * n], 0});
    product = normalized(Scaled<T>{times(product.number, next.number), product.exponent + next.exponent});
    odd = odd != (pivots[k] != k);
  }
  const T number = odd ? scaled(product.number, Real(-1)) : product.number;
  const i64 bound = 3 * (fp<Real>::bias - 1);
  const int e = int(product.exponent > bound ? bound : product.exponent < -bound ? -bound : product.exponent);
  return from_parts<T>(math::scale_by(real_part(number), e), math::scale_by(imaginary_part(number), e));
}

}  // namespace factor
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_LU_H_
