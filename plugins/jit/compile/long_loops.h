// plugins/jit/compile/long_loops.h -- leaves very long loops scalar.
//
// LLVM's vectorizer searches and moves the list of all users of a value whenever one of them changes, so that its time
// grows with the square of the number of statements that use the same value. It gains least, and takes most of the
// time of a compilation, where thousands of blocks store under conditions of their own; a body without branches is left
// scalar only if it is far longer than that.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gpuopt::jit {

// Runs in front of the vectorizer. Vectorized loops have the bits of scalar ones, so that no result changes.
struct LeaveLongLoops : llvm::PassInfoMixin<LeaveLongLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

}  // namespace gpuopt::jit
