// plugins/cuda/compile/launch.h -- puts a kernel on a stream.
#pragma once

#include "plugins/cuda/compile/kernel_store.h"

namespace gpuopt::cuda {

struct Grid {
  uint32_t x = 1, y = 1, z = 1;
};

// Launches a kernel on the stream, with the context current, in one-dimensional blocks of kernel.threads. `words` are
// the kernel.parameter_words parameters. Throws as check() does, with the name of the operation. Records the launch in
// stream.launches.
void launch(Device &device, Stream &stream, const Kernel &kernel, Grid grid, const uint64_t *words);

}  // namespace gpuopt::cuda
