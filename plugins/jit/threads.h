// plugins/jit/threads.h -- from a kernel's function for one thread to what the host runs: all threads of a block in
// loops, or, where they wait for each other in ways that loops are not proved to follow, a coroutine for each.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

namespace gpuopt::jit {

// To be run before any optimization, on a module that has gpuopt_run_thread (plugins/jit/text/thread.h); others are
// left as they are. Afterwards there is one of two, or both, and then the first is for blocks of one row of threads:
//   void gpuopt_run_block(arguments, Thread *)     every thread of a block, of which it gets the first. If there is a
//   gpuopt_block_frame_bytes(), the first one's frame has that many for each.
//   void *gpuopt_run_thread(arguments, Thread *)   a coroutine's first part: up to where it first waits. The frame is
//   the thread's, of gpuopt_frame_bytes().
// and gpuopt_shared_bytes() is what static __shared__ arrays take, gpuopt_most_threads(), if there is one, what its
// __launch_bounds__ allow. "" or what kernels on the host cannot do.
// `may_loop`: whether threads that wait may become loops (plugins/jit/fission.h); the bits are the same. `check`: they
// become coroutines that are checked (plugins/jit/check.h), and there is a gpuopt_checked().
std::string lower_threads(llvm::Module &module, llvm::TargetMachine &machine, bool may_loop, bool check);

// To be run after optimization: how large a coroutine's frame is is known then, which gpuopt_frame_bytes() tells.
void finish_frames(llvm::Module &module);

}  // namespace gpuopt::jit
