// plugins/shared/math/logaddexp.h -- log(exp(a) + exp(b))
#ifndef GPUOPT_PLUGINS_SHARED_MATH_LOGADDEXP_H_
#define GPUOPT_PLUGINS_SHARED_MATH_LOGADDEXP_H_

#include "plugins/shared/math/double_double.h"

namespace gpo {
namespace math {

// max + log1p(exp(min - max)) in double-double, because the two terms may cancel.
GPO_FN double logaddexp(double a, double b) {
  const double larger = a > b ? a : b, smaller = a > b ? b : a;
  const double_double difference = two_sum(smaller, -larger);
  const bool vanishes = difference.hi < -760.0;
  const scaled_exp e = exp_accurate({vanishes ? -760.0 : difference.hi, vanishes ? 0.0 : difference.lo});
  const double t = e.scale.times(e.value.hi), t_lo = e.scale.times(e.value.lo);
  const bool halve = t > 0.41421356;
  const double_double less_one = two_sum(t, -1.0);
  const double_double f = {halve ? 0.5 * less_one.hi : t, halve ? 0.5 * (less_one.lo + t_lo) : t_lo};
  const double_double sum = add(log_sum_accurate(halve ? 1.0 : 0.0, f), larger);
  const bool larger_infinite = isinf(larger), smaller_infinite = isinf(smaller);
  const double y = (larger_infinite | smaller_infinite) ? larger + 0.0 : sum.hi;
  return ((a != a) | (b != b)) ? nan<double>() : y;
}
GPO_FN float logaddexp(float a, float b) {
  const double larger = double(a > b ? a : b), smaller = double(a > b ? b : a);
  const double y = larger + log1p(exp(smaller - larger));
  const double finite_or_equal = smaller == larger ? larger + 0x1.62e42fefa39efp-1 : y;
  return float(((a != a) | (b != b)) ? nan<double>() : finite_or_equal);
}

// The same to the base 2: the difference is multiplied by log(2), and what log1p gives by 1 / log(2).
GPO_FN double logaddexp2(double a, double b) {
  using D = log_data<double>;
  const double larger = a > b ? a : b, smaller = a > b ? b : a;
  const double_double difference = two_sum(smaller, -larger);
  const bool vanishes = !(difference.hi >= -1090.0);
  const double_double shrunk = {vanishes ? -1090.0 : difference.hi, vanishes ? 0.0 : difference.lo};
  const scaled_exp e = exp_accurate(multiply(double_double{D::ln2_hi, D::ln2_lo}, shrunk));
  const double t = e.scale.times(e.value.hi), t_lo = e.scale.times(e.value.lo);
  const bool halve = t > 0.41421356;
  const double_double less_one = two_sum(t, -1.0);
  const double_double f = {halve ? 0.5 * less_one.hi : t, halve ? 0.5 * (less_one.lo + t_lo) : t_lo};
  const double_double rest = multiply(double_double{D::log2e_hi, D::log2e_lo}, log_sum_accurate(0.0, f));
  const double_double sum = add(add(rest, halve ? 1.0 : 0.0), larger);
  const bool larger_infinite = isinf(larger), smaller_infinite = isinf(smaller);
  const double y = (larger_infinite | smaller_infinite) ? larger + 0.0 : sum.hi;
  return ((a != a) | (b != b)) ? nan<double>() : y;
}
GPO_FN float logaddexp2(float a, float b) {
  const double larger = double(a > b ? a : b), smaller = double(a > b ? b : a);
  const double y = fma(log1p(exp2(smaller - larger)), log_data<double>::log2e_hi, larger);
  const double finite_or_equal = smaller == larger ? larger + 1.0 : y;
  return float(((a != a) | (b != b)) ? nan<double>() : finite_or_equal);
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_LOGADDEXP_H_
