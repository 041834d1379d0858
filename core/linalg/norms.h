// core/linalg/norms.h -- norms of matrices.
#pragma once
#include "core/engine/expression.h"

namespace gpuopt {

// The norms of the matrices, as gpuopt_matrix_norm(). `what` opens the messages.
ArrayRef matrix_norm(gpuopt_array x, double ord, bool keepdims, const char *what);

}  // namespace gpuopt
