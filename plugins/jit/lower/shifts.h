// plugins/jit/lower/shifts.h -- makes shifts in kernels defined for all operands, with the results of GPUs.
#pragma once

#include <llvm/IR/Module.h>

namespace gpuopt::jit {

// A processor shifts a number of 32 bits by 33 as by 1, or a vector of such numbers to 0. Afterwards a shift by as many
// bits as a number has, or more, gives 0, and -1 where a negative number is shifted to the right, as PTX says (`shl`,
// `shr`). This has to run before any optimization, since optimizations assume that there is no such shift.
void define_shifts(llvm::Module &module);

}  // namespace gpuopt::jit
