// plugins/shared/linalg/divide.h -- eigenvalues and eigenvectors of real tridiagonal matrices by divide and conquer
//
// A tridiagonal matrix is two tridiagonal matrices of half the size, one behind the other, and a matrix of rank one
// (merge.h). Those that are small enough are solved by the QR method (tridiagonal.h).
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_DIVIDE_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_DIVIDE_H_

#include "plugins/shared/linalg/merge.h"
#include "plugins/shared/linalg/tridiagonal.h"

namespace gpo {
namespace linalg {

// Leaves have at most that many columns.
inline constexpr i64 kLeaf = 32;

template <class R>
struct TridiagonalParts {
  i64 n, leaves;
  bool vectors;
  R *d, *e;
  R *q;  // n columns of n rows, or, without vectors, of two: the first and the last one of a part
  MergeWork<R> w;

  GPO_FN i64 begin_of(i64 part) const { return part * n / leaves; }
  GPO_FN i64 step() const { return vectors ? n : 2; }

  // Takes the matrices of rank one away, which are what is left of e between parts.
  GPO_FN void divide() const {
    for (i64 part = 1; part < leaves; ++part) {
      const i64 at = begin_of(part);
      if (is_negligible(e[at - 1], d[at - 1], d[at])) e[at - 1] = R(0);
      const R rho = abs(e[at - 1]);
      d[at - 1] = d[at - 1] - rho;
      d[at] = d[at] - rho;
    }
  }
  // Solves the problem of a leaf. Returns whether there is an answer.
  GPO_FN bool conquer(i64 part) const {
    const i64 first = begin_of(part), size = begin_of(part + 1) - first;
    const MergeWork<R> x = w.from(first, n);
    R *const z = x.packed;
    fill_identity(size, size, z);
    if (!diagonalize(size, d + first, e + first, z, x.s, InOrder())) return false;
    sort_spectrum<R>(size, d + first, false, size, z, 0, nullptr);
    for (i64 j = 0; j < size; ++j) {
      x.order[j] = i32(j);
      R *const to = q + (first + j) * step();
      if (vectors) {
        copy(size, z + j * size, to + first);
      } else {
        to[0] = z[j * size];
        to[1] = z[size - 1 + j * size];
      }
    }
    return true;
  }
  template <class Run>
  GPO_FN void merge(i64 part, i64 width, const Run &run) const {
    const i64 first = begin_of(part), middle = begin_of(part + width), end = begin_of(part + 2 * width);
    const R between = e[middle - 1];
    const MergeSide<R> right = {q + first * step() + (vectors ? first : 0), vectors ? middle - first : 1,
                                vectors ? end - middle : 1, step()};
    Merge<R, false> m = {middle - first,   end - first,        d + first, right, MergeSide<R>{nullptr, 0, 0, 0},
                         w.from(first, n), R(2) * abs(between)};
    const R half = sqrt(R(0.5));
    for (i64 c = 0; c < m.size; ++c) {
      const bool above = c < m.first_size;
      R *const column = right.column(c);
      const R x = above ? column[vectors ? right.upper - 1 : 1] : column[vectors ? right.upper : 0];
      m.w.z[c] = (!above && between < R(0) ? -x : x) * half;
      if (!vectors) column[above ? 1 : 0] = R(0);
    }
    m.rho = times_power(m.rho, -m.scale(m.rho));
    m.run_all(run);
  }
  // Returns whether there is an answer: eigenvalue number k is d[w.order[k]], with the column of q of that number.
  template <class Run>
  GPO_FN bool solve(const Run &run) const {
    divide();
    fill(n * step(), R(0), q);
    return conquer_and_merge(*this, run);
  }
};

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_DIVIDE_H_
