// plugins/jit/uniform.h -- which values are the same for all threads of a block.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <functional>
#include <memory>

namespace gpuopt::jit {

// Whether it reads what the kernel was launched with, which nobody writes to: a load marked as invariant, or of what
// argument 0 of its function is an array of pointers to. is_argument(): the latter.
bool is_argument(const llvm::Instruction &instruction);
bool reads_launch(const llvm::Instruction &instruction);

// Whether its place among those of other threads can be seen: atomic functions, volatile accesses, fences, calls.
bool is_ordered(const llvm::Instruction &instruction);

// Calls that stand for a question to all threads of a block that come by, i1 (i1 of each one's own): is it true for
// all, for any? The answer is the same for all of them. Nobody waits: what they wrote to memory is not thereby seen.
constexpr const char *kVoteAll = "gpuopt_vote_all", *kVoteAny = "gpuopt_vote_any";
bool is_vote(const llvm::Instruction &instruction);
llvm::FunctionCallee vote_function(llvm::Module &module, const char *which);

// What LLVM's uniformity analysis proves of the function of one thread, where values differ between threads only by
// what `differs` says, by addresses of local variables, and by what is read from memory.
class Uniformity {
 public:
  Uniformity(llvm::Function &function, std::function<bool(const llvm::Instruction &)> differs);
  ~Uniformity();
  Uniformity(const Uniformity &) = delete;
  Uniformity &operator=(const Uniformity &) = delete;

  bool is_structured() const;  // no loop has two ways in; else nothing below is to be relied on
  bool varies(const llvm::Instruction &instruction) const;
  bool parts_threads(const llvm::BasicBlock &block) const;  // they leave it by different branches

 private:
  struct Analysis;
  std::unique_ptr<Analysis> analysis_;
};

}  // namespace gpuopt::jit
