// plugins/cpu/jit_compiler.h -- the compiler of user kernels, libgpuopt_jit: in a process of its own (jit_helper.h) or
// in this one.
#pragma once

#include <string>

#include "plugins/jit/jit.h"

namespace gpuopt::cpu {

// The object file that `source` becomes. Throws plugin::Failure: ERR_COMPILE with what the compiler said, or what
// became of it; ERR_JIT_UNAVAILABLE where there is none. Safe from any threads.
std::string compile_source(const gpuopt_jit_source &source);

}  // namespace gpuopt::cpu
