// plugins/jit/ahead.h -- memory is asked for some turns before it is read, in loops whose turns all threads of a block
// make together: such a loop goes through memory in strides of the whole grid, which no processor sees coming.
#pragma once

#include <llvm/IR/Instructions.h>

namespace gpuopt::jit {

// Calls that stand for: here each thread reads at this address in kTurnsAhead turns. void (ptr).
constexpr const char *kAhead = "gpuopt_ahead";
constexpr int kTurnsAhead = 16;

// Before the load, which reads `step` bytes (i64) further in each turn.
void announce(llvm::LoadInst &load, llvm::Value *step);

// Asks for what lies between the addresses of a block's first and last thread, unless that is much more than a block
// reads in one turn.
void prefetch(llvm::Value *first, llvm::Value *last, llvm::Instruction *before);

}  // namespace gpuopt::jit
