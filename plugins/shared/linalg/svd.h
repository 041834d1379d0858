// plugins/shared/linalg/svd.h -- the singular value decomposition
//
// A matrix that is wider than high is transposed, one that is much higher than wide is brought to triangular form
// first. Householder reflections bring it to bidiagonal form (G. Golub, C. Van Loan, "Matrix Computations", chapter 8),
// which is brought to diagonal form by divide and conquer (divide_bidiagonal.h), or, if it is small, by the QR method
// (bidiagonal.h). Singular values have an error of some units in the last place of the greatest; small matrices that
// are bidiagonal have small relative errors of all.
//
// Nothing is divided by a singular value: the vectors are products of reflections, rotations, and the vectors of
// secular equations, and orthonormal whatever the rank.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_SVD_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_SVD_H_

#include "plugins/shared/linalg/bidiagonal.h"
#include "plugins/shared/linalg/divide_bidiagonal.h"
#include "plugins/shared/linalg/householder.h"

namespace gpo {
namespace linalg {

// ---- Bidiagonal form

// A matrix on the way to bidiagonal form, m >= n. The vectors of the reflections from the left are in the columns of a
// on and below the diagonal, those from the right in the rows right of it, conjugated.
template <class T>
struct Bidiagonal {
  i64 m, n;
  T *a, *left, *right;  // left and right: the factors tau
  T *row, *x;           // a row of a, and a column of products: n and m elements
  T *factor;            // n elements: what the columns are still to be given of x
  real_of<T> *d, *e;

