// plugins/shared/math/gamma.h -- gamma, lgamma
#ifndef GPUOPT_PLUGINS_SHARED_MATH_GAMMA_H_
#define GPUOPT_PLUGINS_SHARED_MATH_GAMMA_H_

#include "plugins/shared/math/first_forms.h"
#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

GPO_FN double gamma(double x) { return GPO_LIBM(tgamma)(x); }
GPO_FN float gamma(float x) { return float(gamma(double(x))); }
GPO_FN double lgamma(double x) { return GPO_LIBM(lgamma)(x); }
GPO_FN float lgamma(float x) { return float(lgamma(double(x))); }

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_GAMMA_H_
