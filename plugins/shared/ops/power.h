// plugins/shared/ops/power.h -- the power family of ops.def but sqrt
#ifndef GPUOPT_PLUGINS_SHARED_OPS_POWER_H_
#define GPUOPT_PLUGINS_SHARED_OPS_POWER_H_

#include "plugins/shared/math/complex_declarations.h"
#include "plugins/shared/math/power.h"
#include "plugins/shared/math/root.h"
#include "plugins/shared/ops/op.h"

namespace gpo {
namespace ops {

struct pow : op {
  template <class T>
  GPO_FN static T apply(T a, T b) {
    if constexpr (is_int<T>) {
      return math::int_pow(a, b);
    } else {
      return math::pow(a, b);
    }
  }
};
GPO_UNARY_OP(cbrt, math::cbrt(x))
GPO_BINARY_OP(hypot, math::hypot(a, b))

}  // namespace ops
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_OPS_POWER_H_
