// plugins/jit/compile/next_blocks.h -- prefetches of what the next blocks of a grid will read and write.
//
// A block of several short rows of threads accesses a piece of as many rows of an array, and the next block the pieces
// beside them. Hardware prefetchers recognize that poorly, as each piece is a line or two of the cache, and the next
// one lies in another row. What is only written has to be in the cache, too, before a part of a line is written.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gpuopt::jit {

// Runs in front of the vectorizer. In front of each loop over the threads of a row it requests, for each array of the
// kernel's arguments of which adjacent threads access adjacent elements, a line some blocks ahead.
struct PrefetchNextBlocks : llvm::PassInfoMixin<PrefetchNextBlocks> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

}  // namespace gpuopt::jit
