// core/linalg/solve.h -- systems of equations. `what` opens the messages.
#pragma once
#include "core/engine/expression.h"

namespace gpuopt {

// The inverses of square matrices, as gpuopt_inv().
ArrayRef inverse(const ArrayRef &x, const char *what);
// Solves a x = b as gpuopt_solve().
ArrayRef solve(gpuopt_array a, gpuopt_array b, const char *what);

}  // namespace gpuopt
