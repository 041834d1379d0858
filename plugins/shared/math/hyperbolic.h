// plugins/shared/math/hyperbolic.h -- sinh, cosh, tanh and their inverses
#ifndef GPUOPT_PLUGINS_SHARED_MATH_HYPERBOLIC_H_
#define GPUOPT_PLUGINS_SHARED_MATH_HYPERBOLIC_H_

#include "plugins/shared/math/first_forms.h"
#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

GPO_FN double sinh(double x) { return GPO_LIBM(sinh)(x); }
GPO_FN float sinh(float x) { return float(sinh(double(x))); }
GPO_FN double cosh(double x) { return GPO_LIBM(cosh)(x); }
GPO_FN float cosh(float x) { return float(cosh(double(x))); }
GPO_FN double tanh(double x) { return GPO_LIBM(tanh)(x); }
GPO_FN float tanh(float x) { return float(tanh(double(x))); }
GPO_FN double asinh(double x) { return GPO_LIBM(asinh)(x); }
GPO_FN float asinh(float x) { return float(asinh(double(x))); }
GPO_FN double acosh(double x) { return GPO_LIBM(acosh)(x); }
GPO_FN float acosh(float x) { return float(acosh(double(x))); }
GPO_FN double atanh(double x) { return GPO_LIBM(atanh)(x); }
GPO_FN float atanh(float x) { return float(atanh(double(x))); }

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_HYPERBOLIC_H_
