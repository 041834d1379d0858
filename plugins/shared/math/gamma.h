// plugins/shared/math/gamma.h -- gamma and lgamma in double-double; constants from gen/gamma.py. float goes through
// double.
#ifndef GPUOPT_PLUGINS_SHARED_MATH_GAMMA_H_
#define GPUOPT_PLUGINS_SHARED_MATH_GAMMA_H_

#include "plugins/shared/math/double_double.h"
#include "plugins/shared/math/trig.h"

namespace gpo {
namespace math {

// gamma(x) = exp(log_part) / product
struct gamma_parts {
  double_double log_part, product;
};
// x is at least 13, for Stirling's series.
GPO_FN gamma_parts stirling_gamma(double_double x, double_double product) {
  const double inverse = 1.0 / x.hi;
  const double series =
      inverse * poly(inverse * inverse, 0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11,
                     -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8,
                     -0x1.e4286cb0f5398p-6, 0x1.6fe96381e068p-3, -0x1.6476701181f3ap+0);
  const double_double log_x = add(log_accurate(x.hi), x.lo * inverse);
  // (x - 1/2) (log x - 1) - 1/2 + log(2 pi)/2, an order that cannot overflow before the result does.
  const double_double main = multiply(add(x, -0.5), add(log_x, -1.0));
  constexpr double_double half_log_2pi_less_half = {0x1.acfe390c97d69p-2, 0x1.3494bc9001442p-56};
  return {add(main, add(half_log_2pi_less_half, series)), product};
}
// For x > 0: the recurrence up to 13, then Stirling's series.
GPO_SLOW gamma_parts positive_gamma(double_double x) {
  double_double product = {1.0, 0.0};
  while (x.hi < 13.0) {
    product = multiply(product, x);
    x = add(x, 1.0);
  }
  return stirling_gamma(x, product);
}
// The same without branches, for loops that vectorize: `left` more steps of the recurrence, where they are needed.
template <int left = 13>
GPO_FN gamma_parts positive_gamma_easy(double_double x, double_double product = {1.0, 0.0}) {
  if constexpr (left == 0) {
    return stirling_gamma(x, product);
  } else {
    const bool small = x.hi < 13.0;
    const double_double more = multiply(product, x), next = add(x, 1.0);
    return positive_gamma_easy<left - 1>({small ? next.hi : x.hi, small ? next.lo : x.lo},
                                         {small ? more.hi : product.hi, small ? more.lo : product.lo});
  }
}

// |sin(pi x)| for a non-integer x.
GPO_FN double_double abs_sin_pi(double x) {
  using D = trig_data<double>;
  const double r = abs(x - rint(x));
  const double u = r > 0.25 ? 0.5 - r : r;
  const double_double a = multiply(double_double{2.0 * D::pi_half, 2.0 * D::pi_half_lo}, u);
  const sine_cosine s = sin_cos_accurate(a);
  return r > 0.25 ? s.cosine : s.sine;
}
// Whether gamma is negative between the integers around x < 0.
GPO_FN bool gamma_is_negative(double x) {
  const double half_floor = 0.5 * floor(x);
  return floor(half_floor) != half_floor;
}

// pi / (|sin(pi x)| gamma(1 - x)) for a non-integer x in [-184, 0]
GPO_SLOW double abs_gamma_reflected(double x) {
  const gamma_parts g = positive_gamma(two_sum(1.0, -x));
  const scaled_exp e = exp_accurate(negate(g.log_part));
  const double_double pi = {2.0 * trig_data<double>::pi_half, 2.0 * trig_data<double>::pi_half_lo};
  return e.scale.times(divide_sums(multiply(multiply(e.value, pi), g.product), abs_sin_pi(x)));
}

GPO_SLOW double gamma(double x) {
  if (abs(x) < 0x1p-60) return 1.0 / x;
  if (x > 171.7) return x + inf<double>();
  if (x > 0.0) {
    const gamma_parts g = positive_gamma({x, 0.0});
    const scaled_exp e = exp_accurate(g.log_part);
    return e.scale.times(divide_sums(e.value, g.product));
  }
  if (!(floor(x) != x)) return nan<double>();  // negative integers, -infinity, NaN
  const double size = x < -184.0 ? 0.0 : abs_gamma_reflected(x);
  return gamma_is_negative(x) ? -size : size;
}

// gamma_easy() is right for x from 2^-60 to the largest one whose gamma is finite; gamma_is_hard() is true for others.
GPO_FN bool gamma_is_hard(double x) { return !((x >= 0x1p-60) & (x <= 171.7)); }
GPO_FN double gamma_easy(double x) {
  const gamma_parts g = positive_gamma_easy({x, 0.0});
  const scaled_exp e = exp_accurate(g.log_part);
  return e.scale.times(divide_sums(e.value, g.product));
}

// log(x) for a positive double-double.
GPO_FN double_double log_of_sum(double_double x) { return add(log_accurate(x.hi), x.lo / x.hi); }

// Taylor's series around the zeros at 1 and 2, for |e| <= 1/16.
GPO_FN double lgamma_near_one(double e) {
  const double p = poly(e, 0x1.6cb90701fbfabp-58, 0x1.a51a6625307d3p-1, -0x1.9a4d55beab2d7p-2, 0x1.151322ac7d848p-2,
                        -0x1.a8b9c17aa6149p-3, 0x1.5b40cb100c306p-3, -0x1.2703a1dcea3aep-3, 0x1.010b36af86397p-3,
                        -0x1.c806706d57db4p-4, 0x1.9a01e385d5f8fp-4, -0x1.748c33114c6d6p-4, 0x1.556ad63243bc4p-4,
                        -0x1.3b1d971fc5985p-4, 0x1.2496df8320c5fp-4, -0x1.11133476e7fep-4);
  return fma(e, -0x1.2788cfc6fb619p-1, e * p);
}
GPO_FN double lgamma_near_two(double e) {
  const double p = poly(e, 0x1.6cb90701fbfabp-58, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a557607p-4, 0x1.51322ac7d8483p-6,
                        -0x1.e404fc218f5f2p-8, 0x1.7add6eadb6c3p-9, -0x1.38ac5c2bf8e08p-10, 0x1.0b36af86396e9p-11,
                        -0x1.d3fd4c76d2fc8p-13, 0x1.a127b0f17d65ap-14, -0x1.78de5bd7c81efp-15);
  return fma(e, 0x1.b0ee6072093cep-2, e * p);
}

// Near its zeros between the negative integers lgamma has a small absolute, not relative, error.
GPO_SLOW double lgamma(double x) {
  if (!(abs(x) < inf<double>())) return abs(x);
  if (x <= 0.0 && floor(x) == x) return inf<double>();
  if (abs(x) < 0x1p-60) return -log(abs(x));
  if (abs(x - 1.0) <= 0.0625) return lgamma_near_one(x - 1.0);
  if (abs(x - 2.0) <= 0.0625) return lgamma_near_two(x - 2.0);
  if (x > 0x1.754d9278b51a7p+1014) return inf<double>();
  const gamma_parts g = positive_gamma(x > 0.0 ? double_double{x, 0.0} : two_sum(1.0, -x));
  const double_double positive = add(g.log_part, negate(log_of_sum(g.product)));
  if (x > 0.0) return positive.hi + positive.lo;
  constexpr double_double log_pi = {0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57};
  const double_double reflected = add(add(log_pi, negate(log_of_sum(abs_sin_pi(x)))), negate(positive));
  return reflected.hi + reflected.lo;
}

// lgamma_easy() is right for x from 2^-60 to 2^1000; lgamma_is_hard() is true for others.
GPO_FN bool lgamma_is_hard(double x) { return !((x >= 0x1p-60) & (x <= 0x1p1000)); }
GPO_FN double lgamma_easy(double x) {
  const gamma_parts g = positive_gamma_easy({x, 0.0});
  const double_double positive = add(g.log_part, negate(log_of_sum(g.product)));
  const double near_two = abs(x - 2.0) <= 0.0625 ? lgamma_near_two(x - 2.0) : positive.hi + positive.lo;
  return abs(x - 1.0) <= 0.0625 ? lgamma_near_one(x - 1.0) : near_two;
}

GPO_SLOW float gamma(float x) { return float(gamma(double(x))); }
GPO_SLOW float lgamma(float x) { return float(lgamma(double(x))); }
GPO_FN bool gamma_is_hard(float x) { return gamma_is_hard(double(x)); }
GPO_FN bool lgamma_is_hard(float x) { return lgamma_is_hard(double(x)); }
GPO_FN float gamma_easy(float x) { return float(gamma_easy(double(x))); }
GPO_FN float lgamma_easy(float x) { return float(lgamma_easy(double(x))); }

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_GAMMA_H_
