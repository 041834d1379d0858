// plugins/shared/ops/trig.h -- the trigonometric and hyperbolic families of ops.def
#ifndef GPUOPT_PLUGINS_SHARED_OPS_TRIG_H_
#define GPUOPT_PLUGINS_SHARED_OPS_TRIG_H_

#include "plugins/shared/math/complex_declarations.h"
#include "plugins/shared/math/hyperbolic.h"
#include "plugins/shared/math/inverse_trig.h"
#include "plugins/shared/math/trig.h"
#include "plugins/shared/ops/op.h"

namespace gpo {
namespace ops {

#define GPO_PERIODIC_OP(name)                           \
  struct name : op {                                    \
    template <class T>                                  \
    static constexpr bool has_hard = is_float<T>;       \
                                                        \
    template <class T>                                  \
    GPO_FN static T apply(T x) {                        \
      if constexpr (is_complex<T>) {                    \
        return math::name(x);                           \
      } else {                                          \
        return hard(x) ? apply_hard(x) : apply_easy(x); \
      }                                                 \
    }                                                   \
    template <class T>                                  \
    GPO_FN static T apply_easy(T x) {                   \
      return math::name##_easy(x);                      \
    }                                                   \
    template <class T>                                  \
    GPO_FN static bool hard(T x) {                      \
      return math::angle_is_hard(x);                    \
    }                                                   \
    template <class T>                                  \
    GPO_FN static T apply_hard(T x) {                   \
      return math::name##_hard(x);                      \
    }                                                   \
  };
GPO_PERIODIC_OP(sin)
GPO_PERIODIC_OP(cos)
GPO_PERIODIC_OP(tan)
#undef GPO_PERIODIC_OP

GPO_UNARY_OP(asin, math::asin(x))
GPO_UNARY_OP(acos, math::acos(x))
GPO_UNARY_OP(atan, math::atan(x))
GPO_BINARY_OP(atan2, math::atan2(a, b))
GPO_UNARY_OP(sinh, math::sinh(x))
GPO_UNARY_OP(cosh, math::cosh(x))
GPO_UNARY_OP(tanh, math::tanh(x))
GPO_UNARY_OP(asinh, math::asinh(x))
GPO_UNARY_OP(acosh, math::acosh(x))
GPO_UNARY_OP(atanh, math::atanh(x))
GPO_UNARY_OP(deg2rad, T(double(x) * 0x1.1df46a2529d39p-6))
GPO_UNARY_OP(rad2deg, T(double(x) * 0x1.ca5dc1a63c1f8p+5))
GPO_UNARY_OP(sinc, math::sinc(x))

}  // namespace ops
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_OPS_TRIG_H_
