// plugins/jit/fission.h -- loop fission: the function of one thread becomes that of a block, a loop over its threads
// for each part between barriers.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace gpuopt::jit {

// Of what one thread does, with all it calls inlined: what helps every lowering, and leaves less to be proved.
void simplify_thread(llvm::Function &thread, llvm::TargetMachine &machine);

// A function of the same type that runs all threads of the block of which it gets the first.
struct BlockFunction {
  llvm::Function *function = nullptr;
  uint64_t bytes = 0;    // of memory it wants for each thread, all at the first one's `frame`
  bool one_row = false;  // it runs blocks of one row only (plugins/jit/warps.h)
};

// A new one, or none where it is not proved that this is possible.
//
// The results are those of running each thread up to the next barrier, one after the other in order of their numbers,
// for programs without data races in CUDA's sense, and where several threads write the same value to one place.
BlockFunction fission(llvm::Function &thread, llvm::TargetMachine &machine);

}  // namespace gpuopt::jit
