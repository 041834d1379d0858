// plugins/jit/fission.h -- loop fission: the function of one thread becomes that of a block, a loop over its threads
// for each part between barriers.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace gpuopt::jit {

constexpr const char *kSuspend = "gpuopt_suspend";  // called where a thread waits

// Of what one thread does, with all it calls inlined: what helps every lowering, and leaves less to be proved.
void simplify_thread(llvm::Function &thread, llvm::TargetMachine &machine);

// A new function of the same type that runs all threads of the block of which it gets the first; NULL where it is not
// proved that this is possible. `bytes`: of memory it wants for each thread, all at the first one's `frame`.
//
// The results are those of running each thread up to the next barrier, one after the other in order of their numbers,
// for programs without data races in CUDA's sense, and where several threads write the same value to one place.
llvm::Function *fission(llvm::Function &thread, llvm::TargetMachine &machine, uint64_t &bytes);

}  // namespace gpuopt::jit
