// plugins/cuda/tools/common_kernels.h -- the kernels of the programs that nearly every user runs.
#pragma once

#include <vector>

#include "plugins/cuda/kernel_store.h"

namespace gpuopt::cuda {

// Those of one operation, cast, reduction or scan of float32, float64, int64 and bool on contiguous arrays: with arrays
// or with a scalar as the last operand, reduced as a whole or along either axis of a matrix. Each text once.
std::vector<KernelSource> common_kernels();

}  // namespace gpuopt::cuda
