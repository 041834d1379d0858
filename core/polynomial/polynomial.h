// core/polynomial/polynomial.h -- operands of functions of polynomials.
#pragma once
#include "core/selection/call.h"

namespace gpuopt {

// Returns coefficients: x, or the constant x as one coefficient. Throws ERR_SHAPE for two dimensions or more,
// ERR_INVALID_ARGUMENT for a weak scalar.
ArrayRef coefficients_of(gpuopt_array x, const char *what);
// Returns arrays of one dimension one behind the other, in this dtype.
ArrayRef in_a_row(std::initializer_list<ArrayRef> parts, gpuopt_dtype dtype, const char *what);

}  // namespace gpuopt
