// plugins/jit/analysis/regions.h -- cuts the function of one thread into regions, each of which all threads of a block
// can run one after the other before any of them enters the next region.
//
// Regions end at barriers and at uniform branches. A divergent branch lies inside a region, together with all blocks up
// to where its threads reconverge.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <vector>

#include "plugins/jit/analysis/uniform.h"

namespace gpuopt::jit {

// A part of the function with one entry, the front of `chain`, and one exit, the end of its back. All threads of the
// block run every block of the chain; between two blocks of the chain they may diverge.
struct Region {
  std::vector<llvm::BasicBlock *> chain;
  std::vector<llvm::BasicBlock *> blocks;  // all blocks, in reverse postorder
};

struct Regions {
  std::vector<Region> list;
  // Instructions that run once for the whole block of threads instead of once for each thread: votes after the region's
  // threads have run, all others before.
  llvm::SmallPtrSet<const llvm::Instruction *, 32> hoisted;

  bool is_hoisted(const llvm::Instruction &instruction) const { return hoisted.contains(&instruction); }
};

// The influence region of a branch: the blocks that threads may run after they have left `block` by different edges and
// before they reconverge at its immediate postdominator.
std::vector<llvm::BasicBlock *> influence_region(llvm::BasicBlock *block,
                                                 const llvm::PostDominatorTree &postdominators);

// Removes the calls `barriers` from `function`, which has one return, and cuts it there. The result is empty unless it
// is proved that all threads of a block reach the same barriers in the same order, and that no program can observe
// whether, within a region, each thread runs to the end before the next one starts. The function changes either way,
// but not what it computes. `is_source` names the sources of divergence.
std::optional<Regions> find_regions(llvm::Function &function, const std::vector<llvm::CallInst *> &barriers,
                                    const DivergenceSource &is_source);

}  // namespace gpuopt::jit
