// plugins/shared/math/log.h -- log, log2, log10, log1p, logaddexp
#ifndef GPUOPT_PLUGINS_SHARED_MATH_LOG_H_
#define GPUOPT_PLUGINS_SHARED_MATH_LOG_H_

#include "plugins/shared/math/exp.h"
#include "plugins/shared/math/first_forms.h"
#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

GPO_FN double log(double x) { return GPO_LIBM(log)(x); }
GPO_FN float log(float x) { return float(log(double(x))); }
GPO_FN double log2(double x) { return GPO_LIBM(log2)(x); }
GPO_FN float log2(float x) { return float(log2(double(x))); }
GPO_FN double log10(double x) { return GPO_LIBM(log10)(x); }
GPO_FN float log10(float x) { return float(log10(double(x))); }
GPO_FN double log1p(double x) { return GPO_LIBM(log1p)(x); }
GPO_FN float log1p(float x) { return float(log1p(double(x))); }

template <class T>
GPO_FN T logaddexp(T a, T b) {
  const T hi = a > b ? a : b, lo = a > b ? b : a;
  const T sum = hi + log1p(exp(lo - hi));
  return a == b ? a + T(0.6931471805599453) : ((a != a) | (b != b)) ? a + b : sum;
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_LOG_H_
