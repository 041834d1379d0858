// plugins/shared/linalg/general_eigen.h -- the eigenproblem of square matrices without symmetry
//
// Rows and columns that make a triangle are set apart, and the rest is balanced by powers of two (B. Parlett, C.
// Reinsch, "Balancing a matrix for calculation of eigenvalues and eigenvectors", 1969; with 2-norms, as R. James, J.
// Langou, B. Lowery, "On matrix balancing and eigenvector computation", 2014), brought to Hessenberg form by
// Householder reflections, and to triangular form by implicit QR steps: of a real matrix by Francis's double shifts, so
// that it stays real, with blocks of two rows for conjugate pairs, and of a complex one by single shifts (G. Golub, C.
// Van Loan, "Matrix Computations", chapter 7). The eigenvectors of the triangular form, by back substitution, are
// multiplied by the basis.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_GENERAL_EIGEN_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_GENERAL_EIGEN_H_

#include "plugins/shared/linalg/householder.h"
#include "plugins/shared/linalg/schur.h"

namespace gpo {
namespace linalg {

// ---- Balancing

// Exchanges i and k, rows and columns.
template <class T>
GPO_LONG void exchange_both(i64 n, T *a, real_of<T> *origin, i64 i, i64 k) {
  if (i == k) return;
  exchange(origin[i], origin[k]);
  for (i64 j = 0; j < n; ++j) exchange(a[i + j * n], a[k + j * n]);
  for (i64 j = 0; j < n; ++j) exchange(a[j + i * n], a[j + k * n]);
}
// Whether row i (column i if `of_column`) is 0 between `low` and `high` but for the diagonal.
template <class T>
GPO_LONG bool is_isolated(i64 n, const T *a, i64 i, i64 low, i64 high, bool of_column) {
  for (i64 j = low; j <= high; ++j) {
    const T x = of_column ? a[j + i * n] : a[i + j * n];
    if (j != i && (re(x) != real_of<T>(0) || im(x) != real_of<T>(0))) return false;
  }
  return true;
}
// Brings rows that are 0 but for the diagonal to the end, and such columns to the front, so that only the rows and
// columns from `low` to `high` are not triangular already. origin[i] says which row and column has become i.
template <class T>
GPO_LONG void isolate(i64 n, T *a, real_of<T> *origin, i64 &low, i64 &high) {
  for (i64 i = 0; i < n; ++i) origin[i] = real_of<T>(i);
  low = 0;
  high = n - 1;
  for (i64 i = high; i >= 0; --i) {
    if (!is_isolated(n, a, i, 0, high, false)) continue;
    exchange_both(n, a, origin, i, high);
    i = high--;
  }
  for (i64 i = low; i <= high; ++i) {
    if (!is_isolated(n, a, i, low, high, true)) continue;
    exchange_both(n, a, origin, i, low);
    i = low++;
  }
}
// Returns the 2-norms of row i and of column i between `low` and `high`, whose ratio is to be brought near 1. With
// their common element, a large one on the diagonal keeps rows and columns from being scaled that have nothing to gain.
template <class T>
GPO_LONG void norms_of_both(i64 n, const T *a, i64 i, i64 low, i64 high, real_of<T> &row, real_of<T> &column) {
  using R = real_of<T>;
  column = row = R(0);
  for (i64 j = low; j <= high; ++j) {
    column = math::hypot(column, modulus(a[j + i * n]));
    row = math::hypot(row, modulus(a[i + j * n]));
  }
}
// Returns the power of two that column i is to be multiplied by, and row i divided: 1 if that gains little.
template <class R>
GPO_LONG R balancing_factor(R row, R column) {
  if (row == R(0) || column == R(0)) return R(1);
  R factor = R(1), c = column, r = row;
  while (c < r * R(0.5) && factor < power_of_two<R>(fp<R>::bias / 4))
    c = c * R(2), r = r * R(0.5), factor = factor * R(2);
  while (r < c * R(0.5) && factor > power_of_two<R>(-fp<R>::bias / 4))
    c = c * R(0.5), r = r * R(2), factor = factor * R(0.5);
  return c + r < R(0.95) * (column + row) ? factor : R(1);
}
// Replaces a by d^-1 a d, where d is diagonal.
template <class T>
GPO_LONG void balance(i64 n, T *a, i64 low, i64 high, real_of<T> *d) {
  using R = real_of<T>;
  const R most = power_of_two<R>(fp<R>::bias / 2), least = power_of_two<R>(-fp<R>::bias / 2);
  fill(n, R(1), d);
  bool changed = true;
  for (int round = 0; changed && round < 40; ++round) {
    changed = false;
    for (i64 i = low; i <= high; ++i) {
      R row, column;
      norms_of_both(n, a, i, low, high, row, column);
      const R factor = balancing_factor(row, column), total = d[i] * factor;
      if (factor == R(1) || total > most || total < least) continue;
      d[i] = total;
      for (i64 j = 0; j < n; ++j) a[i + j * n] = scale(a[i + j * n], R(1) / factor);
      scale_column(n, factor, a + i * n);
      changed = true;
    }
  }
}

// ---- Hessenberg form

// The arrays of a call.
template <class T>
struct GeneralEigen {
  i64 n;
  T *a, *z, *tau, *sub, *x;  // z is null if there are no vectors
  real_of<T> *d, *origin;
  cplx<real_of<T>> *solution;
};

// Applies the reflection of column k from the right and from the left.
template <class T, class Run>
GPO_FN void reflect_both(const GeneralEigen<T> &g, i64 k, const Run &run) {
  constexpr i64 task_rows = 256;
  const i64 n = g.n, count = n - k - 1, task_columns = n < 4096 ? 1 + 16384 / n : 4;
  const T *const v = g.a + k + 1 + k * n;
  const T tau = g.tau[k];
  run((n + task_rows - 1) / task_rows, [=](i64 task) {
    const i64 first = task * task_rows, size = first + task_rows < n ? task_rows : n - first;
    fill(size, number<T>(0), g.x + first);
    add_products(size, count, g.a + first + (k + 1) * n, n, v, g.x + first);
  });
  run((count + task_columns - 1) / task_columns, [=](i64 task) {
    const i64 first = task * task_columns, end = first + task_columns < count ? first + task_columns : count;
    for (i64 j = first; j < end; ++j) {
      T *const column = g.a + (k + 1 + j) * n;
      add_multiple(n, g.x, negative(multiply(tau, conj(v[j]))), column);
      reflect(count, v, conj(tau), column + k + 1);
    }
  });
}
// Reduces a to Hessenberg form. The vectors of the reflections are below the diagonal, the subdiagonal is in sub.
template <class T, class Run>
GPO_FN void reduce_to_hessenberg(const GeneralEigen<T> &g, const Run &run) {
  const i64 n = g.n;
  for (i64 k = 0; k + 1 < n; ++k) {
    T *const v = g.a + k + 1 + k * n;
    g.tau[k] = number<T>(0);
    if (k + 2 == n) {
      g.sub[k] = v[0];
      break;
    }
    g.sub[k] = number<T>(make_reflection(n - k - 1, v, g.tau[k]));
    reflect_both(g, k, run);
  }
}
// Writes the product of the reflections to z, and gives a the form itself.
template <class T, class Run>
GPO_FN void finish_hessenberg(const GeneralEigen<T> &g, T *memory, const Run &run) {
  const i64 n = g.n;
  if (g.z) {
    fill_identity(n, n, g.z);
    if (n > 2) {
      apply_reflections(Reflections<T>{view_of(g.a, n, n).block(1, 0, n - 1, n - 2), g.tau}, true,
                        view_of(g.z, n, n).block(1, 1, n - 1, n - 1), make_panel_work(n, n, memory), run);
    }
  }
  for (i64 k = 0; k + 1 < n; ++k) {
    fill(n - k - 1, number<T>(0), g.a + k + 1 + k * n);
    g.a[k + 1 + k * n] = g.sub[k];
  }
}

// ---- Eigenvectors of the triangular form

// The product of an element of the triangular form, which may be real, and one of a vector.
template <class R>
GPO_FN R mixed(R x, R y) {
  return x * y;
}
template <class R>
GPO_FN cplx<R> mixed(R x, cplx<R> y) {
  return {x * y.re, x * y.im};
}
template <class R>
GPO_FN cplx<R> mixed(cplx<R> x, cplx<R> y) {
  return multiply(x, y);
}
// y[i] += x[i] a, where x may be real.
template <class T, class V>
GPO_LONG void add_mixed(i64 n, const T *x, V a, V *y) {
  if constexpr (is_same<T, V>) {
    add_multiple(n, x, a, y);
  } else {
    for (i64 i = 0; i < n; ++i) {
      y[i].re = y[i].re + x[i] * a.re;
      y[i].im = y[i].im + x[i] * a.im;
    }
  }
}
template <class V, class T>
GPO_FN V widen(T x) {
  return number<V>(re(x), im(x));
}

// Back substitution for (t - value) x = 0, where x has `count` elements so far.
template <class T, class V>
struct BackSubstitution {
  using R = real_of<T>;
  i64 n;
  const T *t;
  V value;
  V *x;
  i64 count;

