// plugins/jit/lower/thread_loops.h -- wraps each region of a thread's function in loops over the threads of a block.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <deque>
#include <vector>

#include "plugins/jit/analysis/fields.h"
#include "plugins/jit/analysis/regions.h"

namespace gpuopt::jit {

// A region (plugins/jit/analysis/regions.h) in three nested loops, over z, y and x:
//
//   preheader -> z header -> y header -> x header -> first ... last -> x latch -> y latch -> z latch -> exit
//
// Hoisted instructions are in the preheader; votes and the branch to the next region are in the exit.
struct ThreadLoop {
  llvm::BasicBlock *preheader = nullptr, *exit = nullptr;
  llvm::BasicBlock *first = nullptr, *last = nullptr;  // of the body; `first` is NULL if no thread does anything there
  llvm::SmallVector<llvm::BasicBlock *, 8> body;
  llvm::SmallVector<llvm::CallInst *, 1> votes;
  llvm::Instruction *begin = nullptr;  // values from other regions are loaded or computed in front of it
  llvm::Value *index[3] = {}, *number = nullptr;
  llvm::BasicBlock *outer_header = nullptr;                // of the loop over z
  llvm::BranchInst *inner_latch = nullptr;                 // the branch back to the next x
  llvm::DenseMap<llvm::Value *, llvm::Value *> available;  // values from other regions that are at hand in this one
};

struct ThreadLoops {
  std::deque<ThreadLoop> list;  // in the order of the regions
  llvm::DenseMap<const llvm::BasicBlock *, ThreadLoop *> of_block;

  // The loop that contains a block, or has it as its exit; NULL if there is none.
  ThreadLoop *containing(const llvm::BasicBlock *block) const { return of_block.lookup(block); }
};

ThreadLoops wrap_in_loops(llvm::Function &function, const ThreadFields &fields, const Regions &regions);

}  // namespace gpuopt::jit
