// plugins/jit/compile/ptx.h -- from a text of CUDA C++ to PTX, by Clang and LLVM in this process.
#pragma once

#include "plugins/jit/api/jit.h"
#include "plugins/jit/compile/compiler.h"

namespace gpuopt::jit {

// Compiles a text for NVIDIA's GPUs. Safe from any threads. Throws as compile() does.
Result compile_ptx(const gpuopt_jit_ptx_source &source);

}  // namespace gpuopt::jit
