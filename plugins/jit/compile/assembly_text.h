// plugins/jit/compile/assembly_text.h -- asm statements of CUDA C++ as Clang parses them.
#pragma once

#include <string>

namespace gpuopt::jit {

// Returns a kernel's text with asm statements that Clang takes.
//
// Special registers, as in "mov.u32 %0, %laneid;", get a second percent sign: NVIDIA's compiler takes one, while Clang
// looks for an operand. With `for_host`, the constraints of operands that name a GPU's kind of register ("h", "l", "f",
// "d" and "q") become "r", the one for all of the host's (Inline PTX Assembly in CUDA, "Constraints"). Neither changes
// the line of anything.
std::string parsable_assembly(const std::string &code, bool for_host);

}  // namespace gpuopt::jit
