// plugins/jit/compile/strided.h -- loads of elements that lie at equal distances.
//
// Threads that read a column of a tile in shared memory, tile[threadIdx.x][y], read elements whose addresses differ by
// the size of a row. The vectorizer makes gathers of them, which need the vector of all addresses; most processors take
// longer for that than for a load of each element, whose address is that of the first one and a constant.
#pragma once

#include <llvm/IR/PassManager.h>

namespace gpuopt::jit {

// Runs behind the vectorizer. Replaces gathers of all lanes from addresses at a constant distance by loads.
struct LoadStrided : llvm::PassInfoMixin<LoadStrided> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

}  // namespace gpuopt::jit
