// plugins/shared/ops/power.h -- the power family of ops.def but sqrt
#ifndef GPUOPT_PLUGINS_SHARED_OPS_POWER_H_
#define GPUOPT_PLUGINS_SHARED_OPS_POWER_H_

#include "plugins/shared/math/complex_declarations.h"
#include "plugins/shared/math/power.h"
#include "plugins/shared/math/root.h"
#include "plugins/shared/ops/op.h"

namespace gpo {
namespace ops {

// Where the compiler knows the exponent, and it is a simple one, the fast path is always right.
struct pow : op {
  template <class T>
  static constexpr bool has_hard = is_float<T>;
  template <class T>
  static constexpr bool redoes_all = is_float<T>;
  template <class T>
  GPO_FN static T apply(T a, T b) {
    if constexpr (is_int<T>) {
      return math::int_pow(a, b);
    } else {
      return math::pow(a, b);
    }
  }
  template <class T>
  GPO_FN static T apply_easy(T a, T b) {
    [[maybe_unused]] const bool simple = math::is_simple_exponent(b);
    return GPO_IS_KNOWN(simple) ? math::simple_power(a, b, a) : math::pow_easy(a, b);
  }
  template <class T>
  GPO_FN static bool hard(T a, T b) {
    [[maybe_unused]] const bool simple = math::is_simple_exponent(b);
    return GPO_IS_KNOWN(simple) ? false : math::pow_is_hard(a, b);
  }
  template <class T>
  GPO_FN static T apply_hard(T a, T b) {
    return math::pow_hard(a, b);
  }
};
GPO_UNARY_OP(cbrt, math::cbrt(x))
GPO_BINARY_OP(hypot, math::hypot(a, b))

}  // namespace ops
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_OPS_POWER_H_
