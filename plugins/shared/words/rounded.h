// plugins/shared/words/rounded.h -- CUDA C++'s conversions and arithmetic with a rounding mode in their name (CUDA Math
// API, "Type Casting Intrinsics" and the "Intrinsics" of single and double precision), for compilers that do not have
// them
//
// Rounding to nearest is the processor's. From its result, that of another mode is found by the sign of the exact
// error, to which it moves by one unit in the last place. Errors are sums of a few terms, which are computed exactly:
// by Knuth's and Dekker's sums and products of two numbers, and Shewchuk's expansions ("Adaptive Precision
// Floating-Point Arithmetic", 1997), after factors of powers of two have been taken out, so that nothing overflows.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_ROUNDED_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_ROUNDED_H_

#include "plugins/shared/prelude.h"
#include "plugins/shared/words/words.h"

#if defined(GPO_WORDS_ARE_TEXT)

namespace gpo {
namespace rounded {

enum Mode { nearest, to_zero, up, down };

// The next number above or below a finite one, or the largest one's neighbour, infinity.
template <class T>
GPO_WORD_FN T above(T x) {
  using U = uint_of<T>;
  const U b = to_bits(x);
  if (x == T(0)) return from_bits(U(1));
  return from_bits(U(b < fp<T>::sign ? b + 1 : b - 1));
}
template <class T>
GPO_WORD_FN T below(T x) {
  return -above(-x);
}

// What the mode makes of the nearest number, if the exact result lies above it (error_sign > 0) or below. The nearest
// one may be infinite though the exact result is finite; its error then points to zero.
template <class T>
GPO_WORD_FN T moved(Mode mode, T nearest_one, int error_sign) {
  if (mode == nearest || error_sign == 0) return nearest_one;
  const bool negative = signbit(nearest_one);
  if (error_sign > 0) return mode == up || (mode == to_zero && negative) ? above(nearest_one) : nearest_one;
  return mode == down || (mode == to_zero && !negative) ? below(nearest_one) : nearest_one;
}

template <class T>
struct Pair {
  T hi, lo;
};
template <class T>
GPO_WORD_FN Pair<T> sum(T a, T b) {
  const T s = a + b, other = s - a;
  return {s, (a - (s - other)) + (b - other)};
}
template <class T>
GPO_WORD_FN Pair<T> product(T a, T b) {
  const T p = a * b;
  return {p, fma(a, b, -p)};
}
// The sign of the exact sum of n terms, whose partial sums neither overflow nor underflow.
template <class T, int n>
GPO_WORD_FN int sign_of_sum(const T (&terms)[n]) {
  T parts[n] = {};  // an expansion, least significant first
  for (int k = 0; k < n; k++) {
    T carried = terms[k];
    for (int j = 0; j < k; j++) {
      const Pair<T> both = sum(carried, parts[j]);
      carried = both.hi;
      parts[j] = both.lo;
    }
    parts[k] = carried;
  }
  for (int k = n; k-- > 0;) {
    if (parts[k] != T(0)) return parts[k] > T(0) ? 1 : -1;
  }
  return 0;
}

// x = fraction * 2^exponent, with 1 <= |fraction| < 2; of zero both are zero.
template <class T>
struct Scaled {
  T fraction;
  int exponent;
};
template <class T>
inline Scaled<T> scaled(T x) {
  using U = uint_of<T>;
  constexpr int mantissa = fp<T>::mantissa, bias = fp<T>::bias;
  int exponent = 0;
  if (abs(x) < from_bits(U(U(1) << mantissa))) {
    if (x == T(0)) return {x, 0};
    x *= from_bits(U(U(bias + mantissa + 1) << mantissa));
    exponent = -(mantissa + 1);
  }
  const U b = to_bits(x);
  exponent += int((b & ~fp<T>::sign) >> mantissa) - bias;
  return {from_bits(U((b & (fp<T>::sign | ((U(1) << mantissa) - 1))) | U(bias) << mantissa)), exponent};
}
// x * 2^by, where the result is a normal number, or 0 if it is far below all others.
template <class T>
inline T times_power(T x, int by) {
  using U = uint_of<T>;
  const Scaled<T> s = scaled(x);
  const int exponent = s.exponent + by;
  if (s.fraction == T(0) || exponent < 1 - fp<T>::bias) return T(0) * x;
  return s.fraction * from_bits(U(U(exponent + fp<T>::bias) << fp<T>::mantissa));
}

template <class T>
GPO_WORD_FN bool is_finite(T x) {
  return abs(x) < inf<T>();
}
// The result of an operation on finite numbers that overflowed to infinity.
template <class T>
GPO_WORD_FN T overflowed(Mode mode, T infinite) {
  return moved(mode, infinite, infinite > T(0) ? -1 : 1);
}

template <class T>
inline T add(Mode mode, T a, T b) {
  const T s = a + b;
  if (mode == nearest || !is_finite(a) || !is_finite(b)) return s;
  if (!is_finite(s)) return overflowed(mode, s);
  if (s == T(0)) return a == T(0) && signbit(a) == signbit(b) ? a : mode == down ? -T(0) : T(0);
  const T large = abs(a) < abs(b) ? b : a, small = abs(a) < abs(b) ? a : b;
  const T error = small - (s - large);
  return moved(mode, s, error > T(0) ? 1 : error < T(0) ? -1 : 0);
}

template <class T>
inline T multiply(Mode mode, T a, T b) {
  const T p = a * b;
  if (mode == nearest || !is_finite(a) || !is_finite(b) || a == T(0) || b == T(0)) return p;
  if (!is_finite(p)) return overflowed(mode, p);
  const Scaled<T> x = scaled(a), y = scaled(b);
  const Pair<T> exact = product(x.fraction, y.fraction);
  return moved(mode, p, sign_of_sum<T>({exact.lo, exact.hi, -times_power(p, -x.exponent - y.exponent)}));
}

template <class T>
inline T divide(Mode mode, T a, T b) {
  const T q = a / b;
  if (mode == nearest || !is_finite(a) || !is_finite(b) || a == T(0) || b == T(0)) return q;
  if (!is_finite(q)) return overflowed(mode, q);
  const Scaled<T> x = scaled(a), y = scaled(b);
  const Pair<T> back = product(times_power(q, y.exponent - x.exponent), y.fraction);
  const int sign = sign_of_sum<T>({-back.lo, -back.hi, x.fraction});
  return moved(mode, q, b < T(0) ? -sign : sign);
}

template <class T>
inline T square_root(Mode mode, T a) {
  const T r = gpo::sqrt(a);
  if (mode == nearest || !is_finite(a) || !(a > T(0))) return r;
  const Scaled<T> x = scaled(a);
  const int half = x.exponent >> 1;
  const T root = times_power(r, -half);
  const Pair<T> back = product(root, root);
  return moved(mode, r, sign_of_sum<T>({-back.lo, -back.hi, x.exponent & 1 ? 2 * x.fraction : x.fraction}));
}

// The sign of a b + c - f, where f is the number nearest to a b + c, and neither a b nor c is 0. The larger of the two
// is brought near to 1. The other one, if it is much smaller, decides only what the larger one leaves open, so that any
// number as small will do. Of floats, too, this is computed in double, where none of them is subnormal.
inline int error_of_fma(double a, double b, double c, double f) {
  using T = double;
  constexpr int far = 4 * fp<T>::mantissa;
  const Scaled<T> x = scaled(a), y = scaled(b), z = scaled(c);
  const Pair<T> exact = product(x.fraction, y.fraction);
  const int of_product = x.exponent + y.exponent;
  if (of_product - z.exponent > far) {
    const T small = c > T(0) ? times_power(T(1), -far) : -times_power(T(1), -far);
    return sign_of_sum<T>({small, exact.lo, exact.hi, -times_power(f, -of_product)});
  }
  if (z.exponent - of_product > far) {
    const T small = exact.hi > T(0) ? times_power(T(1), -far) : -times_power(T(1), -far);
    return sign_of_sum<T>({small, z.fraction, -times_power(f, -z.exponent)});
  }
  const int top = of_product > z.exponent ? of_product : z.exponent, shift = of_product - top;
  // A product brought down has all of its bits: it is at most 2 `far` below 1.
  return sign_of_sum<T>({times_power(exact.lo, shift), times_power(exact.hi, shift),
                         times_power(z.fraction, z.exponent - top), -times_power(f, -top)});
}

template <class T>
inline T multiply_add(Mode mode, T a, T b, T c) {
  const T f = fma(a, b, c);
  if (mode == nearest || !is_finite(a) || !is_finite(b) || !is_finite(c)) return f;
  if (a == T(0) || b == T(0)) return c == T(0) ? add(mode, a * b, c) : c;
  if (c == T(0)) return multiply(mode, a, b);
  if (!is_finite(f)) return overflowed(mode, f);
  const int error = error_of_fma(a, b, c, f);
  if (f == T(0) && error == 0) return mode == down ? -T(0) : T(0);
  return moved(mode, f, error);
}

// ---- Conversions ----

template <class To>
GPO_WORD_FN To to_float(Mode mode, double x) {
  const To near = To(x);
  if (mode == nearest || !is_finite(x)) return near;
  if (!is_finite(near)) return overflowed(mode, near);
  return moved(mode, near, double(near) < x ? 1 : double(near) > x ? -1 : 0);
}
// Half of the numbers that an integer type has: 2^31 or 2^63.
template <class I, class T>
inline constexpr T half_range = T(1ull << (8 * sizeof(I) - 1));
template <class I>
inline constexpr bool has_sign = I(-1) < I(0);

template <class T, class I>
GPO_WORD_FN T of_integer(Mode mode, I x) {
  const T near = T(x), end = half_range<I, T> * (has_sign<I> ? 1 : 2);
  if (mode == nearest) return near;
  if (near >= end) return moved(mode, near, -1);  // it was rounded up to what I does not have
  const I back = I(near);
  return moved(mode, near, back < x ? 1 : back > x ? -1 : 0);
}

template <class T>
GPO_WORD_FN T whole(Mode mode, T x) {
  return mode == nearest ? gpo::rint(x) : mode == to_zero ? gpo::trunc(x) : mode == up ? gpo::ceil(x) : gpo::floor(x);
}
// The integer nearest in the mode's direction; of numbers beyond the range its end. A NaN is 0, and the bits 10...0 if
// the number or the integer has 64 bits.
template <class I, class T>
GPO_WORD_FN I to_integer(Mode mode, T x) {
  constexpr I least = has_sign<I> ? I(1ull << (8 * sizeof(I) - 1)) : I(0);
  if (x != x) return sizeof(T) == 8 || sizeof(I) == 8 ? I(1ull << (8 * sizeof(I) - 1)) : I(0);
  const T w = whole(mode, x), half = half_range<I, T>;
  if (w >= (has_sign<I> ? half : 2 * half)) return I(~least);
  if (w < (has_sign<I> ? -half : T(0))) return least;
  return I(w);
}

}  // namespace rounded
}  // namespace gpo

