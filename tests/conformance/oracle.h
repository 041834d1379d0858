// tests/conformance/oracle.h -- the independent reference for elementwise ops: wide arithmetic and the oracle table.
#pragma once
#include <gpuopt/gpuopt.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#if defined(_WIN32)
#include <quadmath.h>
#endif

namespace oracle {

using Real = long double;
using Complex = std::complex<long double>;

// The C library's, but on Windows libquadmath's for real numbers: mingw-w64's know 66 bits of pi and lose some of
// gamma.
#if defined(_WIN32)
#define GPUOPT_WIDE(name)                                      \
  inline Real wide_##name(Real a) { return Real(name##q(a)); } \
  inline Complex wide_##name(const Complex &a) { return std::name(a); }
inline Real wide_tgamma(Real a) { return Real(tgammaq(a)); }
#else
#define GPUOPT_WIDE(name)     \
  template <class T>          \
  T wide_##name(const T &a) { \
    return std::name(a);      \
  }
inline Real wide_tgamma(Real a) { return std::tgamma(a); }
#endif
GPUOPT_WIDE(sin)
GPUOPT_WIDE(cos)
GPUOPT_WIDE(tan)
#undef GPUOPT_WIDE

// Facts about the dtype under test that some references need.
struct Format {
  int bits = 64;  // of an integer dtype
  bool is_signed = true;
  int precision = 53;        // significand bits of a floating dtype
  int min_exponent = -1074;  // exponent of the smallest denormal
  Real largest = 0;
};

// An integer in 128 bits; every operation is done modulo 2^128, the harness wraps the result to the dtype.
struct Wide {
  __int128 v = 0;
  Wide() = default;
  Wide(__int128 x) : v(x) {}
  bool operator==(const Wide &) const = default;
  auto operator<=>(const Wide &o) const { return v <=> o.v; }
  Wide operator&(Wide o) const { return v & o.v; }
  Wide operator|(Wide o) const { return v | o.v; }
  Wide operator^(Wide o) const { return v ^ o.v; }
};

inline const Real pi = std::acos(Real(-1));
inline constexpr double EXACT = 0.5;

// ---- arithmetic -----------------------------------------------------------------------------------------------------
inline Wide sum(Wide a, Wide b) { return __int128((unsigned __int128)a.v + (unsigned __int128)b.v); }
inline Wide minus(Wide a) { return __int128(-(unsigned __int128)a.v); }
inline Wide product(Wide a, Wide b) { return __int128((unsigned __int128)a.v * (unsigned __int128)b.v); }
inline bool sum(bool a, bool b) { return a || b; }
inline bool product(bool a, bool b) { return a && b; }
template <class T>
T sum(T a, T b) {
  return a + b;
}
template <class T>
T minus(T a) {
  return -a;
}
inline Real product(Real a, Real b) { return a * b; }
inline Complex product(Complex a, Complex b) { return a * b; }
inline Real quotient(Real a, Real b) { return a / b; }
inline Complex quotient(Complex a, Complex b) { return a / b; }

inline Wide truncated_remainder(Wide a, Wide b) { return b.v == 0 ? Wide(0) : Wide(a.v % b.v); }
inline Wide floored_remainder(Wide a, Wide b) {
  if (b.v == 0) return 0;
  __int128 r = a.v % b.v;
  return r != 0 && (r < 0) != (b.v < 0) ? r + b.v : r;
}
inline Wide floored_quotient(Wide a, Wide b) {
  return b.v == 0 ? Wide(0) : Wide((a.v - floored_remainder(a, b).v) / b.v);
}
inline Real truncated_remainder(Real a, Real b) { return std::fmod(a, b); }
// numpy.remainder: the sign of the divisor, also for a zero result.
inline Real floored_remainder(Real a, Real b) {
  Real r = std::fmod(a, b);
  if (std::isnan(r) || b == 0) return r;
  if (r == 0) return std::copysign(Real(0), b);
  return (r < 0) != (b < 0) ? r + b : r;
}
// numpy.floor_divide: a / b for b == 0, NaN where the remainder is, else the floor of the exact quotient.
// NumPy's formula, which is the library's bit for bit, is that while the quotient has two bits less than the format's
// significand; beyond, a - fmod(a, b) is rounded, and the result may be two units off (math_numpy_vectors.inc has such
// quotients; the operands of these tests give none).
inline Real floored_quotient(Real a, Real b) {
  if (b == 0) return a / b;
  Real r = std::fmod(a, b);
  if (std::isnan(r)) return r;
  Real q = (a - r) / b;
  if (r != 0 && (r < 0) != (b < 0)) q -= 1;
  return q == 0 ? std::copysign(Real(0), a / b) : std::nearbyint(q);
}

