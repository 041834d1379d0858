// plugins/shared/math/exp.h -- exp, exp2, expm1
#ifndef GPUOPT_PLUGINS_SHARED_MATH_EXP_H_
#define GPUOPT_PLUGINS_SHARED_MATH_EXP_H_

#include "plugins/shared/math/first_forms.h"
#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

GPO_FN double exp(double x) { return GPO_LIBM(exp)(x); }
GPO_FN float exp(float x) { return float(exp(double(x))); }
GPO_FN double exp2(double x) { return GPO_LIBM(exp2)(x); }
GPO_FN float exp2(float x) { return float(exp2(double(x))); }
GPO_FN double expm1(double x) { return GPO_LIBM(expm1)(x); }
GPO_FN float expm1(float x) { return float(expm1(double(x))); }

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_EXP_H_
