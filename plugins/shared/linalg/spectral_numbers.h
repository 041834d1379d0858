// plugins/shared/linalg/spectral_numbers.h -- what the spectral algorithms share: columns of numbers, reflections and
// rotations
//
// A sum of products over a column has a fixed shape, that of sum_products() below. Complex columns are handled as real
// ones of twice the length wherever possible, and no loop over them has a sum and a difference of products side by
// side: GCC 12 turns such pairs into one vfmaddsub in spite of -ffp-contract=off (math/complex_arithmetic.h). That is
// why a factor's imaginary part is passed twice, once negated.
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_SPECTRAL_NUMBERS_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_SPECTRAL_NUMBERS_H_

#include "plugins/shared/math/complex_arithmetic.h"
#include "plugins/shared/prelude.h"

// A function that is too long to be inlined everywhere. It has internal linkage, so that builds for several instruction
// sets in one library keep their own copies.
#define GPO_LONG GPO_SLOW

namespace gpo {
namespace linalg {

// ---- Numbers

template <class R>
GPO_FN R re(R x) {
  return x;
}
template <class R>
GPO_FN R re(cplx<R> x) {
  return x.re;
}
template <class R>
GPO_FN R im(R) {
  return R(0);
}
template <class R>
GPO_FN R im(cplx<R> x) {
  return x.im;
}
template <class T>
GPO_FN T number(real_of<T> re, real_of<T> im = real_of<T>(0)) {
  if constexpr (is_complex<T>) {
    return {re, im};
  } else {
    return re;
  }
}
template <class R>
GPO_FN R conj(R x) {
  return x;
}
template <class R>
GPO_FN cplx<R> conj(cplx<R> x) {
  return {x.re, -x.im};
}
template <class R>
GPO_FN R negative(R x) {
  return -x;
}
template <class R>
GPO_FN cplx<R> negative(cplx<R> x) {
  return {-x.re, -x.im};
}
template <class R>
GPO_FN R add(R x, R y) {
  return x + y;
}
template <class R>
GPO_FN cplx<R> add(cplx<R> x, cplx<R> y) {
  return {x.re + y.re, x.im + y.im};
}
template <class T>
GPO_FN T subtract(T x, T y) {
  return add(x, negative(y));
}
// The products of single numbers have components that are accurate whatever cancels.
template <class R>
GPO_FN R multiply(R x, R y) {
  return x * y;
}
template <class R>
GPO_FN cplx<R> multiply(cplx<R> x, cplx<R> y) {
  return math::multiply_easy(x, y);
}
template <class R>
GPO_FN R scale(R x, R by) {
  return x * by;
}
template <class R>
GPO_FN cplx<R> scale(cplx<R> x, R by) {
  return {x.re * by, x.im * by};
}
template <class R>
GPO_FN R divide(R x, R y) {
  return x / y;
}
template <class R>
GPO_FN cplx<R> divide(cplx<R> x, cplx<R> y) {
  return math::divide(x, y);
}
template <class R>
GPO_FN R modulus(R x) {
  return abs(x);
}
template <class R>
GPO_FN R modulus(cplx<R> x) {
  return math::hypot(x.re, x.im);
}
template <class R>
GPO_FN R larger(R x, R y) {
  return x > y ? x : y;
}
template <class T>
GPO_FN void exchange(T &x, T &y) {
  const T z = x;
  x = y;
  y = z;
}

// 2^e of a normal number.
template <class R>
GPO_FN R power_of_two(int e) {
  return from_bits(uint_of<R>(e + fp<R>::bias) << fp<R>::mantissa);
}
// Half of the distance from 1 to the next number, and the least normal number.
template <class R>
GPO_FN R unit_roundoff() {
  return power_of_two<R>(-fp<R>::mantissa - 1);
}
template <class R>
GPO_FN R least_normal() {
  return power_of_two<R>(1 - fp<R>::bias);
}

// The components of a column of `count` elements of type T.
template <class T>
inline constexpr i64 components = is_complex<T> ? 2 : 1;
template <class T>
GPO_FN real_of<T> *parts(T *x) {
  return reinterpret_cast<real_of<T> *>(x);
}
template <class T>
GPO_FN const real_of<T> *parts(const T *x) {
  return reinterpret_cast<const real_of<T> *>(x);
}

// ---- Columns

inline constexpr int kLanes = 8;

template <class R>
GPO_FN R sum_lanes(R *lane) {
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) lane[l] = lane[l] + lane[l + half];
  }
  return lane[0];
}
// The sum of the even lanes, less that of the odd ones.
template <class R>
GPO_FN R alternating_lanes(R *lane) {
  for (int half = kLanes / 2; half > 1; half /= 2) {
    for (int l = 0; l < half; ++l) lane[l] = lane[l] + lane[l + half];
  }
  return lane[0] - lane[1];
}

