// plugins/jit/compile/next_blocks.h -- prefetches of what the next blocks of a grid will read.
//
// A block of several short rows of threads reads a piece of as many rows of an array, and the next block the pieces
// beside them. Hardware prefetchers recognize that poorly, as each piece is a line or two of the cache, and the next
// one that is read lies in another row.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gpuopt::jit {

// Runs in front of the vectorizer. In front of each loop over the threads of a row it requests, for each array of the
// kernel's arguments of which adjacent threads read adjacent elements, a line some blocks ahead.
struct PrefetchNextBlocks : llvm::PassInfoMixin<PrefetchNextBlocks> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

}  // namespace gpuopt::jit