  // Gives column j what the last reflection from the right, that of row k - 1, does to the rows from k on.
  GPO_FN void update(i64 k, i64 j) const {
    if (k > 0) add_multiple(m - k, x + k, factor[j], a + k + j * m);
  }
};

// How many columns of m elements, and how many rows of n, are a task.
GPO_FN i64 columns_of_task(i64 m) { return m < 4096 ? 1 + 16384 / (m + 1) : 4; }
inline constexpr i64 kRowsOfTask = 256;

// Makes the reflection of column k from the left, and applies it to the columns behind it.
template <class T, class Run>
GPO_FN void reduce_column(const Bidiagonal<T> &b, i64 k, const Run &run) {
  const i64 m = b.m, n = b.n, task_columns = columns_of_task(m - k);
  T *const v = b.a + k + k * m;
  b.update(k, k);
  b.d[k] = make_reflection(m - k, v, b.left[k]);
  const T tau = conj(b.left[k]);
  run((n - k - 1 + task_columns - 1) / task_columns, [=](i64 task) {
    const i64 first = k + 1 + task * task_columns, end = first + task_columns < n ? first + task_columns : n;
    for (i64 j = first; j < end; ++j) {
      b.update(k, j);
      reflect(m - k, v, tau, b.a + k + j * m);
    }
  });
}
// Makes the reflection of row k from the right: (a[k, k + 1:]) (1 - tau u u^H) = (e, 0, ...). The rows below get it in
// the next step.
template <class T, class Run>
GPO_FN void reduce_row(const Bidiagonal<T> &b, i64 k, const Run &run) {
  const i64 m = b.m, rows = m - k - 1, count = b.n - k - 1;
  for (i64 j = 0; j < count; ++j) b.row[j] = conj(b.a[k + (k + 1 + j) * m]);
  b.e[k] = make_reflection(count, b.row, b.right[k]);
  run((rows + kRowsOfTask - 1) / kRowsOfTask, [=](i64 task) {
    const i64 first = k + 1 + task * kRowsOfTask, size = first + kRowsOfTask < m ? kRowsOfTask : m - first;
    fill(size, number<T>(0), b.x + first);
    add_products(size, count, b.a + first + (k + 1) * m, m, b.row, b.x + first);
  });
  for (i64 j = 0; j < count; ++j) {
    b.factor[k + 1 + j] = negative(multiply(b.right[k], conj(b.row[j])));
    b.a[k + (k + 1 + j) * m] = b.row[j];
  }
}
template <class T, class Run>
GPO_FN void reduce_to_bidiagonal(const Bidiagonal<T> &b, const Run &run) {
  for (i64 k = 0; k < b.n; ++k) {
    reduce_column(b, k, run);
    if (k + 1 < b.n) reduce_row(b, k, run);
  }
}

// Writes the first n columns of the product of the reflections from the left to q, m x n.
template <class T, class Run>
GPO_FN void form_left_basis(const Bidiagonal<T> &b, T *q, T *memory, const Run &run) {
  form_q(b.m, b.n, b.n, b.a, b.left, q, memory, run);
}
// Writes the product of the reflections from the right to q, n x n.
template <class T, class Run>
GPO_FN void form_right_basis(const Bidiagonal<T> &b, T *q, T *memory, const Run &run) {
  const i64 n = b.n;
  fill_identity(n, n, q);
  if (n < 2) return;
  const View<T> vectors = view_of(b.a, b.m, n).transposed().block(1, 0, n - 1, n - 1);
  apply_reflections(Reflections<T>{vectors, b.right}, true, view_of(q, n, n).block(1, 1, n - 1, n - 1),
                    make_panel_work(n, n, memory), run);
}

// ---- The decomposition

GPO_FN bool is_tall(i64 m, i64 n) { return m > n + n / 2; }
// Smaller bidiagonal matrices are not divided.
inline constexpr i64 kDividedBidiagonal = 64;

// The work of a matrix with m >= n: e and the rotations, then the arrays of Bidiagonal, the left and right vectors, the
// triangle of a tall matrix with its factors, what reflections need, and the vectors and the work of a division.
template <class T>
GPO_FN i64 svd_work(i64 m, i64 n) {
  const i64 rows = m > n ? m : n, columns = m > n ? n : m;
  const i64 elements = 2 * rows * columns + 2 * columns * columns + 5 * columns + rows + panel_work<T>(rows, columns);
  const i64 divided = columns < kDividedBidiagonal ? 0 : 2 * columns * columns + merge_work<real_of<T>>(columns);
  return columns + elements * components<T> + 2 * sweeps_work<real_of<T>>(columns) + divided;
}

template <class T>
struct SvdArrays {
  real_of<T> *e, *sweeps, *divided;
  T *left, *right, *row, *x, *factor, *tau, *triangle, *u, *v, *transposed, *memory;
};
template <class T>
GPO_FN SvdArrays<T> svd_arrays(i64 m, i64 n, real_of<T> *work) {
  SvdArrays<T> w;
  T *const t = reinterpret_cast<T *>(work);
  w.left = t;
  w.right = w.left + n;
  w.row = w.right + n;
  w.tau = w.row + n;
  w.factor = w.tau + n;
  w.x = w.factor + n;
  w.triangle = w.x + m;
  w.v = w.triangle + n * n;
  w.u = w.v + n * n;
  w.transposed = w.u + m * n;
  w.memory = w.transposed + m * n;
  w.e = parts(w.memory + panel_work<T>(m, n));
  w.sweeps = w.e + n;
  w.divided = w.sweeps + 2 * sweeps_work<real_of<T>>(n);
  return w;
}

// Replaces a by its reflections and writes r to w.triangle.
template <class T, class Run>
GPO_FN void take_triangle(i64 m, i64 n, T *a, const SvdArrays<T> &w, const Run &run) {
  factorize_qr(m, n, a, w.tau, w.memory, run);
  for (i64 k = 0; k < n; ++k) {
    copy(k + 1, a + k * m, w.triangle + k * n);
    fill(n - k - 1, number<T>(0), w.triangle + k * n + k + 1);
  }
}

// Brings the bidiagonal matrix s, w.e to diagonal form, and writes the singular vectors of the matrix that was brought
// to bidiagonal form to left, b.m x n, and v, n x n, unless they are null.
template <class T, class Run>
GPO_FN bool solve_bidiagonal(const Bidiagonal<T> &b, T *left, T *v, const SvdArrays<T> &w, const Run &run) {
  if (v) form_right_basis(b, v, w.memory, run);
  if (left) form_left_basis(b, left, w.memory, run);
  return diagonalize_bidiagonal(b.m, b.n, b.n, b.d, b.e, left, v, w.sweeps, run);
}
// Does the same by division, in descending order.
template <class T, class Run>
GPO_FN bool divide_bidiagonal(const Bidiagonal<T> &b, T *left, T *v, const SvdArrays<T> &w, const Run &run) {
  using R = real_of<T>;
  const i64 m = b.m, n = b.n;
  R *const of_v = w.divided, *const of_u = of_v + n * n;
  const MergeWork<R> x = make_merge_work(n, of_u + n * n);
  const BidiagonalParts<R> tree = {n, leaves_of(n + 1, kLeaf), v != nullptr, b.d, b.e, of_v, left ? of_u : nullptr, x};
  if (!tree.solve(run)) return false;
  for (i64 k = 0; k < n; ++k) x.z[k] = b.d[x.order[n - 1 - k]];
  copy(n, x.z, b.d);
  in_chunks(n, m + n, run, [=](i64 k) {
    const i64 from = x.order[n - 1 - k] * n;
    for (i64 i = 0; v && i < n; ++i) v[i + k * n] = number<T>(of_v[from + i]);
    for (i64 i = 0; left && i < n; ++i) left[i + k * m] = number<T>(of_u[from + i]);
    if (left) fill(m - n, number<T>(0), left + n + k * m);
  });
  if (v) {
    const View<T> vectors = view_of(b.a, m, n).transposed().block(1, 0, n - 1, n - 1);
    apply_reflections(Reflections<T>{vectors, b.right}, false, view_of(v, n, n).block(1, 0, n - 1, n),
                      make_panel_work(n, n, w.memory), run);
  }
  if (left) {
    apply_reflections(Reflections<T>{view_of(b.a, m, n), b.left}, false, view_of(left, m, n),
                      make_panel_work(m, n, w.memory), run);
  }
  return true;
}

// The decomposition of a scaled matrix with m >= n. u (m x n) and v (n x n) may be null. A tall matrix is q r; then the
// left vectors are q times those of r.
template <class T, class Run>
GPO_FN bool svd_high(i64 m, i64 n, T *a, real_of<T> *s, T *u, T *v, const SvdArrays<T> &w, const Run &run) {
  const bool tall = is_tall(m, n);
  if (tall) take_triangle(m, n, a, w, run);
  const i64 rows = tall ? n : m;
  const Bidiagonal<T> b = {rows, n, tall ? w.triangle : a, w.left, w.right, w.row, w.x, w.factor, s, w.e};
  reduce_to_bidiagonal(b, run);
  T *const left = !u ? nullptr : tall ? w.transposed : u;  // there is room for n x n
  const bool divided = n >= kDividedBidiagonal;
  if (!(divided ? divide_bidiagonal(b, left, v, w, run) : solve_bidiagonal(b, left, v, w, run))) return false;
  if (!u || !tall) return true;
  for (i64 j = 0; j < n; ++j) {
    copy(n, left + j * n, u + j * m);
    fill(m - n, number<T>(0), u + j * m + n);
  }
  apply_reflections(Reflections<T>{view_of(a, m, n), w.tau}, false, view_of(u, m, n), make_panel_work(m, n, w.memory),
                    run);
  return true;
}

// Makes the singular values non-negative and descending, and takes the scale back.
template <class T>
GPO_LONG void finish_svd(i64 m, i64 n, int exponent, real_of<T> *s, T *u, T *v) {
  for (i64 k = 0; k < n; ++k) {
    if (signbit(s[k])) {
      s[k] = -s[k];
      if (v) scale_column(n, real_of<T>(-1), v + k * n);
    }
    s[k] = times_power(s[k], exponent);
  }
  sort_spectrum(n, s, true, m, u, n, v);
}

template <class T, class Run>
GPO_FN bool svd(i64 m, i64 n, T *a, real_of<T> *s, T *u, T *vh, real_of<T> *work, const Run &run) {
  using R = real_of<T>;
  const i64 count = m * n * components<T>, rows = m > n ? m : n, columns = m > n ? n : m;
  if (count == 0) return true;
  const R most = largest_component(count, parts(a));
  if (isinf(most)) return false;
  const int exponent = scale_to_one(count, most, parts(a));
  const SvdArrays<T> w = svd_arrays<T>(rows, columns, work);
  const bool wide = m < n;
  T *matrix = a;
  if (wide) {  // conj(a)^T = v s u^H
    conjugate_transpose(m, n, a, w.u);
    matrix = w.u;
  }
  // The longer side's vectors of a wide matrix go to a, which is not needed any more.
  T *const longer = wide ? (vh ? a : nullptr) : u;
  T *const shorter = wide ? u : (vh ? w.v : nullptr);
  if (!svd_high(rows, columns, matrix, s, longer, shorter, w, run)) return false;
  finish_svd(rows, columns, exponent, s, longer, shorter);
  if (vh) wide ? conjugate_transpose(n, m, longer, vh) : conjugate_transpose(n, n, shorter, vh);
  return true;
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_SVD_H_