#define GPO_IN_ALL_MODES(of) \
  of(rn, gpo::rounded::nearest) of(rz, gpo::rounded::to_zero) of(ru, gpo::rounded::up) of(rd, gpo::rounded::down)

#define GPO_MODE(m, mode)                                                                                          \
  GPO_WORD_FN float __fadd_##m(float a, float b) { return gpo::rounded::add(mode, a, b); }                         \
  GPO_WORD_FN float __fsub_##m(float a, float b) { return gpo::rounded::add(mode, a, -b); }                        \
  GPO_WORD_FN float __fmul_##m(float a, float b) { return gpo::rounded::multiply(mode, a, b); }                    \
  GPO_WORD_FN float __fdiv_##m(float a, float b) { return gpo::rounded::divide(mode, a, b); }                      \
  GPO_WORD_FN float __frcp_##m(float a) { return gpo::rounded::divide(mode, 1.0f, a); }                            \
  GPO_WORD_FN float __fsqrt_##m(float a) { return gpo::rounded::square_root(mode, a); }                            \
  GPO_WORD_FN float __fmaf_##m(float a, float b, float c) { return gpo::rounded::multiply_add(mode, a, b, c); }    \
  GPO_WORD_FN double __dadd_##m(double a, double b) { return gpo::rounded::add(mode, a, b); }                      \
  GPO_WORD_FN double __dsub_##m(double a, double b) { return gpo::rounded::add(mode, a, -b); }                     \
  GPO_WORD_FN double __dmul_##m(double a, double b) { return gpo::rounded::multiply(mode, a, b); }                 \
  GPO_WORD_FN double __ddiv_##m(double a, double b) { return gpo::rounded::divide(mode, a, b); }                   \
  GPO_WORD_FN double __drcp_##m(double a) { return gpo::rounded::divide(mode, 1.0, a); }                           \
  GPO_WORD_FN double __dsqrt_##m(double a) { return gpo::rounded::square_root(mode, a); }                          \
  GPO_WORD_FN double __fma_##m(double a, double b, double c) { return gpo::rounded::multiply_add(mode, a, b, c); } \
  GPO_WORD_FN float __double2float_##m(double x) { return gpo::rounded::to_float<float>(mode, x); }                \
  GPO_WORD_FN int __float2int_##m(float x) { return gpo::rounded::to_integer<int>(mode, x); }                      \
  GPO_WORD_FN unsigned __float2uint_##m(float x) { return gpo::rounded::to_integer<unsigned>(mode, x); }           \
  GPO_WORD_FN long long __float2ll_##m(float x) { return gpo::rounded::to_integer<long long>(mode, x); }           \
  GPO_WORD_FN unsigned long long __float2ull_##m(float x) {                                                        \
    return gpo::rounded::to_integer<unsigned long long>(mode, x);                                                  \
  }                                                                                                                \
  GPO_WORD_FN int __double2int_##m(double x) { return gpo::rounded::to_integer<int>(mode, x); }                    \
  GPO_WORD_FN unsigned __double2uint_##m(double x) { return gpo::rounded::to_integer<unsigned>(mode, x); }         \
  GPO_WORD_FN long long __double2ll_##m(double x) { return gpo::rounded::to_integer<long long>(mode, x); }         \
  GPO_WORD_FN unsigned long long __double2ull_##m(double x) {                                                      \
    return gpo::rounded::to_integer<unsigned long long>(mode, x);                                                  \
  }                                                                                                                \
  GPO_WORD_FN float __int2float_##m(int x) { return gpo::rounded::to_float<float>(mode, double(x)); }              \
  GPO_WORD_FN float __uint2float_##m(unsigned x) { return gpo::rounded::to_float<float>(mode, double(x)); }        \
  GPO_WORD_FN float __ll2float_##m(long long x) { return gpo::rounded::of_integer<float>(mode, x); }               \
  GPO_WORD_FN float __ull2float_##m(unsigned long long x) { return gpo::rounded::of_integer<float>(mode, x); }     \
  GPO_WORD_FN double __ll2double_##m(long long x) { return gpo::rounded::of_integer<double>(mode, x); }            \
  GPO_WORD_FN double __ull2double_##m(unsigned long long x) { return gpo::rounded::of_integer<double>(mode, x); }
GPO_IN_ALL_MODES(GPO_MODE)
#undef GPO_MODE
#undef GPO_IN_ALL_MODES

GPO_WORD_FN double __int2double_rn(int x) { return x; }
GPO_WORD_FN double __uint2double_rn(unsigned x) { return x; }

// ---- Bits of numbers ----

GPO_WORD_FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
GPO_WORD_FN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
GPO_WORD_FN unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
GPO_WORD_FN float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
GPO_WORD_FN long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
GPO_WORD_FN double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
GPO_WORD_FN int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
GPO_WORD_FN int __double2loint(double x) { return int(__double_as_longlong(x)); }
GPO_WORD_FN double __hiloint2double(int hi, int lo) {
  return __longlong_as_double((long long)((unsigned long long)unsigned(hi) << 32 | unsigned(lo)));
}

#endif

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_ROUNDED_H_
