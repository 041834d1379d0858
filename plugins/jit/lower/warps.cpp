// plugins/jit/lower/warps.cpp -- see warps.h.
#include "plugins/jit/lower/warps.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "plugins/jit/analysis/fields.h"
#include "plugins/jit/analysis/regions.h"

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::PHINode;
using llvm::Value;
using IsIndex = std::function<bool(const Instruction &)>;
using Waits = llvm::SmallPtrSetImpl<const Instruction *>;

constexpr uint64_t kLanes = 32;
constexpr int kMaxConditionDepth = 8;  // of conditions that are looked at

// What is known of the function before any of its branches is replaced.
struct BranchFacts {
  const IsIndex &is_index;
  const Waits &warp_waits;
  llvm::DominatorTree dominators;
  llvm::PostDominatorTree postdominators;
  llvm::LoopInfo loops;
  Uniformity uniformity;

  BranchFacts(llvm::Function &function, const DivergenceSource &is_source, const IsIndex &index, const Waits &waits)
      : is_index(index),
        warp_waits(waits),
        dominators(function),
        postdominators(function),
        loops(dominators),
        uniformity(function, is_source) {}
};

struct WarpBranch {
  llvm::BranchInst *branch = nullptr;
  BasicBlock *join = nullptr;            // where the threads reconverge, and to which one edge of the branch leads
  llvm::SetVector<BasicBlock *> blocks;  // between the branch and the join
};

// ---- Match ----

// Whether an operation of the thread's index and a constant has one result for all lanes of each warp.
bool is_uniform_in_warps(const Instruction &operation, uint64_t constant) {
  if (operation.getOpcode() == Instruction::LShr) return constant >= 5;
  if (operation.getOpcode() == Instruction::UDiv || operation.getOpcode() == Instruction::And)
    return constant % kLanes == 0;
  const auto *const compare = llvm::dyn_cast<llvm::ICmpInst>(&operation);
  if (!compare) return false;
  if (compare->getPredicate() == llvm::ICmpInst::ICMP_ULT) return constant % kLanes == 0;
  return compare->getPredicate() == llvm::ICmpInst::ICMP_UGT && constant % kLanes == kLanes - 1;
}

// Whether a value is the same for all lanes of each warp.
bool is_uniform_in_warps(const Value *value, const BranchFacts &known, int depth = kMaxConditionDepth) {
  const auto *const at = llvm::dyn_cast<Instruction>(value);
  if (!at || !known.uniformity.is_divergent(*at)) return true;
  if (depth == 0) return false;
  const auto *const constant =
      at->getNumOperands() == 2 ? llvm::dyn_cast<llvm::ConstantInt>(at->getOperand(1)) : nullptr;
  const auto *const first = llvm::dyn_cast<Instruction>(at->getOperand(0));
  if (constant && first && known.is_index(*first) && is_uniform_in_warps(*at, constant->getValue().getLimitedValue()))
    return true;
  if (!at->isBinaryOp() && !llvm::isa<llvm::CastInst, llvm::CmpInst, llvm::SelectInst>(at)) return false;
  return std::all_of(at->value_op_begin(), at->value_op_end(),
                     [&](const Value *operand) { return is_uniform_in_warps(operand, known, depth - 1); });
}

// Whether a block is reached through the branch alone.
bool is_entered_by_branch(BasicBlock *block, const WarpBranch &shape) {
  return std::all_of(llvm::pred_begin(block), llvm::pred_end(block), [&](BasicBlock *from) {
    return from == shape.branch->getParent() || shape.blocks.contains(from);
  });
}

// Whether the threads that reach a loop there all run the same number of iterations. Then so will the threads that
// would not have reached it.
bool has_uniform_iterations(const BasicBlock *block, const WarpBranch &shape, const BranchFacts &known) {
  const llvm::Loop *const loop = known.loops.getLoopFor(block);
  if (loop == known.loops.getLoopFor(shape.branch->getParent())) return true;
  return loop && (!loop->isLoopExiting(block) || !known.uniformity.has_divergent_branch(*block));
}

bool has_warp_wait(const BasicBlock &block, const BranchFacts &known) {
  return llvm::any_of(block, [&](const Instruction &each) { return known.warp_waits.contains(&each); });
}

bool has_block_wait(const BasicBlock &block, const BranchFacts &known) {
  return llvm::any_of(
      block, [&](const Instruction &each) { return is_call_of(each, kSuspend) && !known.warp_waits.contains(&each); });
}

// The branch at the end of a block, if all threads may run what is behind it, and lanes wait for each other there.
std::optional<WarpBranch> match(BasicBlock &block, const BranchFacts &known) {
  WarpBranch shape;
  shape.branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!shape.branch || shape.branch->isUnconditional() || !known.uniformity.has_divergent_branch(block))
    return std::nullopt;
  const auto *const node = known.postdominators.getNode(&block);
  shape.join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  const auto skips = [&](unsigned k) { return shape.branch->getSuccessor(k) == shape.join; };
  if (!shape.join || skips(0) == skips(1)) return std::nullopt;
  for (BasicBlock *inside : influence_region(&block, known.postdominators)) shape.blocks.insert(inside);
  const auto has_wait = [&](BasicBlock *inside) { return has_warp_wait(*inside, known); };
  const auto may_be_predicated = [&](BasicBlock *inside) {
    return is_entered_by_branch(inside, shape) && has_uniform_iterations(inside, shape, known) &&
           !has_block_wait(*inside, known);
  };
  const bool matches = std::any_of(shape.blocks.begin(), shape.blocks.end(), has_wait) &&
                       std::all_of(shape.blocks.begin(), shape.blocks.end(), may_be_predicated) &&
                       is_uniform_in_warps(shape.branch->getCondition(), known);
  return matches ? std::optional(std::move(shape)) : std::nullopt;
}

