// plugins/cuda/tools/common_kernels.h -- the kernels of the programs that nearly every user runs.
#pragma once

#include <vector>

#include "plugins/cuda/compile/kernel_store.h"

namespace gpuopt::cuda {

// Returns the kernels of programs of one operation, cast, reduction or scan of float32, float64, int64 and bool on
// contiguous arrays: with arrays, or with a scalar as the first or last operand; reduced as a whole, or along either
// axis of a matrix; and those of frequent chains of float32 and float64: mean, var, std, (x - mean) / std, a * x + y,
// softplus, where(x > y, x, y) and the chain of samples/threefold. Each text is there once.
std::vector<KernelSource> common_kernels();

}  // namespace gpuopt::cuda
