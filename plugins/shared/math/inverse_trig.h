// plugins/shared/math/inverse_trig.h -- asin, acos, atan, atan2
#ifndef GPUOPT_PLUGINS_SHARED_MATH_INVERSE_TRIG_H_
#define GPUOPT_PLUGINS_SHARED_MATH_INVERSE_TRIG_H_

#include "plugins/shared/math/first_forms.h"
#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

GPO_FN double asin(double x) { return GPO_LIBM(asin)(x); }
GPO_FN float asin(float x) { return float(asin(double(x))); }
GPO_FN double acos(double x) { return GPO_LIBM(acos)(x); }
GPO_FN float acos(float x) { return float(acos(double(x))); }
GPO_FN double atan(double x) { return GPO_LIBM(atan)(x); }
GPO_FN float atan(float x) { return float(atan(double(x))); }
GPO_FN double atan2(double a, double b) { return GPO_LIBM(atan2)(a, b); }
GPO_FN float atan2(float a, float b) { return float(atan2(double(a), double(b))); }

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_INVERSE_TRIG_H_
