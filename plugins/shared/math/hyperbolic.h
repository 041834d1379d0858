// plugins/shared/math/hyperbolic.h -- sinh, cosh, tanh and their inverses; coefficients from gen/hyperbolic.sollya
#ifndef GPUOPT_PLUGINS_SHARED_MATH_HYPERBOLIC_H_
#define GPUOPT_PLUGINS_SHARED_MATH_HYPERBOLIC_H_

#include "plugins/shared/math/exp.h"
#include "plugins/shared/math/log.h"
#include "plugins/shared/math/poly.h"

namespace gpo {
namespace math {

template <class T>
struct hyperbolic_data;

template <>
struct hyperbolic_data<double> {
  static constexpr double overflow = 0x1.633ce8fb9f87dp+9;  // the largest x whose sinh and cosh are finite
  static constexpr double tanh_one = 20;
  // (sinh r - r) / r^3 and (cosh r - 1 - r^2/2) / r^4, in s = r^2
  GPO_FN static double sinh_tail(double s) {
    return poly(s, 0x1.5555555555559p-3, 0x1.111111110f652p-7, 0x1.a01a01b0053f1p-13, 0x1.71ddf80a073e6p-19,
                0x1.af5f36d38b2p-26);
  }
  GPO_FN static double cosh_tail(double s) {
    return poly(s, 0x1.55555555531c8p-5, 0x1.6c16c17cd87bfp-10, 0x1.a019aae7283bap-16, 0x1.289fd2d25632bp-22);
  }
};

template <>
struct hyperbolic_data<float> {
  static constexpr float overflow = 0x1.65a9f8p+6f;
  static constexpr float tanh_one = 9.5f;
  GPO_FN static float sinh_tail(float s) { return poly(s, 0x1.555556p-3f, 0x1.110fe2p-7f, 0x1.a28f3ep-13f); }
  GPO_FN static float cosh_tail(float s) { return poly(s, 0x1.5554e6p-5f, 0x1.6d4f0cp-10f); }
};

// With x = n log(2) + r:  sinh x = minus cosh r + plus sinh r  and  cosh x = plus cosh r + minus sinh r,
// where plus, minus = (2^n +- 2^-n) / 2 in two parts each, sinh r = r + sinh_small, cosh r = 1 + cosh_small. Both are
// held at half their size because 2^n / 2 alone may overflow.
template <class T>
struct hyperbolic_parts {
  hi_lo<T> plus, minus;
  T r, sinh_small, cosh_small;
};
template <class T>
GPO_FN hyperbolic_parts<T> reduce_hyperbolic(T x) {
  using D = hyperbolic_data<T>;
  using U = uint_of<T>;
  constexpr int m = fp<T>::mantissa;
  const exp_reduced<T> e = reduce_exp(x, T(fp<T>::bias - 2));
  const T up = from_bits(U(e.n.bits << m));
  // Beyond n = 64 the falling exponential is lost in rounding, and its exponent would leave the format.
  const U down_field = e.n.value < T(64) ? U(2 * fp<T>::bias - 4) - e.n.bits : U(0);
  const T down = from_bits(U(down_field << m));
  const T s = e.r * e.r;
  return {fast_two_sum(up, down), fast_two_sum(up, -down), e.r_hi, fma(e.r * s, D::sinh_tail(s), e.r_lo),
          fma(s * s, D::cosh_tail(s), T(0.5) * s)};
}
// 2 (a (1 + even) + b (r + odd))
template <class T>
GPO_FN T hyperbolic_sum(hi_lo<T> a, hi_lo<T> b, T even, T r, T odd) {
  const T hi = fma(b.hi, r, a.hi);
  const T hi_error = fma(b.hi, r, a.hi - hi);
  return T(2) * (hi + (fma(a.hi, even, b.hi * odd) + fma(b.lo, r, hi_error + a.lo)));
}

template <class T>
GPO_FN T sinh(T x) {
  const T ax = abs(x);
  const hyperbolic_parts<T> p = reduce_hyperbolic(ax);
  const T y = hyperbolic_sum(p.minus, p.plus, p.cosh_small, p.r, p.sinh_small);
  const T bounded = ax > hyperbolic_data<T>::overflow ? inf<T>() : y;
  return ax < exp_data<T>::tiny ? x : copysign(bounded, x);
}
template <class T>
GPO_FN T cosh(T x) {
  const T ax = abs(x);
  const hyperbolic_parts<T> p = reduce_hyperbolic(ax);
  const T y = hyperbolic_sum(p.plus, p.minus, p.cosh_small, p.r, p.sinh_small);
  return ax > hyperbolic_data<T>::overflow ? inf<T>() : y;
}

// e / (e + 2) with e = expm1(2 |x|) in two parts. For large x 2^n - 1 is rounded, which does not affect the quotient.
template <class T>
GPO_FN T tanh(T x) {
  const T ax = abs(x);
  const exp_reduced<T> r = reduce_exp(ax + ax, T(fp<T>::bias));
  const T scale = from_bits(uint_of<T>(r.n.bits << fp<T>::mantissa));
  const T tail = fma(r.r * r.r, exp_data<T>::expm1_tail(r.r), r.r_lo);
  const hi_lo<T> e = fast_two_sum(fma(scale, r.r_hi, scale - T(1)), scale * tail);
  const hi_lo<T> den = two_sum(e.hi, T(2));
  const T y = divide_sums(e, {den.hi, den.lo + e.lo});
  return copysign(ax > hyperbolic_data<T>::tanh_one ? T(1) : y, x);
}

// sqrt(a) for a sum a.hi > 0.
GPO_FN hi_lo<double> sqrt_sum(hi_lo<double> a) {
  const double s = gpo::sqrt(a.hi);
  const double rest = fma(-s, s, a.hi) + a.lo;
  return {s, a.hi > 0.0 ? rest / (s + s) : 0.0};
}

// log1p of x + (sqrt(x^2 + 1) - 1), the sum kept in two parts. From 2^60 on the root is x itself and 2 x is taken apart
// into log(2) + log(x).
GPO_FN double asinh(double x) {
  const double ax = abs(x) < inf<double>() ? abs(x) : 0.0, special = abs(x) < inf<double>() ? 0.0 : x;
  const bool big = ax >= 0x1p60;
  const hi_lo<double> square = two_product(ax, ax);
  const hi_lo<double> sum = two_sum(square.hi, 1.0);
  const hi_lo<double> root = sqrt_sum({sum.hi, sum.lo + square.lo});
  const hi_lo<double> t = two_sum(ax, root.hi - 1.0);
  const double y = log1p_sum({big ? ax : t.hi, big ? 0.0 : t.lo + root.lo}, big ? 1.0 : 0.0, abs(special));
  return abs(x) < 0x1p-28 ? x : copysign(y, x);
}
// log1p of (x - 1) + sqrt(x^2 - 1)
GPO_FN double acosh(double x) {
  const double finite = x < inf<double>() ? x : 1.0, special = x < inf<double>() ? 0.0 : x;
  const bool big = finite >= 0x1p60;
  const hi_lo<double> square = two_product(finite, finite);
  const hi_lo<double> difference = two_sum(square.hi, -1.0);
  const hi_lo<double> root = sqrt_sum({difference.hi, difference.lo + square.lo});
  const hi_lo<double> less_one = two_sum(finite, -1.0);
  const hi_lo<double> t = two_sum(less_one.hi, root.hi);
  const double t_lo = t.lo + (less_one.lo + root.lo);
  const double y = log1p_sum({big ? finite : t.hi, big ? 0.0 : t_lo}, big ? 1.0 : 0.0, special);
  return x < 1.0 ? nan<double>() : y;
}
// log1p(2 x / (1 - x)) / 2
GPO_FN double atanh(double x) {
  const double ax = abs(x);
  const hi_lo<double> den = fast_two_sum(1.0, -ax);
  const double q = (ax + ax) / den.hi;
  const double q_lo = (fma(-q, den.hi, ax + ax) - q * den.lo) / den.hi;
  const double y = 0.5 * log1p_sum({q, ax < 1.0 ? q_lo : 0.0}, 0.0, 0.0);
  const double in_range = ax < 1.0 ? y : inf<double>();
  const double result = ax <= 1.0 ? in_range : nan<double>();
  return ax < 0x1p-28 ? x : copysign(result, x);
}
GPO_FN float asinh(float x) { return float(asinh(double(x))); }
GPO_FN float acosh(float x) { return float(acosh(double(x))); }
GPO_FN float atanh(float x) { return float(atanh(double(x))); }

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_HYPERBOLIC_H_
