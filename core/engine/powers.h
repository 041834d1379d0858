// core/engine/powers.h -- powers by a constant exponent, which are recorded as quicker operations.
#pragma once
#include "core/engine/record.h"

namespace gpuopt {

// Returns a node of `shape` for x to the power of a constant that is 1, 2 or 3, or for real floating-point numbers -1
// or 0.5, and takes over x. It has the bits of GPUOPT_OP_pow, which is defined by the same operations
// (plugins/shared/math/power.h). Returns an empty reference, and leaves x alone, if `exponent` is anything else. Both
// have the dtype in which the power would be computed.
NodeRef simple_power(Recorder &recorder, NodeRef &x, const NodeRef &exponent, const Shape &shape);

}  // namespace gpuopt
