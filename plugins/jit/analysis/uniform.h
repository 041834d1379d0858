// plugins/jit/analysis/uniform.h -- uniformity analysis: which values are the same for all threads of a block.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <functional>
#include <memory>

namespace gpuopt::jit {

// Whether an instruction loads what the kernel was launched with, which no thread writes. This is a load marked as
// invariant, a load from argument 0 of the function (the array of pointers to the kernel's arguments), or a load of a
// kernel argument through such a pointer. is_kernel_argument() is true for the last kind alone.
bool is_kernel_argument(const llvm::Instruction &instruction);
bool reads_launch_data(const llvm::Instruction &instruction);

// Marks the atomic updates of a function as unordered (see has_visible_order()) if no program can observe their order:
// all atomic accesses of the function are updates of one commutative kind, such as integer additions, and no thread
// uses the value that an update returns.
void mark_commutative_atomics(llvm::Function &function);

// Whether a program can observe where the instruction runs relative to instructions of other threads. This is true for
// atomic and volatile accesses, fences, and calls that may access memory beyond their arguments.
bool has_visible_order(const llvm::Instruction &instruction);

// A vote is a call that takes one value from each thread of the block and returns one to all: whether all of them, or
// any of them, are true, or the least or the greatest of signed integers. Its result is uniform. A vote is no barrier:
// it makes no thread's writes visible to another.
constexpr const char *kVoteAll = "gpuopt_vote_all", *kVoteAny = "gpuopt_vote_any", *kVoteLeast = "gpuopt_vote_least",
                     *kVoteGreatest = "gpuopt_vote_greatest";
bool is_vote(const llvm::Instruction &instruction);
bool is_vote_of(const llvm::Instruction &instruction, const char *which);
llvm::FunctionCallee vote_function(llvm::Module &module, const char *which, llvm::Type *type);

// Whether an instruction is a source of divergence: its value differs between threads by itself, as the index of a
// thread does, and not because its operands do.
using DivergenceSource = std::function<bool(const llvm::Instruction &)>;

// LLVM's uniformity analysis of the function of one thread. The sources of divergence are those that `is_source` names,
// the addresses of local variables, and loads from memory that threads may write.
class Uniformity {
 public:
  Uniformity(llvm::Function &function, DivergenceSource is_source);
  ~Uniformity();
  Uniformity(const Uniformity &) = delete;
  Uniformity &operator=(const Uniformity &) = delete;

  // Whether the control flow is reducible: every loop has one entry. If not, the two functions below mean nothing.
  bool is_reducible() const;
  bool is_divergent(const llvm::Instruction &instruction) const;
  bool has_divergent_branch(const llvm::BasicBlock &block) const;  // threads may leave the block by different edges

 private:
  struct Analysis;
  std::unique_ptr<Analysis> analysis_;
};

}  // namespace gpuopt::jit
