// plugins/cpu/kernel/grid_run.h -- runs the launch of a raw kernel, on all threads of the pool, and then what it has
// launched.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include "plugins/cpu/kernel/kernel_object.h"

namespace gpuopt::cpu {

// Runs the blocks of the grid; behind them the grids that it has launched, one after the other, in the order of the
// blocks that launched them and of their launches, each with all that it launches itself; and behind these, in the same
// order, those of cudaStreamTailLaunch. All has ended when this returns. Throws plugin::Failure with the first failure,
// after which nothing else is begun.
void run_grid(const KernelObject &kernel, const gpuopt_kernel_launch &launch, const void *const *arguments);

}  // namespace gpuopt::cpu