inline Wide power(Wide a, Wide n) {
  if (n.v < 0) return a.v == 1 ? Wide(1) : a.v == -1 ? Wide(n.v % 2 ? -1 : 1) : Wide(0);
  Wide result = 1;
  for (__int128 e = n.v; e > 0; e >>= 1, a = product(a, a))
    if (e & 1) result = product(result, a);
  return result;
}
inline Real power(Real a, Real b) { return std::pow(a, b); }
inline Complex power(Complex a, Complex b) { return std::pow(a, b); }

// ---- parts ----------------------------------------------------------------------------------------------------------
inline bool magnitude(bool a) { return a; }
inline Wide magnitude(Wide a) { return a.v < 0 ? minus(a) : a; }
inline Real magnitude(Real a) { return std::fabs(a); }
inline Real magnitude(Complex a) { return std::hypot(a.real(), a.imag()); }
inline Wide signum(Wide a) { return (a.v > 0) - (a.v < 0); }
inline Real signum(Real a) { return std::isnan(a) ? a : Real((a > 0) - (a < 0)); }
inline Complex signum(Complex a) { return a == Complex(0) ? Complex(0) : a / magnitude(a); }
template <class F>
Wide rounded(Wide a, F) {
  return a;
}
template <class F>
Real rounded(Real a, F f) {
  return f(a);
}
template <class F>
Complex rounded(Complex a, F f) {
  return {f(a.real()), f(a.imag())};
}
template <class T>
T real_part(T a) {
  return a;
}
inline Real real_part(Complex a) { return a.real(); }
template <class T>
T imaginary_part(T) {
  return T(0);
}
inline Real imaginary_part(Complex a) { return a.imag(); }
template <class T>
T conjugate(T a) {
  return a;
}
inline Complex conjugate(Complex a) { return std::conj(a); }
template <class F>
bool either(bool, F) {
  return false;
}
template <class F>
bool either(Wide, F) {
  return false;
}
template <class F>
bool either(Real a, F f) {
  return f(a);
}
template <class F>
bool either(Complex a, F f) {
  return f(a.real()) || f(a.imag());
}

// The neighbour of a in a format of `precision` bits, by exact steps of one unit in the last place.
inline Real next_after(Real a, Real b, const Format &format) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return b;
  if (a == 0) return std::copysign(std::ldexp(Real(1), format.min_exponent), b);
  bool away = (b > a) == (a > 0);
  if (std::isinf(a)) return std::copysign(format.largest, a);
  int exponent = 0;
  Real mantissa = std::frexp(std::fabs(a), &exponent);
  int unit = std::max(exponent - format.precision, format.min_exponent);
  if (!away && mantissa == 0.5L && unit > format.min_exponent) unit -= 1;  // below a power of two the step halves
  Real stepped = std::fabs(a) + (away ? 1 : -1) * std::ldexp(Real(1), unit);
  if (stepped > format.largest) stepped = std::numeric_limits<Real>::infinity();
  return std::copysign(stepped, a);
}

