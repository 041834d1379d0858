// plugins/shared/math/digamma.h -- the logarithmic derivative of gamma, in double-double; constants from
// gen/digamma.py. float goes through double.
#ifndef GPUOPT_PLUGINS_SHARED_MATH_DIGAMMA_H_
#define GPUOPT_PLUGINS_SHARED_MATH_DIGAMMA_H_

#include "plugins/shared/math/double_double.h"
#include "plugins/shared/math/trig.h"

namespace gpo {
namespace math {

// For x > 0: the recurrence digamma(x) = digamma(x + 1) - 1/x up to 13, then the asymptotic series in 1/x^2.
GPO_SLOW double_double positive_digamma(double_double x) {
  double_double below = {0.0, 0.0};
  while (x.hi < 13.0) {
    below = add(below, divide(double_double{1.0, 0.0}, x));
    x = add(x, 1.0);
  }
  const double inverse = 1.0 / x.hi, z = inverse * inverse;
  const double series =
      z * poly(z, -0x1.5555555555555p-4, 0x1.1111111111111p-7, -0x1.0410410410410p-8, 0x1.1111111111111p-8,
               -0x1.f07c1f07c1f08p-8, 0x1.5995995995996p-6, -0x1.5555555555555p-4, 0x1.c5e5e5e5e5e5ep-2,
               -0x1.86e7f9b9fe6e8p+1, 0x1.a74ca514ca515p+4, -0x1.1975cc0ed7304p+8);
  const double_double log_x = add(log_accurate(x.hi), x.lo * inverse);
  const double_double half = divide(double_double{-0.5, 0.0}, x);
  return add(add(log_x, add(half, series)), negate(below));
}

// Taylor's series around the positive zero, for |x - zero| <= 1/8.
GPO_FN double digamma_near_zero(double x) {
  constexpr double_double zero = {0x1.762d86356be3fp+0, 0x1.b86a722197829p-54};
  const double e = x - zero.hi;
  const double p = poly(e, -0x1.c563b54aa1a35p-2, 0x1.08b4294d50381p-2, -0x1.4fc1317257da8p-3, 0x1.b9a5b6370f3abp-4,
                        -0x1.27baba261cc2cp-4, 0x1.8fce02b239ca7p-5, -0x1.0fa7ec36a7d8fp-5, 0x1.723d6807edcc0p-6,
                        -0x1.f970508e1b6a2p-7, 0x1.5955caaa962f3p-7, -0x1.d828079282eb8p-8, 0x1.42e1acf81d8dcp-8,
                        -0x1.b9afc7cee8a14p-9, 0x1.2e23345f79aafp-9, -0x1.9d626f71d1f7ap-10, 0x1.1acebbd761089p-10);
  constexpr double slope = 0x1.ef72bc8ee38acp-1, slope_lo = -0x1.3879eb97bf58dp-55;
  return fma(e, slope, fma(e, slope_lo, e * (e * p)) - zero.lo * fma(2.0 * e, p, slope));
}

// pi cot(pi x) for an x that is no whole number.
GPO_FN double_double pi_cot_pi(double x) {
  using D = trig_data<double>;
  const double r = x - rint(x), size = abs(r);
  const bool beyond = size > 0.25;
  const double u = beyond ? 0.5 - size : size;
  const double_double pi = {2.0 * D::pi_half, 2.0 * D::pi_half_lo};
  const sine_cosine s = sin_cos_accurate(multiply(pi, u));
  const double_double cot = multiply(pi, beyond ? divide(s.sine, s.cosine) : divide(s.cosine, s.sine));
  return r < 0.0 ? negate(cot) : cot;
}

// Near its negative zeros digamma has a small absolute, not relative, error.
GPO_SLOW double digamma(double x) {
  if (abs(x) < 0x1p-60) return -1.0 / x;
  if (abs(x - 0x1.762d86356be3fp+0) <= 0.125) return digamma_near_zero(x);
  if (x > 0x1p100) return log(x);
  if (x > 0.0) return positive_digamma({x, 0.0}).hi;
  if (!(floor(x) != x)) return nan<double>();  // negative integers, -infinity, NaN
  return add(positive_digamma(two_sum(1.0, -x)), negate(pi_cot_pi(x))).hi;
}
GPO_SLOW float digamma(float x) { return float(digamma(double(x))); }

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_DIGAMMA_H_
