// core/numbers/numbers.h -- operands of functions of numbers.
#pragma once
#include "core/engine/expression.h"
#include "core/engine/library_call.h"

namespace gpuopt {

// Returns x as real floating-point numbers: in its own dtype, or in float64 for bool and integers. Throws ERR_TYPE for
// complex numbers, ERR_INVALID_ARGUMENT for a weak scalar.
Value real_operand(gpuopt_array x, const char *what);

}  // namespace gpuopt
