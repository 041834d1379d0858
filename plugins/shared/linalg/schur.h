// plugins/shared/linalg/schur.h -- the triangular (Schur) form of Hessenberg matrices by implicit QR steps
//
// Below the diagonal of the result of a real matrix there are single elements of conjugate pairs, and zeros. Without
// vectors only what the eigenvalues depend on is computed, in the same order.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_SCHUR_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_SCHUR_H_

#include "plugins/shared/linalg/reflections.h"
#include "plugins/shared/math/complex_functions.h"

namespace gpo {
namespace linalg {

// The matrix h, the basis z, or null, and the active block from row `low` to row `high`.
template <class T>
struct Schur {
  i64 n;
  T *h, *z;
  i64 low, high;

  GPO_FN T &at(i64 i, i64 j) const { return h[i + j * n]; }
  // The rows and columns that are transformed along with the block.
  GPO_FN i64 first_row() const { return z ? 0 : low; }
  GPO_FN i64 end_column() const { return z ? n : high + 1; }

  GPO_FN real_of<T> size(i64 i, i64 j) const { return abs(re(at(i, j))) + abs(im(at(i, j))); }
  // Whether the subdiagonal element of row i, beside its neighbours on the diagonal, counts as 0.
  GPO_FN bool is_small(i64 i) const {
    using R = real_of<T>;
    const R least = R(n) * (least_normal<R>() / unit_roundoff<R>());
    const R beside = size(i - 1, i - 1) + size(i, i), below = size(i, i - 1);
    if (below <= least) return true;
    if (beside == R(0)) return below <= unit_roundoff<R>() * size(i - 1, i);
    return below <= unit_roundoff<R>() * beside;
  }
  // Sets `low` to the first row of the block that ends at `high`.
  GPO_FN void find_block() {
    low = high;
    while (low > 0 && !is_small(low)) --low;
    if (low > 0) at(low, low - 1) = number<T>(0);
  }
};

// ---- Real matrices

// Transforms rows or columns by the reflection 1 - tau v v^T of `count` <= 3 elements, v[0] being 1.
template <class R>
struct SmallReflection {
  R v[3], tau;
  int count;
};
template <class R>
GPO_LONG void reflect_rows(const Schur<R> &s, const SmallReflection<R> &f, i64 row, i64 first, i64 end) {
  const R t1 = f.tau, t2 = f.tau * f.v[1], t3 = f.tau * f.v[2], v2 = f.v[1], v3 = f.v[2];
  for (i64 j = first; j < end; ++j) {
    R *const x = &s.at(row, j);
    const R sum = f.count == 3 ? x[0] + v2 * x[1] + v3 * x[2] : x[0] + v2 * x[1];
    x[0] = x[0] - sum * t1;
    x[1] = x[1] - sum * t2;
    if (f.count == 3) x[2] = x[2] - sum * t3;
  }
}
template <class R>
GPO_LONG void reflect_columns(i64 n, R *a, const SmallReflection<R> &f, i64 column, i64 first, i64 end) {
  const R t1 = f.tau, t2 = f.tau * f.v[1], t3 = f.tau * f.v[2], v2 = f.v[1], v3 = f.v[2];
  R *const x = a + column * n, *const y = x + n, *const z = y + n;
  if (f.count == 3) {
    for (i64 i = first; i < end; ++i) {
      const R sum = x[i] + v2 * y[i] + v3 * z[i];
      x[i] = x[i] - sum * t1;
      y[i] = y[i] - sum * t2;
      z[i] = z[i] - sum * t3;
    }
  } else {
    for (i64 i = first; i < end; ++i) {
      const R sum = x[i] + v2 * y[i];
      x[i] = x[i] - sum * t1;
      y[i] = y[i] - sum * t2;
    }
  }
}

// The shifts of a step, as the matrix of two rows that has them.
template <class R>
struct DoubleShift {
  R corner, other, below, above;  // the elements of its diagonal, the last one first, and the others
};
// Returns the last two rows of the block; now and then something else, for the few matrices that need it.
template <class R>
GPO_LONG DoubleShift<R> double_shift(const Schur<R> &s, i64 step) {
  const i64 i = s.high;
  if (step % 10 != 0 || step == 0) return {s.at(i, i), s.at(i - 1, i - 1), s.at(i, i - 1), s.at(i - 1, i)};
  const bool top = step % 20 == 10;
  const R size = top ? abs(s.at(s.low + 1, s.low)) + abs(s.at(s.low + 2, s.low + 1))
                     : abs(s.at(i, i - 1)) + abs(s.at(i - 1, i - 2));
  const R corner = R(0.75) * size + (top ? s.at(s.low, s.low) : s.at(i, i));
  return {corner, corner, size, R(-0.4375) * size};
}

// The first column of the product of both shifted matrices, up to a factor, in f.v, if the step begins at row m.
template <class R>
GPO_LONG void first_column(const Schur<R> &s, const DoubleShift<R> &shift, i64 m, R *v) {
  const R z = s.at(m, m), x = shift.corner - z, y = shift.other - z;
  const R below = s.at(m + 1, m);  // dividing before multiplying keeps products of small elements from underflow
  v[0] = ((x / below) * y - (shift.below / below) * shift.above) + s.at(m, m + 1);
  v[1] = s.at(m + 1, m + 1) - z - x - y;
  v[2] = s.at(m + 2, m + 1);
  const R size = abs(v[0]) + abs(v[1]) + abs(v[2]);
  for (int i = 0; i < 3; ++i) v[i] = v[i] / size;
}
// Returns where the step may begin: at `low`, or where two subdiagonal elements in a row are small.
template <class R>
GPO_LONG i64 first_row_of_step(const Schur<R> &s, const DoubleShift<R> &shift, R *v) {
  for (i64 m = s.high - 2;; --m) {
    first_column(s, shift, m, v);
    if (m == s.low) return m;
    const R beside = abs(s.at(m - 1, m - 1)) + abs(s.at(m, m)) + abs(s.at(m + 1, m + 1));
    if (abs(s.at(m, m - 1)) * (abs(v[1]) + abs(v[2])) <= unit_roundoff<R>() * abs(v[0]) * beside) return m;
  }
}
// A step of a block of three rows or more.
template <class R>
GPO_LONG void double_step(const Schur<R> &s, i64 step) {
  SmallReflection<R> f = {};
  const i64 m = first_row_of_step(s, double_shift(s, step), f.v);
  for (i64 k = m; k < s.high; ++k) {
    f.count = s.high - k >= 2 ? 3 : 2;
    if (k > m) copy(f.count, &s.at(k, k - 1), f.v);
    const R beta = make_reflection(f.count, f.v, f.tau);
    if (f.count == 2) f.v[2] = R(0);
    if (k > m) {
      s.at(k, k - 1) = beta;
      for (int i = 1; i < f.count; ++i) s.at(k + i, k - 1) = R(0);
    } else if (k > s.low) {
      s.at(k, k - 1) = s.at(k, k - 1) * (R(1) - f.tau);
    }
    reflect_rows(s, f, k, k, s.end_column());
    reflect_columns(s.n, s.h, f, k, s.first_row(), k + 3 < s.high ? k + 4 : s.high + 1);
    if (s.z) reflect_columns(s.n, s.z, f, k, 0, s.n);
  }
}

// Rotates rows and columns i and i + 1.
template <class R>
GPO_LONG void rotate_both(const Schur<R> &s, i64 i, R c, R sine) {
  for (i64 j = i; j < s.end_column(); ++j) rotate(1, c, sine, &s.at(i, j), &s.at(i + 1, j));
  rotate(i + 2 - s.first_row(), c, sine, &s.at(s.first_row(), i), &s.at(s.first_row(), i + 1));
  if (s.z) rotate(s.n, c, sine, s.z + i * s.n, s.z + (i + 1) * s.n);
}

// The eigenvalues of the block of rows i and i + 1: a conjugate pair, or two real ones, for which the block is made
// triangular. (The formulas are those of LAPACK's lanv2, which neither overflow nor lose a small eigenvalue.)
template <class R>
GPO_LONG void finish_pair(const Schur<R> &s, i64 i, cplx<R> *w) {
  const R a = s.at(i, i), b = s.at(i, i + 1), c = s.at(i + 1, i), d = s.at(i + 1, i + 1);
  const R p = R(0.5) * (a - d), most = larger(abs(b), abs(c));
  const R least = (abs(b) < abs(c) ? abs(b) : abs(c)) * copysign(R(1), b) * copysign(R(1), c);
  const R size = larger(abs(p), most), square = (p / size) * p + (most / size) * least;
  if (square < R(0)) {
    const R middle = d + p, imaginary = sqrt(size) * sqrt(-square);
    w[i] = {middle, imaginary};
    w[i + 1] = {middle, -imaginary};
    if (imaginary != R(0)) return;
  }
  if (square <= R(0) && b == R(0)) {
    rotate_both(s, i, R(0), R(1));
  } else {
    const R z = p + copysign(sqrt(size) * sqrt(square < R(0) ? R(0) : square), p), hypotenuse = math::hypot(c, z);
    rotate_both(s, i, z / hypotenuse, c / hypotenuse);
    s.at(i, i) = d + z;
    s.at(i + 1, i + 1) = z == R(0) ? d : d - (most / z) * least;
  }
  s.at(i + 1, i) = R(0);
  w[i] = {s.at(i, i), R(0)};
  w[i + 1] = {s.at(i + 1, i + 1), R(0)};
}

template <class R>
GPO_LONG bool reduce_to_schur(i64 n, R *h, R *z, cplx<R> *w) {
  Schur<R> s = {n, h, z, 0, n - 1};
  i64 left = 40 * (n + 10);
  for (i64 step = 0; s.high >= 0;) {
    s.find_block();
    if (s.high - s.low < 2) {
      if (s.high == s.low) w[s.low] = {s.at(s.low, s.low), R(0)};
      if (s.high > s.low) finish_pair(s, s.low, w);
      s.high = s.low - 1;
      step = 0;
      continue;
    }
    if (left-- == 0) return false;
    double_step(s, step++);
  }
  return true;
}

// ---- Complex matrices

// Returns the eigenvalue of the last two rows of the block that is nearer to the last element; now and then something
// else.
template <class R>
GPO_LONG cplx<R> single_shift(const Schur<cplx<R>> &s, i64 step) {
  const i64 i = s.high;
  const cplx<R> last = s.at(i, i);
  if (step % 10 == 0 && step > 0) {
    const bool top = step % 20 == 10;
    const R size = R(0.75) * (top ? s.size(s.low + 1, s.low) : s.size(i, i - 1));
    return add(top ? s.at(s.low, s.low) : last, cplx<R>{size, R(0)});
  }
  const cplx<R> u = multiply(math::sqrt(s.at(i - 1, i)), math::sqrt(s.at(i, i - 1)));
  const R u_size = abs(u.re) + abs(u.im);
  if (u_size == R(0)) return last;
  const cplx<R> x = scale(subtract(s.at(i - 1, i - 1), last), R(0.5));
  const R size = larger(u_size, abs(x.re) + abs(x.im));
  const cplx<R> a = {x.re / size, x.im / size}, b = {u.re / size, u.im / size};
  cplx<R> y = scale(math::sqrt(add(multiply(a, a), multiply(b, b))), size);
  if (a.re * y.re + a.im * y.im < R(0)) y = negative(y);
  return subtract(last, multiply(u, divide(u, add(x, y))));
}

// The rotation [c s; -conj(s) c] with c real that takes (x, y) to (r, 0).
template <class R>
struct ComplexRotation {
  R c;
  cplx<R> s, r;
};
template <class R>
GPO_LONG ComplexRotation<R> make_rotation(cplx<R> x, cplx<R> y) {
  const R x_size = modulus(x), y_size = modulus(y);
  if (y_size == R(0)) return {R(1), {R(0), R(0)}, x};
  if (x_size == R(0)) return {R(0), {y.re / y_size, -y.im / y_size}, {y_size, R(0)}};
  const R size = math::hypot(x_size, y_size);
  const cplx<R> direction = {x.re / x_size, x.im / x_size};
  const cplx<R> s = multiply(direction, cplx<R>{y.re / size, -y.im / size});
  return {x_size / size, s, scale(direction, size)};
}
// (x, y) = (c x + s y, c y - conj(s) x). No component has a sum and a difference beside each other.
template <class R>
GPO_FN void rotate(i64 n, i64 step, R c, cplx<R> s, cplx<R> *x, cplx<R> *y) {
  const R minus_re = -s.re, minus_im = -s.im;
  for (i64 i = 0; i < n; ++i) {
    const cplx<R> a = x[i * step], b = y[i * step];
    x[i * step] = {(c * a.re + s.re * b.re) + minus_im * b.im, (c * a.im + s.re * b.im) + s.im * b.re};
    y[i * step] = {(c * b.re + minus_re * a.re) + minus_im * a.im, (c * b.im + minus_re * a.im) + s.im * a.re};
  }
}

template <class R>
GPO_LONG void single_step(const Schur<cplx<R>> &s, i64 step) {
  const cplx<R> shift = single_shift(s, step);
  for (i64 k = s.low; k < s.high; ++k) {
    const bool first = k == s.low;
    const cplx<R> x = first ? subtract(s.at(k, k), shift) : s.at(k, k - 1),
                  y = first ? s.at(k + 1, k) : s.at(k + 1, k - 1);
    const ComplexRotation<R> f = make_rotation(x, y);
    if (!first) {
      s.at(k, k - 1) = f.r;
      s.at(k + 1, k - 1) = {R(0), R(0)};
    }
    rotate(s.end_column() - k, s.n, f.c, f.s, &s.at(k, k), &s.at(k + 1, k));
    const i64 end = k + 2 < s.high ? k + 3 : s.high + 1, from = s.first_row();
    rotate(end - from, 1, f.c, conj(f.s), &s.at(from, k), &s.at(from, k + 1));
    if (s.z) rotate(s.n, 1, f.c, conj(f.s), s.z + k * s.n, s.z + (k + 1) * s.n);
  }
}

template <class R>
GPO_LONG bool reduce_to_schur(i64 n, cplx<R> *h, cplx<R> *z, cplx<R> *w) {
  Schur<cplx<R>> s = {n, h, z, 0, n - 1};
  i64 left = 40 * (n + 10);
  for (i64 step = 0; s.high >= 0;) {
    s.find_block();
    if (s.high == s.low) {
      w[s.high] = s.at(s.high, s.high);
      --s.high;
      step = 0;
      continue;
    }
    if (left-- == 0) return false;
    single_step(s, step++);
  }
  return true;
}

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_SCHUR_H_
