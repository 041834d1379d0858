// plugins/cpu/kernel_launch.h -- what compiled kernels find around them: the launch they are part of, and what they may
// call.
#pragma once

#include <cstdint>
#include <string>

namespace gpuopt::cpu {

// The blocks that a call of a kernel's entry does, of all.
struct KernelLaunch {
  uint64_t blocks, first, last;
};

// For the calls that this thread makes; the launch must outlive them.
void set_launch(const KernelLaunch *launch) noexcept;

// The function of that name that kernels may call; NULL if there is none. Nothing else of the process is within their
// reach.
void *kernel_symbol(const std::string &name);

}  // namespace gpuopt::cpu
