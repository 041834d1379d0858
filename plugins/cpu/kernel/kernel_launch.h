// plugins/cpu/kernel/kernel_launch.h -- what compiled kernels use of the backend: the launch that they belong to, and
// the functions that they may call.
#pragma once

#include <cstdint>
#include <string>

namespace gpuopt::cpu {

// The blocks that one call of a kernel's entry runs: [first, last) of all `blocks`.
struct KernelLaunch {
  uint64_t blocks, first, last;
};

// Sets the launch for the calls that this thread makes. It must outlive them.
void set_launch(const KernelLaunch *launch) noexcept;

// The function of this name that kernels may call; NULL if there is none. Kernels cannot call any other function of the
// process.
void *kernel_symbol(const std::string &name);

}  // namespace gpuopt::cpu
