// plugins/shared/ops/explog.h -- the exponential family of ops.def
#ifndef GPUOPT_PLUGINS_SHARED_OPS_EXPLOG_H_
#define GPUOPT_PLUGINS_SHARED_OPS_EXPLOG_H_

#include "plugins/shared/math/complex_declarations.h"
#include "plugins/shared/math/exp.h"
#include "plugins/shared/math/log.h"
#include "plugins/shared/math/logaddexp.h"
#include "plugins/shared/ops/op.h"

namespace gpo {
namespace ops {

GPO_UNARY_OP(exp, math::exp(x))
GPO_UNARY_OP(exp2, math::exp2(x))
GPO_UNARY_OP(expm1, math::expm1(x))

#define GPO_LOG_OP(name, is_hard)                 \
  struct name : op {                              \
    template <class T>                            \
    static constexpr bool has_hard = is_float<T>; \
    template <class T>                            \
    static constexpr bool redoes_all = true;      \
                                                  \
    template <class T>                            \
    GPO_FN static T apply(T x) {                  \
      return math::name(x);                       \
    }                                             \
    template <class T>                            \
    GPO_FN static T apply_easy(T x) {             \
      return math::name##_easy(x);                \
    }                                             \
    template <class T>                            \
    GPO_FN static bool hard(T x) {                \
      return math::is_hard(x);                    \
    }                                             \
    template <class T>                            \
    GPO_FN static T apply_hard(T x) {             \
      return math::name(x);                       \
    }                                             \
  };
GPO_LOG_OP(log, log_is_hard)
GPO_LOG_OP(log2, log_is_hard)
GPO_LOG_OP(log10, log_is_hard)
GPO_LOG_OP(log1p, log1p_is_hard)
#undef GPO_LOG_OP

GPO_BINARY_OP(logaddexp, math::logaddexp(a, b))
GPO_BINARY_OP(logaddexp2, math::logaddexp2(a, b))

}  // namespace ops
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_OPS_EXPLOG_H_
