// plugins/cpu/linalg/linalg.h -- factorizations, systems of equations, eigenvalues and singular values of stacks of
// matrices: the slot `linalg`, as specified at GPUOPT_CALL_CHOLESKY and following.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Takes any strides. Throws plugin::Failure (ERR_TYPE, ERR_SHAPE, ERR_INDEX, ERR_UNSUPPORTED, ERR_OUT_OF_MEMORY);
// nothing has been written then.
void run_linalg(const gpuopt_call &call);

// The calls of its kinds. They are checked, and have matrices with elements or results with some.
void run_factorization(const gpuopt_call &call);  // CHOLESKY, QR, LU, DET
void run_solve(const gpuopt_call &call);          // SOLVE, SOLVE_LU, SOLVE_TRIANGULAR
void run_spectral(const gpuopt_call &call);       // EIGH, EIG, SVD

}  // namespace gpuopt::cpu
