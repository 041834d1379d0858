// plugins/shared/math/erf.h -- erf, erfc
#ifndef GPUOPT_PLUGINS_SHARED_MATH_ERF_H_
#define GPUOPT_PLUGINS_SHARED_MATH_ERF_H_

#include "plugins/shared/math/first_forms.h"
#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

GPO_FN double erf(double x) { return GPO_LIBM(erf)(x); }
GPO_FN float erf(float x) { return float(erf(double(x))); }
GPO_FN double erfc(double x) { return GPO_LIBM(erfc)(x); }
GPO_FN float erfc(float x) { return float(erfc(double(x))); }

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_ERF_H_
