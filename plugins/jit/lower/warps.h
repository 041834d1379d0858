// plugins/jit/lower/warps.h -- removes branches that whole warps take or skip, around code in which the lanes of a warp
// wait for each other.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>

#include <functional>

#include "plugins/jit/analysis/uniform.h"

namespace gpuopt::jit {

// Replaces branches that whole warps take or skip by predication, in the function of one thread of a block that is one
// row of threads. For example
//
//   if (threadIdx.x / 32 == 0) { x = sum_of_warp(x); *total = x; }
//
// becomes code that all threads run, in which the threads of the first warp alone store to `total` and take the new x:
//
//   y = sum_of_warp(x); if (threadIdx.x / 32 == 0) *total = y; x = threadIdx.x / 32 == 0 ? y : x;
//
// All threads then reach the same waits, so that these can be barriers between regions
// (plugins/jit/analysis/regions.h). The lanes of other warps exchange values that nobody uses. Returns false if there
// is no such branch. Functions that contain instructions with a visible order (has_visible_order()) are left as they
// are, since that order would change.
//
// `is_source` names the sources of divergence and `is_index` the number of the thread in its row. `warp_waits` are the
// waits for a whole warp rather than for the block.
bool predicate_warp_branches(llvm::Function &function, const DivergenceSource &is_source,
                             const std::function<bool(const llvm::Instruction &)> &is_index,
                             const llvm::SmallPtrSetImpl<const llvm::Instruction *> &warp_waits);

}  // namespace gpuopt::jit
