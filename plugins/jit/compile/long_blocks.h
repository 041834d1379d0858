// plugins/jit/compile/long_blocks.h -- moves the pieces of very long basic blocks into functions of their own.
//
// Where the branches of a kernel become selections, as those of vectorized loops do, the whole body of a loop may be
// one block. LLVM's allocation of registers looks again at all of a block for each value that is used all over it,
// which takes time that grows with the square of the block's length. A piece is looked at by itself.
#pragma once

#include <llvm/IR/Module.h>

namespace gpuopt::jit {

// To be called when the module is optimized, since nothing is optimized across the calls of the pieces. Only code is
// moved: results have the same bits.
void cut_long_blocks(llvm::Module &module);

}  // namespace gpuopt::jit
