// plugins/shared/linalg/triangular.h -- solves systems with triangular matrices, by substitution
//
// Rows come in blocks. Within a block each unknown is divided by the diagonal's element, and its products with the rest
// of the column are subtracted from the rows below, one after the other; what the rows of other blocks get is products
// of matrices (blocks.h). Columns of the right side do not depend on each other. An upper triangle is a lower one whose
// rows and columns are counted from the last.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_TRIANGULAR_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_TRIANGULAR_H_

#include "plugins/shared/linalg/blocks.h"

namespace gpo {
namespace linalg {

// A triangular matrix: the other triangle is not read, nor is the diagonal if it counts as ones.
template <class T>
struct Triangle {
  View<T> a;
  bool lower, unit_diagonal;
};

// Returns whether no element of the diagonal is 0.
template <class T>
GPO_LONG bool is_regular(const Triangle<T> &t) {
  for (i64 i = 0; i < t.a.rows && !t.unit_diagonal; ++i) {
    if (is_zero(t.a.at(i, i))) return false;
  }
  return true;
}

// Returns y - x a.
template <class T>
GPO_FN T minus_product(T y, T x, T a) {
  if constexpr (is_complex<T>) {
    const real_of<T> re = -a.re, im = -a.im;
    return {(y.re + x.re * re) + x.im * a.im, (y.im + x.im * re) + x.re * im};
  } else {
    return y - x * a;
  }
}
// Subtracts x a from unknowns y, and divides unknowns: each is an element, or a vector of those of several columns.
template <class T, class V>
GPO_FN void subtract_product(V &y, T x, const V &a) {
  if constexpr (is_complex<T>) {
    y = minus_product(y, x, a);
  } else {
    y = y - x * a;
  }
}
template <class T, class V>
GPO_FN void divide_by(V &y, T x) {
  if constexpr (is_complex<T>) {
    y = divide(y, x);
  } else {
    y = y / x;
  }
}

// Subtracts the products with the rows from k on of a whole block from the rows behind them. The rows' numbers are
// constants, so that the unknowns stay in registers.
template <i64 k, class T, class V>
GPO_FN void substitute_from(const T (&a)[kBlock * kBlock], bool unit_diagonal, V (&x)[kBlock]) {
  if (!unit_diagonal) divide_by(x[k], a[k * (kBlock + 1)]);
  for (i64 i = k + 1; i < kBlock; ++i) subtract_product(x[i], a[i + k * kBlock], x[k]);
  if constexpr (k + 1 < kBlock) substitute_from<k + 1>(a, unit_diagonal, x);
}
#if defined(GPO_VECTOR_BYTES)
// Some columns at a time of a whole block whose rows follow each other in memory, upwards or downwards. Returns the
// first column that is left.
template <bool up, class R>
GPO_FN i64 substitute_squares(const R (&block)[kBlock * kBlock], bool unit_diagonal, const View<R> &x, i64 first,
                              i64 end) {
  constexpr i64 size = kSquare<R>;
  for (; first + size <= end; first += size) {
    SquareRow<R> rows[kBlock];
    for (i64 i = 0; i < kBlock; i += size) load_square<up>(&x.at(up ? i : i + size - 1, first), x.column, rows + i);
    substitute_from<0>(block, unit_diagonal, rows);
    for (i64 i = 0; i < kBlock; i += size) store_square<up>(rows + i, &x.at(up ? i : i + size - 1, first), x.column);
  }
  return first;
}
#endif
// substitute() for a whole block.
template <class T>
GPO_LONG void substitute_whole(const View<T> &a, bool unit_diagonal, const View<T> &x, i64 first, i64 end) {
  T block[kBlock * kBlock], column[kBlock];
  for (i64 k = 0; k < kBlock; ++k) {
    for (i64 i = k; i < kBlock; ++i) block[i + k * kBlock] = a.at(i, k);
  }
#if defined(GPO_VECTOR_BYTES)
  if constexpr (!is_complex<T>) {
    if (x.row == 1) first = substitute_squares<true>(block, unit_diagonal, x, first, end);
    if (x.row == -1) first = substitute_squares<false>(block, unit_diagonal, x, first, end);
  }
#endif
  for (i64 j = first; j < end; ++j) {
    for (i64 i = 0; i < kBlock; ++i) column[i] = x.at(i, j);
    substitute_from<0>(block, unit_diagonal, column);
    for (i64 i = 0; i < kBlock; ++i) x.at(i, j) = column[i];
  }
}

// Solves for the rows of one block, in the columns [first, end) of x.
template <class T>
GPO_LONG void substitute(const View<T> &a, bool unit_diagonal, const View<T> &x, i64 first, i64 end) {
  if (a.rows == kBlock) return substitute_whole(a, unit_diagonal, x, first, end);
  for (i64 j = first; j < end; ++j) {
    for (i64 k = 0; k < a.rows; ++k) {
      T &solved = x.at(k, j);
      if (!unit_diagonal) solved = divide(solved, a.at(k, k));
      for (i64 i = k + 1; i < a.rows; ++i) x.at(i, j) = minus_product(x.at(i, j), a.at(i, k), solved);
    }
  }
}

template <class T, class Run>
GPO_FN void solve_lower_strip(const View<T> &a, bool unit_diagonal, const View<T> &x, const Run &run) {
  constexpr i64 columns = 512;  // in a task
  const auto base = [&](i64 first, i64 end) {
    const View<T> block = a.block(first, first, end - first, end - first);
    const View<T> rows = x.block(first, 0, end - first, x.columns);
    run((x.columns + columns - 1) / columns, [=](i64 task) {
      const i64 from = task * columns;
      substitute(block, unit_diagonal, rows, from, from + columns < x.columns ? from + columns : x.columns);
    });
  };
  const auto update = [&](i64 first, i64 middle, i64 end) {
    run.add_product(x.block(middle, 0, end - middle, x.columns), a.block(middle, first, end - middle, middle - first),
                    x.block(first, 0, middle - first, x.columns), Terms{true, false});
  };
  for_halves(a.rows, base, update, NoMerge());
}
// With few rows most products are too small for several threads: strips of columns are solved at the same time.
template <class T, class Run>
GPO_FN void solve_lower(const View<T> &a, bool unit_diagonal, const View<T> &x, const Run &run) {
  constexpr i64 few = 256, least = 32, strip = 64;
  if (a.rows > few || a.rows < least || x.columns < 2 * strip) return solve_lower_strip(a, unit_diagonal, x, run);
  run((x.columns + strip - 1) / strip, [&](i64 task) {
    const i64 from = task * strip, columns = from + strip < x.columns ? strip : x.columns - from;
    solve_lower_strip(a, unit_diagonal, x.block(0, from, x.rows, columns), run);
  });
}

// Replaces the columns of b by the solutions of a x = b.
template <class T, class Run>
GPO_FN void solve_triangle(const Triangle<T> &t, const View<T> &b, const Run &run) {
  const i64 last = t.a.rows - 1;
  if (last < 0 || b.columns == 0) return;
  if (t.lower) return solve_lower(t.a, t.unit_diagonal, b, run);
  const View<T> a = {&t.a.at(last, last), last + 1, last + 1, -t.a.row, -t.a.column};
  solve_lower(a, t.unit_diagonal, View<T>{&b.at(last, 0), last + 1, b.columns, -b.row, b.column}, run);
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_TRIANGULAR_H_
