// plugins/jit/regions.cpp -- see regions.h.
#include "plugins/jit/regions.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>

namespace gpuopt::jit {

using llvm::BasicBlock;
using llvm::Instruction;

Regions::Regions(llvm::Function &function, const std::vector<llvm::CallInst *> &barriers) : function_(function) {
  for (llvm::CallInst *barrier : barriers) {
    waiting_.insert(barrier->getParent());
    llvm::SplitBlock(barrier->getParent(), barrier->getNextNode());
    barrier->eraseFromParent();
  }
}

bool Regions::find(const std::function<bool(const Instruction &)> &differs) {
  isolate_branches();
  dominators_.recalculate(function_);
  exits_.recalculate(function_);
  {
    const Uniformity uniformity(function_, differs);
    if (!uniformity.is_structured()) return false;
    for (BasicBlock &block : function_) {
      if (!llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::ReturnInst>(block.getTerminator())) return false;
      if (uniformity.parts_threads(block)) parts_at(&block);
      for (Instruction &instruction : block) {
        if (!uniformity.varies(instruction)) uniform_.insert(&instruction);
      }
    }
    keep_order(uniformity);
  }
  if (!close()) return false;
  for (Island &island : islands_) {
    if (!frame(island)) return false;
  }
  chain();
  find_shared();
  return branches_are_shared() && votes_are_shared() && is_order_kept();
}

// A block that has a choice then has nothing else, so that it can be on either side of a region's border.
void Regions::isolate_branches() {
  std::vector<BasicBlock *> blocks;
  for (BasicBlock &block : function_) {
    if (block.getTerminator()->getNumSuccessors() > 1) blocks.push_back(&block);
  }
  for (BasicBlock *block : blocks) llvm::SplitBlock(block, block->getTerminator());
}

// Threads that leave `block` by different branches are together again where every way from it leads.
std::vector<BasicBlock *> between(BasicBlock *block, const llvm::PostDominatorTree &exits) {
  const auto *const node = exits.getNode(block);
  const BasicBlock *const together = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  std::vector<BasicBlock *> left{block}, found;
  llvm::SmallPtrSet<BasicBlock *, 16> seen;
  while (!left.empty()) {
    BasicBlock *const from = left.back();
    left.pop_back();
    for (BasicBlock *to : llvm::successors(from)) {
      if (to == together || !seen.insert(to).second) continue;
      found.push_back(to);
      left.push_back(to);
    }
  }
  return found;
}

void Regions::parts_at(BasicBlock *block) {
  apart_.insert(block);
  for (BasicBlock *inside : between(block, exits_)) apart_.insert(inside);
}

// Where one thread's effects may show in what another reads, each runs from barrier to barrier before the next does:
// branches around such an effect, though all take the same, are then part of a region and not its border.
void Regions::keep_order(const Uniformity &uniformity) {
  for (BasicBlock &block : function_) {
    if (block.getTerminator()->getNumSuccessors() < 2 || uniformity.parts_threads(block)) continue;
    const std::vector<BasicBlock *> inside = between(&block, exits_);
    const bool ordered = std::any_of(inside.begin(), inside.end(), [](BasicBlock *b) {
      return std::any_of(b->begin(), b->end(), [](Instruction &i) { return is_ordered(i); });
    });
    const auto waits = [this](BasicBlock *b) { return waiting_.contains(b); };
    if (ordered && std::none_of(inside.begin(), inside.end(), waits)) parts_at(&block);
  }
}

std::vector<Regions::Island> Regions::islands() const {
  std::vector<Island> found;
  llvm::SmallPtrSet<BasicBlock *, 32> seen;
  for (BasicBlock *first : apart_) {
    if (!seen.insert(first).second) continue;
    Island &island = found.emplace_back();
    island.blocks.insert(first);
    for (size_t k = 0; k < island.blocks.size(); k++) {
      const auto reach = [&](BasicBlock *other) {
        if (apart_.contains(other) && seen.insert(other).second) island.blocks.insert(other);
      };
      for (BasicBlock *other : llvm::predecessors(island.blocks[k])) reach(other);
      for (BasicBlock *other : llvm::successors(island.blocks[k])) reach(other);
    }
  }
  return found;
}

// The choice outside that leads to several blocks of the island; NULL if there is one way in, which is then the entry.
BasicBlock *Regions::split_of(Island &island, bool &possible) const {
  BasicBlock *above = nullptr;
  unsigned entries = 0;
  for (BasicBlock *block : island.blocks) {
    const auto is_outside = [&](BasicBlock *from) { return !island.blocks.contains(from); };
    if (std::none_of(llvm::pred_begin(block), llvm::pred_end(block), is_outside)) continue;
    entries++;
    above = above ? dominators_.findNearestCommonDominator(above, block) : block;
  }
  possible = entries > 0;
  if (entries < 2) {
    island.entry = above;
    return nullptr;
  }
  possible = above && !apart_.contains(above) && above->getTerminator()->getNumSuccessors() > 1;
  return above;
}

// Takes in what leads to several blocks of an island, until each has one way in.
bool Regions::close() {
  for (bool changed = true; changed;) {
    changed = false;
    islands_ = islands();
    for (Island &island : islands_) {
      bool possible = false;
      BasicBlock *const above = split_of(island, possible);
      if (!possible) return false;
      if (!above) continue;
      parts_at(above);
      changed = true;
      break;
    }
  }
  return std::none_of(apart_.begin(), apart_.end(), [this](BasicBlock *b) { return waiting_.contains(b); });
}

// Gives it a block before and one after that are its own.
bool Regions::frame(Island &island) {
  std::vector<BasicBlock *> from, last;
  llvm::SmallPtrSet<BasicBlock *, 4> to;
  for (BasicBlock *block : llvm::predecessors(island.entry)) {
    if (!island.blocks.contains(block)) from.push_back(block);
  }
  for (BasicBlock *block : island.blocks) {
    for (BasicBlock *next : llvm::successors(block)) {
      if (!island.blocks.contains(next)) to.insert(next);
    }
  }
  if (to.size() != 1 || from.empty()) return false;
  BasicBlock *before = from[0], *after = *to.begin();
  if (from.size() > 1 || !before->getSingleSuccessor() || waiting_.contains(before))
    before = llvm::SplitBlockPredecessors(island.entry, from, ".before");
  for (BasicBlock *block : llvm::predecessors(after)) {
    if (island.blocks.contains(block)) last.push_back(block);
  }
  if (last.size() != llvm::pred_size(after)) after = llvm::SplitBlockPredecessors(after, last, ".after");
  if (!before || !after) return false;
  island.exit = after;
  island_before_[before] = &island;
  return true;
}

// The block that all threads run after this one, and after no other, with no barrier between.
BasicBlock *Regions::next_of(BasicBlock *block) const {
  if (waiting_.contains(block)) return nullptr;
  if (const auto found = island_before_.find(block); found != island_before_.end()) return found->second->exit;
  BasicBlock *const next = block->getSingleSuccessor();
  return next && next->getSinglePredecessor() == block ? next : nullptr;
}

void Regions::chain() {
  const llvm::ReversePostOrderTraversal<llvm::Function *> order(&function_);
  llvm::DenseMap<BasicBlock *, size_t> region_of;
  for (BasicBlock *block : order) {
    if (apart_.contains(block) || region_of.contains(block)) continue;
    const size_t number = list.size();
    list.emplace_back();
    first_.insert(block);
    for (BasicBlock *at = block; at; at = next_of(at)) {
      list[number].chain.push_back(at);
      region_of[at] = number;
      if (const auto island = island_before_.find(at); island != island_before_.end()) {
        for (BasicBlock *inside : island->second->blocks) region_of[inside] = number;
      }
    }
  }
  for (BasicBlock *block : order) list[region_of.lookup(block)].blocks.push_back(block);
}

bool Regions::may_be_shared(const Instruction &instruction) const {
  if (!uniform_.contains(&instruction) || instruction.isTerminator() || instruction.mayWriteToMemory()) return false;
  if (instruction.mayReadFromMemory() && !reads_launch(instruction)) return false;
  return !llvm::isa<llvm::PHINode>(instruction) || first_.contains(instruction.getParent());
}

// Uniform, computed where threads are together, and from such values alone.
void Regions::find_shared() {
  for (const Region &region : list) {
    for (BasicBlock *block : region.chain) {
      for (Instruction &instruction : *block) {
        if (may_be_shared(instruction)) shared_.insert(&instruction);
      }
    }
  }
  const auto is_from_elsewhere = [this](const llvm::Use &use) {
    const auto *const from = llvm::dyn_cast<Instruction>(use);
    return from && !shared_.contains(from);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Instruction &instruction : llvm::instructions(function_)) {
      if (!shared_.contains(&instruction) || is_vote(instruction) ||
          std::none_of(instruction.op_begin(), instruction.op_end(), is_from_elsewhere))
        continue;
      shared_.erase(&instruction);
      changed = true;
    }
  }
}

