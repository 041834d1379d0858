// plugins/cuda/program/loop_results.h -- the loops kernels can be written with: every one that ops.def lists.
#pragma once

#include "plugins/shared/program/program_check.h"

namespace gpuopt::cuda {

// Returns the table of all loops, which is static.
const plugin::LoopResults &loop_results() noexcept;

}  // namespace gpuopt::cuda
