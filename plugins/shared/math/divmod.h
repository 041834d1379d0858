// plugins/shared/math/divmod.h -- exact remainders and the floor quotient, for integers and floats
#ifndef GPUOPT_PLUGINS_SHARED_MATH_DIVMOD_H_
#define GPUOPT_PLUGINS_SHARED_MATH_DIVMOD_H_

#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

// a / b truncated, for b other than 0 and -1. CPUs divide vectors of floats only; up to 32 bits the rounded float
// quotient lies within 1/b of the exact one and so truncates to the same integer.
template <class T>
GPO_FN T int_divide_nonzero(T a, T b) {
#if defined(__CUDA_ARCH__)
  return T(a / b);
#else
  if constexpr (sizeof(T) <= 2) {
    return T(i32(float(a) / float(b)));
  } else if constexpr (sizeof(T) == 4) {
    return T(conditional<is_signed_int<T>, i32, i64>(double(a) / double(b)));
  } else {
    return a / b;
  }
#endif
}

template <class T>
struct int_quotient {
  T quotient, remainder;  // truncated: the remainder has the dividend's sign
};

// Division by zero gives 0 and 0; INT_MIN / -1 wraps to INT_MIN and 0.
template <class T>
GPO_FN int_quotient<T> int_divide(T a, T b) {
  using W = conditional<(sizeof(T) < 4), u32, uint_of<T>>;
  const bool by_zero = b == T(0);
  const bool by_minus_one = is_signed_int<T> && b == T(-1);
  const T divisor = (by_zero | by_minus_one) ? T(1) : b;
  const T truncated = int_divide_nonzero(a, divisor);
  const T signed_quotient = by_minus_one ? T(W(0) - W(a)) : truncated;
  const T quotient = by_zero ? T(0) : signed_quotient;
  const T remainder = T(W(a) - W(truncated) * W(divisor));
  return {quotient, remainder};
}

template <class T>
GPO_FN T int_fmod(T a, T b) {
  return int_divide(a, b).remainder;
}
template <class T>
GPO_FN T int_floor_divide(T a, T b) {
  const auto q = int_divide(a, b);
  return T(q.quotient - T((q.remainder != 0) & is_negative(T(q.remainder ^ b))));
}
template <class T>
GPO_FN T int_remainder(T a, T b) {
  const T r = int_divide(a, b).remainder;
  return T(r + (((r != 0) & is_negative(T(r ^ b))) ? b : T(0)));
}

// fmod for quotients below 2^(mantissa + 1), whose unit place is exact. The rounded quotient is never too small and at
// most one too large, and both candidate remainders are exact.
template <class T>
GPO_FN T fmod_easy(T a, T b) {
  const T x = abs(a), y = abs(b);
  const T r = fma(-trunc(x / y), y, x);
  const T folded = r < T(0) ? r + y : r;
  const bool within = x < inf<T>();
  const T result = (within & (y == inf<T>())) ? x : folded;
  return copysign(result, a);
}
template <class T>
GPO_FN bool fmod_is_hard(T a, T b) {
  const T x = abs(a), y = abs(b);
  return (x / y >= T(uint_of<T>(1) << (fp<T>::mantissa + 1))) & (x < inf<T>()) & (y > T(0));
}

// Schoolbook division of the significands, 11 quotient bits a step. Finite a, nonzero b, |a| >= |b|.
GPO_SLOW double fmod_hard(double a, double b) {
  constexpr u64 hidden = u64(1) << 52;
  const u64 x = to_bits(abs(a)), y = to_bits(abs(b));
  const int ex = int(x >> 52), ey = int(y >> 52);
  u64 r = ex ? (x & (hidden - 1)) | hidden : x;
  u64 m = ey ? (y & (hidden - 1)) | hidden : y;
  int shift = (ex ? ex : 1) - (ey ? ey : 1);
  r %= m;
  for (; shift >= 11 && r != 0; shift -= 11) r = (r << 11) % m;
  if (r == 0) return copysign(0.0, a);
  r = (r << shift) % m;
  // r is in units of b's last place. The product with that unit, written by its exponent field, is exact.
  const double unit_scaled = ey > 53 ? double(i64(r)) * from_bits(u64(ey - 52) << 52)
                                     : double(i64(r)) * 0x1p-1022 * from_bits(u64(1023 - 52 + (ey ? ey - 1 : 0)) << 52);
  return copysign(unit_scaled, a);
}
GPO_SLOW float fmod_hard(float a, float b) {
  const double x = double(a), y = double(b);
  return float(fmod_is_hard(x, y) ? fmod_hard(x, y) : fmod_easy(x, y));
}

// NumPy's divmod from the exact fmod: the quotient is rounded to the integer that (a - mod) / b all but equals.
template <class T>
GPO_FN T floor_divide(T a, T b, T mod) {
  const bool signs_differ = (mod != T(0)) & ((b < T(0)) != (mod < T(0)));
  const T truncated = (a - mod) / b;
  const T quotient = signs_differ ? truncated - T(1) : truncated;
  const T down = floor(quotient);
  const T nearest = quotient - down > T(0.5) ? down + T(1) : down;
  const T result = quotient != T(0) ? nearest : copysign(T(0), a / b);
  return b == T(0) ? a / b : result;
}
template <class T>
GPO_FN T floor_remainder(T b, T mod) {
  const bool signs_differ = (b < T(0)) != (mod < T(0));
  const T moved = signs_differ ? mod + b : mod;
  return mod != T(0) ? (mod != mod ? mod : moved) : copysign(T(0), b);
}

// The absolute value, which of the most negative integer fits only the unsigned type.
template <class T>
GPO_FN uint_of<T> int_magnitude(T a) {
  using W = conditional<(sizeof(T) < 4), u32, uint_of<T>>;
  return uint_of<T>(is_negative(a) ? W(0) - W(a) : W(a));
}
// Euclid's algorithm.
template <class U>
GPO_FN U unsigned_gcd(U a, U b) {
  while (b != U(0)) {
    const U rest = U(a % b);
    a = b;
    b = rest;
  }
  return a;
}
template <class T>
GPO_FN T int_gcd(T a, T b) {
  return T(unsigned_gcd(int_magnitude(a), int_magnitude(b)));
}
template <class T>
GPO_FN T int_lcm(T a, T b) {
  using W = conditional<(sizeof(T) < 4), u32, uint_of<T>>;
  const uint_of<T> x = int_magnitude(a), y = int_magnitude(b), common = unsigned_gcd(x, y);
  return common == 0 ? T(0) : T(W(x / common) * W(y));
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_DIVMOD_H_