bool Regions::branches_are_shared() const {
  for (const Region &region : list) {
    const Instruction *const end = region.chain.back()->getTerminator();
    if (end->getNumSuccessors() < 2) continue;
    const auto *const condition = llvm::dyn_cast<Instruction>(end->getOperand(0));
    if (condition && !shared_.contains(condition)) return false;
  }
  return true;
}

bool Regions::votes_are_shared() const {
  for (const Instruction &instruction : llvm::instructions(function_)) {
    if (is_vote(instruction) && !shared_.contains(&instruction)) return false;
  }
  return true;
}

// No two regions whose threads' order can be seen follow each other without a barrier between.
bool Regions::is_order_kept() const {
  llvm::DenseMap<const BasicBlock *, size_t> begins;
  std::vector<bool> ordered(list.size());
  for (size_t k = 0; k < list.size(); k++) {
    begins[list[k].chain.front()] = k;
    for (const BasicBlock *block : list[k].blocks)
      ordered[k] = ordered[k] || std::any_of(block->begin(), block->end(), is_ordered);
  }
  for (size_t k = 0; k < list.size(); k++) {
    if (!ordered[k]) continue;
    std::vector<size_t> left{k};
    std::vector<bool> seen(list.size());
    while (!left.empty()) {
      BasicBlock *const end = list[left.back()].chain.back();
      left.pop_back();
      if (waiting_.contains(end)) continue;
      for (BasicBlock *next : llvm::successors(end)) {
        const size_t to = begins.lookup(next);
        if (ordered[to]) return false;
        if (!seen[to]) left.push_back(to);
        seen[to] = true;
      }
    }
  }
  return true;
}

}  // namespace gpuopt::jit
