// plugins/jit/parallel.h -- loops over threads between two barriers, declared to be free of dependences between turns.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Target/TargetMachine.h>

#include <vector>

namespace gpuopt::jit {

// Two threads that have no barrier between them touch one place only if both read, or both write the same value, or
// with atomic functions: else they race, and the program has no meaning. So turns of such a loop may be mixed in any
// way that keeps each thread's own order; but LLVM, told of a parallel loop, does not look for dependences within a
// turn either when it forms groups of strided accesses. So a loop is declared parallel only if no thread comes back to
// what it has written, as far as alias analysis can tell; the others are left to LLVM's own checks.
class ParallelLoops {
 public:
  ParallelLoops(llvm::Function &function, llvm::TargetMachine &machine) : function_(function), machine_(machine) {}
  void add_object(llvm::Value *base) { objects_.push_back(base); }  // nothing else points into it
  void add_loop(llvm::BranchInst *back) { loops_.push_back(back); }
  void declare();

 private:
  void tell_objects_apart();
  const llvm::Value *object_of(const llvm::Value *pointer) const;

  llvm::Function &function_;
  llvm::TargetMachine &machine_;
  std::vector<llvm::Value *> objects_;
  std::vector<llvm::BranchInst *> loops_;
};

}  // namespace gpuopt::jit
