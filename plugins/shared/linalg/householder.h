// plugins/shared/linalg/householder.h -- blocks of Householder reflections, and q and r by them
//
// Reflection k is H = 1 - tau v v^H, where v[i] = 0 for i < k and v[k] = 1, and H^H brings column k of what the
// reflections before have left to beta, which is real, on the diagonal, and to zeros below. As in LAPACK's geqrf, beta
// is the norm of the column from row k on with the opposite sign of the real part of its element k, and where there
// is nothing to bring to 0, tau is 0. q is the product of all H in order. (G. Golub, C. Van Loan, "Matrix
// Computations", 5.1.)
//
// A product of reflections is 1 - V t V^H with an upper triangular matrix t (R. Schreiber, C. Van Loan, "A
// storage-efficient WY representation for products of Householder transformations", 1989), by which it is applied in
// products of matrices (blocks.h): panels of kPanel columns, and in a panel halves of halves.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_HOUSEHOLDER_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_HOUSEHOLDER_H_

#include "plugins/shared/linalg/blocks.h"
#include "plugins/shared/linalg/reflections.h"

namespace gpo {
namespace linalg {

inline constexpr i64 kPanel = 64;  // a multiple of kBlock

// The triangles of the first reflections, of whole panels: factorize_qr() leaves them for form_q().
template <class T>
struct KeptTriangles {
  T *t;       // kPanel * kPanel elements for each panel
  i64 count;  // of reflections
};
// How many reflections of an m x n matrix leave triangles: those of panels with columns behind them.
GPO_FN i64 kept_reflections(i64 m, i64 n) { return m < n ? m : n == 0 ? 0 : (n - 1) / kPanel * kPanel; }
GPO_FN i64 kept_work(i64 count) { return (count + kPanel - 1) / kPanel * kPanel * kPanel; }

// Memory for applying a panel of reflections of m elements to p columns.
template <class T>
struct PanelWork {
  T *v;         // m * kPanel elements: the vectors, with their ones and zeros
  T *t, *gram;  // kPanel * kPanel elements each
  T *w, *tw;    // kPanel * p elements each
};
template <class T>
GPO_FN i64 panel_work(i64 m, i64 p) {
  return kPanel * (m + 2 * kPanel + 2 * p);
}
template <class T>
GPO_FN PanelWork<T> make_panel_work(i64 m, i64 p, T *memory) {
  T *const t = memory + m * kPanel, *const w = t + 2 * kPanel * kPanel;
  return {memory, t, t + kPanel * kPanel, w, w + kPanel * p};
}

// Writes t of the reflections whose vectors are the columns of v. Column k is what the columns before it give, one
// after the other: four of them at a time to the elements above the diagonals of all four.
template <class T, class Run>
GPO_FN View<T> form_triangle(const View<T> &v, const T *tau, T *t, const PanelWork<T> &work, const Run &run) {
  const i64 count = v.columns;
  fill(count * count, number<T>(0), t);
  fill(count * count, number<T>(0), work.gram);
  run.add_product(view_of(work.gram, count, count), v.transposed(), v, Terms{false, true});
  for (i64 k = 0; k < count; ++k) {
    T *const column = t + k * count, *const factor = work.gram + k * count;
    for (i64 j = 0; j < k; ++j) factor[j] = negative(multiply(tau[k], factor[j]));
    i64 j = 0;
    for (; j + 4 <= k; j += 4) {
      add_products(j + 1, 4, t + j * count, count, factor + j, column);
      for (i64 i = j + 1; i < j + 4; ++i) add_products(1, j + 4 - i, t + i + i * count, count, factor + i, column + i);
    }
    for (; j < k; ++j) add_multiple(j + 1, t + j * count, factor[j], column);
    column[k] = tau[k];
  }
  return view_of(t, count, count);
}

// Applies 1 - V t V^H to c, or its adjoint 1 - V t^H V^H, whose reflections are those of form_triangle().
template <class T, class Run>
GPO_FN void apply_panel(const View<T> &v, const View<T> &t, bool adjoint, const View<T> &c, const PanelWork<T> &work,
                        const Run &run) {
  const i64 count = v.columns, columns = c.columns;
  if (columns == 0) return;
  const View<T> w = view_of(work.w, count, columns), tw = view_of(work.tw, count, columns);
  fill(count * columns, number<T>(0), w.data);
  run.add_product(w, v.transposed(), c, Terms{false, true});
  fill(count * columns, number<T>(0), tw.data);
  run.add_product(tw, adjoint ? t.transposed() : t, w, Terms{false, adjoint});
  run.add_product(c, v, tw, Terms{true, false});
}

// Reflections as factorizations leave them: the vector of reflection k is in column k of a from row k on, where the
// diagonal, which counts as ones, and what is above it belong to others.
template <class T>
struct Reflections {
  View<T> a;  // as many columns as there are reflections
  const T *tau;
  KeptTriangles<T> kept = {nullptr, 0};
};

// Copies the vectors of the reflections [first, end) to work.v, and returns them from row `first` on.
template <class T>
GPO_LONG View<T> load_panel(const Reflections<T> &h, i64 first, i64 end, const PanelWork<T> &work) {
  const i64 rows = h.a.rows - first;
  for (i64 k = first; k < end; ++k) {
    T *const v = work.v + (k - first) * rows;
    fill(k - first, number<T>(0), v);
    v[k - first] = number<T>(1);
    for (i64 i = k + 1; i < h.a.rows; ++i) v[i - first] = h.a.at(i, k);
  }
  return view_of(work.v, rows, end - first);
}

// apply_reflections() of at most kBlock reflections: one by one.
template <class T, class Run>
GPO_FN void apply_few(const Reflections<T> &h, bool of_identity, const View<T> &c, const PanelWork<T> &work,
                      const Run &run) {
  const i64 count = h.a.columns, rows = h.a.rows;
  const T *const v = load_panel(h, i64(0), count, work).data, *const tau = h.tau;
  run(c.columns, [=](i64 j) {
    for (i64 k = count - 1; k >= 0; --k) {
      if ((of_identity && j < k) || is_zero(tau[k])) continue;
      reflect(rows - k, v + k + k * rows, tau[k], c.data + k + j * c.column);
    }
  });
}

// Replaces c, which is in column-major order, by the product of all reflections, in order, and c. With `of_identity` c
// has the first columns of the identity matrix before, so that its first columns are not changed by the last
// reflections.
template <class T, class Run>
GPO_FN void apply_reflections(const Reflections<T> &h, bool of_identity, const View<T> &c, const PanelWork<T> &work,
                              const Run &run) {
  const i64 count = h.a.columns;
  if (count <= kBlock) return apply_few(h, of_identity, c, work, run);
  for (i64 first = (count - 1) / kPanel * kPanel; first >= 0 && count > 0; first -= kPanel) {
    const View<T> v = load_panel(h, first, first + kPanel < count ? first + kPanel : count, work);
    const View<T> t = first < h.kept.count ? view_of(h.kept.t + first * kPanel, v.columns, v.columns)
                                           : form_triangle(v, h.tau + first, work.t, work, run);
    const i64 left_out = of_identity ? (first < c.columns ? first : c.columns) : 0;
    apply_panel(v, t, false, c.block(first, left_out, v.rows, c.columns - left_out), work, run);
  }
}

// Makes the reflections of the columns [first, end) of a panel. Row and column 0 of a are the panel's.
template <class T>
GPO_LONG void reflect_columns(const View<T> &a, i64 first, i64 end, T *tau, T *v) {
  for (i64 k = first; k < end; ++k) {
    T *const column = a.data + k * a.column, *const own = v + k * a.rows;
    for (i64 j = first; j < k; ++j) {
      if (!is_zero(tau[j])) reflect(a.rows - j, v + j + j * a.rows, conj(tau[j]), column + j);
    }
    fill(k, number<T>(0), own);
    copy(a.rows - k, column + k, own + k);
    column[k] = number<T>(make_reflection(a.rows - k, own + k, tau[k]));
    copy(a.rows - k - 1, own + k + 1, column + k + 1);
  }
}

// The elements of factorize_qr()'s work.
template <class T>
GPO_FN i64 qr_work(i64 m, i64 n) {
  return panel_work<T>(m, n);
}

// Replaces a, of m rows and n columns, by r and, below its diagonal, the vectors v; tau has as many elements as the
// lesser of m and n. `kept` has no count, or that of kept_reflections().
template <class T, class Run>
GPO_FN void factorize_qr(i64 m, i64 n, T *a, T *tau, T *memory, const Run &run, KeptTriangles<T> kept = {nullptr, 0}) {
  const i64 steps = m < n ? m : n;
  const PanelWork<T> work = make_panel_work(m, n, memory);
  const View<T> matrix = view_of(a, m, n);
  for (i64 at = 0; at < steps; at += kPanel) {
    const i64 width = at + kPanel < steps ? kPanel : steps - at, rows = m - at;
    const View<T> panel = matrix.block(at, at, rows, width), v = view_of(work.v, rows, width);
    const auto base = [&](i64 first, i64 end) { reflect_columns(panel, first, end, tau + at, work.v); };
    const auto update = [&](i64 first, i64 middle, i64 end) {
      const View<T> left = v.block(first, first, rows - first, middle - first);
      const View<T> t = form_triangle(left, tau + at + first, work.t, work, run);
      apply_panel(left, t, true, panel.block(first, middle, rows - first, end - middle), work, run);
    };
    for_halves(width, base, update, NoMerge());
    if (at + width == n) return;
    const View<T> rest = matrix.block(at, at + width, rows, n - at - width);
    const View<T> t = form_triangle(v, tau + at, at < kept.count ? kept.t + at * kPanel : work.t, work, run);
    apply_panel(v, t, true, rest, work, run);
  }
}

// The elements of form_q()'s work.
template <class T>
GPO_FN i64 form_q_work(i64 m, i64 columns) {
  return panel_work<T>(m, columns);
}

// Writes the first `columns` columns of q, of m rows, which factorize_qr() left in a, in `count` elements of tau and in
// `kept`.
template <class T, class Run>
GPO_FN void form_q(i64 m, i64 columns, i64 count, T *a, const T *tau, T *q, T *memory, const Run &run,
                   KeptTriangles<T> kept = {nullptr, 0}) {
  fill_identity(m, columns, q);
  apply_reflections(Reflections<T>{view_of(a, m, count), tau, kept}, true, view_of(q, m, columns),
                    make_panel_work(m, columns, memory), run);
}

// The elements of complete_basis()'s work.
template <class T>
GPO_FN i64 complete_basis_work(i64 m, i64 given) {
  return m * given + given + panel_work<T>(m, m);
}

// Fills the columns [given, m) of q, an m x m matrix whose first `given` columns are orthonormal, with columns that are
// orthonormal to these and to each other: those of the q of the given ones.
template <class T, class Run>
GPO_FN void complete_basis(i64 m, i64 given, T *q, T *memory, const Run &run) {
  T *const tau = memory + m * given, *const work = tau + given;
  copy(m * given, q, memory);
  factorize_qr(m, given, memory, tau, work, run);
  const View<T> rest = view_of(q + given * m, m, m - given);
  fill(m * rest.columns, number<T>(0), rest.data);
  for (i64 j = 0; j < rest.columns; ++j) rest.at(given + j, j) = number<T>(1);
  apply_reflections(Reflections<T>{view_of(memory, m, given), tau}, false, rest, make_panel_work(m, m, work), run);
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_HOUSEHOLDER_H_
