// plugins/cpu/jit.h -- machine code of user kernels: from the disk cache, or compiled by libgpuopt_jit.
#pragma once

#include <memory>
#include <string>

#include "plugins/cpu/object_code.h"

namespace gpuopt::cpu {

// What a kernel's name and text become at one instruction set level (cpuid.h). Throws plugin::Failure: ERR_COMPILE with
// what the compiler said; ERR_JIT_UNAVAILABLE where the code is in no cache and there is no compiler, GPUOPT_JIT_POLICY
// forbids it, or the system lets no new code run. Safe from any threads. `variables` as in ObjectCode.
std::unique_ptr<ObjectCode> compile_kernel(const std::string &name, const std::string &code, bool raw, int level,
                                           Variables *variables = nullptr);

}  // namespace gpuopt::cpu
