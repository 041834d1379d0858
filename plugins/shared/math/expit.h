// plugins/shared/math/expit.h -- the logistic function, 1 / (1 + exp(-x))
#ifndef GPUOPT_PLUGINS_SHARED_MATH_EXPIT_H_
#define GPUOPT_PLUGINS_SHARED_MATH_EXPIT_H_

#include "plugins/shared/math/exp.h"
#include "plugins/shared/math/poly.h"

namespace gpo {
namespace math {

// With e = exp(-|x|) in two parts: e / (1 + e) for negative x, else 1 / (1 + e). The power of two in e is
// multiplied last, so that a subnormal result is rounded to its few bits only once.
template <class T>
GPO_FN T expit(T x) {
  using D = exp_data<T>;
  const T falling = -abs(x);
  const exp_reduced<T> r = reduce_exp(falling < D::underflow ? D::underflow : falling, T(2 * fp<T>::bias));
  const two_factors<T> scale = exp2_of_biased<T>(r.n.bits);
  const T tail = fma(r.r * r.r, D::expm1_tail(r.r), r.r_lo);
  const hi_lo<T> one_plus_r = fast_two_sum(T(1), r.r_hi);
  const hi_lo<T> e = fast_two_sum(one_plus_r.hi, one_plus_r.lo + tail);
  const hi_lo<T> den = fast_two_sum(T(1), scale.times(e.hi));
  const bool negative = x < T(0);
  const hi_lo<T> num = {negative ? e.hi : T(1), negative ? e.lo : T(0)};
  const T y = divide_sums(num, {den.hi, den.lo + scale.times(e.lo)});
  return negative ? scale.times(y) : y;
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_EXPIT_H_