// ---- functions std:: lacks for some type
// ------------------------------------------------------------------------------
inline Real power_of_two(Real a) { return std::exp2(a); }
inline Complex power_of_two(Complex a) { return std::exp(a * std::log(Real(2))); }
inline Real exp_minus_one(Real a) { return std::expm1(a); }
inline Complex exp_minus_one(Complex a) {
  Real half = std::sin(a.imag() / 2);
  return {std::expm1(a.real()) * std::cos(a.imag()) - 2 * half * half, std::exp(a.real()) * std::sin(a.imag())};
}
inline Real log_base_two(Real a) { return std::log2(a); }
inline Complex log_base_two(Complex a) { return std::log(a) / std::log(Real(2)); }
inline Real log_one_plus(Real a) { return std::log1p(a); }
inline Complex log_one_plus(Complex a) {
  Real x = a.real(), y = a.imag();
  return {std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
}
inline Real log_add_exp(Real a, Real b) {
  if (a == b) return a + std::log(Real(2));
  return std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}
inline Real log_add_exp_2(Real a, Real b) {
  if (a == b) return a + 1;
  return std::fmax(a, b) + std::log1p(std::exp2(-std::fabs(a - b))) / std::log(Real(2));
}
inline Real normalized_sinc(Real a) {
  if (a == 0) return 1;
  Real whole = std::nearbyint(a);  // sin(pi a) without the error of pi a; IEEE 754 sinPi of a whole number has its sign
  if (std::isinf(a)) return std::numeric_limits<Real>::quiet_NaN();  // numpy.sinc: sin of infinity
  if (whole == a) return Real(0);
  Real sine = std::sin(pi * (a - whole)) * (std::fmod(std::fabs(whole), Real(2)) == 1 ? -1 : 1);
  return sine / (pi * a);
}
inline Real log_gamma(Real a) { return std::lgamma(a); }
// For a > 0 the recurrence up to 40 and six terms of the asymptotic series, whose seventh is below 2^-75 there.
inline Real positive_digamma(Real a) {
  Real below = 0;
  for (; a < 40; a += 1) below += 1 / a;
  const Real z = 1 / (a * a);
  const Real series =
      z *
      (Real(1) / 12 -
       z * (Real(1) / 120 - z * (Real(1) / 252 - z * (Real(1) / 240 - z * (Real(1) / 132 - z * Real(691) / 32760)))));
  return std::log(a) - 1 / (2 * a) - series - below;
}
inline Real digamma(Real a) {
  if (std::isnan(a) || a == std::numeric_limits<Real>::infinity()) return a;
  if (a == 0) return -1 / a;
  if (a > 0) return positive_digamma(a);
  const Real part = a - std::nearbyint(a);
  if (part == 0 || std::isinf(a)) return std::numeric_limits<Real>::quiet_NaN();
  const Real away = 0.5L - std::fabs(part);  // the cotangent has a zero there, which pi * part would miss
  const Real cotangent = std::fabs(part) > 0.25L ? std::copysign(std::tan(pi * away), part) : 1 / std::tan(pi * part);
  return positive_digamma(1 - a) - pi * cotangent;
}
inline Wide common_divisor(Wide a, Wide b) {
  Wide x = magnitude(a), y = magnitude(b);
  while (y.v != 0) {
    const Wide rest(x.v % y.v);
    x = y;
    y = rest;
  }
  return x;
}
inline Wide common_multiple(Wide a, Wide b) {
  const Wide common = common_divisor(a, b);
  if (common.v == 0) return Wide(0);
  using Unsigned = unsigned __int128;
  return Wide(__int128(Unsigned(magnitude(a).v / common.v) * Unsigned(magnitude(b).v)));
}

// ---- selection and bits
// -------------------------------------------------------------------------------------------------
template <class T>
T greater_of(T a, T b, bool) {
  return a > b ? a : b;
}
template <class T>
T lesser_of(T a, T b, bool) {
  return a < b ? a : b;
}
inline Real greater_of(Real a, Real b, bool propagate) {
  if (std::isnan(a) || std::isnan(b))
    return propagate || (std::isnan(a) && std::isnan(b)) ? a + b : std::isnan(a) ? b : a;
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline Real lesser_of(Real a, Real b, bool propagate) {
  if (std::isnan(a) || std::isnan(b))
    return propagate || (std::isnan(a) && std::isnan(b)) ? a + b : std::isnan(a) ? b : a;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
inline bool inverted(bool a) { return !a; }
inline Wide inverted(Wide a) { return ~a.v; }
inline Wide shifted_left(Wide a, Wide n, const Format &f) {
  return n.v < 0 || n.v >= f.bits ? Wide(0) : Wide(__int128((unsigned __int128)a.v << int(n.v)));
}
inline Wide shifted_right(Wide a, Wide n, const Format &f) {
  return n.v < 0 || n.v >= f.bits ? Wide(a.v < 0 ? -1 : 0) : Wide(a.v >> int(n.v));
}

// ---- the table
// ------------------------------------------------------------------------------------------------------------ A row of
// ops.def without a row of oracle.def has no Reference, and the conformance suite does not compile.
template <int Op>
struct Reference;
#define GPUOPT_ORACLE(name, u32, u64, expression)                                       \
  template <>                                                                           \
  struct Reference<GPUOPT_OP_##name> {                                                  \
    static constexpr double ulp32 = u32, ulp64 = u64;                                   \
    template <class T>                                                                  \
    static auto value([[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T c, \
                      [[maybe_unused]] const Format &format) {                          \
      return expression;                                                                \
    }                                                                                   \
  };
#include "tests/oracle.def"

}  // namespace oracle
