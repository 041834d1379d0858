// plugins/cpu/kernel_object.h -- a compiled kernel in memory: what its object defines, by name
// (plugins/jit/text/entry.h).
#pragma once

#include <cstdint>
#include <memory>

#include "plugins/cpu/block_run.h"
#include "plugins/cpu/object_code.h"

namespace gpuopt::cpu {

struct KernelObject {
  std::shared_ptr<ObjectCode> code;
  void (*entry)(const void *const *arguments) = nullptr;  // of a kernel that loops itself; else `raw`
  RawCode raw;
  const unsigned long long *parameters = nullptr;  // how many, and the bytes of each
};

// Throws std::runtime_error naming what the object lacks.
KernelObject open_kernel(std::shared_ptr<ObjectCode> code, bool raw);

}  // namespace gpuopt::cpu
