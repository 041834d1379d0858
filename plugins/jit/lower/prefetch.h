// plugins/jit/lower/prefetch.h -- prefetches for loops whose iterations all threads of a block run together. Such a
// loop strides through memory by the size of the whole grid, which hardware prefetchers do not recognize.
#pragma once

#include <llvm/IR/Instructions.h>

namespace gpuopt::jit {

// A call void (ptr) that stands for: each thread will read this address kPrefetchDistance iterations later. lockstep()
// inserts such calls; fission() replaces them by prefetches for all threads of the block.
constexpr const char *kPrefetch = "gpuopt_prefetch";
constexpr int kPrefetchDistance = 16;

// Inserts such a call before a load whose address advances by `step` bytes (i64) in each iteration.
void request_prefetch(llvm::LoadInst &load, llvm::Value *step);

// Inserts, before an instruction, prefetches of the cache lines from `first` to `last`, the addresses of the block's
// first and last thread. If they lie further apart than the accesses of one block can, only the first line is
// prefetched.
void emit_prefetches(llvm::Value *first, llvm::Value *last, llvm::Instruction *before);

}  // namespace gpuopt::jit
