// plugins/shared/math/trig.h -- sin, cos, tan, sinc
#ifndef GPUOPT_PLUGINS_SHARED_MATH_TRIG_H_
#define GPUOPT_PLUGINS_SHARED_MATH_TRIG_H_

#include "plugins/shared/math/first_forms.h"
#include "plugins/shared/prelude.h"

namespace gpo {
namespace math {

GPO_FN double sin_easy(double x) { return GPO_LIBM(sin)(x); }
GPO_FN float sin_easy(float x) { return float(sin_easy(double(x))); }
template <class T>
GPO_FN T sin_hard(T x) {
  return sin_easy(x);
}
GPO_FN double cos_easy(double x) { return GPO_LIBM(cos)(x); }
GPO_FN float cos_easy(float x) { return float(cos_easy(double(x))); }
template <class T>
GPO_FN T cos_hard(T x) {
  return cos_easy(x);
}
GPO_FN double tan_easy(double x) { return GPO_LIBM(tan)(x); }
GPO_FN float tan_easy(float x) { return float(tan_easy(double(x))); }
template <class T>
GPO_FN T tan_hard(T x) {
  return tan_easy(x);
}
template <class T>
GPO_FN bool angle_is_hard(T) {
  return false;
}
GPO_FN double sinc(double x) { return x == 0 ? 1.0 : sin_easy(x * 3.141592653589793) / (x * 3.141592653589793); }
GPO_FN float sinc(float x) { return float(sinc(double(x))); }

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_TRIG_H_
