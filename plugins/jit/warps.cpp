// plugins/jit/warps.cpp -- see warps.h.
#include "plugins/jit/warps.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <vector>

#include "plugins/jit/fields.h"
#include "plugins/jit/regions.h"
#include "plugins/jit/uniform.h"

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::PHINode;
using llvm::Value;
using Test = std::function<bool(const Instruction &)>;
using Waits = llvm::SmallPtrSetImpl<const Instruction *>;

constexpr uint64_t kLanes = 32;
constexpr int kDeepest = 8;

class WarpBranch {
 public:
  WarpBranch(llvm::Function &function, const Test &differs, const Test &is_index, const Waits &waits)
      : function_(function),
        is_index_(is_index),
        waits_(waits),
        dominators_(function),
        exits_(function),
        loops_(dominators_),
        uniformity_(function, differs) {}

  // One of them; false if there is none.
  bool run() {
    if (!uniformity_.is_structured()) return false;
    for (BasicBlock &block : function_) {
      if (!match(block)) continue;
      rewrite();
      return true;
    }
    return false;
  }

 private:
  bool match(BasicBlock &block) {
    branch_ = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch_ || branch_->isUnconditional() || !uniformity_.parts_threads(block)) return false;
    const auto *const node = exits_.getNode(&block);
    together_ = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    if (!together_ || (branch_->getSuccessor(0) == together_) == (branch_->getSuccessor(1) == together_)) return false;
    inside_ = between(&block, exits_);
    return std::any_of(inside_.begin(), inside_.end(), [this](BasicBlock *b) { return has_wait(*b); }) &&
           std::all_of(inside_.begin(), inside_.end(), [this](BasicBlock *b) { return may_merge(b); }) &&
           is_of_warps(branch_->getCondition(), kDeepest);
  }

  bool has_wait(const BasicBlock &block) const {
    return std::any_of(block.begin(), block.end(), [this](const Instruction &each) { return waits_.contains(&each); });
  }

  bool may_merge(BasicBlock *block) const {
    return is_own(block) && turns_together(block) &&
           std::none_of(block->begin(), block->end(), [this](const Instruction &each) {
             return is_call_of(each, kSuspend) && !waits_.contains(&each);  // for the block
           });
  }

  // No way leads into it but by the branch.
  bool is_own(BasicBlock *block) const {
    return std::all_of(llvm::pred_begin(block), llvm::pred_end(block), [this](BasicBlock *from) {
      return from == branch_->getParent() || std::find(inside_.begin(), inside_.end(), from) != inside_.end();
    });
  }

  // All threads that come to a loop there make the same turns, as will those that would not come.
  bool turns_together(const BasicBlock *block) const {
    const llvm::Loop *const loop = loops_.getLoopFor(block);
    if (loop == loops_.getLoopFor(branch_->getParent())) return true;
    return loop && (!loop->isLoopExiting(block) || !uniformity_.parts_threads(*block));
  }

  // The same for all lanes of a warp.
  bool is_of_warps(const Value *value, int deepest) const {
    const auto *const made = llvm::dyn_cast<Instruction>(value);
    if (!made || !uniformity_.varies(*made)) return true;
    if (deepest == 0) return false;
    const auto *const limit =
        made->getNumOperands() == 2 ? llvm::dyn_cast<llvm::ConstantInt>(made->getOperand(1)) : nullptr;
    const auto *const first = llvm::dyn_cast<Instruction>(made->getOperand(0));
    if (limit && first && is_index_(*first) && is_cut(*made, limit->getValue().getLimitedValue())) return true;
    if (!made->isBinaryOp() && !llvm::isa<llvm::CastInst, llvm::CmpInst, llvm::SelectInst>(made)) return false;
    return std::all_of(made->value_op_begin(), made->value_op_end(),
                       [&](const Value *operand) { return is_of_warps(operand, deepest - 1); });
  }

  // Where what becomes of a number and a constant changes from warp to warp alone.
  static bool is_cut(const Instruction &made, uint64_t limit) {
    if (made.getOpcode() == Instruction::LShr) return limit >= 5;
    if (made.getOpcode() == Instruction::UDiv || made.getOpcode() == Instruction::And) return limit % kLanes == 0;
    const auto *const compare = llvm::dyn_cast<llvm::ICmpInst>(&made);
    if (!compare) return false;
    if (compare->getPredicate() == llvm::ICmpInst::ICMP_ULT) return limit % kLanes == 0;
    return compare->getPredicate() == llvm::ICmpInst::ICMP_UGT && limit % kLanes == kLanes - 1;
  }

  void rewrite() {
    BasicBlock *const block = branch_->getParent();
    const bool when = branch_->getSuccessor(1) == together_;
    llvm::IRBuilder<> builder(branch_);
    Value *const condition = when ? branch_->getCondition() : builder.CreateNot(branch_->getCondition());
    std::vector<BasicBlock *> last;
    for (BasicBlock *from : llvm::predecessors(together_)) {
      if (std::find(inside_.begin(), inside_.end(), from) != inside_.end()) last.push_back(from);
    }
    BasicBlock *const end = llvm::SplitBlockPredecessors(together_, last, ".end");
    for (PHINode &phi : together_->phis()) {
      Value *const others = phi.removeIncomingValue(block, false);
      const int way = phi.getBasicBlockIndex(end);
      llvm::IRBuilder<> at(end->getTerminator());
      phi.setIncomingValue(unsigned(way), at.CreateSelect(condition, phi.getIncomingValue(unsigned(way)), others));
    }
    builder.CreateBr(branch_->getSuccessor(when ? 0 : 1));
    branch_->eraseFromParent();
    guard(condition);
  }

  // What only those may do that take the branch.
  void guard(Value *condition) {
    std::vector<Instruction *> own;
    for (BasicBlock *block : inside_) {
      for (Instruction &each : *block) {
        if (!is_for_all(each)) own.push_back(&each);
      }
    }
    for (Instruction *each : own) {
      Instruction *const then = llvm::SplitBlockAndInsertIfThen(condition, each, false);
      BasicBlock *const before = then->getParent()->getSinglePredecessor(), *const after = each->getParent();
      each->moveBefore(then);
      if (each->getType()->isVoidTy() || each->use_empty()) continue;
      PHINode *const phi = llvm::IRBuilder<>(after, after->begin()).CreatePHI(each->getType(), 2);
      each->replaceAllUsesWith(phi);
      phi->addIncoming(each, then->getParent());
      phi->addIncoming(llvm::Constant::getNullValue(each->getType()), before);
    }
  }

  bool is_for_all(const Instruction &each) const {
    if (each.isTerminator() || llvm::isa<PHINode>(each) || waits_.contains(&each) || is_slot(each) ||
        is_shared_variable(each))
      return true;
    const Value *const pointer = llvm::getLoadStorePointerOperand(&each);
    if (pointer && is_slot(*pointer)) return true;
    return !each.mayReadOrWriteMemory() && llvm::isSafeToSpeculativelyExecute(&each);
  }

  llvm::Function &function_;
  const Test &is_index_;
  const Waits &waits_;  // for a warp
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree exits_;
  llvm::LoopInfo loops_;
  Uniformity uniformity_;

  llvm::BranchInst *branch_ = nullptr;
  BasicBlock *together_ = nullptr;  // where all are again
  std::vector<BasicBlock *> inside_;
};

}  // namespace

bool merge_warps(llvm::Function &function, const Test &differs, const Test &is_index, const Waits &waits) {
  if (waits.empty()) return false;
  for (const Instruction &each : llvm::instructions(function)) {
    if (is_ordered(each) && !is_call_of(each, kSuspend)) return false;
  }
  bool any = false;
  while (WarpBranch(function, differs, is_index, waits).run()) any = true;
  return any;
}

}  // namespace gpuopt::jit