// Returns the sum of x[i] y[i]: product i is added to lane i % 8, in order, from 0 on; then lane l becomes lane l +
// lane l + 4, and so on with 2 and 1.
template <class R>
GPO_LONG R sum_products(i64 n, const R *x, const R *y) {
  R lane[kLanes] = {};
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) lane[l] = lane[l] + x[i + l] * y[i + l];
  }
  for (int l = 0; i + l < n; ++l) lane[l] = lane[l] + x[i + l] * y[i + l];
  return sum_lanes(lane);
}
// Returns the imaginary part of the sum of conj(x) y for n / 2 complex numbers: that of x.re y.im in the even lanes,
// less that of x.im y.re in the odd ones.
template <class R>
GPO_LONG R sum_crossed_products(i64 n, const R *x, const R *y) {
  R lane[kLanes] = {};
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) lane[l] = lane[l] + x[i + l] * y[i + (l ^ 1)];
  }
  for (int l = 0; i + l < n; ++l) lane[l] = lane[l] + x[i + l] * y[i + (l ^ 1)];
  return alternating_lanes(lane);
}
// Returns the sum of conj(x[i]) y[i].
template <class T>
GPO_FN T dot(i64 n, const T *x, const T *y) {
  if constexpr (is_complex<T>) {
    return {sum_products(2 * n, parts(x), parts(y)), sum_crossed_products(2 * n, parts(x), parts(y))};
  } else {
    return sum_products(n, x, y);
  }
}

// y[i] += x[i] a.
template <class T>
GPO_LONG void add_multiple(i64 n, const T *x, T a, T *y) {
  if constexpr (is_complex<T>) {
    const real_of<T> ar = a.re, ai = a.im, negated = -a.im;
    for (i64 i = 0; i < n; ++i) {
      const T z = x[i];
      y[i].re = (y[i].re + z.re * ar) + z.im * negated;
      y[i].im = (y[i].im + z.im * ar) + z.re * ai;
    }
  } else {
    for (i64 i = 0; i < n; ++i) y[i] = y[i] + x[i] * a;
  }
}
template <class T>
GPO_LONG void scale_column(i64 n, real_of<T> by, T *x) {
  real_of<T> *const p = parts(x);
  for (i64 i = 0; i < n * components<T>; ++i) p[i] = p[i] * by;
}
template <class T>
GPO_LONG void multiply_column(i64 n, T by, T *x) {
  for (i64 i = 0; i < n; ++i) x[i] = multiply(x[i], by);
}
template <class T>
GPO_FN void fill(i64 n, T x, T *to) {
  for (i64 i = 0; i < n; ++i) to[i] = x;
}
template <class T>
GPO_FN void copy(i64 n, const T *from, T *to) {
  for (i64 i = 0; i < n; ++i) to[i] = from[i];
}
template <class T>
GPO_FN void fill_identity(i64 m, i64 n, T *a) {
  fill(m * n, number<T>(0), a);
  for (i64 i = 0; i < m && i < n; ++i) a[i + i * m] = number<T>(1);
}
// Writes the conjugate transpose of `from`, m x n.
template <class T>
GPO_LONG void conjugate_transpose(i64 m, i64 n, const T *from, T *to) {
  constexpr i64 block = 16;
  for (i64 first = 0; first < m; first += block) {
    const i64 end = first + block < m ? first + block : m;
    for (i64 j = 0; j < n; ++j) {
      for (i64 i = first; i < end; ++i) to[j + i * n] = conj(from[i + j * m]);
    }
  }
}

// Returns the largest absolute value of a component; infinity if one is infinite or NaN.
template <class R>
GPO_LONG R largest_component(i64 n, const R *x) {
  R most = R(0);
  bool finite = true;
  for (i64 i = 0; i < n; ++i) {
    const R size = abs(x[i]);
    finite = finite & (size < inf<R>());
    most = size > most ? size : most;
  }
  return finite ? most : inf<R>();
}

// Multiplies x by a power of two so that the largest component is in [1, 2) and returns the exponent of what takes that
// back; 0 if x is 0. `most` is the largest component of x.
template <class R>
GPO_LONG int scale_to_one(i64 n, R most, R *x) {
  if (most == R(0)) return 0;
  const int e = math::split(most).e;
  const int half = e / 2;
  const R first = power_of_two<R>(-half), second = power_of_two<R>(half - e);
  for (i64 i = 0; e != 0 && i < n; ++i) x[i] = x[i] * first * second;
  return e;
}
// x 2^e for |e| below three times the greatest exponent.
template <class R>
GPO_FN R times_power(R x, int e) {
  return math::scale_by(x, e);
}

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
template <class R>
GPO_LONG void rotate_rows(i64 rows, i64 m, const Sweeps<R> &sweeps, R *a) {
  const R *cs = sweeps.cs;
  for (int k = 0; k < sweeps.count; ++k) {
    const bool down = sweeps.step[k] > 0;
    for (i64 p = 0; p < sweeps.length[k]; ++p, cs += 2) {
      R *const x = a + (down ? sweeps.first[k] + p : sweeps.first[k] - p) * m, *const y = down ? x + m : x - m;
      rotate(rows, cs[0], cs[1], x, y);
    }
  }
}
// Applies the waiting rotations to a, of m rows, and forgets them.
template <class T>
GPO_LONG void apply_sweeps(i64 m, Sweeps<real_of<T>> &sweeps, T *a) {
  constexpr i64 block = 32;
  const i64 rows = m * components<T>;
  for (i64 i = 0; a && i < rows; i += block) {
    rotate_rows(i + block < rows ? block : rows - i, rows, sweeps, parts(a) + i);
  }
  sweeps.used = 0;
  sweeps.count = 0;
}
// Begins a sweep of `length` rotations, of columns `first` and first + step, and so on. Returns where c and s go.
template <class T>
GPO_FN real_of<T> *begin_sweep(Sweeps<real_of<T>> &sweeps, i64 first, int step, i64 length, i64 m, T *a) {
  if (sweeps.count == sweeps.most || sweeps.used + length > sweeps.room) apply_sweeps(m, sweeps, a);
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

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_SPECTRAL_NUMBERS_H_
