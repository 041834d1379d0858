// plugins/shared/linalg/symmetric_eigen.h -- the eigenproblem of Hermitian matrices
//
// Householder reflections bring the matrix to tridiagonal form; the implicit QR method with Wilkinson's shifts brings
// that to diagonal form, from either end (G. Golub, C. Van Loan, "Matrix Computations", chapter 8; B. Parlett, "The
// Symmetric Eigenvalue Problem", chapter 8; the formulas of a step are those of LAPACK's steqr). Eigenvalues have an
// error of some n units in the last place of the greatest.
//
// The matrix is read once for each reflection: while a column is brought up to date with the reflection before, it is
// multiplied for the next.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_SYMMETRIC_EIGEN_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_SYMMETRIC_EIGEN_H_

#include "plugins/shared/linalg/reflections.h"

namespace gpo {
namespace linalg {

// A matrix on the way to tridiagonal form, a' = a - v w^H - w v^H for what is still to be subtracted. v is in the
// column of a before `column`, and w in the array w.
template <class T>
struct Tridiagonal {
  i64 n;
  T *a, *tau, *w, *product;  // n elements each, but a
  real_of<T> *d, *e;

  // Subtracts v w^H + w v^H from the elements on and below the diagonal of column j. v belongs to column k - 1.
  GPO_FN void update(i64 k, i64 j) const {
    if (k == 0) return;
    const T *const v = a + (k - 1) * n;
    add_multiple(n - j, v + j, negative(conj(w[j])), a + j + j * n);
    add_multiple(n - j, w + j, negative(conj(v[j])), a + j + j * n);
  }
  // product = a' v for the new v, that of column k; only the lower triangle of a is used.
  GPO_FN void multiply_updated(i64 k) const {
    const T *const v = a + k * n;
    fill(n, number<T>(0), product);
    for (i64 j = k + 1; j < n; ++j) {
      update(k, j);
      T *const c = a + j + j * n;
      c[0] = number<T>(re(c[0]));
      add_multiple(n - j, c, v[j], product + j);
      product[j] = add(product[j], dot(n - j - 1, c + 1, v + j + 1));
    }
  }
};

// Replaces the lower triangle by the vectors of reflections, and writes diagonal and subdiagonal.
template <class T>
GPO_LONG void reduce_to_tridiagonal(Tridiagonal<T> t) {
  using R = real_of<T>;
  const i64 n = t.n;
  for (i64 k = 0; k < n; ++k) {
    t.update(k, k);
    T *const v = t.a + k * n;
    t.d[k] = re(v[k]);
    if (k + 1 == n) break;
    t.e[k] = make_reflection(n - k - 1, v + k + 1, t.tau[k]);
    t.multiply_updated(k);
    const T tau = t.tau[k];
    const R square = re(tau) * re(tau) + im(tau) * im(tau);
    const R half = R(-0.5) * square * re(dot(n - k - 1, v + k + 1, t.product + k + 1));
    for (i64 i = k + 1; i < n; ++i) t.product[i] = add(multiply(tau, t.product[i]), scale(v[i], half));
    exchange(t.w, t.product);
  }
}

// Replaces the vectors of the reflections by the product of these.
template <class T>
GPO_LONG void form_tridiagonal_basis(i64 n, T *a, const T *tau) {
  for (i64 k = n - 2; k >= 0; --k) {
    const T *const v = a + k + 1 + k * n;
    for (i64 j = k + 2; j < n; ++j) {
      a[k + 1 + j * n] = number<T>(0);
      reflect(n - k - 1, v, tau[k], a + k + 1 + j * n);
    }
    T *const column = a + k + 1 + (k + 1) * n;
    fill(n - k - 1, number<T>(0), column);
    add_multiple(n - k - 1, v, negative(tau[k]), column);
    column[0] = add(column[0], number<T>(1));
  }
  for (i64 j = 0; j < n; ++j) {
    a[j] = number<T>(j == 0 ? 1 : 0);
    a[j * n] = a[j];
  }
}

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
template <class T>
GPO_LONG bool diagonalize(i64 n, real_of<T> *d, real_of<T> *e, T *z, real_of<T> *work) {
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
    tridiagonal_step(b, begin_sweep(sweeps, b.step > 0 ? first : last, b.step, last - first, n, z));
  }
  apply_sweeps(n, sweeps, z);
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

// Scales the lower triangle of a to 1. Returns false if it is not finite.
template <class T>
GPO_LONG bool scale_triangle(i64 n, T *a, int &exponent) {
  using R = real_of<T>;
  R most = R(0);
  for (i64 j = 0; j < n; ++j) {
    T *const column = a + j + j * n;
    column[0] = number<T>(re(column[0]));
    most = larger(most, largest_component((n - j) * components<T>, parts(column)));
  }
  if (isinf(most)) return false;
  for (i64 j = 0; j < n; ++j) exponent = scale_to_one((n - j) * components<T>, most, parts(a + j + j * n));
  return true;
}

template <class T>
GPO_FN i64 symmetric_eigen_work(i64 n) {
  return n + 3 * n * components<T> + sweeps_work<real_of<T>>(n);
}
template <class T>
GPO_FN bool symmetric_eigen(i64 n, T *a, real_of<T> *w, bool vectors, real_of<T> *work) {
  using R = real_of<T>;
  int exponent = 0;
  if (!scale_triangle(n, a, exponent)) return false;
  T *const tau = reinterpret_cast<T *>(work), *const other = tau + n;
  R *const e = parts(other + 2 * n);
  reduce_to_tridiagonal(Tridiagonal<T>{n, a, tau, other, other + n, w, e});
  if (vectors) form_tridiagonal_basis(n, a, tau);
  T *const z = vectors ? a : nullptr;
  if (!diagonalize(n, w, e, z, e + n)) return false;
  sort_spectrum<T>(n, w, false, n, z, 0, nullptr);
  for (i64 k = 0; k < n; ++k) w[k] = times_power(w[k], exponent);
  for (i64 k = 0; vectors && k < n; ++k) turn(n, z + k * n, true);
  return true;
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_SYMMETRIC_EIGEN_H_
