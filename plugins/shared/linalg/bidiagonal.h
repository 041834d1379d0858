// plugins/shared/linalg/bidiagonal.h -- the singular values of real bidiagonal matrices by the QR method
//
// Implicit QR steps, without a shift where a shift would spoil small singular values (J. Demmel, W. Kahan, "Accurate
// singular values of bidiagonal matrices", 1990; the tests for convergence are those of LAPACK's bdsqr), so that each
// of the singular values has a small relative error.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_BIDIAGONAL_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_BIDIAGONAL_H_

#include "plugins/shared/linalg/reflections.h"

namespace gpo {
namespace linalg {

// A block of an upper bidiagonal matrix, seen from either end. Seen from the last row, transposed, it is upper
// bidiagonal, too, and left and right vectors change places.
template <class R>
struct BidiagonalBlock {
  R *diagonal, *superdiagonal;
  i64 first, last;
  int step;
  GPO_FN R &d(i64 p) const { return diagonal[step > 0 ? first + p : last - p]; }
  GPO_FN R &e(i64 p) const { return superdiagonal[step > 0 ? first + p : last - p - 1]; }
  GPO_FN i64 end() const { return last - first; }
};

// Returns the smaller singular value of [f g; 0 h]. (Demmel and Kahan; LAPACK's las2.)
template <class R>
GPO_LONG R smaller_singular_value(R f, R g, R h) {
  const R fa = abs(f), ga = abs(g), ha = abs(h);
  const R least = fa < ha ? fa : ha, most = fa < ha ? ha : fa;
  if (least == R(0)) return R(0);
  const R a = R(1) + least / most, b = (most - least) / most;
  if (ga < most) {
    const R u = (ga / most) * (ga / most);
    return least * (R(2) / (sqrt(a * a + u) + sqrt(b * b + u)));
  }
  const R u = most / ga;
  if (u == R(0)) return (least * most) / ga;
  const R c = sqrt(R(1) + (a * u) * (a * u)) + sqrt(R(1) + (b * u) * (b * u));
  return R(2) * ((least * u) * (R(1) / c));
}

// A QR step without a shift. Writes pairs of c and s for the right and for the left vectors.
template <class R>
GPO_LONG void unshifted_step(const BidiagonalBlock<R> &b, R *right, R *left) {
  R c = R(1);
  Rotation<R> second = {R(1), R(0), R(0)};
  for (i64 i = 0; i < b.end(); ++i) {
    const Rotation<R> first = make_rotation(b.d(i) * c, b.e(i));
    if (i > 0) b.e(i - 1) = second.s * first.r;
    second = make_rotation(second.c * first.r, b.d(i + 1) * first.s);
    b.d(i) = second.r;
    c = first.c;
    *right++ = first.c;
    *right++ = first.s;
    *left++ = second.c;
    *left++ = second.s;
  }
  const R h = b.d(b.end()) * c;
  b.d(b.end()) = h * second.c;
  b.e(b.end() - 1) = h * second.s;
}
template <class R>
GPO_LONG void shifted_step(const BidiagonalBlock<R> &b, R shift, R *right, R *left) {
  const i64 end = b.end();
  R f = (abs(b.d(0)) - shift) * (copysign(R(1), b.d(0)) + shift / b.d(0)), g = b.e(0);
  for (i64 i = 0; i < end; ++i) {
    const Rotation<R> first = make_rotation(f, g);
    if (i > 0) b.e(i - 1) = first.r;
    f = first.c * b.d(i) + first.s * b.e(i);
    b.e(i) = first.c * b.e(i) - first.s * b.d(i);
    g = first.s * b.d(i + 1);
    b.d(i + 1) = first.c * b.d(i + 1);
    const Rotation<R> second = make_rotation(f, g);
    b.d(i) = second.r;
    f = second.c * b.e(i) + second.s * b.d(i + 1);
    b.d(i + 1) = second.c * b.d(i + 1) - second.s * b.e(i);
    if (i + 1 < end) {
      g = second.s * b.e(i + 1);
      b.e(i + 1) = second.c * b.e(i + 1);
    }
    *right++ = first.c;
    *right++ = first.s;
    *left++ = second.c;
    *left++ = second.s;
  }
  b.e(end - 1) = f;
}

// The relative error that convergence of singular values allows.
template <class R>
GPO_FN R svd_tolerance() {
  return unit_roundoff<R>() * R(10);
}

// Returns the absolute value below which elements of the bidiagonal matrix are taken for 0.
template <class R>
GPO_LONG R svd_threshold(i64 n, const R *d, const R *e) {
  R mu = abs(d[0]), least = mu;
  for (i64 i = 1; i < n && least > R(0); ++i) {
    mu = abs(d[i]) * (mu / (mu + abs(e[i - 1])));
    least = mu < least ? mu : least;
  }
  return larger(svd_tolerance<R>() * (least / sqrt(R(n))), R(6 * n) * R(n) * least_normal<R>());
}

// Sets an element of e to 0 where that changes singular values by no more than the tolerance, and returns true; else
// returns false, and a lower bound of the singular values of the block.
template <class R>
GPO_LONG bool is_split(const BidiagonalBlock<R> &b, R &least) {
  const R tolerance = svd_tolerance<R>();
  const i64 end = b.end();
  if (abs(b.e(end - 1)) <= tolerance * abs(b.d(end))) {
    b.e(end - 1) = R(0);
    return true;
  }
  R mu = abs(b.d(0));
  least = mu;
  for (i64 i = 0; i < end; ++i) {
    if (abs(b.e(i)) <= tolerance * mu) {
      b.e(i) = R(0);
      return true;
    }
    mu = abs(b.d(i + 1)) * (mu / (mu + abs(b.e(i))));
    least = mu < least ? mu : least;
  }
  return false;
}

// Returns the shift for the next step: 0 if a shift would spoil the relative accuracy.
template <class R>
GPO_LONG R choose_shift(i64 n, const BidiagonalBlock<R> &b, R least) {
  const R tolerance = svd_tolerance<R>(), eps = unit_roundoff<R>();
  R most = R(0);
  for (i64 i = 0; i <= b.end(); ++i) most = larger(most, abs(b.d(i)));
  for (i64 i = 0; i < b.end(); ++i) most = larger(most, abs(b.e(i)));
  if (R(n) * tolerance * (least / most) <= larger(eps, R(0.01) * tolerance)) return R(0);
  const i64 end = b.end();
  const R shift = smaller_singular_value(b.d(end - 1), b.e(end - 1), b.d(end));
  const R ratio = shift / abs(b.d(0));
  return ratio * ratio < eps ? R(0) : shift;
}

// Finds the block that ends at `last`; elements below the threshold become 0.
template <class R>
GPO_LONG i64 block_start(i64 last, R threshold, R *d, R *e) {
  if (abs(d[last]) <= threshold) d[last] = R(0);
  i64 first = last;
  while (first > 0 && abs(e[first - 1]) > threshold) {
    --first;
    if (abs(d[first]) <= threshold) d[first] = R(0);
  }
  if (first > 0) e[first - 1] = R(0);
  return first;
}

// Brings a bidiagonal matrix to diagonal form, and applies the rotations to the columns of u, m x n, and v, p x n,
// unless they are null.
template <class T, class Run>
GPO_FN bool diagonalize_bidiagonal(i64 m, i64 p, i64 n, real_of<T> *d, real_of<T> *e, T *u, T *v, real_of<T> *work,
                                   const Run &run) {
  using R = real_of<T>;
  if (n == 0) return true;
  Sweeps<R> of_u = make_sweeps(n, work), of_v = make_sweeps(n, work + sweeps_work<R>(n));
  BidiagonalBlock<R> b = {d, e, -1, -1, 1};
  const R threshold = svd_threshold(n, d, e);
  i64 left = 60 * n;
  for (i64 last = n - 1; last > 0;) {
    const i64 first = block_start(last, threshold, d, e);
    if (first == last) {
      --last;
      continue;
    }
    if (first > b.last || last < b.first || b.first < 0) b.step = abs(d[first]) < abs(d[last]) ? -1 : 1;
    b.first = first;
    b.last = last;
    R least = R(0);
    if (is_split(b, least)) continue;
    if (left-- == 0) return false;
    const i64 from = b.step > 0 ? first : last;
    R *const to_u = begin_sweep(of_u, from, b.step, last - first, m, u, run);
    R *const to_v = begin_sweep(of_v, from, b.step, last - first, p, v, run);
    R *const right = b.step > 0 ? to_v : to_u, *const other = b.step > 0 ? to_u : to_v;
    const R shift = choose_shift(n, b, least);
    shift == R(0) ? unshifted_step(b, right, other) : shifted_step(b, shift, right, other);
  }
  apply_sweeps(m, of_u, u, run);
  apply_sweeps(p, of_v, v, run);
  return true;
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_BIDIAGONAL_H_
