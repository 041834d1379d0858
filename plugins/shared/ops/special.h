// plugins/shared/ops/special.h -- the special family of ops.def
#ifndef GPUOPT_PLUGINS_SHARED_OPS_SPECIAL_H_
#define GPUOPT_PLUGINS_SHARED_OPS_SPECIAL_H_

#include "plugins/shared/math/digamma.h"
#include "plugins/shared/math/erf.h"
#include "plugins/shared/math/expit.h"
#include "plugins/shared/math/gamma.h"
#include "plugins/shared/ops/op.h"

namespace gpo {
namespace ops {

GPO_UNARY_OP(erf, math::erf(x))
GPO_UNARY_OP(erfc, math::erfc(x))
#define GPO_GAMMA_OP(name)                 \
  struct name : op {                       \
    template <class T>                     \
    static constexpr bool has_hard = true; \
    template <class T>                     \
    GPO_FN static T apply(T x) {           \
      return math::name(x);                \
    }                                      \
    template <class T>                     \
    GPO_FN static T apply_easy(T x) {      \
      return math::name##_easy(x);         \
    }                                      \
    template <class T>                     \
    GPO_FN static bool hard(T x) {         \
      return math::name##_is_hard(x);      \
    }                                      \
    template <class T>                     \
    GPO_FN static T apply_hard(T x) {      \
      return math::name(x);                \
    }                                      \
  };
GPO_GAMMA_OP(gamma)
GPO_GAMMA_OP(lgamma)
#undef GPO_GAMMA_OP
GPO_UNARY_OP(expit, math::expit(x))
GPO_UNARY_OP(digamma, math::digamma(x))

struct heaviside : op {
  template <class T>
  GPO_FN static T apply(T x, T at_zero) {
    const T step = x > T(0) ? T(1) : (x < T(0) ? T(0) : at_zero);
    return x != x ? x : step;
  }
};

}  // namespace ops
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_OPS_SPECIAL_H_
