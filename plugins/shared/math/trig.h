// plugins/shared/math/trig.h -- sin, cos, tan, sinc for float and double; coefficients from gen/trig.sollya
//
// x = n pi/2 + r + r_lo with |r| <= pi/4, polynomials for sin and cos of r, and the quadrant n mod 4 to choose. Angles
// too large for the three-part pi/2 are hard: their quadrant and remainder come from 192 bits of 2/pi (Payne and Hanek
// 1983).
#ifndef GPUOPT_PLUGINS_SHARED_MATH_TRIG_H_
#define GPUOPT_PLUGINS_SHARED_MATH_TRIG_H_

#include "plugins/shared/math/poly.h"

namespace gpo {
namespace math {

template <class T>
struct angle {
  T r, r_lo;            // the remainder, an unevaluated sum
  uint_of<T> quadrant;  // modulo 4; higher bits are noise
};

template <class T>
struct trig_data;

template <>
struct trig_data<double> {
  static constexpr double easy_limit = 0x1p20;
  static constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  static constexpr double pi_half = 0x1.921fb54442d18p+0, pi_half_lo = 0x1.1a62633145c07p-54;
  // (sin r - r) / r^3 and (cos r - 1) / r^2, in s = r^2
  GPO_FN static double sin_tail(double s) {
    return poly(s, -0x1.5555555555548p-3, 0x1.111111110f75dp-7, -0x1.a01a019bf222ep-13, 0x1.71de355f05599p-19,
                -0x1.ae5e5471f55p-26, 0x1.5d8e3511cda67p-33);
  }
  GPO_FN static double cos_tail(double s) {
    return poly(s, -0.5, 0x1.555555555554bp-5, -0x1.6c16c16c15016p-10, 0x1.a01a019c8f3eep-16, -0x1.27e4f7f19d4b2p-22,
                0x1.1ee9dbd0d86a6p-29, -0x1.8fa681e385241p-37);
  }
};

template <>
struct trig_data<float> {
  static constexpr float easy_limit = 0x1p17f;
  static constexpr float two_over_pi = 0x1.45f306p-1f;
  GPO_FN static float sin_tail(float s) { return poly(s, -0x1.555544p-3f, 0x1.1106aep-7f, -0x1.990f92p-13f); }
  GPO_FN static float cos_tail(float s) { return poly(s, -0.5f, 0x1.555548p-5f, -0x1.6c0b08p-10f, 0x1.999a6cp-16f); }
};

// Reduces an angle up to easy_limit. The second part of pi/2 has 33 bits, so its multiples up to the limit are exact,
// and so is every step up to the last. `turn` is added to the quadrant.
GPO_FN angle<double> reduce_angle(double x, double turn) {
  const rounded<double> n = round_product(x, trig_data<double>::two_over_pi, turn);
  const double r1 = fma(n.value, -0x1.921fb54442d18p+0, x);
  const double r = fma(n.value, -0x1.1a626331p-54, r1);
  const double r_lo = fma(n.value, -0x1.1a626331p-54, r1 - r);
  return {r, fma(n.value, -0x1.1701b839a252p-88, r_lo), n.bits};
}
// float is too short for that, so the product with the second part is a sum of two. All parts are positive: n = +0 must
// not cancel the sign of x = -0.
GPO_FN angle<float> reduce_angle(float x, float turn) {
  const rounded<float> n = round_product(x, trig_data<float>::two_over_pi, turn);
  const float r1 = fma(n.value, -0x1.921fb4p+0f, x);
  const float p = n.value * 0x1.4442d2p-24f;
  const float p_lo = fma(n.value, 0x1.4442d2p-24f, -p);
  const float r = r1 - p;
  const float r_lo = ((r1 - r) - p) - p_lo;
  return {r, fma(n.value, 0x1.ee59dap-50f, r_lo), n.bits};
}

// The product carries the sign of the angle's zero; with r_lo = +0 the sum would lose it.
template <class T>
GPO_FN T sin_of(const angle<T> &a, T s) {
  const T y = a.r + fma(a.r * s, trig_data<T>::sin_tail(s), a.r_lo);
  return from_bits(uint_of<T>(to_bits(y) | (to_bits(a.r) & fp<T>::sign)));
}
template <class T>
GPO_FN T cos_of(T s) {
  return fma(s, trig_data<T>::cos_tail(s), T(1));
}
// r^2. That of float, whose results may be wrong by one ULP only, includes r_lo.
GPO_FN double square_of(const angle<double> &a) { return a.r * a.r; }
GPO_FN float square_of(const angle<float> &a) { return fma(a.r, a.r, a.r * (a.r_lo + a.r_lo)); }

template <class T>
GPO_FN T sin_of_angle(const angle<T> &a) {
  using U = uint_of<T>;
  const T s = square_of(a);
  const T y = (a.quadrant & 1) ? cos_of(s) : sin_of(a, s);
  return from_bits(U(to_bits(y) ^ ((a.quadrant & 2) << (8 * sizeof(T) - 2))));
}

template <class T>
struct ratio {
  hi_lo<T> num, den;
};
// sin over cos, each in two parts, exchanged with a sign in odd quadrants.
GPO_FN ratio<double> tan_ratio(const angle<double> &a) {
  using D = trig_data<double>;
  const double s = a.r * a.r;
  const double s_lo = fma(a.r, a.r, -s);
  const hi_lo<double> sine = fast_two_sum(a.r, fma(a.r * s, D::sin_tail(s), a.r_lo));
  const hi_lo<double> cosine = fast_two_sum(1.0, fma(s, D::cos_tail(s), fma(s_lo, -0.5, -(a.r * a.r_lo))));
  const bool odd = (a.quadrant & 1) != 0;
  return {{odd ? -cosine.hi : sine.hi, odd ? -cosine.lo : sine.lo},
          {odd ? sine.hi : cosine.hi, odd ? sine.lo : cosine.lo}};
}
GPO_FN double tan_of(const angle<double> &a) {
  const ratio<double> tangent = tan_ratio(a);
  const double y = divide_sums(tangent.num, tangent.den);
  return a.r == 0.0 ? a.r : y;  // only the zero angle leaves no remainder
}

#if defined(__CUDA_ARCH__)
GPO_FN u64 multiply_high(u64 a, u64 b) { return __umul64hi(a, b); }
GPO_FN int leading_zeros(u64 x) { return __clzll(i64(x)); }
#else
GPO_FN u64 multiply_high(u64 a, u64 b) {
  __extension__ typedef unsigned __int128 u128;
  return u64((u128(a) * b) >> 64);
}
GPO_FN int leading_zeros(u64 x) { return x ? __builtin_clzll(x) : 64; }
#endif

// Reduces any finite |x| >= 1. In units of pi/2, x modulo 4 is the fraction of significand * (2/pi * 2^(exponent - 2)):
// three words of 2/pi, so that at least 60 good bits remain under the longest run of zeros a double can meet.
GPO_SLOW angle<double> reduce_huge_angle(double x, u64 turn) {
  static constexpr u64 two_over_pi[] = {0,
                                        0xa2f9836e4e441529u,
                                        0xfc2757d1f534ddc0u,
                                        0xdb6295993c439041u,
                                        0xfe5163abdebbc561u,
                                        0xb7246e3a424dd2e0u,
                                        0x06492eea09d1921cu,
                                        0xfe1deb1cb129a73eu,
                                        0xe88235f52ebb4484u,
                                        0xe99c7026b45f7e41u,
                                        0x3991d639835339f4u,
                                        0x9c845f8bbdf9283bu,
                                        0x1ff897ffde05980fu,
                                        0xef2f118b5a0a6d1fu,
                                        0x6d367ecf27cb09b7u,
                                        0x4f463f669e5fea2du,
                                        0x7527bac7ebe5f17bu,
                                        0x3d0739f78a5292eau,
                                        0x6bfb5fb11f8d5d08u,
                                        0x56033046fc7b6babu,
                                        0xf0cfbc209af4361du};
  const u64 bits = to_bits(abs(x));
  const u64 significand = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  const int start = int(bits >> 52) - 1075 - 2 + 64;
  const int word = start / 64, shift = start % 64;
  u64 w[3];
  for (int i = 0; i < 3; ++i) {
    w[i] = two_over_pi[word + i] << shift;
    if (shift) w[i] |= two_over_pi[word + i + 1] >> (64 - shift);
  }
  const u64 p2 = significand * w[2];
  const u64 low = significand * w[1], carry_in = multiply_high(significand, w[2]);
  const u64 p1 = low + carry_in;
  const u64 p0 = significand * w[0] + multiply_high(significand, w[1]) + u64(p1 < low);
  u64 quadrant = p0 >> 62;
  u64 hi = (p0 << 2) | (p1 >> 62), lo = (p1 << 2) | (p2 >> 62);
  const bool past_half = (hi >> 63) != 0;
  if (past_half) quadrant += 1, hi = ~hi, lo = ~lo;
  const int zeros = leading_zeros(hi);
  if (zeros) hi = (hi << zeros) | (lo >> (64 - zeros)), lo <<= zeros;
  const double unit = from_bits(u64(1023 - 53 - zeros) << 52);
  const double a = double(i64(hi >> 11)) * unit;
  const double b = double(i64(((hi & 0x7ff) << 42) | (lo >> 22))) * (unit * 0x1p-53);
  using D = trig_data<double>;
  const double main = a * D::pi_half;
  const double small = fma(a, D::pi_half, -main) + fma(a, D::pi_half_lo, b * D::pi_half);
  const double r = main + small, r_lo = (main - r) + small;
  const bool negative = past_half != (x < 0);
  return {negative ? -r : r, negative ? -r_lo : r_lo, turn + (x < 0 ? u64(0) - quadrant : quadrant)};
}

template <class T>
GPO_FN bool angle_is_hard(T x) {
  return abs(x) > trig_data<T>::easy_limit;
}

template <class T>
GPO_FN T sin_easy(T x) {
  return sin_of_angle(reduce_angle(x, T(0)));
}
template <class T>
GPO_FN T cos_easy(T x) {
  return sin_of_angle(reduce_angle(x, T(1)));
}
GPO_FN double tan_easy(double x) { return tan_of(reduce_angle(x, 0.0)); }
GPO_FN float tan_easy(float x) { return float(tan_easy(double(x))); }

GPO_SLOW double sin_hard(double x) { return isfinite(x) ? sin_of_angle(reduce_huge_angle(x, 0)) : nan<double>(); }
GPO_SLOW double cos_hard(double x) { return isfinite(x) ? sin_of_angle(reduce_huge_angle(x, 1)) : nan<double>(); }
GPO_SLOW double tan_hard(double x) { return isfinite(x) ? tan_of(reduce_huge_angle(x, 0)) : nan<double>(); }
GPO_SLOW float sin_hard(float x) { return float(sin_hard(double(x))); }
GPO_SLOW float cos_hard(float x) { return float(cos_hard(double(x))); }
GPO_SLOW float tan_hard(float x) { return float(tan_hard(double(x))); }

// For other functions here, which do not take the two paths apart.
GPO_FN double sin(double x) { return angle_is_hard(x) ? sin_hard(x) : sin_easy(x); }
GPO_FN double cos(double x) { return angle_is_hard(x) ? cos_hard(x) : cos_easy(x); }
GPO_FN double tan(double x) { return angle_is_hard(x) ? tan_hard(x) : tan_easy(x); }

// sin(pi x) / (pi x). Counting quarter turns keeps the argument reduction exact, so integers give exact zeros.
GPO_FN double sinc(double x) {
  using D = trig_data<double>;
  const double n = rint(x + x);
  const double turn = fma(n, -0.5, x);
  const double quadrant = fma(floor(0.25 * n), -4.0, n);
  const bool odd = (quadrant == 1.0) | (quadrant == 3.0);
  constexpr double pi = 2 * D::pi_half, pi_lo = 2 * D::pi_half_lo;
  const double r = turn * pi;
  const double r_lo = fma(turn, pi, -r) + turn * pi_lo;
  const ratio<double> tangent = tan_ratio({r, r_lo, u64(0)});
  const hi_lo<double> num = {odd ? tangent.den.hi : tangent.num.hi, odd ? tangent.den.lo : tangent.num.lo};
  const double den = x * pi;
  const double y = divide_sums(num, {den, fma(x, pi, -den) + x * pi_lo});
  const double signed_y = quadrant >= 2.0 ? -y : y;
  const bool integer = abs(x) >= 0x1p52;
  const bool at_integer = ((turn == 0.0) & !odd) | integer;
  const double y_or_zero = at_integer ? abs(x) * 0.0 : signed_y;  // NaN for infinity
  return abs(x) < 0x1p-28 ? 1.0 : y_or_zero;
}
GPO_FN float sinc(float x) { return float(sinc(double(x))); }

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_TRIG_H_
