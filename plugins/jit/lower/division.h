// plugins/jit/lower/division.h -- makes integer division in kernels defined for all operands, with the results of the
// operations on arrays.
#pragma once

#include <llvm/IR/Module.h>

namespace gpuopt::jit {

// Processors trap, or return any value, where an integer is divided by zero or the least integer by -1. Afterwards the
// quotient and the remainder of a division by zero are 0, and the least integer divided by -1 is itself, with remainder
// 0. This has to run before any optimization, since optimizations assume that neither division happens.
void define_division(llvm::Module &module);

}  // namespace gpuopt::jit
