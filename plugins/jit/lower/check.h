// plugins/jit/lower/check.h -- instruments a kernel that is checked while it runs (GPUOPT_JIT_CHECK). Before each
// access to memory that threads share, and before each wait, it calls the host with the line of the user's text.
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
  uint64_t offset, bytes;  // where it is in the block's shared memory; its size, or GPUOPT_SITE_DYNAMIC
};

// The metadata of the module in which the frontend lists the return and goto statements, as {i32 line, i32 column}.
constexpr const char *kReturns = "gpuopt.returns";
// A call that marks such a place.
constexpr const char *kReturned = "gpuopt_returned";

// Marks where a thread returns in the middle of the kernel, or of a function that waits for other threads. This has to
// run before anything is inlined. Returns the names of the kernel's parameters.
std::vector<std::string> prepare_checks(llvm::Function &thread);

// Inserts the calls of the host into the function of one thread. Everything that the function calls has been inlined,
// and it has line tables. A thread that the host tells to stop waits and never resumes.
void add_checks(llvm::Function &thread, llvm::TargetMachine &machine, const std::vector<SharedVariable> &shared,
                const std::vector<std::string> &parameters);

}  // namespace gpuopt::jit
