// plugins/shared/math/erf.h -- erf and erfc; coefficients from gen/erf.sollya. float goes through double.
#ifndef GPUOPT_PLUGINS_SHARED_MATH_ERF_H_
#define GPUOPT_PLUGINS_SHARED_MATH_ERF_H_

#include "plugins/shared/math/double_double.h"

namespace gpo {
namespace math {

// erf for |x| <= 1: x + x P(x^2)
GPO_FN double erf_inner(double x) {
  const double p = poly(x * x, 0x1.06eba8214db68p-3, -0x1.812746b0379b5p-2, 0x1.ce2f21a040b02p-4, -0x1.b82ce311f7069p-6,
                        0x1.565bccf908894p-8, -0x1.c02db03ff6859p-11, 0x1.f9a2bb4bba0e4p-14, -0x1.f4ca5bb2856d6p-17,
                        0x1.b9807f2338858p-20, -0x1.5c0bc3130e03bp-23, 0x1.d73d744d5510ep-27, -0x1.ac1a4196db6eep-31);
  return fma(x, p, x);
}
// Beyond, 1 - exp(-P(|x| - 1)).
GPO_FN double erf(double x) {
  const double ax = abs(x);
  const double log_erfc = poly(
      ax - 1.0, 0x1.d97fbf27aa2a2p0, 0x1.51c9b0006c1a9p1, 0x1.afabc11a310b6p-1, 0x1.5477f091be43dp-5,
      -0x1.48c9d2283c867p-7, 0x1.033f37ef7ba9p-9, -0x1.f1a7930e4873ep-13, -0x1.b9eef7c8b6beap-16, 0x1.c9ca41db11fc5p-16,
      -0x1.489e1ebd96c33p-17, 0x1.2ed482d9dbec8p-19, -0x1.3f44df9b54ea3p-22, -0x1.0cc85aabaa0a2p-27,
      0x1.db441ffdc3e0dp-27, -0x1.b7a05d28da017p-29, 0x1.8eb7188bd4b8fp-32, -0x1.322c190548e26p-36);
  const double outer = ax > 5.93 ? 1.0 : 1.0 - exp(-log_erfc);
  return ax > 1.0 ? copysign(outer, x) : erf_inner(x);
}

// Returns (1 + 2 x) exp(x^2) erfc(x), which varies little on all of x >= 0 as a function of q = (x - 4) / (x + 4)
// (Shepherd and Laframboise 1981).
GPO_FN double_double scaled_erfc(double x) {
  const double_double q = divide(two_sum(x, -4.0), two_sum(x, 4.0));
  const double slope =
      poly(q.hi, -0x1.1df1ad154a29cp-3, 0x1.f7f5df66fd774p-7, 0x1.16ecefcfa601fp-4, -0x1.9ddb23c3e8c4p-4,
           0x1.7fee004df70b2p-4, -0x1.0fb06dfe568bp-4, 0x1.3079edf9ee5b3p-5, -0x1.09623880cee3p-6, 0x1.49c671945773cp-8,
           -0x1.8d4a9faf95c2ep-11, -0x1.a1de853bc3ae6p-13, 0x1.3be0cf3d334c9p-13, -0x1.9969ba20807f3p-16,
           -0x1.78a7ea5b8ec67p-17, 0x1.7fadcc01a8ea2p-18, 0x1.4420243b81c25p-22, -0x1.bfde59c9a5958p-21,
           0x1.0c4abacf4f1f7p-24, 0x1.ec0bf2973ade4p-24, -0x1.0c5c393b0c3b6p-27, -0x1.cc25e1dc1a74ep-27,
           -0x1.d75c136e70511p-30);
  return fast_two_sum(0x1.3ba5916e9fd7fp0, fma(q.hi, slope, fma(q.lo, slope, -0x1.a8102a7b66456p-55)));
}

GPO_FN double erfc(double x) {
  const double ax = abs(x);
  const double_double square = two_product(ax, ax);
  const scaled_exp e = exp_accurate(negate(square));
  const double_double numerator = multiply(e.value, scaled_erfc(ax));
  const double y = e.scale.times(divide_sums(numerator, two_sum(ax + ax, 1.0)));
  const double tail = ax > 28.0 ? 0.0 : y;
  const double outer = x < 0.0 ? 2.0 - tail : tail;
  return ax < 0.4765 ? 1.0 - erf_inner(x) : outer;  // up to where erf is a half
}

GPO_FN float erf(float x) { return float(erf(double(x))); }
GPO_FN float erfc(float x) {
  const double ax = abs(x) > 30.0f ? 30.0 : abs(double(x));
  const double y = exp(-(ax * ax)) * scaled_erfc(ax).hi / (1.0 + (ax + ax));
  return float(x < 0.0f ? 2.0 - y : y);
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_ERF_H_
