// plugins/jit/compile/interior.h -- loops over threads at the borders of arrays, and in their interior.
//
// A thread that reads the neighbors of an element keeps indices in bounds: x[max(i - 1, 0)], x[min(i + 1, n - 1)].
// The vectorizer reads such elements one by one. In all rows of threads but those at the borders, however, the index is
// i - 1, and adjacent threads read adjacent elements:
//
//   for (t = 0; t < threads; t++) y[f + t] = x[max(f + t - 1, 0)];
//
//   if (f - 1 >= 0 && f - 1 <= f - 1 + threads - 1)  // the first thread's index; and none wraps around
//     for (t = 0; t < threads; t++) y[f + t] = x[f + t - 1];
//   else
//     for (t = 0; t < threads; t++) y[f + t] = x[max(f + t - 1, 0)];
#pragma once

#include <llvm/IR/PassManager.h>

namespace gpuopt::jit {

// Runs in front of the vectorizer. Gives each innermost loop that takes the minimum or the maximum of an index and a
// bound, chooses an index by comparing them, or compares them for equality, a second version, in which these and the
// comparisons with bounds have the results that they have in the interior. A test in front of the loop chooses.
struct SplitInterior : llvm::PassInfoMixin<SplitInterior> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

}  // namespace gpuopt::jit
