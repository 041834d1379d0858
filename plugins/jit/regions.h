// plugins/jit/regions.h -- the function of one thread, cut into the parts that all threads of its block can run one
// after the other before any of them goes on: at barriers, and where they branch together.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include <vector>

#include "plugins/jit/uniform.h"

namespace gpuopt::jit {

// One way in and one out. In blocks of the chain all threads are together; between one and the next of them they may
// part.
struct Region {
  std::vector<llvm::BasicBlock *> chain;
  std::vector<llvm::BasicBlock *> blocks;  // all, in an order in which none comes before what leads to it (loops apart)
};

// Where threads that leave `block` by different branches may be, before they are together again.
std::vector<llvm::BasicBlock *> between(llvm::BasicBlock *block, const llvm::PostDominatorTree &exits);

class Regions {
 public:
  using Block = llvm::BasicBlock;

  // `function` returns in one place. `barriers`: the calls where all wait for all, which go.
  Regions(llvm::Function &function, const std::vector<llvm::CallInst *> &barriers);

  // Whether it is proved that all threads of a block come to the same barriers in the same order, and that what others
  // can see of their order within a region is as if each ran alone up to the next barrier. `differs` as for Uniformity.
  // The function is changed in either case, but not what it does.
  bool find(const std::function<bool(const llvm::Instruction &)> &differs);

  std::vector<Region> list;
  // Whether it is computed once for all threads: a vote when all have run the region, all else before.
  bool is_shared(const llvm::Instruction &instruction) const { return shared_.contains(&instruction); }

 private:
  struct Island {  // where threads part
    llvm::SetVector<Block *> blocks;
    Block *entry = nullptr, *exit = nullptr;
  };

  void isolate_branches();
  void parts_at(Block *block);
  void keep_order(const Uniformity &uniformity);
  bool close();
  std::vector<Island> islands() const;
  Block *split_of(Island &island, bool &possible) const;
  bool frame(Island &island);
  Block *next_of(Block *block) const;
  void chain();
  void find_shared();
  bool may_be_shared(const llvm::Instruction &instruction) const;
  bool branches_are_shared() const;
  bool votes_are_shared() const;
  bool is_order_kept() const;

  llvm::Function &function_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree exits_;
  llvm::SmallPtrSet<Block *, 16> waiting_;  // at their ends
  llvm::SetVector<Block *> apart_;
  llvm::SmallPtrSet<const llvm::Instruction *, 32> uniform_, shared_;
  llvm::DenseMap<Block *, const Island *> island_before_;
  std::vector<Island> islands_;
  llvm::SmallPtrSet<const Block *, 32> first_;
};

}  // namespace gpuopt::jit
