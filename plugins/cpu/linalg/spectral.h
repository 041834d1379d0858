// plugins/cpu/linalg/spectral.h -- eigenvalues and singular values of stacks of matrices.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// EIGH, EIG and SVD. The call has been checked (linalg.cpp), and has results with elements.
void run_spectral(const gpuopt_call &call);

}  // namespace gpuopt::cpu
