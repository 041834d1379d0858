// plugins/shared/linalg/symmetric_eigen.h -- the eigenproblem of Hermitian matrices
//
// Householder reflections bring the matrix to tridiagonal form; the implicit QR method with Wilkinson's shifts brings
// that to diagonal form, from either end (G. Golub, C. Van Loan, "Matrix Computations", chapter 8; B. Parlett, "The
// Symmetric Eigenvalue Problem", chapter 8; the formulas of a step are those of LAPACK's steqr). Eigenvalues have an
// error of some n units in the last place of the greatest.
//
// The matrix is read once for each reflection, and written once for each panel of these.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_SYMMETRIC_EIGEN_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_SYMMETRIC_EIGEN_H_

#include "plugins/shared/linalg/householder.h"

namespace gpo {
namespace linalg {

// ---- Tridiagonal form

// A Hermitian matrix times a vector, of whose columns some belong to each of a number of groups, which may be computed
// at the same time: groups of neighbouring columns, in turn, so that each has about as many elements of the triangle.
// The groups' products are added in their order.
inline constexpr i64 kGroups = 8, kNeighbours = 4;
GPO_FN i64 groups_of(i64 n) { return n < 128 ? 1 : kGroups; }

// Adds the products with the columns of a group, and, by symmetry, with the rows that are their conjugates, to x. Only
// the lower triangle of a, n x n with `step` elements from one column to the next, is read.
template <class T>
GPO_LONG void multiply_group(i64 n, const T *a, i64 step, const T *v, i64 group, i64 groups, T *x) {
  fill(n, number<T>(0), x);
  for (i64 first = group * kNeighbours; first < n; first += groups * kNeighbours) {
    const i64 end = first + kNeighbours < n ? first + kNeighbours : n, count = end - first;
    for (i64 j = first; j < end; ++j) {
      const T *const c = a + j * step;
      x[j] = add(x[j], scale(v[j], re(c[j])));
      for (i64 i = j + 1; i < end; ++i) {
        x[i] = add(x[i], multiply(c[i], v[j]));
        x[j] = add(x[j], multiply(conj(c[i]), v[i]));
      }
    }
    const T *const below = a + end + first * step;
    T sums[kNeighbours];
    add_products(n - end, count, below, step, v + first, x + end);
    dots(n - end, count, below, step, v + end, sums);
    for (i64 t = 0; t < count; ++t) x[first + t] = add(x[first + t], sums[t]);
  }
}
// Writes a v to x; `x` has kGroups columns of n elements.
template <class T, class Run>
GPO_FN void multiply_hermitian(i64 n, const T *a, i64 step, const T *v, T *x, const Run &run) {
  const i64 groups = groups_of(n);
  run(groups, [=](i64 group) { multiply_group(n, a, step, v, group, groups, x + group * n); });
  for (i64 group = 1; group < groups; ++group) {
    for (i64 i = 0; i < n; ++i) x[i] = add(x[i], x[i + group * n]);
  }
}

// A matrix on the way to tridiagonal form. What the reflections of a panel of columns subtract, v w^H + w v^H, is
// subtracted from the columns behind it at its end (J. Dongarra, D. Sorensen, S. Hammarling, "Block reduction of
// matrices to condensed forms for eigenvalue computations", 1989). v is in the columns of a.
template <class T>
struct Tridiagonal {
  static constexpr i64 panel = 32;
  i64 n;
  T *a, *tau;
  T *w;        // n * panel elements
  T *product;  // n * kGroups
  real_of<T> *d, *e;

