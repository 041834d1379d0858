// plugins/shared/linalg/symmetric_eigen.h -- the eigenproblem of Hermitian matrices
//
// Householder reflections bring the matrix to tridiagonal form (G. Golub, C. Van Loan, "Matrix Computations", chapter
// 8), which is brought to diagonal form by divide and conquer (divide.h), or, if it is small, by the QR method
// (tridiagonal.h). Eigenvalues have an error of some n units in the last place of the greatest.
//
// The matrix is read once for each reflection, and written once for each panel of these.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_SYMMETRIC_EIGEN_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_SYMMETRIC_EIGEN_H_

#include "plugins/shared/linalg/divide.h"
#include "plugins/shared/linalg/householder.h"
#include "plugins/shared/linalg/tridiagonal.h"

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

// Smaller matrices are not divided.
inline constexpr i64 kDivided = 48;

// The work behind e: the rotations, tau and w of the reflections, products, the vectors of all reflections, what
// applying these needs, and what the division does.
template <class T>
GPO_FN i64 symmetric_eigen_work(i64 n) {
  const i64 elements = n + n * Tridiagonal<T>::panel + n * kGroups + n * n + panel_work<T>(n, n);
  const i64 divided = n < kDivided ? 0 : n * n + merge_work<real_of<T>>(n);
  return n + elements * components<T> + sweeps_work<real_of<T>>(n) + divided;
}
template <class T>
struct SymmetricArrays {
  real_of<T> *e, *sweeps;
  T *tau, *w, *product, *basis, *panel;
  real_of<T> *divided;
};
template <class T>
GPO_FN SymmetricArrays<T> symmetric_arrays(i64 n, real_of<T> *work) {
  SymmetricArrays<T> x;
  x.e = work;
  x.sweeps = x.e + n;
  x.tau = reinterpret_cast<T *>(x.sweeps + sweeps_work<real_of<T>>(n));
  x.w = x.tau + n;
  x.product = x.w + n * Tridiagonal<T>::panel;
  x.basis = x.product + n * kGroups;
  x.panel = x.basis + n * n;
  x.divided = parts(x.panel + panel_work<T>(n, n));
  return x;
}

// Brings the tridiagonal matrix d, e to diagonal form, and replaces a, in which the vectors of reflections are, by the
// eigenvectors.
template <class T, class Run>
GPO_FN bool solve_whole(i64 n, T *a, real_of<T> *d, bool vectors, const SymmetricArrays<T> &x, const Run &run) {
  if (vectors) {
    form_tridiagonal_basis(n, a, x.tau, x.basis, x.panel, run);
    copy(n * n, x.basis, a);
  }
  T *const z = vectors ? a : nullptr;
  if (!diagonalize(n, d, x.e, z, x.sweeps, run)) return false;
  sort_spectrum<T>(n, d, false, n, z, 0, nullptr);
  return true;
}
// Does the same by division.
template <class T, class Run>
GPO_FN bool solve_divided(i64 n, T *a, real_of<T> *d, bool vectors, const SymmetricArrays<T> &x, const Run &run) {
  using R = real_of<T>;
  const i64 leaves = leaves_of(n, kLeaf);
  const MergeWork<R> w = make_merge_work(n, x.divided + n * n);
  const TridiagonalParts<R> tree = {n, leaves, vectors, d, x.e, x.divided, w};
  if (!tree.solve(run)) return false;
  for (i64 k = 0; k < n; ++k) w.z[k] = d[w.order[k]];
  copy(n, w.z, d);
  if (!vectors) return true;
  T *const z = x.basis;
  run(n, [=](i64 k) {
    const R *const from = tree.q + w.order[k] * n;
    for (i64 i = 0; i < n; ++i) z[i + k * n] = number<T>(from[i]);
  });
  apply_reflections(Reflections<T>{view_of(a, n, n).block(1, 0, n - 1, n - 1), x.tau}, false,
                    view_of(z, n, n).block(1, 0, n - 1, n), make_panel_work(n, n, x.panel), run);
  copy(n * n, z, a);
  return true;
}

template <class T, class Run>
GPO_FN bool symmetric_eigen(i64 n, T *a, real_of<T> *w, bool vectors, real_of<T> *work, const Run &run) {
  int exponent = 0;
  if (!scale_triangle(n, a, exponent)) return false;
  const SymmetricArrays<T> x = symmetric_arrays<T>(n, work);
  reduce_to_tridiagonal(Tridiagonal<T>{n, a, x.tau, x.w, x.product, w, x.e}, run);
  const bool converged = n < kDivided ? solve_whole(n, a, w, vectors, x, run) : solve_divided(n, a, w, vectors, x, run);
  if (!converged) return false;
  for (i64 k = 0; k < n; ++k) w[k] = times_power(w[k], exponent);
  for (i64 k = 0; vectors && k < n; ++k) turn(n, a + k * n, true);
  return true;
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_SYMMETRIC_EIGEN_H_
