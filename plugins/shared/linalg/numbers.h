// plugins/shared/linalg/numbers.h -- arithmetic of the elements of matrices, real or complex, and of columns of them
//
// Every product and every sum is rounded by itself, unless said otherwise, so that vectors of any width have the same
// bits, with and without hardware for multiply-adds. A sum of products over a column has a fixed shape, that of
// sum_products() below. Complex columns are handled as real ones of twice the length wherever possible, and no loop
// over them has a sum and a difference of products side by side: GCC 12 turns such pairs into one vfmaddsub in spite of
// -ffp-contract=off (math/complex_arithmetic.h). That is why a factor's imaginary part is passed twice, once negated.
//
// Matrices are in column-major order: element (i, j) is at i + j * (elements from one column to the next).
#ifndef GPUOPT_PLUGINS_SHARED_LINALG_NUMBERS_H_
#define GPUOPT_PLUGINS_SHARED_LINALG_NUMBERS_H_

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
// Returns |re| + |im|, by which pivots are compared.
template <class T>
GPO_FN real_of<T> magnitude(T x) {
  if constexpr (is_complex<T>) {
    return abs(x.re) + abs(x.im);
  } else {
    return abs(x);
  }
}
template <class T>
GPO_FN bool is_zero(T x) {
  return re(x) == real_of<T>(0) && im(x) == real_of<T>(0);
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

// Where the compiler has types of vectors, Vector<R> has the width that the processor has, since compilers vectorize
// some loops badly by themselves. Lanes are eight lanes to which products are added.
#if defined(__GNUC__) && !defined(__CUDACC__)
#if defined(__AVX512F__)
#define GPO_VECTOR_BYTES 64
#elif defined(__AVX__)
#define GPO_VECTOR_BYTES 32
#else
#define GPO_VECTOR_BYTES 16
#endif
template <class R>
struct VectorType {
  typedef R type __attribute__((vector_size(GPO_VECTOR_BYTES)));
  typedef R unaligned __attribute__((vector_size(GPO_VECTOR_BYTES), aligned(alignof(R)), may_alias));
};
template <class R>
using Vector = typename VectorType<R>::type;
template <class R>
using UnalignedVector = typename VectorType<R>::unaligned;
template <class R, int widest = GPO_VECTOR_BYTES>
struct Lanes {
  static constexpr u64 whole = u64(kLanes) * sizeof(R), bytes = whole < u64(widest) ? whole : u64(widest);
  static constexpr u64 size = bytes / sizeof(R), parts = whole / bytes;
  typedef R vector __attribute__((vector_size(bytes)));
  typedef R unaligned __attribute__((vector_size(bytes), aligned(alignof(R)), may_alias));
  vector part[parts] = {};

  GPO_FN void add(const R *x, const R *y) {
    for (u64 p = 0; p < parts; ++p) {
      const vector left = *reinterpret_cast<const unaligned *>(x + p * size);
      part[p] = part[p] + left * *reinterpret_cast<const unaligned *>(y + p * size);
    }
  }
  GPO_FN void store(R *lane) const {
    for (u64 p = 0; p < parts; ++p) *reinterpret_cast<unaligned *>(lane + p * size) = part[p];
  }
};
#else
template <class R>
struct Lanes {
  R lanes[kLanes] = {};
  GPO_FN void add(const R *x, const R *y) {
    for (int l = 0; l < kLanes; ++l) lanes[l] = lanes[l] + x[l] * y[l];
  }
  GPO_FN void store(R *lane) const {
    for (int l = 0; l < kLanes; ++l) lane[l] = lanes[l];
  }
};
#endif

// Adds the products of the last `rest` elements, and returns the sum of the lanes.
template <class R>
GPO_FN R finish_lanes(const Lanes<R> &sums, i64 rest, const R *x, const R *y) {
  R lane[kLanes];
  sums.store(lane);
  for (int l = 0; l < rest; ++l) lane[l] = lane[l] + x[l] * y[l];
  return sum_lanes(lane);
}

// Returns the sum of x[i] y[i]: product i is added to lane i % 8, in order, from 0 on; then lane l becomes lane l +
// lane l + 4, and so on with 2 and 1.
template <class R>
GPO_LONG R sum_products(i64 n, const R *x, const R *y) {
  Lanes<R> sums;
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) sums.add(x + i, y + i);
  return finish_lanes(sums, n - i, x + i, y + i);
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
// c[i] -= the sum over t of x[i + t * step] y[t], for i < n and t < count: term after term in order of t, whichever
// terms are taken together in one pass over c.
template <class T>
GPO_LONG void subtract_products(i64 n, i64 count, const T *x, i64 step, const T *y, T *__restrict c) {
  i64 t = 0;
  if constexpr (!is_complex<T>) {
    for (; t + 4 <= count; t += 4) {
      const T *const x0 = x + t * step, *const x1 = x0 + step, *const x2 = x1 + step, *const x3 = x2 + step;
      const T y0 = y[t], y1 = y[t + 1], y2 = y[t + 2], y3 = y[t + 3];
      for (i64 i = 0; i < n; ++i) c[i] = (((c[i] - x0[i] * y0) - x1[i] * y1) - x2[i] * y2) - x3[i] * y3;
    }
  }
  for (; t < count; ++t) add_multiple(n, x + t * step, negative(y[t]), c);
}
// c[i] += the sum over t of x[i + t * step] y[t], as subtract_products().
template <class T>
GPO_LONG void add_products(i64 n, i64 count, const T *x, i64 step, const T *y, T *__restrict c) {
  i64 t = 0;
  if constexpr (!is_complex<T>) {
    for (; t + 4 <= count; t += 4) {
      const T *const x0 = x + t * step, *const x1 = x0 + step, *const x2 = x1 + step, *const x3 = x2 + step;
      const T y0 = y[t], y1 = y[t + 1], y2 = y[t + 2], y3 = y[t + 3];
      for (i64 i = 0; i < n; ++i) c[i] = (((c[i] + x0[i] * y0) + x1[i] * y1) + x2[i] * y2) + x3[i] * y3;
    }
  }
  for (; t < count; ++t) add_multiple(n, x + t * step, y[t], c);
}
// Writes the dots of `count` columns x + t * step with y, each as dot() has it.
template <class T>
GPO_LONG void dots(i64 n, i64 count, const T *x, i64 step, const T *y, T *__restrict to) {
  i64 t = 0;
  if constexpr (!is_complex<T>) {
    for (; t + 4 <= count; t += 4) {
      const T *const x0 = x + t * step, *const x1 = x0 + step, *const x2 = x1 + step, *const x3 = x2 + step;
      Lanes<T> sums0, sums1, sums2, sums3;
      i64 i = 0;
      for (; i + kLanes <= n; i += kLanes) {
        sums0.add(x0 + i, y + i);
        sums1.add(x1 + i, y + i);
        sums2.add(x2 + i, y + i);
        sums3.add(x3 + i, y + i);
      }
      to[t] = finish_lanes(sums0, n - i, x0 + i, y + i);
      to[t + 1] = finish_lanes(sums1, n - i, x1 + i, y + i);
      to[t + 2] = finish_lanes(sums2, n - i, x2 + i, y + i);
      to[t + 3] = finish_lanes(sums3, n - i, x3 + i, y + i);
    }
  }
  for (; t < count; ++t) to[t] = dot(n, x + t * step, y);
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

#if defined(GPO_VECTOR_BYTES)
// Squares of as many columns as rows that follow each other in memory, upwards or, with `up` false, downwards; the
// first in memory is at `at`. They become vectors of a row's elements, and columns again.
template <class R>
inline constexpr int kSquare = GPO_VECTOR_BYTES / sizeof(R) < 4 ? 2 : 4;
template <class R>
struct SquareType {
  typedef R row __attribute__((vector_size(kSquare<R> * sizeof(R))));
  typedef R unaligned __attribute__((vector_size(kSquare<R> * sizeof(R)), aligned(alignof(R)), may_alias));
};
template <class R>
using SquareRow = typename SquareType<R>::row;
template <class V>
GPO_FN void transpose_square(V (&x)[2]) {
  const V a = __builtin_shufflevector(x[0], x[1], 0, 2), b = __builtin_shufflevector(x[0], x[1], 1, 3);
  x[0] = a, x[1] = b;
}
template <class V>
GPO_FN void transpose_square(V (&x)[4]) {
  const V a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6), b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
  const V c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6), d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
  x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7), x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
