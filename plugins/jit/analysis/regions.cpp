// plugins/jit/analysis/regions.cpp -- see regions.h.
#include "plugins/jit/analysis/regions.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;

// The control flow of the function, which does not change while divergent regions are looked for.
struct Flow {
  llvm::DominatorTree dominators;
  llvm::PostDominatorTree postdominators;
  llvm::SmallPtrSet<BasicBlock *, 16> barriers;  // blocks that end at a barrier
  llvm::SetVector<BasicBlock *> divergent;       // blocks that some threads may run without the others
  llvm::SmallPtrSet<const Instruction *, 32> uniform;
};

// A connected set of divergent blocks.
struct DivergentRegion {
  llvm::SetVector<BasicBlock *> blocks;
  BasicBlock *entry = nullptr, *exit = nullptr;  // the exit is the first block behind the region
};
// By the block in front of each, which has no other successor.
using DivergentRegions = llvm::DenseMap<BasicBlock *, const DivergentRegion *>;

// ---- Divergent blocks ----

void split_at_barriers(const std::vector<llvm::CallInst *> &barriers, Flow &flow) {
  for (llvm::CallInst *barrier : barriers) {
    flow.barriers.insert(barrier->getParent());
    llvm::SplitBlock(barrier->getParent(), barrier->getNextNode());
    barrier->eraseFromParent();
  }
}

// Gives every branch a block of its own. Such a block can lie inside a region, or at its end.
void isolate_branches(llvm::Function &function) {
  std::vector<BasicBlock *> blocks;
  for (BasicBlock &block : function) {
    if (block.getTerminator()->getNumSuccessors() > 1) blocks.push_back(&block);
  }
  for (BasicBlock *block : blocks) llvm::SplitBlock(block, block->getTerminator());
}

void add_divergent_branch(BasicBlock *block, Flow &flow) {
  flow.divergent.insert(block);
  for (BasicBlock *inside : influence_region(block, flow.postdominators)) flow.divergent.insert(inside);
}

// Treats uniform branches around instructions with a visible order as divergent ones, unless a barrier lies behind
// them. They are then part of a region, so that each thread runs from barrier to barrier before the next thread starts.
void enclose_visible_order(llvm::Function &function, const Uniformity &uniformity, Flow &flow) {
  llvm::SmallPtrSet<BasicBlock *, 16> ordered;
  for (BasicBlock &block : function) {
    if (llvm::any_of(block, has_visible_order)) ordered.insert(&block);
  }
  if (ordered.empty()) return;
  for (BasicBlock &block : function) {
    if (block.getTerminator()->getNumSuccessors() < 2 || uniformity.has_divergent_branch(block)) continue;
    const std::vector<BasicBlock *> inside = influence_region(&block, flow.postdominators);
    const auto is_ordered = [&](BasicBlock *b) { return ordered.contains(b); };
    const auto has_barrier = [&](BasicBlock *b) { return flow.barriers.contains(b); };
    if (llvm::any_of(inside, is_ordered) && llvm::none_of(inside, has_barrier)) add_divergent_branch(&block, flow);
  }
}

// Fills in all of `flow` but the barriers. False if the analysis cannot be trusted or a terminator is not supported.
bool analyze(llvm::Function &function, const DivergenceSource &is_source, Flow &flow) {
  flow.dominators.recalculate(function);
  flow.postdominators.recalculate(function);
  const Uniformity uniformity(function, is_source);
  if (!uniformity.is_reducible()) return false;
  for (BasicBlock &block : function) {
    if (!llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::ReturnInst>(block.getTerminator())) return false;
    if (uniformity.has_divergent_branch(block)) add_divergent_branch(&block, flow);
    for (Instruction &instruction : block) {
      if (!uniformity.is_divergent(instruction)) flow.uniform.insert(&instruction);
    }
  }
  enclose_visible_order(function, uniformity, flow);
  return true;
}

// ---- Divergent regions ----

std::vector<DivergentRegion> connected_parts(const llvm::SetVector<BasicBlock *> &divergent) {
  std::vector<DivergentRegion> found;
  llvm::SmallPtrSet<BasicBlock *, 32> seen;
  for (BasicBlock *first : divergent) {
    if (!seen.insert(first).second) continue;
    DivergentRegion &region = found.emplace_back();
    region.blocks.insert(first);
    for (size_t k = 0; k < region.blocks.size(); k++) {
      const auto reach = [&](BasicBlock *other) {
        if (divergent.contains(other) && seen.insert(other).second) region.blocks.insert(other);
      };
      for (BasicBlock *other : llvm::predecessors(region.blocks[k])) reach(other);
      for (BasicBlock *other : llvm::successors(region.blocks[k])) reach(other);
    }
  }
  return found;
}

