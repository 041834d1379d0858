// plugins/jit/threads.h -- from a kernel's function for one thread to what the host runs: all threads of a block in a
// loop, or, where threads wait for each other, a coroutine for each.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace gpuopt::jit {

// To be run before any optimization, on a module that has gpuopt_run_thread (plugins/jit/text/thread.h); others are
// left as they are. Afterwards one of two is left:
//   void gpuopt_run_block(arguments, Thread *)     no thread waits: every thread of a block
//   void *gpuopt_run_thread(arguments, Thread *)   a coroutine's first part: up to where it first waits. The frame is
//   the thread's.
// and gpuopt_shared_bytes() is what static __shared__ arrays take. "" or what kernels on the host cannot do.
std::string lower_threads(llvm::Module &module);

// To be run after optimization: how large a coroutine's frame is is known then, which gpuopt_frame_bytes() tells.
void finish_frames(llvm::Module &module);

}  // namespace gpuopt::jit
