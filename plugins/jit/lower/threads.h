// plugins/jit/lower/threads.h -- from a kernel's function for one thread to what the host runs: a function that runs
// all threads of a block in loops, or, where threads wait for each other in ways that loops cannot be proved to follow,
// a coroutine for each thread.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

namespace gpuopt::jit {

// Lowers a module that defines gpuopt_run_thread (plugins/jit/text/entry.h), before any optimization; leaves other
// modules as they are. Afterwards the module defines at least one of these two functions. If it defines both, the first
// is for blocks of one row of threads:
//
//   void gpuopt_run_block(arguments, Thread *)
//     Runs all threads of the block whose first thread it is given. If there is a function gpuopt_block_frame_bytes(),
//     it needs that many bytes for each thread, at the first thread's `frame`.
//   void *gpuopt_run_thread(arguments, Thread *)
//     Starts the thread as a coroutine, which runs to its first wait. The coroutine's frame is the thread's `frame`, of
//     gpuopt_frame_bytes().
//
// gpuopt_shared_bytes() returns the size of the static __shared__ variables and gpuopt_most_threads(), which exists if
// the kernel has __launch_bounds__, the largest block that these allow.
//
// `may_loop` says whether threads that wait may become loops (plugins/jit/lower/fission.h); the results have the same
// bits either way. With `check` the threads become coroutines that are checked (plugins/jit/lower/check.h), and the
// module has a function gpuopt_checked(). Returns an error message (plugins/jit/lower/problems.h), empty on success.
std::string lower_threads(llvm::Module &module, llvm::TargetMachine &machine, bool may_loop, bool check);

// Defines gpuopt_frame_bytes(), after optimization, when the size of a coroutine's frame is known.
void finish_frames(llvm::Module &module);

// Adds passes that split coroutines of many suspensions before LLVM's pipeline would. LLVM's own pass recomputes behind
// each suspension everything that can be recomputed from what is in the frame, in code that grows with the square of
// the number of suspensions. These passes recompute only what takes few instructions, and keep the rest in the frame.
void split_long_coroutines(const llvm::Module &module, llvm::ModulePassManager &passes);

}  // namespace gpuopt::jit
