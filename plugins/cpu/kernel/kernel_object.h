// plugins/cpu/kernel/kernel_object.h -- a compiled kernel in memory: the symbols that its object file defines
// (plugins/jit/text/entry.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "plugins/cpu/code/object_code.h"
#include "plugins/cpu/kernel/block_run.h"

namespace gpuopt::cpu {

// A kernel that another one launches (plugins/jit/lower/launches.h).
struct ChildKernel {
  RawCode raw;
  const uint64_t *offsets = nullptr;  // the number of its arguments, and the offset of each in their memory
  const char *name = nullptr;
};

struct KernelObject {
  std::shared_ptr<ObjectCode> code;
  void (*entry)(const void *const *arguments) = nullptr;  // of a kernel with loops; NULL for a raw kernel
  RawCode raw;
  std::vector<ChildKernel> children;               // in the order of their numbers
  const unsigned long long *parameters = nullptr;  // their number, and the size of each
};

// Throws std::runtime_error with the name of a symbol that is missing.
KernelObject open_kernel(std::shared_ptr<ObjectCode> code, bool raw);

}  // namespace gpuopt::cpu
