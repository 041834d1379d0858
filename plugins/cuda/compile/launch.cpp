// plugins/cuda/compile/launch.cpp -- a kernel is put on its stream, and remembered for the message of a later error.
#include "plugins/cuda/compile/launch.h"

namespace gpuopt::cuda {

// The words are copied before cuLaunchKernel returns.
void launch(Device &device, Stream &stream, const Kernel &kernel, Grid grid, const uint64_t *words) {
  void *arguments[] = {const_cast<uint64_t *>(words)};
  const CUresult code =
      driver().cuLaunchKernel(kernel.function, grid.x, grid.y, grid.z, static_cast<unsigned>(kernel.threads), 1, 1, 0,
                              stream.handle, arguments, nullptr);
  check_stream(device, stream, code, kernel.operation.c_str());
  stream.launches.note(kernel.operation.c_str());
}

}  // namespace gpuopt::cuda
