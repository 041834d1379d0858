// plugins/cpu/matmul.h -- the slot matmul; see GPUOPT_CALL_MATMUL.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Floats and complex numbers by the BLAS where there is one (blas.h), all else by our own kernels (gemm.h). float16 and
// bfloat16 are converted to float32, multiplied, and rounded once.
gpuopt_status run_matmul(const gpuopt_call &call, gpuopt_error *error);

}  // namespace gpuopt::cpu
