// plugins/jit/compile/long_loops.h -- limits what the vectorizer does with very long loops.
//
// When LLVM's vectorizer discards a plan of a loop, it gives all of the plan's operands to one value and then removes
// each from that value's list of users, which takes time that grows with the square of the loop's length. It makes a
// plan for each set of widths that it compares, and more for the remainders. For a long loop the width is therefore
// chosen here, so that there is one plan; a loop that is far longer, or of thousands of blocks, which gains least, is
// left scalar.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gpuopt::jit {

// Runs in front of the vectorizer. The loops have the same bits at every width.
struct LimitLongLoops : llvm::PassInfoMixin<LimitLongLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

}  // namespace gpuopt::jit