  GPO_FN V shifted(i64 i) const { return subtract(widen<V>(t[i + i * n]), value); }
  // What pivots are at least, beside elements of the given size.
  GPO_FN R least_pivot(R size) const {
    const R by_value = unit_roundoff<R>() * larger(size, abs(re(value)) + abs(im(value)));
    return larger(by_value, R(n) * (least_normal<R>() / unit_roundoff<R>()));
  }
  GPO_FN V pivot(V p, R least) const { return abs(re(p)) + abs(im(p)) < least ? number<V>(least) : p; }

  // Scales x by a power of two so that elements of `size` become at most `limit`.
  GPO_FN void limit_size(R size, R limit) const {
    if (!(size > limit)) return;
    const int e = math::split(limit).e - math::split(size).e - 1;
    for (i64 i = 0; i < count; ++i) x[i] = number<V>(times_power(re(x[i]), e), times_power(im(x[i]), e));
  }
  GPO_FN void subtract_column(i64 j) const { add_mixed(j, t + j * n, negative(x[j]), x); }

  GPO_FN void solve_one(i64 j) const {
    const V p = pivot(shifted(j), least_pivot(R(0)));
    limit_size(modulus(x[j]),
               modulus(p) < R(1) ? modulus(p) * power_of_two<R>(fp<R>::bias / 2) : power_of_two<R>(fp<R>::bias / 2));
    x[j] = divide(x[j], p);
    subtract_column(j);
  }
  // Rows j - 1 and j, which are a block of a real matrix, by elimination with the larger pivot.
  GPO_FN void solve_two(i64 j) const {
    const V a = shifted(j - 1), d = shifted(j), b = widen<V>(t[j - 1 + j * n]), c = widen<V>(t[j + (j - 1) * n]);
    const R size = larger(larger(modulus(a), modulus(d)), larger(modulus(b), modulus(c)));
    const R small = power_of_two<R>(-fp<R>::bias / 4);
    limit_size(larger(modulus(x[j - 1]), modulus(x[j])), size < small ? small : R(1));
    const bool exchanged = modulus(c) > modulus(a);
    const V first = exchanged ? c : a, second = exchanged ? a : c;
    const V beside_first = exchanged ? d : b, beside_second = exchanged ? b : d;
    const V right = exchanged ? x[j] : x[j - 1], other = exchanged ? x[j - 1] : x[j];
    const V factor = divide(second, first);
    const V p = pivot(subtract(beside_second, multiply(factor, beside_first)), least_pivot(size));
    x[j] = divide(subtract(other, multiply(factor, right)), p);
    x[j - 1] = divide(subtract(right, multiply(beside_first, x[j])), first);
    add_mixed(j - 1, t + j * n, negative(x[j]), x);
    add_mixed(j - 1, t + (j - 1) * n, negative(x[j - 1]), x);
  }
  // Begins with the last element, or with the last two, which belong to a block with a pair of eigenvalues.
  GPO_FN void begin(bool pair) const {
    const i64 k = count - 1;
    fill(count, number<V>(0), x);
    x[k] = number<V>(1);
    if (!pair) {
      add_mixed(k, t + k * n, negative(x[k]), x);
      return;
    }
    const V b = widen<V>(t[k - 1 + k * n]), c = widen<V>(t[k + (k - 1) * n]);
    const bool by_last = modulus(c) >= modulus(b);
    x[k - 1] = by_last ? negative(shifted(k)) : b;
    x[k] = by_last ? c : negative(shifted(k - 1));
    add_mixed(k - 1, t + k * n, negative(x[k]), x);
    add_mixed(k - 1, t + (k - 1) * n, negative(x[k - 1]), x);
  }
  GPO_FN void solve(bool pair) const {
    begin(pair);
    for (i64 j = count - (pair ? 3 : 2); j >= 0;) {
      const bool block = !is_complex<T> && j > 0 && re(t[j + (j - 1) * n]) != R(0);
      block ? solve_two(j) : solve_one(j);
      j -= block ? 2 : 1;
    }
  }
};

// Writes the vector z x of the balanced matrix as one of the original, with norm 1, to v. x is in g.solution.
template <class T, class V>
GPO_LONG void transform_vector(const GeneralEigen<T> &g, i64 count, const V *x, cplx<real_of<T>> *v) {
  using R = real_of<T>;
  const i64 n = g.n;
  V *const y = reinterpret_cast<V *>(v);  // a real vector has the first half
  fill(n, number<V>(0), y);
  for (i64 j = 0; j < count; ++j) add_mixed(n, g.z + j * n, x[j], y);
  V *const ordered = reinterpret_cast<V *>(g.solution);  // x is not needed any more
  for (i64 i = 0; i < n; ++i) ordered[i64(g.origin[i])] = scale(y[i], g.d[i]);
  copy(n, ordered, y);
  scale_to_one(n * components<V>, largest_component(n * components<V>, parts(y)), parts(y));
  const R norm = sqrt(sum_products(n * components<V>, parts(y), parts(y)));
  for (i64 i = 0; i < n; ++i) y[i] = number<V>(re(y[i]) / norm, im(y[i]) / norm);
  if constexpr (is_complex<V>) {
    turn(n, y, false);
  } else {
    for (i64 i = n; i-- > 0;) {
      const R last = y[i];
      v[i] = {last, R(0)};
    }
  }
}

// Writes the vector of the eigenvalue at k, and returns how many columns were written: 2 of a conjugate pair.
template <class T>
GPO_LONG i64 write_vectors(const GeneralEigen<T> &g, i64 k, const cplx<real_of<T>> *w, cplx<real_of<T>> *v) {
  using R = real_of<T>;
  const bool pair = !is_complex<T> && w[k].im != R(0);
  const i64 count = k + (pair ? 2 : 1);
  if constexpr (!is_complex<T>) {
    if (!pair) {
      R *const x = parts(g.solution);
      BackSubstitution<T, R>{g.n, g.a, w[k].re, x, count}.solve(false);
      scale_to_one(count, largest_component(count, x), x);
      transform_vector(g, count, x, v + k * g.n);
      return 1;
    }
  }
  BackSubstitution<T, cplx<R>>{g.n, g.a, w[k], g.solution, count}.solve(pair);
  scale_to_one(2 * count, largest_component(2 * count, parts(g.solution)), parts(g.solution));
  transform_vector(g, count, g.solution, v + k * g.n);
  for (i64 i = 0; pair && i < g.n; ++i) v[i + (k + 1) * g.n] = conj(v[i + k * g.n]);
  return pair ? 2 : 1;
}

// ---- The whole

template <class T>
GPO_FN i64 general_eigen_work(i64 n) {
  return (n * n + 3 * n + panel_work<T>(n, n)) * components<T> + 4 * n;
}
template <class T, class Run>
GPO_FN bool general_eigen(i64 n, T *a, cplx<real_of<T>> *w, cplx<real_of<T>> *v, real_of<T> *work, const Run &run) {
  const i64 count = n * n * components<T>;
  const real_of<T> most = largest_component(count, parts(a));
  if (isinf(most)) return false;
  const int exponent = scale_to_one(count, most, parts(a));
  T *const z = reinterpret_cast<T *>(work), *const tau = z + n * n;
  T *const memory = tau + 3 * n;
  real_of<T> *const rest = parts(memory + panel_work<T>(n, n));
  const GeneralEigen<T> g = {n,
                             a,
                             v ? z : nullptr,
                             tau,
                             tau + n,
                             tau + 2 * n,
                             rest + 2 * n,
                             rest + 3 * n,
                             reinterpret_cast<cplx<real_of<T>> *>(rest)};
  i64 low, high;
  isolate(n, a, g.origin, low, high);
  balance(n, a, low, high, g.d);
  reduce_to_hessenberg(g, run);
  finish_hessenberg(g, memory, run);
  if (!reduce_to_schur(n, a, g.z, w)) return false;
  for (i64 k = 0; v && k < n;) k += write_vectors(g, k, w, v);
  for (i64 k = 0; k < n; ++k) w[k] = {times_power(w[k].re, exponent), times_power(w[k].im, exponent)};
  return true;
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_GENERAL_EIGEN_H_
