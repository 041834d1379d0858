// plugins/shared/linalg/divide_bidiagonal.h -- singular values and vectors of real bidiagonal matrices by divide and
// conquer
//
// An upper bidiagonal matrix is a row between two bidiagonal matrices of half the size, of which the upper one has one
// more column than rows. In the basis of their singular vectors it is a diagonal matrix with one full row (merge.h), so
// that its singular values are the square roots of the roots of a secular equation (M. Gu, S. Eisenstat, "A
// divide-and-conquer algorithm for the bidiagonal SVD", 1995). Those that are small enough are solved by the QR method
// (bidiagonal.h). Both sides' vectors come from one set of distances, so that they are orthonormal however small the
// singular values are; the eigenvectors of the tridiagonal matrix of twice the order, in which they stand side by side,
// would have eight times the products, and not be orthonormal within a side where singular values are near 0.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_DIVIDE_BIDIAGONAL_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_DIVIDE_BIDIAGONAL_H_

#include "plugins/shared/linalg/bidiagonal.h"
#include "plugins/shared/linalg/divide.h"
#include "plugins/shared/linalg/merge.h"

namespace gpo {
namespace linalg {

// Part number `part` has the rows from begin_of(part) on but the last one before the next part, which is the row
// between them. A part of n rows has n + 1 columns, unless it ends with the last row of the matrix; the last column of
// v then is that which the part's matrix takes to 0.
template <class R>
struct BidiagonalParts {
  i64 n, leaves;
  bool vectors;  // of the right side; the left ones are wanted if u is not null
  R *d, *e;
  R *v;  // n columns of n rows, or, without vectors, of two: the first and the last one of a part
  R *u;  // n columns of n rows
  MergeWork<R> w;

  GPO_FN i64 begin_of(i64 part) const { return part * (n + 1) / leaves; }
  GPO_FN i64 step() const { return vectors ? n : 2; }

  // Brings a part with one more column than rows to square form, by rotations of columns, and back to upper bidiagonal
  // form, by rotations of rows.
  GPO_FN static void make_square(i64 size, R *d, R *e, R *x, R *y) {
    for (i64 i = 0; i < size; ++i) {
      const Rotation<R> r = make_rotation(d[i], e[i]);
      rotate(size + 1, r.c, r.s, x + i * (size + 1), x + (i + 1) * (size + 1));
      d[i] = r.r;
      e[i] = R(0);
      if (i + 1 == size) break;
      e[i] = r.s * d[i + 1];
      d[i + 1] = r.c * d[i + 1];
    }
    for (i64 i = 0; i + 1 < size; ++i) {
      const Rotation<R> r = make_rotation(d[i], e[i]);
      if (y) rotate(size, r.c, r.s, y + i * size, y + (i + 1) * size);
      d[i] = r.r;
      e[i] = r.s * d[i + 1];
      d[i + 1] = r.c * d[i + 1];
    }
  }
  // Solves the problem of a leaf. Returns whether there is an answer.
  GPO_FN bool conquer(i64 part) const {
    const i64 first = begin_of(part), size = begin_of(part + 1) - 1 - first;
    const i64 columns = first + size < n ? size + 1 : size;
    const MergeWork<R> m = w.from(first, n);
    R *const x = m.packed, *const y = u ? x + columns * columns : nullptr;
    R *const values = d + first;
    fill_identity(columns, columns, x);
    if (y) fill_identity(size, size, y);
    if (columns > size) make_square(size, values, e + first, x, y);
    if (!diagonalize_bidiagonal(size, columns, size, values, e + first, y, x, m.s, InOrder())) return false;
    for (i64 j = 0; j < size; ++j) {
      m.order[j] = i32(j);
      if (signbit(values[j])) {
        values[j] = -values[j];
        scale_column(columns, R(-1), x + j * columns);
      }
    }
    sort_spectrum(size, values, false, y ? size : 0, y, columns, x);
    for (i64 j = 0; j < columns; ++j) {
      R *const to = v + (first + j) * step();
      if (vectors) {
        copy(columns, x + j * columns, to + first);
      } else {
        to[0] = x[j * columns];
        to[1] = x[columns - 1 + j * columns];
      }
    }
    for (i64 j = 0; y && j < size; ++j) copy(size, y + j * size, u + first + (first + j) * n);
    return true;
  }
  template <class Run>
  GPO_FN void merge(i64 part, i64 width, const Run &run) const {
    const i64 first = begin_of(part), middle = begin_of(part + width) - 1, end = begin_of(part + 2 * width) - 1;
    const i64 size = end - first, upper = middle + 1 - first, beyond = end < n ? 1 : 0;
    const MergeSide<R> right = {v + first * step() + (vectors ? first : 0), vectors ? upper : 1,
                                vectors ? size + beyond - upper : 1, step()};
    const MergeSide<R> left = {u ? u + first * (n + 1) : nullptr, upper, size - upper, n};
    Merge<R, true> m = {middle - first, size, d + first, right, left, w.from(first, n), R(1)};
    R alpha = d[middle], beta = e[middle];
    d[middle] = R(0);
    const int exponent = m.scale(larger(abs(alpha), abs(beta)));
    alpha = times_power(alpha, -exponent);
    beta = times_power(beta, -exponent);
    R last = R(0);
    for (i64 c = 0; c < size + beyond; ++c) {
      const bool above = c < upper;
      R *const column = right.column(c);
      const R z = above ? alpha * column[vectors ? right.upper - 1 : 1] : beta * column[vectors ? right.upper : 0];
      if (!vectors) column[above ? 1 : 0] = R(0);
      (c < size ? m.w.z[c] : last) = z;
    }
    if (beyond) {  // of the two columns that are taken to 0, one turns so that z is 0 there
      const Rotation<R> r = make_rotation(m.w.z[upper - 1], last);
      rotate(right.rows(), r.c, r.s, right.column(upper - 1), right.column(size));
      m.w.z[upper - 1] = r.r;
    }
    m.run_all(run);
  }
  // Returns whether there is an answer: singular value number k, in ascending order, is d[w.order[k]], with the columns
  // of u and v of that number.
  template <class Run>
  GPO_FN bool solve(const Run &run) const {
    fill(n * step(), R(0), v);
    if (u) fill(n * n, R(0), u);
    for (i64 part = 1; u && part < leaves; ++part) u[(begin_of(part) - 1) * (n + 1)] = R(1);
    return conquer_and_merge(*this, run);
  }
};

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_DIVIDE_BIDIAGONAL_H_
