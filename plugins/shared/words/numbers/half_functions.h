// plugins/shared/words/numbers/half_functions.h -- the mathematical functions of CUDA's 16-bit floats (CUDA Math API,
// "Half Math Functions" and "Bfloat16 Math Functions"): hexp, h2exp and their like
//
// They are this library's functions of float, rounded once more, so that their results are the same on every device.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_HALF_FUNCTIONS_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_HALF_FUNCTIONS_H_

#include "plugins/shared/ops/arithmetic.h"
#include "plugins/shared/ops/explog.h"
#include "plugins/shared/ops/power.h"
#include "plugins/shared/ops/rounding.h"
#include "plugins/shared/ops/trig.h"
#include "plugins/shared/words/numbers/half.h"

#if defined(__CUDACC_RTC__)
#define GPO_HALF_LONG __device__ __noinline__
#else
#define GPO_HALF_LONG inline
#endif
#define GPO_HALF_OF(name, of, of2, expression) \
  GPO_HALF_LONG of h##name(of h) {             \
    const float x = h.value();                 \
    return of(float(expression));              \
  }                                            \
  GPO_HALF_LONG of2 h2##name(of2 h) { return of2(h##name(h.x), h##name(h.y)); }
#define GPO_HALF_FUNCTION(name, expression)      \
  GPO_HALF_OF(name, __half, __half2, expression) \
  GPO_HALF_OF(name, __nv_bfloat16, __nv_bfloat162, expression)

GPO_HALF_FUNCTION(cos, gpo::ops::cos::apply(x))
GPO_HALF_FUNCTION(sin, gpo::ops::sin::apply(x))
GPO_HALF_FUNCTION(exp, gpo::ops::exp::apply(x))
GPO_HALF_FUNCTION(exp2, gpo::ops::exp2::apply(x))
GPO_HALF_FUNCTION(exp10, gpo::ops::pow::apply(10.0f, x))
GPO_HALF_FUNCTION(log, gpo::ops::log::apply(x))
GPO_HALF_FUNCTION(log2, gpo::ops::log2::apply(x))
GPO_HALF_FUNCTION(log10, gpo::ops::log10::apply(x))
GPO_HALF_FUNCTION(tanh, gpo::ops::tanh::apply(x))
GPO_HALF_FUNCTION(tanh_approx, gpo::ops::tanh::apply(x))
GPO_HALF_FUNCTION(sqrt, gpo::sqrt(double(x)))
GPO_HALF_FUNCTION(rsqrt, 1.0 / gpo::sqrt(double(x)))
GPO_HALF_FUNCTION(rcp, 1.0 / double(x))
GPO_HALF_FUNCTION(floor, gpo::floor(x))
GPO_HALF_FUNCTION(ceil, gpo::ceil(x))
GPO_HALF_FUNCTION(trunc, gpo::trunc(x))
GPO_HALF_FUNCTION(rint, gpo::ops::round::apply(x))
#undef GPO_HALF_FUNCTION
#undef GPO_HALF_OF
#undef GPO_HALF_LONG

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_HALF_FUNCTIONS_H_
