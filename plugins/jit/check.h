// plugins/jit/check.h -- a kernel that is checked while it runs (GPUOPT_JIT_CHECK): it tells the host of each access to
// memory that threads share, and of each wait, before it happens, with the line of the user's text.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gpuopt::jit {

// A __shared__ array.
struct SharedVariable {
  std::string symbol;
  uint64_t offset, bytes;  // in the block's shared memory; or GPUOPT_SITE_DYNAMIC bytes
};

// Of what one thread does, with all it calls inlined, as the frontend made it with line tables. Where the host says so
// the thread stops for good: it waits, and never goes on.
void add_checks(llvm::Function &thread, llvm::TargetMachine &machine, const std::vector<SharedVariable> &shared);

}  // namespace gpuopt::jit
