// core/linalg/factorizations.h -- factors of matrices.
#pragma once
#include "core/engine/expression.h"

namespace gpuopt {

// The factors of gpuopt_lu_factor(), and the order of rows (GPUOPT_CALL_LU).
struct LuFactors {
  ArrayRef lu, pivots, order;
};
LuFactors lu_factors(const ArrayRef &x, const char *what);
// Returns which matrices have a 0 on the diagonal of their U, as bool for each matrix.
Value singular_ones(const ArrayRef &lu);

}  // namespace gpuopt
