// plugins/shared/math/complex_functions.h -- functions of a complex argument
#ifndef GPUOPT_PLUGINS_SHARED_MATH_COMPLEX_FUNCTIONS_H_
#define GPUOPT_PLUGINS_SHARED_MATH_COMPLEX_FUNCTIONS_H_

#include "plugins/shared/casts.h"
#include "plugins/shared/math/complex_arithmetic.h"
#include "plugins/shared/math/complex_declarations.h"
#include "plugins/shared/math/exp.h"
#include "plugins/shared/math/hyperbolic.h"
#include "plugins/shared/math/inverse_trig.h"
#include "plugins/shared/math/log.h"
#include "plugins/shared/math/trig.h"

namespace gpo {
namespace math {

// First forms: textbook formulas in double; no special cases beyond what falls out of them.
namespace first {
GPO_FN c128 plus(c128 a, c128 b) { return {a.re + b.re, a.im + b.im}; }
GPO_FN c128 times_i(c128 z) { return {-z.im, z.re}; }
GPO_FN c128 over_i(c128 z) { return {z.im, -z.re}; }
GPO_FN c128 scaled(c128 z, double k) { return {z.re * k, z.im * k}; }

GPO_SLOW c128 exp(c128 z) { return {math::exp(z.re) * math::cos(z.im), math::exp(z.re) * math::sin(z.im)}; }
GPO_SLOW c128 log(c128 z) { return {math::log(hypot(z.re, z.im)), atan2(z.im, z.re)}; }
GPO_SLOW c128 sqrt(c128 z) {
  const double m = gpo::sqrt((abs(z.re) + hypot(z.re, z.im)) / 2);
  if (m == 0) return {0.0, z.im};
  return z.re >= 0 ? c128{m, z.im / (2 * m)} : c128{abs(z.im) / (2 * m), copysign(m, z.im)};
}
GPO_SLOW c128 exp2(c128 z) { return exp(scaled(z, 0.6931471805599453)); }
GPO_SLOW c128 expm1(c128 z) { return plus(exp(z), {-1, 0}); }
GPO_SLOW c128 log2(c128 z) { return scaled(log(z), 1.4426950408889634); }
GPO_SLOW c128 log10(c128 z) { return scaled(log(z), 0.4342944819032518); }
GPO_SLOW c128 log1p(c128 z) { return log(plus(z, {1, 0})); }
GPO_SLOW c128 sinh(c128 z) { return {math::sinh(z.re) * math::cos(z.im), math::cosh(z.re) * math::sin(z.im)}; }
GPO_SLOW c128 cosh(c128 z) { return {math::cosh(z.re) * math::cos(z.im), math::sinh(z.re) * math::sin(z.im)}; }
GPO_SLOW c128 tanh(c128 z) { return divide(sinh(z), cosh(z)); }
GPO_SLOW c128 sin(c128 z) { return over_i(sinh(times_i(z))); }
GPO_SLOW c128 cos(c128 z) { return cosh(times_i(z)); }
GPO_SLOW c128 tan(c128 z) { return over_i(tanh(times_i(z))); }
GPO_SLOW c128 asinh(c128 z) { return log(plus(z, sqrt(plus(multiply(z, z), {1, 0})))); }
GPO_SLOW c128 acosh(c128 z) { return log(plus(z, multiply(sqrt(plus(z, {1, 0})), sqrt(plus(z, {-1, 0}))))); }
GPO_SLOW c128 atanh(c128 z) { return scaled(log(divide(plus(z, {1, 0}), c128{1 - z.re, -z.im})), 0.5); }
GPO_SLOW c128 asin(c128 z) { return over_i(asinh(times_i(z))); }
GPO_SLOW c128 acos(c128 z) {
  const c128 s = asin(z);
  return {1.5707963267948966 - s.re, -s.im};
}
GPO_SLOW c128 atan(c128 z) { return over_i(atanh(times_i(z))); }
GPO_SLOW c128 pow(c128 a, c128 b) { return exp(multiply(b, log(a))); }
}  // namespace first

template <class T>
GPO_FN cplx<T> exp(cplx<T> z) {
  return cast<cplx<T>>(first::exp(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> exp2(cplx<T> z) {
  return cast<cplx<T>>(first::exp2(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> expm1(cplx<T> z) {
  return cast<cplx<T>>(first::expm1(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> log(cplx<T> z) {
  return cast<cplx<T>>(first::log(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> log2(cplx<T> z) {
  return cast<cplx<T>>(first::log2(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> log10(cplx<T> z) {
  return cast<cplx<T>>(first::log10(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> log1p(cplx<T> z) {
  return cast<cplx<T>>(first::log1p(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> sqrt(cplx<T> z) {
  return cast<cplx<T>>(first::sqrt(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> sin(cplx<T> z) {
  return cast<cplx<T>>(first::sin(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> cos(cplx<T> z) {
  return cast<cplx<T>>(first::cos(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> tan(cplx<T> z) {
  return cast<cplx<T>>(first::tan(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> asin(cplx<T> z) {
  return cast<cplx<T>>(first::asin(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> acos(cplx<T> z) {
  return cast<cplx<T>>(first::acos(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> atan(cplx<T> z) {
  return cast<cplx<T>>(first::atan(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> sinh(cplx<T> z) {
  return cast<cplx<T>>(first::sinh(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> cosh(cplx<T> z) {
  return cast<cplx<T>>(first::cosh(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> tanh(cplx<T> z) {
  return cast<cplx<T>>(first::tanh(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> asinh(cplx<T> z) {
  return cast<cplx<T>>(first::asinh(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> acosh(cplx<T> z) {
  return cast<cplx<T>>(first::acosh(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> atanh(cplx<T> z) {
  return cast<cplx<T>>(first::atanh(cast<c128>(z)));
}
template <class T>
GPO_FN cplx<T> pow(cplx<T> a, cplx<T> b) {
  return cast<cplx<T>>(first::pow(cast<c128>(a), cast<c128>(b)));
}

}  // namespace math
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_MATH_COMPLEX_FUNCTIONS_H_
