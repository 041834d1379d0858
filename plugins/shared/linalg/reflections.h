// plugins/shared/linalg/reflections.h -- Householder reflections, plane rotations, and the phases of vectors
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_REFLECTIONS_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_REFLECTIONS_H_

#include "plugins/shared/linalg/numbers.h"

namespace gpo {
namespace linalg {

// ---- Reflections

// Makes H = 1 - tau v v^H, where v[0] = 1, of a column x of n >= 1 elements: H^H x has the element beta, which is real,
// and zeros. v replaces x, beta (with the opposite sign of the real part of x[0]) is returned. tau is 0, and H the
// identity, if there is nothing to bring to 0. (Golub and Van Loan, 5.1; the conventions are those of LAPACK's larfg.)
// The column is scaled by a power of two first, so that no square overflows, and none that counts underflows.
template <class T>
GPO_LONG real_of<T> make_reflection(i64 n, T *x, T &tau) {
  using R = real_of<T>;
  tau = number<T>(0);
  const i64 count = n * components<T>;
  const R below = largest_component((n - 1) * components<T>, parts(x + 1));
  const R first = re(x[0]);
  const bool nothing = below == R(0) && im(x[0]) == R(0);
  if (nothing) {
    x[0] = number<T>(1);
    return first;
  }
  const int e = scale_to_one(count, larger(below, larger(abs(re(x[0])), abs(im(x[0])))), parts(x));
  const T alpha = x[0];
  const R beta = -copysign(sqrt(sum_products(count, parts(x), parts(x))), re(alpha));
  tau = number<T>((beta - re(alpha)) / beta, -im(alpha) / beta);
  const T factor = divide(number<T>(1), number<T>(re(alpha) - beta, im(alpha)));
  multiply_column(n - 1, factor, x + 1);
  x[0] = number<T>(1);
  return times_power(beta, e);
}

// c -= v (t v^H c).
template <class T>
GPO_FN void reflect(i64 n, const T *v, T t, T *c) {
  add_multiple(n, v, negative(multiply(t, dot(n, v, c))), c);
}

// ---- Rotations

// c and s with c f + s g = r and c g - s f = 0.
template <class R>
struct Rotation {
  R c, s, r;
};
template <class R>
GPO_FN Rotation<R> make_rotation(R f, R g) {
  if (g == R(0)) return {R(1), R(0), f};
  if (f == R(0)) return {R(0), R(1), g};
  const R most = larger(abs(f), abs(g));
  if (most > power_of_two<R>(-fp<R>::bias / 4) && most < power_of_two<R>(fp<R>::bias / 4)) {
    const R root = sqrt(f * f + g * g);  // neither square that counts over- or underflows
    return {f / root, g / root, root};
  }
  const R size = math::hypot(f, g);
  if (size < least_normal<R>()) {  // denormals have too few bits for quotients
    const R up = power_of_two<R>(fp<R>::mantissa + 1), scaled = math::hypot(f * up, g * up);
    return {f * up / scaled, g * up / scaled, size};
  }
  return {f / size, g / size, size};
}

// Rotations of neighbouring columns that wait to be applied, sweep by sweep: many sweeps are applied to some rows of
// the matrix while these are in the cache. Rows do not depend on each other, so that the result does not depend on when
// and to which rows rotations are applied.
template <class R>
struct Sweeps {
  static constexpr int most = 32;
  R *cs;     // pairs of c and s
  i64 room;  // for pairs
  i64 used = 0;
  int count = 0;  // sweeps
  i64 first[most], length[most];
  int step[most];
};
template <class R>
GPO_FN i64 sweeps_work(i64 n) {
  return 2 * 16 * n;
}
template <class R>
GPO_FN Sweeps<R> make_sweeps(i64 n, R *work) {
  Sweeps<R> s;
  s.cs = work;
  s.room = 16 * n;
  return s;
}

// (x, y) = (c x + s y, c y - s x).
template <class R>
GPO_FN void rotate(i64 n, R c, R s, R *x, R *y) {
  const R negated = -s;
  for (i64 i = 0; i < n; ++i) {
    const R a = x[i], b = y[i];
    x[i] = c * a + s * b;
    y[i] = c * b + negated * a;
  }
}

// Load and store the elements of a column in one row, or in as many as a vector has.
template <class R>
GPO_FN void load_rows(const R *from, R &x) {
  x = *from;
}
template <class R>
GPO_FN void store_rows(R *to, R x) {
  *to = x;
}
#if defined(GPO_VECTOR_BYTES)
template <class R>
GPO_FN void load_rows(const R *from, Vector<R> &x) {
  x = *reinterpret_cast<const UnalignedVector<R> *>(from);
}
template <class R>
GPO_FN void store_rows(R *to, const Vector<R> &x) {
  *reinterpret_cast<UnalignedVector<R> *>(to) = x;
}
#endif
// What rotate() computes, for elements x and y of two columns.
template <class R>
struct ColumnRotation {
  R c, s, negated;
  GPO_FN explicit ColumnRotation(const R *cs) : c(cs[0]), s(cs[1]), negated(-cs[1]) {}
  template <class V>
  GPO_FN V first(V x, V y) const {
    return c * x + s * y;
  }
  template <class V>
  GPO_FN V second(V x, V y) const {
    return c * y + negated * x;
  }
};

// Applies a sweep of rotations to `width` times as many rows as V has. `step` leads from a column to the next. The
// column that two rotations have in common stays in registers.
template <class V, u64 width, class R>
GPO_FN void rotate_strip(const R *cs, i64 length, R *x, i64 step) {
  constexpr u64 rows = sizeof(V) / sizeof(R);
  V common[width];
  for (u64 w = 0; w < width; ++w) load_rows(x + w * rows, common[w]);
  for (i64 p = 0; p < length; ++p, x += step) {
    const ColumnRotation<R> rotation(cs + 2 * p);
    for (u64 w = 0; w < width; ++w) {
      const V a = common[w];
      V b;
      load_rows(x + step + w * rows, b);
      store_rows(x + w * rows, rotation.first(a, b));
      common[w] = rotation.second(a, b);
    }
  }
  for (u64 w = 0; w < width; ++w) store_rows(x + w * rows, common[w]);
}
// Applies count + 1 rotations of a sweep and the first `count` >= 1 of the next one, which begins at the same column
// and follows one rotation behind, so that columns are read and written once for both.
template <class V, u64 width, class R>
GPO_FN void rotate_strip_twice(const R *cs, const R *next, i64 count, R *x, i64 step) {
  constexpr u64 rows = sizeof(V) / sizeof(R);
  V ahead[width], behind[width];
  const ColumnRotation<R> start(cs);
  for (u64 w = 0; w < width; ++w) {
    V a, b;
    load_rows(x + w * rows, a);
    load_rows(x + step + w * rows, b);
    behind[w] = start.first(a, b);
    ahead[w] = start.second(a, b);
  }
  for (i64 p = 0; p < count; ++p, x += step) {
    const ColumnRotation<R> rotation(cs + 2 * p + 2), follower(next + 2 * p);
    for (u64 w = 0; w < width; ++w) {
      const V a = ahead[w];
      V b;
      load_rows(x + 2 * step + w * rows, b);
      const V middle = rotation.first(a, b);
      ahead[w] = rotation.second(a, b);
      store_rows(x + w * rows, follower.first(behind[w], middle));
      behind[w] = follower.second(behind[w], middle);
    }
  }
  for (u64 w = 0; w < width; ++w) {
    store_rows(x + w * rows, behind[w]);
    store_rows(x + step + w * rows, ahead[w]);
  }
}
// Applies all sweeps to the rows of a strip, two at a time where they begin at the same column.
template <class V, u64 width, class R>
GPO_FN void rotate_all(i64 m, const Sweeps<R> &sweeps, R *a) {
  const R *cs = sweeps.cs;
  for (int k = 0; k < sweeps.count; ++k) {
    const i64 length = sweeps.length[k], step = sweeps.step[k] > 0 ? m : -m;
    R *const x = a + sweeps.first[k] * m;
    const R *const next = cs + 2 * length;
    const bool pair = k + 1 < sweeps.count && length > 1 && sweeps.first[k + 1] == sweeps.first[k] &&
                      sweeps.step[k + 1] == sweeps.step[k] && sweeps.length[k + 1] > 0;
    if (!pair) {
      rotate_strip<V, width>(cs, length, x, step);
      cs = next;
      continue;
    }
    const i64 other = sweeps.length[++k], count = length - 1 < other ? length - 1 : other;
    rotate_strip_twice<V, width>(cs, next, count, x, step);
    if (count + 1 < length)
      rotate_strip<V, width>(cs + 2 * (count + 1), length - count - 1, x + (count + 1) * step, step);
    if (count < other) rotate_strip<V, width>(next + 2 * count, other - count, x + count * step, step);
    cs = next + 2 * other;
  }
}
template <class R>
GPO_LONG void rotate_rows(i64 rows, i64 m, const Sweeps<R> &sweeps, R *a) {
  i64 i = 0;
#if defined(GPO_VECTOR_BYTES)
  constexpr i64 lanes = i64(sizeof(Vector<R>) / sizeof(R)), strip = 4 * lanes;
  for (; i + strip <= rows; i += strip) rotate_all<Vector<R>, 4>(m, sweeps, a + i);
  for (; i + lanes <= rows; i += lanes) rotate_all<Vector<R>, 1>(m, sweeps, a + i);
#endif
  for (; i < rows; ++i) rotate_all<R, 1>(m, sweeps, a + i);
}
// Applies the waiting rotations to a, of m rows, and forgets them.
template <class T, class Run>
GPO_FN void apply_sweeps(i64 m, Sweeps<real_of<T>> &sweeps, T *a, const Run &run) {
  constexpr i64 block = i64(256 / sizeof(real_of<T>));
  const i64 rows = a ? m * components<T> : 0;
  run((rows + block - 1) / block, [&](i64 task) {
    const i64 i = task * block;
    rotate_rows(i + block < rows ? block : rows - i, rows, sweeps, parts(a) + i);
  });
  sweeps.used = 0;
  sweeps.count = 0;
}
// Begins a sweep of `length` rotations, of columns `first` and first + step, and so on. Returns where c and s go.
template <class T, class Run>
GPO_FN real_of<T> *begin_sweep(Sweeps<real_of<T>> &sweeps, i64 first, int step, i64 length, i64 m, T *a,
                               const Run &run) {
  if (sweeps.count == sweeps.most || sweeps.used + length > sweeps.room) apply_sweeps(m, sweeps, a, run);
  sweeps.first[sweeps.count] = first;
  sweeps.step[sweeps.count] = step;
  sweeps.length[sweeps.count++] = length;
  real_of<T> *const to = sweeps.cs + 2 * sweeps.used;
  sweeps.used += length;
  return to;
}

// ---- Phases

// Multiplies x by a number of modulus 1 so that a component of greatest modulus becomes real, and positive if
// `positive`. It is the first whose modulus is within a factor of 1 - 2^-10 of the greatest, so that rounding errors do
// not decide between components that are equally large.
template <class T>
GPO_LONG void turn(i64 n, T *x, bool positive) {
  using R = real_of<T>;
  R most = R(0);
  for (i64 i = 0; i < n; ++i) most = larger(most, modulus(x[i]));
  i64 at = 0;
  while (at < n && modulus(x[at]) < most * (R(1) - power_of_two<R>(-10))) ++at;
  if (at == n || most == R(0)) return;
  if (im(x[at]) == R(0)) {
    if (positive && re(x[at]) < R(0)) scale_column(n, R(-1), x);
    return;
  }
  const R size = modulus(x[at]);
  multiply_column(n, number<T>(re(x[at]) / size, -im(x[at]) / size), x);
  x[at] = number<T>(re(x[at]));
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_REFLECTIONS_H_
