// plugins/shared/words/mathematics.h -- the functions of <math.h> and of the CUDA Math API that are no operations of
// the library: on the bits of numbers, roots of sums of squares, functions of pi x
//
// One definition for all compilers, so that every backend gives the same bits. float is computed in double and rounded
// once, where that matters.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_MATHEMATICS_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_MATHEMATICS_H_

#include "plugins/shared/math/divmod.h"
#include "plugins/shared/math/double_double.h"
#include "plugins/shared/math/power.h"
#include "plugins/shared/math/root.h"
#include "plugins/shared/math/trig.h"
#include "plugins/shared/user/functions.h"
#include "plugins/shared/words/define.h"

namespace gpo {
namespace words {

// ---- The bits of numbers ----

// x 2^n. Factors come one after the other, and below the normal numbers only the last one rounds.
template <class T>
GPO_FN T ldexp(T x, long long n) {
  constexpr int bias = fp<T>::bias, digits = fp<T>::mantissa + 1;
  const T up = from_bits(uint_of<T>(uint_of<T>(2 * bias) << fp<T>::mantissa));      // 2^bias
  const T down = from_bits(uint_of<T>(uint_of<T>(digits + 1) << fp<T>::mantissa));  // 2^(digits + 1 - bias)
  constexpr int step = bias - 1 - digits;
  for (int k = 0; k < 2; k++) {
    if (n > bias) x *= up, n -= bias;
    if (n < 1 - bias) x *= down, n += step;
  }
  const long long last = n > bias ? bias : n < 1 - bias ? 1 - bias : n;
  return x * from_bits(uint_of<T>(uint_of<T>(last + bias) << fp<T>::mantissa));
}

// The exponent of a finite x that is not 0: 2^e <= |x| < 2^(e + 1).
template <class T>
GPO_FN int exponent_of(T x) {
  using U = uint_of<T>;
  const bool small = abs(x) < from_bits(U(U(1) << fp<T>::mantissa));
  const T normal = small ? x * from_bits(U(U(fp<T>::bias + 64) << fp<T>::mantissa)) : x;
  return int((to_bits(normal) & ~fp<T>::sign) >> fp<T>::mantissa) - fp<T>::bias - (small ? 64 : 0);
}
template <class T>
GPO_FN T frexp(T x, int *exponent) {
  *exponent = 0;
  if (x == T(0) || !isfinite(x)) return x;
  *exponent = exponent_of(x) + 1;
  return ldexp(x, -*exponent);
}
template <class T>
GPO_FN T logb(T x) {
  if (x == T(0)) return -inf<T>();
  return isfinite(x) ? T(exponent_of(x)) : x * x;
}
template <class T>
GPO_FN int ilogb(T x) {
  if (x == T(0) || x != x) return -2147483647 - 1;
  return isinf(x) ? 2147483647 : exponent_of(x);
}
// The integer part goes to *whole; both parts have the sign of x.
template <class T>
GPO_FN T modf(T x, T *whole) {
  const T part = gpo::trunc(x);
  *whole = part;
  return gpo::copysign(isinf(x) ? T(0) : x - part, x);
}
template <class T>
GPO_FN T nextafter(T x, T to) {
  using U = uint_of<T>;
  if (x != x || to != to) return x + to;
  if (x == to) return to;
  if (x == T(0)) return gpo::copysign(from_bits(U(1)), to);
  const U b = to_bits(x);
  return from_bits(U((x < to) == (x > T(0)) ? b + 1 : b - 1));
}
template <class T>
GPO_FN T fdim(T x, T y) {
  if (x != x || y != y) return x + y;
  return x > y ? x - y : T(0);
}
template <class T>
GPO_FN T round_half_away(T x) {
  const T whole = gpo::trunc(x);
  return gpo::copysign(abs(x - whole) >= T(0.5) ? abs(whole) + T(1) : abs(whole), x);
}
template <class T>
GPO_FN long long to_whole(T x) {
  return (long long)cast<i64>(x);
}

// ---- Remainders ----

template <class T>
GPO_FN T rest_of(T x, T y) {
  return math::fmod_is_hard(x, y) ? math::fmod_hard(x, y) : math::fmod_easy(x, y);
}
// x - n y for the integer n nearest to x / y, even of two; *quotient gets the sign of x / y and the lowest 3 bits of n.
template <class T>
inline GPO_WORDS_DEVICE T remquo(T x, T y, int *quotient) {
  *quotient = 0;
  if (x != x || y != y || isinf(x) || y == T(0)) return nan<T>();
  if (isinf(y)) return x;
  const T ax = abs(x), ay = abs(y);
  const bool is_large = ay > from_bits(uint_of<T>(fp<T>::inf - (uint_of<T>(4) << fp<T>::mantissa)));  // 8 y overflows
  T rest = rest_of(ax, is_large ? ay : T(8) * ay);
  int n = is_large ? int(gpo::rint((ax - rest) / ay)) : 0;
  for (int k = 4; k > 0 && !is_large; k >>= 1) {
    if (rest >= T(k) * ay) rest -= T(k) * ay, n += k;
  }
  const T other = ay - rest;  // exact if it may be the smaller one
  if (rest > other || (rest == other && n % 2)) rest = -other, n++;
  n &= 7;
  *quotient = signbit(x) == signbit(y) ? n : -n;
  return rest == T(0) ? gpo::copysign(T(0), x) : signbit(x) ? -rest : rest;
}
template <class T>
GPO_FN T remainder(T x, T y) {
  int quotient;
  return remquo(x, y, &quotient);
}

// ---- Roots ----

// The root of a sum of n squares, or its reciprocal. The squares are those of numbers brought near to 1, and exact.
inline GPO_WORDS_DEVICE double root_of_squares(const double *x, int n, bool reciprocal) {
  double largest = 0;
  bool is_nan = false;
  for (int k = 0; k < n; k++) {
    largest = abs(x[k]) > largest ? abs(x[k]) : largest;
    is_nan |= x[k] != x[k];
  }
  if (isinf(largest)) return reciprocal ? 0.0 : largest;
  if (is_nan) return nan<double>();
  if (largest == 0.0) return reciprocal ? inf<double>() : 0.0;
  const int exponent = exponent_of(largest);
  math::double_double sum = {0, 0};
  for (int k = 0; k < n; k++) {
    const double near_one = ldexp(x[k], -exponent);
    sum = math::add(sum, math::two_product(near_one, near_one));
  }
  const double root = gpo::sqrt(sum.hi);
  if (!reciprocal) return ldexp(root + (fma(-root, root, sum.hi) + sum.lo) / (2 * root), exponent);
  const double inverse = 1 / root;
  const math::double_double square = math::two_product(inverse, inverse);
  const math::double_double product = math::two_product(sum.hi, square.hi);
  const double error = (1 - product.hi) - product.lo - fma(sum.hi, square.lo, sum.lo * square.hi);
  return ldexp(fma(0.5 * inverse, error, inverse), -exponent);
}
inline GPO_WORDS_DEVICE float root_of_squares(const float *x, int n, bool reciprocal) {
  double sum = 0;
  bool is_infinite = false;
  for (int k = 0; k < n; k++) {
    sum += double(x[k]) * double(x[k]);
    is_infinite |= isinf(x[k]);
  }
  const double root = is_infinite ? inf<double>() : gpo::sqrt(sum);
  return float(reciprocal ? 1 / root : root);
}
template <class T, class... More>
GPO_FN T root_of(bool reciprocal, T first, More... more) {
  const T all[] = {first, more...};
  return root_of_squares(all, 1 + int(sizeof...(more)), reciprocal);
}

// 1 / cbrt(x): one step of Newton's method with an exact residue, on a number between 1/8 and 8.
inline GPO_WORDS_DEVICE double rcbrt(double x) {
  if (x == 0.0 || !isfinite(x)) return 1 / x;
  const int third = exponent_of(x) / 3;
  const double near_one = ldexp(x, -3 * third), guess = 1 / math::cbrt(near_one);
  const math::double_double cube = math::multiply(math::two_product(guess, guess), guess);
  const math::double_double product = math::multiply(cube, near_one);
  return ldexp(fma(guess * (1.0 / 3), (1 - product.hi) - product.lo, guess), -third);
}
GPO_FN float rcbrt(float x) { return float(1 / math::cbrt(double(x))); }

// ---- Powers of 10 ----

GPO_FN double exp10(double x) { return math::pow(10.0, x); }
GPO_FN float exp10(float x) { return math::pow(10.0f, x); }

// ---- sin(pi x) and cos(pi x) ----

// Counting quarter turns keeps the reduction exact.
struct QuarterTurns {
  math::sine_cosine of_rest;
  double rest, turns;  // turns is 0, 1, 2 or 3
};
GPO_FN QuarterTurns quarter_turns(double x) {
  const double n = gpo::rint(x + x), rest = fma(n, -0.5, x);
  const math::double_double pi = {2 * math::trig_data<double>::pi_half, 2 * math::trig_data<double>::pi_half_lo};
  return {math::sin_cos_accurate(math::multiply(pi, rest)), rest, fma(gpo::floor(0.25 * n), -4.0, n)};
}
inline GPO_WORDS_DEVICE double sinpi(double x) {
  if (!isfinite(x)) return nan<double>();
  if (abs(x) >= 0x1p52) return gpo::copysign(0.0, x);
  const QuarterTurns q = quarter_turns(x);
  const bool odd = q.turns == 1.0 || q.turns == 3.0;
  if (!odd && q.rest == 0.0) return gpo::copysign(0.0, x);
  const double y = odd ? q.of_rest.cosine.hi : q.of_rest.sine.hi;
  return q.turns >= 2.0 ? -y : y;
}
inline GPO_WORDS_DEVICE double cospi(double x) {
  if (!isfinite(x)) return nan<double>();
  if (abs(x) >= 0x1p53) return 1.0;
  const QuarterTurns q = quarter_turns(x);
  const bool odd = q.turns == 1.0 || q.turns == 3.0;
  if (odd && q.rest == 0.0) return 0.0;
  const double y = odd ? q.of_rest.sine.hi : q.of_rest.cosine.hi;
  return q.turns == 1.0 || q.turns == 2.0 ? -y : y;
}
GPO_FN float sinpi(float x) { return float(sinpi(double(x))); }
GPO_FN float cospi(float x) { return float(cospi(double(x))); }

}  // namespace words
}  // namespace gpo

