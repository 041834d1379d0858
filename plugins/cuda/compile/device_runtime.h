// plugins/cuda/compile/device_runtime.h -- links kernels that launch kernels with CUDA's device runtime, libcudadevrt.
#pragma once

#include <string>

#include "plugins/cuda/compile/arch.h"

namespace gpuopt::cuda {

// The device runtime and the linker of a CUDA toolkit.
struct DeviceRuntime {
  std::string problem;  // what is missing, and where it was looked for; "" if all is there
  std::string library;  // the path of libcudadevrt
  void *linker = nullptr;

  // Links a relocatable cubin. Returns the linked one; "" if that fails, with the linker's messages in `log`. `name`
  // stands for the file in them.
  std::string link(const std::string &cubin, const char *name, const Target &target, std::string &log) const;
};

// Returns those that lie beside an NVRTC of this path and version, as in a toolkit, or in NVIDIA's other Python
// packages beside that one's. They have to be of one version.
DeviceRuntime device_runtime(const std::string &nvrtc, int version, const Target &target);

}  // namespace gpuopt::cuda
