// plugins/shared/ops/extremes.h -- the extremum family of ops.def
#ifndef GPUOPT_PLUGINS_SHARED_OPS_EXTREMES_H_
#define GPUOPT_PLUGINS_SHARED_OPS_EXTREMES_H_

#include "plugins/shared/ops/op.h"

namespace gpo {

// Return whether a is above, or below, b in a total order of the numbers that puts -0 below +0; false if either is NaN.
template <class T>
GPO_FN bool above(T a, T b) {
  if constexpr (is_float<T>) {
    return (a > b) | ((a == b) & (int_of<T>(to_bits(a)) >= 0));
  } else {
    return a > b;
  }
}
template <class T>
GPO_FN bool below(T a, T b) {
  if constexpr (is_float<T>) {
    return (a < b) | ((a == b) & (int_of<T>(to_bits(a)) < 0));
  } else {
    return a < b;
  }
}

namespace ops {

// x != x is false for integers, so one definition serves all types.
GPO_BINARY_OP(maximum, (above(a, b) | (a != a)) ? a : b)
GPO_BINARY_OP(minimum, (below(a, b) | (a != a)) ? a : b)
GPO_BINARY_OP(fmax, (above(a, b) | (b != b)) ? a : b)
GPO_BINARY_OP(fmin, (below(a, b) | (b != b)) ? a : b)

// Tests the operands of the maximum for NaN, and not `raised`: GCC would turn a test of a selected value into a
// selection of bools, which it cannot vectorise.
struct clip : op {
  template <class T>
  GPO_FN static T apply(T x, T lo, T hi) {
    const T raised = maximum::apply(x, lo);
    const bool is_nan = (x != x) | (lo != lo);
    return (below(raised, hi) | is_nan) ? raised : hi;
  }
};

}  // namespace ops
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_OPS_EXTREMES_H_
