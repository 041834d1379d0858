// plugins/cpu/library/matmul.h -- the slot matmul; see GPUOPT_CALL_MATMUL.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Floats and complex numbers by the BLAS where there is one (blas.h), all else by our own kernels (gemm.h). float16 and
// bfloat16 are converted to float32, multiplied, and rounded once.
void run_matmul(const gpuopt_call &call);

}  // namespace gpuopt::cpu
