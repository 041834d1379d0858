// plugins/shared/random/random_math.h -- from random words to -log(u) and to random directions, without branches, the
// same bits everywhere
//
// Both take all their bits from integers, so no argument reduction loses any: -log(u) keeps its relative accuracy near
// u = 1 and is never infinite. Coefficients: tests/data/random/make_polynomials.py.
#ifndef GPUOPT_PLUGINS_SHARED_RANDOM_RANDOM_MATH_H_
#define GPUOPT_PLUGINS_SHARED_RANDOM_RANDOM_MATH_H_

#include "plugins/shared/prelude.h"

namespace gpo {

// ---- -log(u): a standard exponential ----

// (log(1 + f) - f + f^2/2) / f^3 for sqrt(1/2) <= 1 + f < sqrt(2).
GPO_FN float random_log_tail(float f) {
  const float f2 = f * f;
  const float p0 = fma(f, -0x1.000196p-2f, 0x1.55554cp-2f), p1 = fma(f, -0x1.549974p-3f, 0x1.99a49cp-3f);
  const float p2 = fma(f, -0x1.0bcdcap-3f, 0x1.22892ap-3f), p3 = fma(f, -0x1.456624p-4f, 0x1.06e7d2p-3f);
  return fma(fma(fma(p3, f2, p2), f2, p1), f2, p0);
}
GPO_FN double random_log_tail(double f) {
  const double f2 = f * f;
  double even = 0x1.bedec2f2d6a00p-6, odd = -0x1.f02094335adc5p-5;
  even = fma(even, f2, 0x1.07dbe5269a21fp-4), odd = fma(odd, f2, -0x1.cd1cccc76a3a7p-5);
  even = fma(even, f2, 0x1.d13d3582a48f1p-5), odd = fma(odd, f2, -0x1.fca11e3b27da6p-5);
  even = fma(even, f2, 0x1.11c6889d6b538p-4), odd = fma(odd, f2, -0x1.24c6dbfe11c08p-4);
  even = fma(even, f2, 0x1.3b0b3a35377adp-4), odd = fma(odd, f2, -0x1.555226fe23741p-4);
  even = fma(even, f2, 0x1.745d4e31bf72fp-4), odd = fma(odd, f2, -0x1.9999b4b1e6e02p-4);
  even = fma(even, f2, 0x1.c71c711898166p-4), odd = fma(odd, f2, -0x1.ffffff846343fp-4);
  even = fma(even, f2, 0x1.24924924f4999p-3), odd = fma(odd, f2, -0x1.55555555d9040p-3);
  even = fma(even, f2, 0x1.9999999999a26p-3), odd = fma(odd, f2, -0x1.ffffffffffa77p-3);
  return fma(odd, f, fma(even, f2, 0x1.5555555555555p-2));
}

// -(k ln2 + log(1 + f))
template <class T>
GPO_FN T random_neg_log(T k, T f) {
  const T f2 = f * f;
  const T log1p = fma(f2 * f, random_log_tail(f), T(-0.5) * f2) + f;
  return fma(-k, T(0x1.62e42fefa39efp-1), -log1p);
}

// -log(u), u = (w + 1/2) / 2^32: in [1.1e-10, 22.9].
GPO_FN float random_exponential(u32 w) {
  constexpr u32 sqrt_half = 0x3f3504f3u, one = 0x3f800000u;
  // From sqrt(1/2) up, 1 - u is what has few bits.
  const bool near_one = w >= 0xb504f334u;
  const float x = float(near_one ? ~w : w) + 0.5f;
  const u32 shifted = to_bits(x) + (one - sqrt_half);
  const float k = float(i32(shifted >> 23) - (127 + 32));
  const float m = from_bits((shifted & 0x7fffffu) + sqrt_half);
  return random_neg_log(near_one ? 0.0f : k, near_one ? x * -0x1p-32f : m - 1.0f);
}

// -log(u), u = (floor(w / 2^12) + 1/2) / 2^52: in [1.1e-16, 36.8].
GPO_FN double random_exponential(u64 w) {
  constexpr u64 sqrt_half = 0x3fe6a09e667f3bcdu, one = 0x3ff0000000000000u, two52 = 0x4330000000000000u;
  const double u = from_bits((w >> 12) | one) - (1.0 - 0x1p-53);  // exact, and 1 - u is too
  const u64 shifted = to_bits(u) + (one - sqrt_half);
  // k + 1023 in the low bits of 2^52: a conversion that every vector unit has.
  const double k = from_bits((shifted >> 52) | two52) - (0x1p52 + 1023.0);
  const double m = from_bits((shifted & u64(0xfffffffffffffu)) + sqrt_half);
  return random_neg_log(k, m - 1.0);
}

// ---- Directions: a point (x, y) of the unit circle ----

template <class T>
struct RandomPoint {
  T x, y;
};

// The low bits of the word give an angle in (-pi/4, pi/4), whose cosine and sine need no further reduction; bit 2 from
// the top swaps them and the top bit turns the point by pi, which covers the circle evenly.
GPO_FN RandomPoint<float> random_direction(u32 w) {
  const float a = float(i32((w << 2) | 2u)) * 0x1.921fb6p-32f;  // pi/4 2^-31; never 0
  const float z = a * a;
  const float sine = fma(a * z, fma(fma(-0x1.996e32p-13f, z, 0x1.1107d4p-7f), z, -0x1.555548p-3f), a);
  const float cosine =
      fma(z * z, fma(fma(0x1.9ab86ap-16f, z, -0x1.6c0f5cp-10f), z, 0x1.55555p-5f), fma(z, -0.5f, 1.0f));
  const u32 turn = w & 0x80000000u;
  const bool swap = (w & 0x40000000u) != 0;
  return {from_bits(to_bits(swap ? sine : cosine) ^ turn), from_bits(to_bits(swap ? cosine : sine) ^ turn)};
}

GPO_FN RandomPoint<double> random_direction(u64 w) {
  // 52 bits as an odd multiple of 2^-53 in (-1/2, 1/2), exactly.
  const double t = from_bits(((w << 2) >> 12) | u64(0x3ff0000000000000u)) - 1.5 + 0x1p-53;
  const double a = t * 0x1.921fb54442d18p+0, z = a * a;
  double p = fma(0x1.5da8e9fdfa3a2p-33, z, -0x1.ae5eb9ac36df1p-26);
  p = fma(fma(fma(fma(p, z, 0x1.71de35ef79bcep-19), z, -0x1.a01a019cb0b67p-13), z, 0x1.111111110fe6ep-7), z,
          -0x1.555555555554ep-3);
  const double sine = fma(a * z, p, a);
  double q = fma(-0x1.9015521536d29p-37, z, 0x1.1eeab9fbad84cp-29);
  q = fma(fma(fma(fma(q, z, -0x1.27e4f94504afap-22), z, 0x1.a01a019e767bbp-16), z, -0x1.6c16c16c16434p-10), z,
          0x1.5555555555554p-5);
  const double cosine = fma(z * z, q, fma(z, -0.5, 1.0));
  const u64 turn = w & u64(0x8000000000000000u);
  const bool swap = (w & u64(0x4000000000000000u)) != 0;
  return {from_bits(to_bits(swap ? sine : cosine) ^ turn), from_bits(to_bits(swap ? cosine : sine) ^ turn)};
}

// Two independent standard normals from two words (G. Box and M. Muller, Ann. Math. Statist. 29, 1958).
template <class T, class Word>
GPO_FN RandomPoint<T> random_normal_pair(Word radius, Word direction) {
  const T r = sqrt(T(2) * random_exponential(radius));
  const RandomPoint<T> p = random_direction(direction);
  return {r * p.x, r * p.y};
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_RANDOM_RANDOM_MATH_H_
