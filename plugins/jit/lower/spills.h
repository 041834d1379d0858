// plugins/jit/lower/spills.h -- carries each thread's values from the loop of one region to those of others.
//
// A value that is live across the end of its region is recomputed in each region that uses it (rematerialized) if that
// takes few instructions. Otherwise its loop stores it into an array with an element for each thread, from which the
// other loops load it: it is spilled. The arrays lie in the frame that the backend gives to a block.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <utility>
#include <vector>

#include "plugins/jit/analysis/fields.h"
#include "plugins/jit/analysis/regions.h"
#include "plugins/jit/lower/thread_loops.h"

namespace gpuopt::jit {

// The function of a block while it is being made of that of a thread.
struct BlockCode {
  llvm::Function &function;
  ThreadFields fields;
  Regions regions;
  ThreadLoops loops;

  BlockCode(llvm::Function &of, ThreadFields &&its_fields, Regions &&its_regions, ThreadLoops &&its_loops)
      : function(of), fields(std::move(its_fields)), regions(std::move(its_regions)), loops(std::move(its_loops)) {}

  // The arrays for spilled values, local variables and exchange slots.
  std::vector<llvm::Value *> arrays;
  uint64_t bytes = 0;              // of all arrays, for each thread
  llvm::Value *threads = nullptr;  // how many there are
  llvm::DenseMap<llvm::Value *, llvm::Value *> array_of_phi, array_of_value, array_of_local;

  llvm::DenseMap<llvm::Value *, llvm::Value *> originals;  // of values that were loaded or recomputed in another region
  std::vector<llvm::Instruction *> dead;                   // to be erased at the end
  uint64_t visited_blocks = 0;                             // by searches, whose effort is limited
};

// Replaces the phis at the beginnings of regions and all uses of values of other regions. To be called once, when all
// regions have loops.
void connect_regions(BlockCode &code);

// A value of any region for use in the body of this loop: itself, or what it was recomputed or loaded as.
llvm::Value *value_in(ThreadLoop &loop, llvm::Value *value, BlockCode &code);

// A value as the first or the last thread of the block has it, computed in the preheader of the loop. NULL if that
// takes more than a few simple instructions.
enum class EndThread { first, last };
llvm::Value *value_of(EndThread thread, llvm::Value *value, const ThreadLoop &loop, const BlockCode &code);

// Replaces the exchange slots (plugins/jit/analysis/fields.h) by an array with a word for each thread.
void place_exchange_slots(BlockCode &code);

}  // namespace gpuopt::jit
