// plugins/jit/ptx/assembly.h -- inline PTX in kernels that run on the host.
//
// An asm statement becomes the LLVM code of what its instructions do. Moves, loads and stores are written here; every
// other instruction is a call of the function of its name, such as "ptx.add.u32", which plugins/shared/words/ptx.h
// defines for texts with asm statements.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace gpuopt::jit {

// Replaces all asm statements with a text. Returns "", or messages about those that are not understood, in the form of
// problems.h. To be called before any optimization.
std::string translate_assembly(llvm::Module &module);

}  // namespace gpuopt::jit
