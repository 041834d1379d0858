// plugins/jit/lower/fission.h -- loop fission: makes the function of one thread that of a block, with a loop over the
// threads for each part between two barriers.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace gpuopt::jit {

// Canonicalizes the function of one thread (SROA, CSE, InstCombine, loop rotation) before it is lowered. Fission can
// prove more of a function in that form. Everything that the function calls has been inlined.
void simplify_thread(llvm::Function &thread, llvm::TargetMachine &machine);

// A function of the type of the thread's function, which runs all threads of the block whose first thread it is given.
struct BlockFunction {
  llvm::Function *function = nullptr;
  uint64_t bytes = 0;    // what it needs for each thread, at the `frame` of the block's first thread
  bool one_row = false;  // it runs only blocks of one row of threads (plugins/jit/lower/warps.h)
};

// Makes such a function, or none (NULL) where it is not proved that this is possible.
//
// The results are those of running each thread up to the next barrier before the next thread starts, in the order of
// their numbers. This holds for programs without data races in CUDA's sense, and for those in which several threads
// write the same value to one place.
BlockFunction fission(llvm::Function &thread, llvm::TargetMachine &machine);

}  // namespace gpuopt::jit