// The blocks of a region that have a predecessor outside of it: their number, and their nearest common dominator.
std::pair<unsigned, BasicBlock *> entries_of(const DivergentRegion &region, const llvm::DominatorTree &dominators) {
  BasicBlock *above = nullptr;
  unsigned entries = 0;
  for (BasicBlock *block : region.blocks) {
    const auto is_outside = [&](BasicBlock *from) { return !region.blocks.contains(from); };
    if (std::none_of(llvm::pred_begin(block), llvm::pred_end(block), is_outside)) continue;
    entries++;
    above = above ? dominators.findNearestCommonDominator(above, block) : block;
  }
  return {entries, above};
}

// Extends the divergent blocks until each connected part has one entry: a uniform branch that leads to several blocks
// of a part becomes part of it. The result is empty if that is impossible or would take a barrier in.
std::optional<std::vector<DivergentRegion>> close_divergent_regions(Flow &flow) {
  std::vector<DivergentRegion> regions;
  for (bool changed = true; changed;) {
    changed = false;
    regions = connected_parts(flow.divergent);
    for (DivergentRegion &region : regions) {
      const auto [entries, above] = entries_of(region, flow.dominators);
      if (entries == 1) {
        region.entry = above;
        continue;
      }
      if (above && changed && flow.divergent.contains(above)) continue;  // added in this round; the next one joins them
      const bool is_branch = above && !flow.divergent.contains(above) && above->getTerminator()->getNumSuccessors() > 1;
      if (entries == 0 || !is_branch) return std::nullopt;
      add_divergent_branch(above, flow);
      changed = true;
    }
  }
  const auto has_barrier = [&](BasicBlock *block) { return flow.barriers.contains(block); };
  if (std::any_of(flow.divergent.begin(), flow.divergent.end(), has_barrier)) return std::nullopt;
  return regions;
}

llvm::SmallPtrSet<BasicBlock *, 4> exits_of(const DivergentRegion &region) {
  llvm::SmallPtrSet<BasicBlock *, 4> exits;
  for (BasicBlock *block : region.blocks) {
    for (BasicBlock *next : llvm::successors(block)) {
      if (!region.blocks.contains(next)) exits.insert(next);
    }
  }
  return exits;
}

// Gives a region a block in front of it and one behind it that lead to it alone and are reached from it alone. Returns
// the former; NULL if the region has several exits.
BasicBlock *add_boundaries(DivergentRegion &region, const Flow &flow) {
  std::vector<BasicBlock *> from, last;
  for (BasicBlock *block : llvm::predecessors(region.entry)) {
    if (!region.blocks.contains(block)) from.push_back(block);
  }
  const llvm::SmallPtrSet<BasicBlock *, 4> exits = exits_of(region);
  if (exits.size() != 1 || from.empty()) return nullptr;
  BasicBlock *before = from[0], *after = *exits.begin();
  if (from.size() > 1 || !before->getSingleSuccessor() || flow.barriers.contains(before))
    before = llvm::SplitBlockPredecessors(region.entry, from, ".before");
  for (BasicBlock *block : llvm::predecessors(after)) {
    if (region.blocks.contains(block)) last.push_back(block);
  }
  if (last.size() != llvm::pred_size(after)) after = llvm::SplitBlockPredecessors(after, last, ".after");
  region.exit = after;
  return after ? before : nullptr;
}

// ---- Regions ----

// The block that all threads run after this one, if no barrier and no uniform branch or join lies between; else NULL.
BasicBlock *next_in_chain(BasicBlock *block, const Flow &flow, const DivergentRegions &behind) {
  if (flow.barriers.contains(block)) return nullptr;
  if (const DivergentRegion *region = behind.lookup(block)) return region->exit;
  BasicBlock *const next = block->getSingleSuccessor();
  return next && next->getSinglePredecessor() == block ? next : nullptr;
}

std::vector<Region> build_regions(llvm::Function &function, const Flow &flow, const DivergentRegions &behind) {
  std::vector<Region> list;
  const llvm::ReversePostOrderTraversal<llvm::Function *> order(&function);
  llvm::DenseMap<BasicBlock *, size_t> region_of;
  for (BasicBlock *block : order) {
    if (flow.divergent.contains(block) || region_of.contains(block)) continue;
    const size_t number = list.size();
    list.emplace_back();
    for (BasicBlock *at = block; at; at = next_in_chain(at, flow, behind)) {
      list[number].chain.push_back(at);
      region_of[at] = number;
      const DivergentRegion *const divergent = behind.lookup(at);
      if (!divergent) continue;
      for (BasicBlock *inside : divergent->blocks) region_of[inside] = number;
    }
  }
  for (BasicBlock *block : order) list[region_of.lookup(block)].blocks.push_back(block);
  return list;
}

// ---- Instructions that run once for all threads ----

bool may_be_hoisted(const Instruction &instruction, const Flow &flow, const Region &region) {
  if (!flow.uniform.contains(&instruction) || instruction.isTerminator() || instruction.mayWriteToMemory())
    return false;
  if (instruction.mayReadFromMemory() && !reads_launch_data(instruction)) return false;
  return !llvm::isa<llvm::PHINode>(instruction) || instruction.getParent() == region.chain.front();
}

