// plugins/shared/math/double_double.h -- arithmetic, log and exp with some 2^-66 of relative error, for pow, erfc and
// gamma
//
// A number is the unevaluated sum hi_lo<double>; Joldes, Muller and Popescu (2017) bound the errors of these
// algorithms. Coefficients from gen/double_double.sollya.
#ifndef GPUOPT_PLUGINS_SHARED_MATH_DOUBLE_DOUBLE_H_
#define GPUOPT_PLUGINS_SHARED_MATH_DOUBLE_DOUBLE_H_

#include "plugins/shared/math/exp.h"
#include "plugins/shared/math/log.h"
#include "plugins/shared/math/poly.h"

namespace gpo {
namespace math {

using double_double = hi_lo<double>;

GPO_FN double_double add(double_double a, double_double b) {
  const double_double s = two_sum(a.hi, b.hi);
  return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}
GPO_FN double_double add(double_double a, double b) {
  const double_double s = two_sum(a.hi, b);
  return fast_two_sum(s.hi, s.lo + a.lo);
}
GPO_FN double_double negate(double_double a) { return {-a.hi, -a.lo}; }
GPO_FN double_double multiply(double_double a, double_double b) {
  const double_double p = two_product(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + fma(a.hi, b.lo, a.lo * b.hi));
}
GPO_FN double_double multiply(double_double a, double b) {
  const double_double p = two_product(a.hi, b);
  return fast_two_sum(p.hi, fma(a.lo, b, p.lo));
}
GPO_FN double_double divide(double_double a, double_double b) {
  const double inverse = 1.0 / b.hi;
  const double q = a.hi * inverse;
  const double rest = fma(-q, b.lo, fma(-q, b.hi, a.hi) + a.lo);
  return fast_two_sum(q, rest * inverse);
}

// k log(2) + log(1 + f) for 1 + f between sqrt(1/2) and sqrt(2): 2 atanh(s), s = f / (2 + f). The first two
// coefficients of the series are double-double; the others need not be. It comes in steps, because loops of the CPU
// take several vectors through one before the next (plugins/cpu/levels/power_loop.h).
GPO_FN double_double log_ratio(double_double f) {
  const double_double den = fast_two_sum(2.0, f.hi);
  return divide(f, {den.hi, den.lo + f.lo});
}
// The sum from the coefficient of s^5 on, for z = s^2.
GPO_FN double log_series_rest(double z) {
  const double tail = poly(z, 0x1.249249249249bp-2, 0x1.c71c71c713391p-3, 0x1.745d175748c0ap-3, 0x1.3b13a416d7829p-3,
                           0x1.1115ddd3798bep-3, 0x1.e012496d5227cp-4, 0x1.da57960fd3128p-4);
  return fma(z, tail, -0x1.999999999999ap-56) + 0x1.999999999999ap-2;
}
// 2 atanh(s) for z = s^2; the low part is not yet small beside the high one's last bit.
GPO_FN double_double log_series(double_double s, double_double z, double rest) {
  const double_double third =
      fast_two_sum(0x1.5555555555555p-1, fma(z.hi, rest, fma(z.lo, 0x1.999999999999ap-2, 0x1.5555555555555p-55)));
  const double_double cubic = multiply(s, multiply(z, third));
  const double_double series = fast_two_sum(s.hi + s.hi, cubic.hi);
  return {series.hi, series.lo + (cubic.lo + (s.lo + s.lo))};
}
GPO_FN double_double log_total(double k, double_double series) {
  // The leading 42 bits of log(2) make k log(2) exact.
  const double_double sum = two_sum(k * 0x1.62e42fefa38p-1, series.hi);
  return fast_two_sum(sum.hi, sum.lo + fma(k, 0x1.ef35793c7673p-45, series.lo));
}
GPO_FN double_double log_sum_accurate(double k, double_double f) {
  const double_double s = log_ratio(f), z = multiply(s, s);
  return log_total(k, log_series(s, z, log_series_rest(z.hi)));
}
// log(x) for a finite x > 0.
GPO_FN double_double log_accurate(double x) {
  const log_reduced<double> r = reduce_log(x);
  return log_sum_accurate(r.k, {r.f, 0.0});
}

// exp(x.hi + x.lo), rounded once; |x.lo| must be small beside 1. Saturates like exp.
GPO_FN double exp_of_sum(double_double x) {
  using D = exp_data<double>;
  const exp_reduced<double> e = reduce_exp(x.hi, 2.0 * 1023);
  const double r_lo = e.r_lo + x.lo;
  const double r = e.r_hi + r_lo;
  const double p = fma(r * r, D::exp_tail(r), r_lo) + e.r_hi + 1.0;
  const double y = exp2_of_biased<double>(e.n.bits).times(p);
  const double from_below = x.hi < D::underflow ? 0.0 : y;
  return x.hi > D::overflow ? inf<double>() : from_below;
}

// exp(x) as a double-double in [0.7, 1.5] and a power of two, for |x.hi| < 1400.
struct scaled_exp {
  double_double value;
  two_factors<double> scale;
  double n;  // the power's exponent
};
GPO_FN scaled_exp exp_accurate(double_double x) {
  const exp_reduced<double> e = reduce_exp(x.hi, 2.0 * 1023);
  const double r_lo = e.r_lo + x.lo, r = e.r_hi + r_lo;
  const double_double one_plus_r = fast_two_sum(1.0, e.r_hi);
  const double tail = fma(r * r, exp_data<double>::expm1_tail(r), r_lo);
  return {fast_two_sum(one_plus_r.hi, one_plus_r.lo + tail), exp2_of_biased<double>(e.n.bits), e.n.value};
}

// sin and cos of |r| <= pi/4, by all terms of Taylor's series that matter at 2^-66.
struct sine_cosine {
  double_double sine, cosine;
};
GPO_FN sine_cosine sin_cos_accurate(double_double r) {
  const double_double z = multiply(r, r);
  const double sine_tail = poly(z.hi, -0x1.a01a01a01a01ap-13, 0x1.71de3a556c734p-19, -0x1.ae64567f544e4p-26,
                                0x1.6124613a86d09p-33, -0x1.ae7f3e733b81fp-41, 0x1.952c77030ad4ap-49);
  const double_double fifth = fast_two_sum(0x1.1111111111111p-7, fma(z.hi, sine_tail, 0x1.1111111111111p-63));
  const double_double third = add(multiply(z, fifth), double_double{-0x1.5555555555555p-3, -0x1.5555555555555p-57});
  const double cosine_tail = poly(z.hi, 0x1.a01a01a01a01ap-16, -0x1.27e4fb7789f5cp-22, 0x1.1eed8eff8d898p-29,
                                  -0x1.93974a8c07c9dp-37, 0x1.ae7f3e733b81fp-45, -0x1.6827863b97d97p-53);
  const double_double sixth = fast_two_sum(-0x1.6c16c16c16c17p-10, fma(z.hi, cosine_tail, 0x1.f49f49f49f49fp-65));
  const double_double fourth = add(multiply(z, sixth), double_double{0x1.5555555555555p-5, 0x1.5555555555555p-59});
  const double_double second = add(multiply(z, fourth), -0.5);
  return {add(r, multiply(r, multiply(z, third))), add(multiply(z, second), 1.0)};
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_DOUBLE_DOUBLE_H_