GPO_WORD_UNARY(logb)
GPO_WORD_UNARY(rcbrt)
GPO_WORD_UNARY(exp10)
GPO_WORD_UNARY(sinpi)
GPO_WORD_UNARY(cospi)
GPO_WORD_BINARY(nextafter)
GPO_WORD_BINARY(fdim)
GPO_WORD_BINARY(remainder)

namespace gpo {
namespace user {
namespace functions {

GPO_FN float roundf(float x) { return words::round_half_away(x); }
GPO_FN float rsqrtf(float x) { return 1.0f / gpo::sqrt(x); }
GPO_FN float fmaf(float a, float b, float c) { return gpo::fma(a, b, c); }

#define GPO_TO_INTEGER(name, type, rounded)          \
  template <class T>                                 \
  GPO_FN type name(T x) {                            \
    using I = type;                                  \
    return I(words::to_whole(rounded(argument(x)))); \
  }                                                  \
  GPO_FN type name##f(float x) { return name(x); }
GPO_TO_INTEGER(lround, long, words::round_half_away)
GPO_TO_INTEGER(llround, long long, words::round_half_away)
GPO_TO_INTEGER(lrint, long, gpo::rint)
GPO_TO_INTEGER(llrint, long long, gpo::rint)
#undef GPO_TO_INTEGER

template <class T>
GPO_FN auto ldexp(T x, int n) {
  return words::ldexp(argument(x), n);
}
template <class T>
GPO_FN auto scalbn(T x, int n) {
  return words::ldexp(argument(x), n);
}
template <class T>
GPO_FN auto scalbln(T x, long n) {
  return words::ldexp(argument(x), n);
}
GPO_FN float ldexpf(float x, int n) { return words::ldexp(x, n); }
GPO_FN float scalbnf(float x, int n) { return words::ldexp(x, n); }
GPO_FN float scalblnf(float x, long n) { return words::ldexp(x, n); }
template <class T>
GPO_FN auto frexp(T x, int *exponent) {
  return words::frexp(argument(x), exponent);
}
GPO_FN float frexpf(float x, int *exponent) { return words::frexp(x, exponent); }
template <class T>
GPO_FN int ilogb(T x) {
  return words::ilogb(argument(x));
}
GPO_FN int ilogbf(float x) { return words::ilogb(x); }
GPO_FN double modf(double x, double *whole) { return words::modf(x, whole); }
GPO_FN float modf(float x, float *whole) { return words::modf(x, whole); }
GPO_FN float modff(float x, float *whole) { return words::modf(x, whole); }
GPO_FN double remquo(double x, double y, int *quotient) { return words::remquo(x, y, quotient); }
GPO_FN float remquo(float x, float y, int *quotient) { return words::remquo(x, y, quotient); }
GPO_FN float remquof(float x, float y, int *quotient) { return words::remquo(x, y, quotient); }
GPO_FN double nan(const char *) { return gpo::nan<double>(); }
GPO_FN float nanf(const char *) { return gpo::nan<float>(); }

template <class T>
GPO_FN void sincospi(T x, T *sine, T *cosine) {
  *sine = words::sinpi(x);
  *cosine = words::cospi(x);
}
GPO_FN void sincospif(float x, float *sine, float *cosine) { sincospi(x, sine, cosine); }

#define GPO_ROOT(name, reciprocal, parameters, ...)                                         \
  GPO_FN double name parameters(double) { return words::root_of(reciprocal, __VA_ARGS__); } \
  GPO_FN float name parameters(float) { return words::root_of(reciprocal, __VA_ARGS__); }   \
  GPO_FN float name##f parameters(float) { return words::root_of(reciprocal, __VA_ARGS__); }
#define GPO_TWO(T) (T a, T b)
#define GPO_THREE(T) (T a, T b, T c)
#define GPO_FOUR(T) (T a, T b, T c, T d)
GPO_ROOT(rhypot, true, GPO_TWO, a, b)
GPO_ROOT(norm3d, false, GPO_THREE, a, b, c)
GPO_ROOT(rnorm3d, true, GPO_THREE, a, b, c)
GPO_ROOT(norm4d, false, GPO_FOUR, a, b, c, d)
GPO_ROOT(rnorm4d, true, GPO_FOUR, a, b, c, d)
#undef GPO_FOUR
#undef GPO_THREE
#undef GPO_TWO
#undef GPO_ROOT
GPO_FN double norm(int n, const double *x) { return words::root_of_squares(x, n, false); }
GPO_FN float normf(int n, const float *x) { return words::root_of_squares(x, n, false); }
GPO_FN double rnorm(int n, const double *x) { return words::root_of_squares(x, n, true); }
GPO_FN float rnormf(int n, const float *x) { return words::root_of_squares(x, n, true); }

// ---- Fast functions of CUDA, which are the accurate ones here ----

GPO_FN float __exp10f(float x) { return words::exp10(x); }
GPO_FN float __fdividef(float x, float y) { return x / y; }
GPO_FN float fdividef(float x, float y) { return x / y; }
// Clamped to [0, 1]; 0 for a NaN.
GPO_FN float __saturatef(float x) { return x > 0.0f ? x < 1.0f ? x : 1.0f : 0.0f; }
GPO_FN float __frsqrt_rn(float x) { return float(1 / gpo::sqrt(double(x))); }

#define GPO_EXTREMES(prefix, type)                                  \
  GPO_FN type prefix##min(type a, type b) { return b < a ? b : a; } \
  GPO_FN type prefix##max(type a, type b) { return a < b ? b : a; }
GPO_EXTREMES(u, unsigned)
GPO_EXTREMES(ll, long long)
GPO_EXTREMES(ull, unsigned long long)
#undef GPO_EXTREMES
GPO_FN long labs(long x) { return x < 0 ? long(0ul - (unsigned long)x) : x; }
GPO_FN long long llabs(long long x) { return x < 0 ? (long long)(0ull - (unsigned long long)x) : x; }

}  // namespace functions
}  // namespace user
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_MATHEMATICS_H_