// Instructions whose value is uniform, which all threads run, and whose operands are hoisted, too. A vote takes an
// operand of each thread.
void find_hoisted(llvm::Function &function, const Flow &flow, Regions &regions) {
  for (const Region &region : regions.list) {
    for (BasicBlock *block : region.chain) {
      for (Instruction &instruction : *block) {
        if (may_be_hoisted(instruction, flow, region)) regions.hoisted.insert(&instruction);
      }
    }
  }
  std::vector<const Instruction *> others;  // not hoisted; whose users are not, either
  for (const Instruction &instruction : llvm::instructions(function)) {
    if (!regions.is_hoisted(instruction)) others.push_back(&instruction);
  }
  while (!others.empty()) {
    const Instruction *const from = others.back();
    others.pop_back();
    for (const llvm::User *user : from->users()) {
      const auto *const instruction = llvm::dyn_cast<Instruction>(user);
      if (instruction && !is_vote(*instruction) && regions.hoisted.erase(instruction)) others.push_back(instruction);
    }
  }
}

bool branches_are_hoisted(const Regions &regions) {
  return std::all_of(regions.list.begin(), regions.list.end(), [&](const Region &region) {
    const Instruction *const end = region.chain.back()->getTerminator();
    const auto *const condition =
        end->getNumSuccessors() < 2 ? nullptr : llvm::dyn_cast<Instruction>(end->getOperand(0));
    return !condition || regions.is_hoisted(*condition);
  });
}

bool votes_are_hoisted(llvm::Function &function, const Regions &regions) {
  return std::all_of(llvm::inst_begin(function), llvm::inst_end(function), [&](const Instruction &instruction) {
    return !is_vote(instruction) || regions.is_hoisted(instruction);
  });
}

// ---- The order of threads ----

bool is_ordered(const Region &region) {
  return std::any_of(region.blocks.begin(), region.blocks.end(), [](const BasicBlock *block) {
    return std::any_of(block->begin(), block->end(), has_visible_order);
  });
}

// Whether no two regions that contain instructions with a visible order follow each other without a barrier between
// them. The first would run for all threads before the second does, and a program could observe that.
bool is_order_kept(const std::vector<Region> &list, const Flow &flow) {
  llvm::DenseMap<const BasicBlock *, size_t> starts;
  std::vector<bool> ordered;
  for (size_t k = 0; k < list.size(); k++) {
    starts[list[k].chain.front()] = k;
    ordered.push_back(is_ordered(list[k]));
  }
  for (size_t k = 0; k < list.size(); k++) {
    if (!ordered[k]) continue;
    std::vector<size_t> left{k};
    std::vector<bool> seen(list.size());
    while (!left.empty()) {
      BasicBlock *const end = list[left.back()].chain.back();
      left.pop_back();
      if (flow.barriers.contains(end)) continue;
      for (BasicBlock *next : llvm::successors(end)) {
        const size_t to = starts.lookup(next);
        if (ordered[to]) return false;
        if (!seen[to]) left.push_back(to);
        seen[to] = true;
      }
    }
  }
  return true;
}

}  // namespace

std::vector<BasicBlock *> influence_region(BasicBlock *block, const llvm::PostDominatorTree &postdominators) {
  const auto *const node = postdominators.getNode(block);
  const BasicBlock *const join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  std::vector<BasicBlock *> left{block}, found;
  llvm::SmallPtrSet<BasicBlock *, 16> seen;
  while (!left.empty()) {
    BasicBlock *const from = left.back();
    left.pop_back();
    for (BasicBlock *to : llvm::successors(from)) {
      if (to == join || !seen.insert(to).second) continue;
      found.push_back(to);
      left.push_back(to);
    }
  }
  return found;
}

std::optional<Regions> find_regions(llvm::Function &function, const std::vector<llvm::CallInst *> &barriers,
                                    const DivergenceSource &is_source) {
  Flow flow;
  split_at_barriers(barriers, flow);
  isolate_branches(function);
  if (!analyze(function, is_source, flow)) return std::nullopt;
  std::optional<std::vector<DivergentRegion>> divergent = close_divergent_regions(flow);
  if (!divergent) return std::nullopt;
  DivergentRegions behind;
  for (DivergentRegion &region : *divergent) {
    BasicBlock *const before = add_boundaries(region, flow);
    if (!before) return std::nullopt;
    behind[before] = &region;
  }
  Regions regions;
  regions.list = build_regions(function, flow, behind);
  find_hoisted(function, flow, regions);
  const bool is_proved =
      branches_are_hoisted(regions) && votes_are_hoisted(function, regions) && is_order_kept(regions.list, flow);
  return is_proved ? std::optional(std::move(regions)) : std::nullopt;
}

}  // namespace gpuopt::jit
