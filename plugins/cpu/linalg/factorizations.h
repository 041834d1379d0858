// plugins/cpu/linalg/factorizations.h -- factors and determinants of stacks of matrices.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// CHOLESKY, QR, LU and DET. The call has been checked (linalg.cpp), and has results with elements.
void run_factorization(const gpuopt_call &call);

}  // namespace gpuopt::cpu
