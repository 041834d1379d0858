// plugins/shared/math/root.h -- cbrt, hypot
#ifndef GPUOPT_PLUGINS_SHARED_MATH_ROOT_H_
#define GPUOPT_PLUGINS_SHARED_MATH_ROOT_H_

#include "plugins/shared/math/first_forms.h"
#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

GPO_FN double cbrt(double x) { return GPO_LIBM(cbrt)(x); }
GPO_FN float cbrt(float x) { return float(cbrt(double(x))); }
GPO_FN double hypot(double a, double b) { return GPO_LIBM(hypot)(a, b); }
GPO_FN float hypot(float a, float b) { return float(hypot(double(a), double(b))); }

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_ROOT_H_
