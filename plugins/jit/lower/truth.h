// plugins/jit/lower/truth.h -- what a bool in memory means in kernels.
#pragma once

#include <llvm/IR/Module.h>

namespace gpuopt::jit {

// Makes every byte but 0 true, as NVIDIA's compiler does: masks of bytes, and structs of other programs, hold others
// than 1. Clang takes the lowest bit, and lets LLVM assume that there is no other. To be called before any
// optimization.
void define_truth(llvm::Module &module);

}  // namespace gpuopt::jit
