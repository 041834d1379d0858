// plugins/jit/warps.h -- branches that whole warps take or leave, around what the lanes of a warp wait in.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>

#include <functional>

namespace gpuopt::jit {

// In a function of one thread of a block that is one row of threads. `if (threadIdx.x / 32 == 0) x = sum_of_warp(x);`
// becomes what all threads run, where memory other than the warps' own words is touched, and the result taken, by those
// alone that take the branch: so all threads come to the same barriers. False if there is no such branch. What waits
// for others there is of `warp_waits`: for a whole warp, not for the block. `differs` as for Uniformity, `is_index`:
// whether it is a thread's number in its row.
//
// Lanes of other warps then give and take words that nobody looks at. A function with operations whose order among
// threads can be seen (is_ordered()) is left as it is: that order would be another.
bool merge_warps(llvm::Function &function, const std::function<bool(const llvm::Instruction &)> &differs,
                 const std::function<bool(const llvm::Instruction &)> &is_index,
                 const llvm::SmallPtrSetImpl<const llvm::Instruction *> &warp_waits);

}  // namespace gpuopt::jit
