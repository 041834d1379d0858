// plugins/shared/ops/explog.h -- the "exponentials and logarithms" rows of ops.def
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
GPO_UNARY_OP(log, math::log(x))
GPO_UNARY_OP(log2, math::log2(x))
GPO_UNARY_OP(log10, math::log10(x))
GPO_UNARY_OP(log1p, math::log1p(x))
GPO_BINARY_OP(logaddexp, math::logaddexp(a, b))

}  // namespace ops
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_OPS_EXPLOG_H_
