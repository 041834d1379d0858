// plugins/shared/linalg/lu.h -- Gaussian elimination with partial pivoting, and determinants
//
// a = p l u, by blocks of columns. Element (i, j) of l and u is a[i, j] of the exchanged rows, from which the products
// l[i, k] u[k, j] are subtracted: those with columns of other blocks as triangular.h and products of matrices
// (blocks.h) do it, those with the block's own columns one after the other in ascending order of k. Of l it is then
// divided by u[j, j]. The pivot of a column is its element of the greatest |re| + |im|, the first of equals, and NaN is
// greater than all. A column without one, all of whose elements are 0, stays as it is.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_LU_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_LU_H_

#include "plugins/shared/linalg/triangular.h"

namespace gpo {
namespace linalg {

// Returns the row of the pivot of a column, of rows from `first` to m.
template <class R>
GPO_LONG i64 pivot_row(i64 first, i64 m, const cplx<R> *column) {
  i64 best = first;
  R most = magnitude(column[first]);
  for (i64 i = first + 1; i < m && !isnan(most); ++i) {
    const R size = magnitude(column[i]);
    if (size > most || isnan(size)) best = i, most = size;
  }
  return best;
}
template <class R>
GPO_LONG i64 pivot_row(i64 first, i64 m, const R *column) {
  using Bits = int_of<R>;  // in the order of the absolute values, and greater than infinity's for NaN
  constexpr i64 group = 16;
  Bits most = 0;
  for (i64 i = first; i < m; ++i) {
    const Bits size = Bits(to_bits(abs(column[i])));
    most = size > most ? size : most;
  }
  const Bits least = isnan(from_bits(uint_of<R>(most))) ? Bits(to_bits(inf<R>())) + 1 : most;  // of a pivot
  i64 at = first;
  for (; at + group <= m; at += group) {
    Bits found = 0;
    for (i64 i = 0; i < group; ++i) found |= Bits(Bits(to_bits(abs(column[at + i]))) >= least);
    if (found) break;
  }
  while (Bits(to_bits(abs(column[at]))) < least) ++at;
  return at;
}

// Exchanges rows of a column as the pivots [first, end) say.
template <class T>
GPO_FN void exchange_rows(i64 first, i64 end, const i64 *pivots, T *column) {
  for (i64 k = first; k < end; ++k) exchange(column[k], column[pivots[k]]);
}
template <class T, class Run>
GPO_FN void exchange_rows(i64 first, i64 end, const i64 *pivots, const View<T> &a, const Run &run) {
  const i64 columns = 32 + 4096 / (end - first + 1);  // in a task
  run((a.columns + columns - 1) / columns, [=](i64 task) {
    const i64 stop = (task + 1) * columns < a.columns ? (task + 1) * columns : a.columns;
    for (i64 j = task * columns; j < stop; ++j) exchange_rows(first, end, pivots, a.data + j * a.column);
  });
}

// Factorizes the columns [first, end), which are up to date with all columns before them.
template <class T>
GPO_LONG void factorize_columns(i64 m, i64 first, i64 end, T *a, i64 *pivots) {
  for (i64 k = first; k < end; ++k) {
    T *const column = a + k * m;
    exchange_rows(first, k, pivots, column);
    for (i64 t = first; t < k; ++t) add_multiple(k - t - 1, a + t + 1 + t * m, negative(column[t]), column + t + 1);
    subtract_products(m - k, k - first, a + k + first * m, m, column + first, column + k);
    const i64 pivot = pivot_row(k, m, column);
    pivots[k] = pivot;
    for (i64 j = first; j <= k; ++j) exchange(a[k + j * m], a[pivot + j * m]);
    if (is_zero(column[k])) continue;
    const T divisor = column[k];
    for (i64 i = k + 1; i < m; ++i) column[i] = divide(column[i], divisor);
  }
}

// Brings the columns [at, stop) up to date with the columns [first, end), which are factorized.
template <class T, class Run>
GPO_FN void eliminate(const View<T> &a, i64 first, i64 end, i64 at, i64 stop, const i64 *pivots, const Run &run) {
  const i64 size = end - first, columns = stop - at;
  exchange_rows(first, end, pivots, a.block(0, at, a.rows, columns), run);
  const View<T> u = a.block(first, at, size, columns);
  solve_triangle(Triangle<T>{a.block(first, first, size, size), true, true}, u, run);
  run.add_product(a.block(end, at, a.rows - end, columns), a.block(end, first, a.rows - end, size), u,
                  Terms{true, false});
}

// Replaces a, of m rows and n columns, by l and u; pivots[k] is the row that was exchanged with row k, for k below the
// lesser of m and n.
template <class T, class Run>
GPO_FN void factorize_lu(i64 m, i64 n, T *a, i64 *pivots, const Run &run) {
  const i64 steps = m < n ? m : n;
  const View<T> matrix = view_of(a, m, n);
  const auto base = [&](i64 first, i64 end) { factorize_columns(m, first, end, a, pivots); };
  const auto update = [&](i64 first, i64 middle, i64 end) {
    eliminate(matrix, first, middle, middle, end, pivots, run);
  };
  const auto merge = [&](i64 first, i64 middle, i64 end) {
    exchange_rows(middle, end, pivots, matrix.block(0, first, m, middle - first), run);
  };
  for_halves(steps, base, update, merge);
  if (steps < n) eliminate(matrix, i64(0), steps, steps, n, pivots, run);
}

// Replaces the columns of b by the solutions of p l u x = b; a is what factorize_lu() made of a square matrix without
// zeros on u's diagonal.
template <class T, class Run>
GPO_FN void solve_lu(const View<T> &a, const i64 *pivots, const View<T> &b, const Run &run) {
  exchange_rows(i64(0), a.rows, pivots, b, run);
  solve_triangle(Triangle<T>{a, true, true}, b, run);
  solve_triangle(Triangle<T>{a, false, false}, b, run);
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
  const Real size = largest_component(components<T>, parts(&x.number));
  if (!(size > 0) || !isfinite(size)) return x;
  const int e = math::split(size).e;
  const int half = e / 2;  // neither half leaves the range of numbers
  const T once = scale(x.number, power_of_two<Real>(-half));
  return {scale(once, power_of_two<Real>(half - e)), x.exponent + e};
}

// Returns the determinant of p l u: the product of u's diagonal from the first element to the last, with its exponent
// apart, negated if the number of exchanges is odd.
template <class T>
GPO_LONG T determinant(i64 n, const T *a, const i64 *pivots) {
  using Real = real_of<T>;
  Scaled<T> product = {number<T>(1), 0};
  bool odd = false;
  for (i64 k = 0; k < n; k++) {
    const Scaled<T> next = normalized(Scaled<T>{a[k + k * n], 0});
    product = normalized(Scaled<T>{multiply(product.number, next.number), product.exponent + next.exponent});
    odd = odd != (pivots[k] != k);
  }
  const T value = odd ? scale(product.number, Real(-1)) : product.number;
  const i64 bound = 3 * (fp<Real>::bias - 1);
  const int e = int(product.exponent > bound ? bound : product.exponent < -bound ? -bound : product.exponent);
  return number<T>(math::scale_by(re(value), e), math::scale_by(im(value), e));
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_LU_H_
