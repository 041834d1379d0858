// plugins/cpu/code/jit_compiler.h -- the compiler of user kernels, libgpuopt_jit, in a process of its own
// (jit_helper.h) or in this one.
#pragma once

#include <string>

#include "plugins/cpu/code/jit_watch.h"
#include "plugins/jit/api/jit.h"

namespace gpuopt::cpu {

// Compiles a source and returns the object file. Throws plugin::Failure: ERR_COMPILE with the messages of the compiler,
// or if it crashed; ERR_CANCELLED if `stopped` cancelled it; ERR_JIT_UNAVAILABLE if there is no compiler. Where no
// helper can be started, a compilation that is not awaited lowers the priority of the calling thread for good. Safe
// from any threads.
std::string compile_source(const gpuopt_jit_source &source, const Stopped &stopped = {},
                           Urgency urgency = Urgency::kAwaited);

// To be called in a child of fork() whose parent was compiling in its own process, at an unknown point. From then on
// compile_source() throws ERR_JIT_UNAVAILABLE. If helpers compile, this does nothing.
void abandon_compiler() noexcept;

}  // namespace gpuopt::cpu
