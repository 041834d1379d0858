// plugins/cpu/products/matmul.h -- the slot `matmul`, as specified at GPUOPT_CALL_MATMUL.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Multiplies floats and complex numbers by the BLAS if there is one (blas.h), all else by our own kernels (gemm.h).
// float16 and bfloat16 are converted to float32, multiplied, and rounded once. Throws plugin::Failure.
void run_matmul(const gpuopt_call &call);

}  // namespace gpuopt::cpu