// ---- Rewrite ----

// Whether all threads may run an instruction: it has no effect beyond the exchange of values between lanes.
bool may_run_everywhere(const Instruction &instruction, const BranchFacts &known) {
  if (instruction.isTerminator() || llvm::isa<PHINode>(instruction) || known.warp_waits.contains(&instruction) ||
      is_exchange_slot(instruction) || is_shared_variable(instruction))
    return true;
  const Value *const pointer = llvm::getLoadStorePointerOperand(&instruction);
  if (pointer && is_exchange_slot(*pointer)) return true;
  return !instruction.mayReadOrWriteMemory() && llvm::isSafeToSpeculativelyExecute(&instruction);
}

// Puts an instruction behind a branch of its own. Its result is 0 for threads that skip it.
void predicate(Instruction &instruction, Value *condition) {
  Instruction *const then = llvm::SplitBlockAndInsertIfThen(condition, &instruction, false);
  BasicBlock *const before = then->getParent()->getSinglePredecessor(), *const after = instruction.getParent();
  instruction.moveBefore(then);
  if (instruction.getType()->isVoidTy() || instruction.use_empty()) return;
  PHINode *const phi = llvm::IRBuilder<>(after, after->begin()).CreatePHI(instruction.getType(), 2);
  instruction.replaceAllUsesWith(phi);
  phi->addIncoming(&instruction, then->getParent());
  phi->addIncoming(llvm::Constant::getNullValue(instruction.getType()), before);
}

// Replaces the phis at the join by selects, since all threads now come from the block `end`.
void select_results(const WarpBranch &shape, Value *condition, BasicBlock *end) {
  for (PHINode &phi : shape.join->phis()) {
    Value *const skipped = phi.removeIncomingValue(shape.branch->getParent(), false);
    const auto k = static_cast<unsigned>(phi.getBasicBlockIndex(end));
    llvm::IRBuilder<> at(end->getTerminator());
    phi.setIncomingValue(k, at.CreateSelect(condition, phi.getIncomingValue(k), skipped));
  }
}

void rewrite(const WarpBranch &shape, const BranchFacts &known) {
  const bool when = shape.branch->getSuccessor(1) == shape.join;  // the value of the condition that leads to the code
  llvm::IRBuilder<> builder(shape.branch);
  Value *const condition = when ? shape.branch->getCondition() : builder.CreateNot(shape.branch->getCondition());
  std::vector<BasicBlock *> last;
  for (BasicBlock *from : llvm::predecessors(shape.join)) {
    if (shape.blocks.contains(from)) last.push_back(from);
  }
  select_results(shape, condition, llvm::SplitBlockPredecessors(shape.join, last, ".end"));
  builder.CreateBr(shape.branch->getSuccessor(when ? 0 : 1));
  shape.branch->eraseFromParent();
  std::vector<Instruction *> predicated;
  for (BasicBlock *block : shape.blocks) {
    for (Instruction &instruction : *block) {
      if (!may_run_everywhere(instruction, known)) predicated.push_back(&instruction);
    }
  }
  for (Instruction *instruction : predicated) predicate(*instruction, condition);
}

// Replaces all branches that match and of which none is within another; false if there are none.
bool rewrite_branches(llvm::Function &function, const BranchFacts &known) {
  if (!known.uniformity.is_reducible()) return false;
  std::vector<WarpBranch> found;
  llvm::SmallPtrSet<BasicBlock *, 16> taken;
  for (BasicBlock &block : function) {
    if (taken.contains(&block)) continue;
    std::optional<WarpBranch> shape = match(block, known);
    if (!shape || llvm::any_of(shape->blocks, [&](BasicBlock *each) { return taken.contains(each); })) continue;
    taken.insert(&block);
    taken.insert(shape->blocks.begin(), shape->blocks.end());
    found.push_back(std::move(*shape));
  }
  for (const WarpBranch &shape : found) rewrite(shape, known);
  return !found.empty();
}

}  // namespace

bool predicate_warp_branches(llvm::Function &function, const DivergenceSource &is_source, const IsIndex &is_index,
                             const Waits &warp_waits) {
  if (warp_waits.empty()) return false;
  for (const Instruction &instruction : llvm::instructions(function)) {
    if ((has_visible_order(instruction) || instruction.isAtomic()) && !is_call_of(instruction, kSuspend)) return false;
  }
  bool any = false;
  while (rewrite_branches(function, BranchFacts(function, is_source, is_index, warp_waits))) any = true;
  return any;
}

}  // namespace gpuopt::jit
