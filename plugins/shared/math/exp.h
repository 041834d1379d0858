// plugins/shared/math/exp.h -- exp, exp2 and expm1 for float and double; coefficients from gen/exp.sollya
//
// x = n log(2) + r with |r| <= log(2)/2, and 2^n times a polynomial in r.
#ifndef GPUOPT_PLUGINS_SHARED_MATH_EXP_H_
#define GPUOPT_PLUGINS_SHARED_MATH_EXP_H_

#include "plugins/shared/math/poly.h"

namespace gpo {
namespace math {

template <class T>
struct exp_data;

template <>
struct exp_data<double> {
  static constexpr double log2e = 0x1.71547652b82fep+0, ln2_hi = 0x1.62e42fefa39efp-1, ln2_lo = 0x1.abc9e3b39803fp-56;
  static constexpr double overflow = 709.79, underflow = -745.14, overflow2 = 1024, underflow2 = -1075;
  static constexpr double tiny = 0x1p-54, minus_one = -37.5;
  // (exp(r) - 1 - r) / r^2 with an error relative to exp(r)
  GPO_FN static double exp_tail(double r) {
    return poly(r, 0x1.000000000000ap-1, 0x1.55555555554fep-3, 0x1.55555555506bcp-5, 0x1.1111111126b36p-7,
                0x1.6c16c18477083p-10, 0x1.a01a012fee99cp-13, 0x1.a019995efb00fp-16, 0x1.71df18ef76144p-19,
                0x1.28adfccb26cd8p-22, 0x1.ad92e899366cbp-26);
  }
  // the same with an error relative to expm1(r)
  GPO_FN static double expm1_tail(double r) {
    return poly(r, 0.5, 0x1.5555555555559p-3, 0x1.555555555554dp-5, 0x1.111111110f659p-7, 0x1.6c16c16c1aaf7p-10,
                0x1.a01a01b00095bp-13, 0x1.a01a018e1147ap-16, 0x1.71ddf8195f32ap-19, 0x1.27e513387dfb3p-22,
                0x1.af5f1700d44d8p-26, 0x1.1f1a2f03f0741p-29);
  }
  // (2^r - 1) / r
  GPO_FN static double exp2_tail(double r) {
    return poly(r, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c5a6p-3, 0x1.c6b08d704a12cp-5, 0x1.3b2ab6fb9fda6p-7,
                0x1.5d87fe789e96fp-10, 0x1.4309130f6cbdbp-13, 0x1.ffcbfc6685f06p-17, 0x1.62bfc6596be12p-20,
                0x1.b52522bc15f8fp-24, 0x1.e61d43321746dp-28, 0x1.e973179a994acp-32);
  }
};

template <>
struct exp_data<float> {
  static constexpr float log2e = 0x1.715476p+0f, ln2_hi = 0x1.62e430p-1f, ln2_lo = -0x1.05c610p-29f;
  static constexpr float overflow = 88.73f, underflow = -103.98f, overflow2 = 128, underflow2 = -150;
  static constexpr float tiny = 0x1p-25f, minus_one = -17.4f;
  GPO_FN static float exp_tail(float r) {
    return poly(r, 0x1.fffffap-2f, 0x1.555492p-3f, 0x1.555a26p-5f, 0x1.12397ep-7f, 0x1.694c8ep-10f);
  }
  GPO_FN static float expm1_tail(float r) {
    return poly(r, 0.5f, 0x1.555554p-3f, 0x1.5554fp-5f, 0x1.111306p-7f, 0x1.6d4368p-10f, 0x1.9e0bfp-13f);
  }
  GPO_FN static float exp2_tail(float r) {
    return poly(r, 0x1.62e43p-1f, 0x1.ebfbd8p-3f, 0x1.c6af76p-5f, 0x1.3b30ap-7f, 0x1.5f0b82p-10f, 0x1.3fa206p-13f);
  }
};

// x - n log(2) in two parts whose sum keeps more bits than one: the first is exact.
template <class T>
struct exp_reduced {
  rounded<T> n;
  T r_hi, r_lo, r;
};
template <class T>
GPO_FN exp_reduced<T> reduce_exp(T x, T bias) {
  using D = exp_data<T>;
  const rounded<T> n = round_product(x, D::log2e, bias);
  const T r_hi = fma(n.value, -D::ln2_hi, x);
  const T r_lo = n.value * -D::ln2_lo;
  return {n, r_hi, r_lo, r_hi + r_lo};
}

template <class T>
GPO_FN T exp(T x) {
  using D = exp_data<T>;
  const exp_reduced<T> e = reduce_exp(x, T(2 * fp<T>::bias));
  const T p = fma(e.r * e.r, D::exp_tail(e.r), e.r_lo) + e.r_hi + T(1);
  const T y = exp2_of_biased<T>(e.n.bits).times(p);
  const T from_below = x < D::underflow ? T(0) : y;
  return x > D::overflow ? inf<T>() : from_below;
}

template <class T>
GPO_FN T exp2(T x) {
  using D = exp_data<T>;
  const rounded<T> n = round_product(x, T(1), T(2 * fp<T>::bias));
  const T r = x - n.value;
  const T y = exp2_of_biased<T>(n.bits).times(fma(r, D::exp2_tail(r), T(1)));
  const T from_below = x < D::underflow2 ? T(0) : y;
  return x >= D::overflow2 ? inf<T>() : from_below;
}

// scale - 1 + scale (r + tail) with scale = 2^n; rounding errors of sums of large terms are added. It is computed at
// half its size, because 2^n alone may overflow.
template <class T>
GPO_FN T expm1(T x) {
  using D = exp_data<T>;
  const exp_reduced<T> e = reduce_exp(x, T(fp<T>::bias - 1));
  const T scale = from_bits(uint_of<T>(e.n.bits << fp<T>::mantissa));
  const T tail = fma(e.r * e.r, D::expm1_tail(e.r), e.r_lo);
  const T base = scale - T(0.5), base_lo = (scale - base) - T(0.5);
  const T hi = fma(scale, e.r_hi, base);
  const T hi_error = fma(scale, e.r_hi, base - hi);
  const T y = T(2) * (hi + (hi_error + fma(scale, tail, base_lo)));
  const T near_zero = abs(x) < D::tiny ? x : y;
  const T from_below = x < D::minus_one ? T(-1) : near_zero;
  return x > D::overflow ? inf<T>() : from_below;
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_EXP_H_
