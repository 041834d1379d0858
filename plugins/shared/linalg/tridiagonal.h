// plugins/shared/linalg/tridiagonal.h -- eigenvalues and eigenvectors of real tridiagonal matrices by the QR method
//
// The implicit QR method with Wilkinson's shifts brings the matrix to diagonal form, from either end (B. Parlett, "The
// Symmetric Eigenvalue Problem", chapter 8; the formulas of a step are those of LAPACK's steqr).
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_TRIDIAGONAL_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_TRIDIAGONAL_H_

#include "plugins/shared/linalg/reflections.h"

namespace gpo {
namespace linalg {

// A block of a tridiagonal matrix, seen from either end: position 0 is `first`, and `step` leads to the next.
template <class R>
struct TridiagonalBlock {
  R *diagonal, *subdiagonal;
  i64 first, last;
  int step;
  GPO_FN R &d(i64 p) const { return diagonal[step > 0 ? first + p : last - p]; }
  GPO_FN R &e(i64 p) const { return subdiagonal[step > 0 ? first + p : last - p - 1]; }
};

// One step of the QR method, whose shift comes from the end of the block. Writes pairs of c and s.
template <class R>
GPO_LONG void tridiagonal_step(TridiagonalBlock<R> b, R *cs) {
  const i64 end = b.last - b.first;
  const R offset = (b.d(end - 1) - b.d(end)) / (R(2) * b.e(end - 1));
  R g = b.d(0) - b.d(end) + b.e(end - 1) / (offset + copysign(math::hypot(offset, R(1)), offset));
  R c = R(1), s = R(1), p = R(0);
  for (i64 i = 0; i < end; ++i) {
    const R f = s * b.e(i), h = c * b.e(i);
    const Rotation<R> rotation = make_rotation(g, f);
    c = rotation.c;
    s = rotation.s;
    if (i > 0) b.e(i - 1) = rotation.r;
    g = b.d(i) - p;
    const R r = (b.d(i + 1) - g) * s + R(2) * c * h;
    p = s * r;
    b.d(i) = g + p;
    g = c * r - h;
    *cs++ = c;
    *cs++ = s;
  }
  b.d(end) = b.d(end) - p;
  b.e(end - 1) = g;
}

template <class R>
GPO_FN bool is_negligible(R e, R d, R next) {
  const R eps = unit_roundoff<R>();
  return e * e <= (eps * abs(d)) * (eps * abs(next)) + least_normal<R>();
}

// Brings a tridiagonal matrix to diagonal form, and applies the rotations to the columns of z, n x n, unless it is
// null.
template <class T, class Run>
GPO_FN bool diagonalize(i64 n, real_of<T> *d, real_of<T> *e, T *z, real_of<T> *work, const Run &run) {
  using R = real_of<T>;
  Sweeps<R> sweeps = make_sweeps(n, work);
  TridiagonalBlock<R> b = {d, e, -1, -1, 1};
  i64 left = 60 * n;
  for (i64 last = n - 1; last > 0;) {
    i64 first = last;
    while (first > 0 && !is_negligible(e[first - 1], d[first - 1], d[first])) --first;
    if (first > 0) e[first - 1] = R(0);
    if (first == last) {
      --last;
      continue;
    }
    if (left-- == 0) return false;
    if (first > b.last || last < b.first || b.first < 0) b.step = abs(d[first]) < abs(d[last]) ? -1 : 1;
    b.first = first;
    b.last = last;
    tridiagonal_step(b, begin_sweep(sweeps, b.step > 0 ? first : last, b.step, last - first, n, z, run));
  }
  apply_sweeps(n, sweeps, z, run);
  return true;
}

// Sorts w in ascending order (descending if `descending`), and the columns of z, of m rows, and y, of k rows, with it.
template <class T>
GPO_LONG void sort_spectrum(i64 n, real_of<T> *w, bool descending, i64 m, T *z, i64 k, T *y) {
  for (i64 i = 0; i + 1 < n; ++i) {
    i64 best = i;
    for (i64 j = i + 1; j < n; ++j) best = (descending ? w[j] > w[best] : w[j] < w[best]) ? j : best;
    if (best == i) continue;
    exchange(w[i], w[best]);
    for (i64 r = 0; z && r < m; ++r) exchange(z[r + i * m], z[r + best * m]);
    for (i64 r = 0; y && r < k; ++r) exchange(y[r + i * k], y[r + best * k]);
  }
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_TRIDIAGONAL_H_