  // Subtracts what the reflections [first, k) subtract from column k.
  GPO_FN void update(i64 first, i64 k) const {
    T of_v[panel], of_w[panel];
    const i64 count = k - first;
    for (i64 t = 0; t < count; ++t) {
      of_v[t] = conj(a[k + (first + t) * n]);
      of_w[t] = conj(w[k + t * n]);
    }
    subtract_products(n - k, count, a + k + first * n, n, of_w, a + k + k * n);
    subtract_products(n - k, count, w + k, n, of_v, a + k + k * n);
  }
  // Computes w of the reflection k of the panel that begins with `first`, from product = a v.
  GPO_FN void finish(i64 first, i64 k) const {
    T with_v[panel], with_w[panel];
    const i64 rows = n - k - 1, count = k - first;
    const T *const v = a + k + 1 + k * n, *const before = a + k + 1 + first * n;
    dots(rows, count, before, n, v, with_v);
    dots(rows, count, w + k + 1, n, v, with_w);
    subtract_products(rows, count, before, n, with_w, product);
    subtract_products(rows, count, w + k + 1, n, with_v, product);
    const real_of<T> square = re(tau[k]) * re(tau[k]) + im(tau[k]) * im(tau[k]);
    const real_of<T> half = real_of<T>(-0.5) * square * re(dot(rows, v, product));
    T *const to = w + k + 1 + count * n;
    for (i64 i = 0; i < rows; ++i) to[i] = add(multiply(tau[k], product[i]), scale(v[i], half));
  }
  // Subtracts what the reflections [first, end) subtract from the columns from `end` on.
  template <class Run>
  GPO_FN void update_rest(i64 first, i64 end, const Run &run) const {
    constexpr i64 strip = 128;
    const View<T> all = view_of(a, n, n), of_w = view_of(w, n, panel);
    for (i64 j = end; j < n; j += strip) {
      const i64 columns = j + strip < n ? strip : n - j, count = end - first;
      const View<T> c = all.block(j, j, n - j, columns).transposed();
      run.add_product(c, of_w.block(j, 0, columns, count), all.block(j, first, n - j, count).transposed(),
                      Terms{true, true});
      run.add_product(c, all.block(j, first, columns, count), of_w.block(j, 0, n - j, count).transposed(),
                      Terms{true, true});
    }
  }
};

// Replaces the lower triangle by the vectors of reflections, and writes diagonal and subdiagonal.
template <class T, class Run>
GPO_FN void reduce_to_tridiagonal(const Tridiagonal<T> &t, const Run &run) {
  const i64 n = t.n;
  for (i64 first = 0; first < n; first += t.panel) {
    const i64 end = first + t.panel < n ? first + t.panel : n;
    for (i64 k = first; k < end; ++k) {
      t.update(first, k);
      T *const v = t.a + k + 1 + k * n;
      t.d[k] = re(v[-1]);
      if (k + 1 == n) return;
      t.e[k] = make_reflection(n - k - 1, v, t.tau[k]);
      multiply_hermitian(n - k - 1, t.a + (k + 1) * (n + 1), n, v, t.product, run);
      t.finish(first, k);
    }
    t.update_rest(first, end, run);
  }
}

// Writes the product of the reflections whose vectors are in a to z, of as many rows and columns.
template <class T, class Run>
GPO_FN void form_tridiagonal_basis(i64 n, T *a, const T *tau, T *z, T *memory, const Run &run) {
  fill_identity(n, n, z);
  if (n < 2) return;
  apply_reflections(Reflections<T>{view_of(a, n, n).block(1, 0, n - 1, n - 1), tau}, true,
                    view_of(z, n, n).block(1, 1, n - 1, n - 1), make_panel_work(n, n, memory), run);
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
  const i64 elements = n + n * Tridiagonal<T>::panel + n * kGroups + n * n + panel_work<T>(n, n);
  return n + elements * components<T> + sweeps_work<real_of<T>>(n);
}
template <class T, class Run>
GPO_FN bool symmetric_eigen(i64 n, T *a, real_of<T> *w, bool vectors, real_of<T> *work, const Run &run) {
  using R = real_of<T>;
  int exponent = 0;
  if (!scale_triangle(n, a, exponent)) return false;
  R *const e = work, *const sweeps = e + n;
  T *const tau = reinterpret_cast<T *>(sweeps + sweeps_work<R>(n)), *const of_w = tau + n;
  T *const product = of_w + n * Tridiagonal<T>::panel, *const basis = product + n * kGroups;
  reduce_to_tridiagonal(Tridiagonal<T>{n, a, tau, of_w, product, w, e}, run);
  if (vectors) {
    form_tridiagonal_basis(n, a, tau, basis, basis + n * n, run);
    copy(n * n, basis, a);
  }
  T *const z = vectors ? a : nullptr;
  if (!diagonalize(n, w, e, z, sweeps, run)) return false;
  sort_spectrum<T>(n, w, false, n, z, 0, nullptr);
  for (i64 k = 0; k < n; ++k) w[k] = times_power(w[k], exponent);
  for (i64 k = 0; vectors && k < n; ++k) turn(n, z + k * n, true);
  return true;
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_SYMMETRIC_EIGEN_H_
