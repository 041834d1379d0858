// plugins/jit/lower/split.h -- moves each of many loops over the threads of a block into a function of its own.
//
// Many of LLVM's passes look, for each loop, at all the code that comes before it, which takes quadratic time in a
// function of many loops. In a function of its own, a loop is looked at once.
#pragma once

#include <llvm/IR/Function.h>

#include <vector>

namespace gpuopt::jit {

// A nest of loops with one entry and one exit.
struct LoopNest {
  llvm::BasicBlock *before, *header, *after;
};

// Functions of few loops stay as they are, because LLVM then sees the code in front of each. Argument 0 of the function
// is the array of pointers to the kernel's arguments.
void split_loops(llvm::Function &function, const std::vector<LoopNest> &nests);

}  // namespace gpuopt::jit