template <bool up, class R>
GPO_FN void load_square(const R *at, i64 step, SquareRow<R> *rows) {
  constexpr int size = kSquare<R>;
  SquareRow<R> x[u64(size)];
  for (int i = 0; i < size; ++i) x[i] = *reinterpret_cast<const typename SquareType<R>::unaligned *>(at + i * step);
  transpose_square(x);
  for (int i = 0; i < size; ++i) rows[up ? i : size - 1 - i] = x[i];
}
template <bool up, class R>
GPO_FN void store_square(const SquareRow<R> *rows, R *at, i64 step) {
  constexpr int size = kSquare<R>;
  SquareRow<R> x[u64(size)];
  for (int i = 0; i < size; ++i) x[i] = rows[up ? i : size - 1 - i];
  transpose_square(x);
  for (int i = 0; i < size; ++i) *reinterpret_cast<typename SquareType<R>::unaligned *>(at + i * step) = x[i];
}
#endif
// Copies a matrix of m rows and n columns: element (i, j) is at from[i * row + j], and comes to to[i + j * column].
template <class R>
GPO_LONG void transpose(i64 m, i64 n, const R *from, i64 row, R *to, i64 column) {
  i64 rows = 0, columns = 0;  // that are copied
#if defined(GPO_VECTOR_BYTES)
  constexpr i64 size = kSquare<R>, line = 8;  // columns whose elements are read together
  rows = m / size * size, columns = n / line * line;
  for (i64 j = 0; j < columns; j += line) {
    for (i64 i = 0; i < rows; i += size) {
      for (i64 at = j; at < j + line; at += size) {
        SquareRow<R> square[u64(size)];
        load_square<true>(from + i * row + at, row, square);
        for (i64 k = 0; k < size; ++k)
          *reinterpret_cast<typename SquareType<R>::unaligned *>(to + i + (at + k) * column) = square[k];
      }
    }
  }
#endif
  for (i64 j = 0; j < n; ++j) {
    for (i64 i = j < columns ? rows : 0; i < m; ++i) to[i + j * column] = from[i * row + j];
  }
}

// Returns the largest absolute value of a component; infinity if one is infinite or NaN.
template <class R>
GPO_LONG R largest_component(i64 n, const R *x) {
  using Bits = int_of<R>;  // which are in the order of what they stand for, and greater than infinity's for NaN
  Bits most = 0;
  for (i64 i = 0; i < n; ++i) {
    const Bits size = Bits(to_bits(abs(x[i])));
    most = size > most ? size : most;
  }
  const R found = from_bits(uint_of<R>(most));
  return isfinite(found) ? found : inf<R>();
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

}  // namespace linalg
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_LINALG_NUMBERS_H_
