// plugins/shared/linalg/svd.h -- the singular value decomposition
//
// A matrix that is wider than high is transposed, one that is much higher than wide is brought to triangular form
// first. Householder reflections bring it to bidiagonal form (G. Golub, C. Van Loan, "Matrix Computations", chapter 8).
// The singular values of that are found by implicit QR steps, without a shift where a shift would spoil small singular
// values (J. Demmel, W. Kahan, "Accurate singular values of bidiagonal matrices", 1990; the tests for convergence are
// those of LAPACK's bdsqr), so that each of them has a small relative error, and together with the reflections all have
// an error of some units in the last place of the greatest.
//
// Nothing is divided by a singular value: the vectors are products of reflections and rotations, and orthonormal
// whatever the rank.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_SVD_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_SVD_H_

#include "plugins/shared/linalg/householder.h"
#include "plugins/shared/linalg/symmetric_eigen.h"

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

// ---- Singular values of a bidiagonal matrix

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

// Brings a bidiagonal matrix to diagonal form, and applies the rotations to the columns of u, m x n, and v, n x n,
// unless they are null.
template <class T, class Run>
GPO_FN bool diagonalize_bidiagonal(i64 m, i64 n, real_of<T> *d, real_of<T> *e, T *u, T *v, real_of<T> *work,
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
    R *const to_v = begin_sweep(of_v, from, b.step, last - first, n, v, run);
    R *const right = b.step > 0 ? to_v : to_u, *const other = b.step > 0 ? to_u : to_v;
    const R shift = choose_shift(n, b, least);
    shift == R(0) ? unshifted_step(b, right, other) : shifted_step(b, shift, right, other);
  }
  apply_sweeps(m, of_u, u, run);
  apply_sweeps(n, of_v, v, run);
  return true;
}

// ---- The decomposition

GPO_FN bool is_tall(i64 m, i64 n) { return m > n + n / 2; }

// The work of a matrix with m >= n: e and the rotations, then the arrays of Bidiagonal, the left and right vectors, the
// triangle of a tall matrix with its factors, and what reflections need.
template <class T>
GPO_FN i64 svd_work(i64 m, i64 n) {
  const i64 rows = m > n ? m : n, columns = m > n ? n : m;
  const i64 elements = 2 * rows * columns + 2 * columns * columns + 5 * columns + rows + panel_work<T>(rows, columns);
  return columns + elements * components<T> + 2 * sweeps_work<real_of<T>>(columns);
}

template <class T>
struct SvdArrays {
  real_of<T> *e, *sweeps;
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
  if (v) form_right_basis(b, v, w.memory, run);
  if (left) form_left_basis(b, left, w.memory, run);
  if (!diagonalize_bidiagonal(rows, n, s, w.e, left, v, w.sweeps, run)) return false;
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
