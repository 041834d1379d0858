// plugins/jit/lower/parallel.h -- marks loops over the threads of a block as parallel, so that LLVM vectorizes them.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Target/TargetMachine.h>

#include <vector>

namespace gpuopt::jit {

// A property of loops over the threads of a block that are not marked as parallel.
constexpr const char *kThreadLoop = "gpuopt.loop.over_threads";

// Marks loops over the threads of a block, given by the branches of their latches, as free of dependences between
// iterations. Nothing else in the function points into the arrays whose addresses `arrays` are.
//
// Two threads with no barrier between them access one place only if both read it, both write the same value, or both
// use atomic functions; otherwise they race, and the program has no meaning. The iterations of such a loop can
// therefore be interleaved in any way that keeps the order of each thread's own instructions. LLVM, however, does not
// look for dependences within an iteration of a parallel loop, either, when it forms groups of strided accesses. So a
// loop is marked only if, as far as alias analysis can tell, no thread accesses again what it has written; the others
// are left to LLVM's own checks.
void mark_parallel(llvm::Function &function, const std::vector<llvm::Value *> &arrays,
                   const std::vector<llvm::BranchInst *> &latches, llvm::TargetMachine &machine);

}  // namespace gpuopt::jit
