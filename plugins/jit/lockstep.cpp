// plugins/jit/lockstep.cpp -- see lockstep.h.
#include "plugins/jit/lockstep.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <algorithm>
#include <vector>

#include "plugins/jit/ahead.h"
#include "plugins/jit/analyses.h"
#include "plugins/jit/regions.h"
#include "plugins/jit/uniform.h"

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::PHINode;
using llvm::Value;
using Differs = std::function<bool(const Instruction &)>;

constexpr int64_t kLeastStep = 16;  // of what threads side by side share; with a smaller one they walk apart
constexpr int kDeepest = 16;

// What a thread takes from turn to turn, or out of the loop.
struct State {
  Value *before = nullptr, *after = nullptr;  // without a turn; at the end of one
  PHINode *inside = nullptr;                  // what the loop knows it by, at its head
  Value *step = nullptr;  // added in each turn, whoever makes it, for it is the same for all; else NULL
  PHINode *first = nullptr, *turn = nullptr, *last = nullptr;  // of the turns that some make
};

class Lockstep {
 public:
  Lockstep(llvm::Function &function, const Differs &differs)
      : function_(function),
        differs_(differs),
        dominators_(function),
        exits_(function),
        loops_(dominators_),
        uniformity_(function, differs) {}

  // One loop; false if there is none.
  bool run() {
    if (!uniformity_.is_structured()) return false;
    for (llvm::Loop *loop : loops_.getLoopsInPreorder()) {
      loop_ = loop;
      if (!match()) continue;
      rewrite();
      return true;
    }
    return false;
  }

 private:
  // ---- Which loops ----

  bool match() {
    header_ = loop_->getHeader();
    latch_ = loop_->getLoopLatch();
    before_ = loop_->getLoopPreheader();
    exit_ = loop_->getUniqueExitBlock();
    if (!loop_->isInnermost() || !latch_ || !before_ || !exit_ || loop_->getExitingBlock() != latch_) return false;
    if (!uniformity_.parts_threads(*latch_) || !is_unordered()) return false;
    hoist();
    return is_worth() && find_entry() && are_together();
  }

  // What is the same in all turns is computed before them; nothing has yet, and steps and bounds are not seen else.
  void hoist() const {
    bool changed = false;
    for (BasicBlock *block : loop_->blocks()) {
      for (Instruction &each : llvm::make_early_inc_range(*block)) {
        if (!llvm::isa<PHINode>(each)) loop_->makeLoopInvariant(&each, changed);
      }
    }
  }

  bool is_unordered() const {
    return std::all_of(loop_->block_begin(), loop_->block_end(), [](const BasicBlock *block) {
      return llvm::isa<BranchInst, llvm::SwitchInst>(block->getTerminator()) &&
             std::none_of(block->begin(), block->end(), [](const Instruction &each) { return is_ordered(each); });
    });
  }

  bool is_common(const Value *value) const {
    const auto *const made = llvm::dyn_cast<Instruction>(value);
    return loop_->isLoopInvariant(value) && (!made || !uniformity_.varies(*made));
  }

  // phi + the same for all threads and turns; NULL if it is not stepped that way.
  Value *step_of(const PHINode &phi) const {
    const auto *const next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(latch_));
    if (!next || next->getOpcode() != Instruction::Add) return nullptr;
    for (unsigned k = 0; k < 2; k++) {
      if (next->getOperand(k) == &phi && is_common(next->getOperand(1 - k))) return next->getOperand(1 - k);
    }
    return nullptr;
  }

  // It ends where something that begins with the thread's number, and is stepped far, meets a common bound.
  bool is_worth() const {
    const auto *const branch = llvm::cast<BranchInst>(latch_->getTerminator());
    const auto *const compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (!compare) return false;
    for (unsigned k = 0; k < 2; k++) {
      const PHINode *const phi = is_common(compare->getOperand(1 - k)) ? stepped(compare->getOperand(k)) : nullptr;
      const Value *const step = phi ? step_of(*phi) : nullptr;
      if (!step) continue;
      const auto *const number = llvm::dyn_cast<llvm::ConstantInt>(step);
      if (number && number->getValue().abs().ult(kLeastStep)) return false;
      return begins_with_number(phi->getIncomingValueForBlock(before_), kDeepest);
    }
    return false;
  }

  // The phi at the loop's head that a value is made from by steps and casts.
  const PHINode *stepped(const Value *value) const {
    for (int k = 0; k < kDeepest; k++) {
      const auto *const made = llvm::dyn_cast<Instruction>(value);
      if (!made || !loop_->contains(made)) return nullptr;
      if (const auto *const phi = llvm::dyn_cast<PHINode>(made)) return phi->getParent() == header_ ? phi : nullptr;
      if (!llvm::isa<llvm::CastInst>(made) && made->getOpcode() != Instruction::Add) return nullptr;
      value = made->getOperand(made->getNumOperands() == 2 && is_common(made->getOperand(0)) ? 1 : 0);
    }
    return nullptr;
  }

  // Computed from it, and not read from memory: threads then take about as many turns each.
  bool begins_with_number(const Value *value, int deepest) const {
    const auto *const made = llvm::dyn_cast<Instruction>(value);
    if (!made || !uniformity_.varies(*made) || differs_(*made)) return true;
    if (deepest == 0 || !(made->isBinaryOp() || llvm::isa<llvm::CastInst, llvm::FreezeInst>(made))) return false;
    return std::all_of(made->value_op_begin(), made->value_op_end(),
                       [&](const Value *operand) { return begins_with_number(operand, deepest - 1); });
  }

  // Where all threads come by that have a turn to make, and those that have none: at a branch around the loop.
  bool find_entry() {
    entry_ = before_;
    after_ = exit_;
    enters_ = nullptr;
    BasicBlock *const above = before_->getSinglePredecessor(), *const below = exit_->getSingleSuccessor();
    if (!above || !uniformity_.parts_threads(*above)) return true;
    auto *const branch = llvm::dyn_cast<BranchInst>(above->getTerminator());
    if (!branch || !below || &*exit_->getFirstNonPHIIt() != exit_->getTerminator()) return false;
    const bool when = branch->getSuccessor(0) == before_;
    if (branch->getSuccessor(when) != below || !std::all_of(before_->begin(), before_->end(), may_go_up)) return false;
    entry_ = above;
    after_ = below;
    enters_ = branch->getCondition();
    enters_if_ = when;
    return true;
  }
  static bool may_go_up(const Instruction &each) {
    return each.isTerminator() || (llvm::isSafeToSpeculativelyExecute(&each) && !each.mayReadFromMemory());
  }

  bool are_together() const {
    for (BasicBlock &block : function_) {
      if (!uniformity_.parts_threads(block)) continue;
      const std::vector<BasicBlock *> apart = between(&block, exits_);
      if (std::find(apart.begin(), apart.end(), entry_) != apart.end()) return false;
    }
    return true;
  }

  // ---- What they become ----
  //
  //   entry: all? -> before -> header ... latch: all? -> header
  //     else              else |
  //     v                      v
  //   rest: any? -> turn: this one? -> copies of header ... latch -> next: any? -> turn
  //     else              else -> next                                      else
  //     v                                                                    v
  //   after

  void rewrite() {
    find_strides();
    if (entry_ == before_) {
      before_ = llvm::SplitBlock(entry_, entry_->getTerminator());
      enters_ = llvm::ConstantInt::getTrue(function_.getContext());
    } else {
      for (Instruction &each : llvm::make_early_inc_range(*before_)) {
        if (!each.isTerminator()) each.moveBefore(entry_->getTerminator());
      }
      if (!enters_if_) enters_ = IRBuilder<>(entry_->getTerminator()).CreateNot(enters_);
    }
    collect();
    for (BasicBlock **block : {&rest_, &turn_, &next_})
      *block = BasicBlock::Create(function_.getContext(), "rest", &function_, exit_);
    for (State &state : states_) add_phis(state);
    copy_turn();
    leave();
    for (const auto &[load, step] : strides_) announce(*load, step);
    vote(entry_, kVoteAll, enters_, before_, rest_);
    vote(latch_, kVoteAll, again_, header_, rest_);
    vote(rest_, kVoteAny, states_[0].first, turn_, after_);
    vote(next_, kVoteAny, states_[0].last, turn_, after_);
    if (after_ != exit_) llvm::DeleteDeadBlock(exit_);
  }

  // What each thread reads with a stride in bytes that is the same for all of them and all turns.
  void find_strides() {
    const llvm::DataLayout &layout = function_.getDataLayout();
    IRBuilder<> before(before_->getTerminator());
    for (BasicBlock *block : loop_->blocks()) {
      for (Instruction &each : *block) {
        auto *const load = llvm::dyn_cast<llvm::LoadInst>(&each);
        const auto *const at = load ? llvm::dyn_cast<llvm::GetElementPtrInst>(load->getPointerOperand()) : nullptr;
        if (!at || at->getNumIndices() != 1 || !uniformity_.varies(*at)) continue;
        const PHINode *const phi = stepped(at->getOperand(1));
        Value *const step = phi ? step_of(*phi) : nullptr;
        if (!step) continue;
        Value *const elements = before.CreateSExtOrTrunc(step, before.getInt64Ty());
        const uint64_t size = layout.getTypeAllocSize(at->getSourceElementType());
        strides_.emplace_back(load, before.CreateMul(elements, before.getInt64(size)));
      }
    }
  }

  void collect() {
    auto *const branch = llvm::cast<BranchInst>(latch_->getTerminator());
    again_ = branch->getCondition();
    if (branch->getSuccessor(0) != header_) again_ = IRBuilder<>(branch).CreateNot(again_);
    states_.push_back({enters_, again_});
    std::vector<PHINode *> others;  // which may hand on what is stepped, and is replaced
    for (PHINode &phi : llvm::make_early_inc_range(header_->phis())) {
      if (Value *const step = phi.getType()->isIntegerTy() ? step_of(phi) : nullptr) {
        share_offset(phi, step);
      } else {
        others.push_back(&phi);
      }
    }
    for (PHINode *phi : others)
      states_.push_back({phi->getIncomingValueForBlock(before_), phi->getIncomingValueForBlock(latch_), phi});
  }

  // Its beginning is each thread's own, how far it has come is not.
  void share_offset(PHINode &phi, Value *step) {
    IRBuilder<> head(&phi), end(latch_->getTerminator());
    PHINode *const offset = head.CreatePHI(phi.getType(), 2, "offset");
    head.SetInsertPoint(header_, header_->getFirstInsertionPt());
    phi.replaceAllUsesWith(head.CreateAdd(phi.getIncomingValueForBlock(before_), offset));
    phi.eraseFromParent();
    offset->addIncoming(llvm::Constant::getNullValue(offset->getType()), before_);
    offset->addIncoming(end.CreateAdd(offset, step), latch_);
    states_.push_back({offset->getIncomingValue(0), offset->getIncomingValue(1), offset, step});
  }

  void add_phis(State &state) {
    llvm::Type *const type = state.before->getType();
    state.first = IRBuilder<>(rest_, rest_->begin()).CreatePHI(type, 2);
    state.first->addIncoming(state.before, entry_);
    state.first->addIncoming(state.after, latch_);
    state.turn = IRBuilder<>(turn_, turn_->begin()).CreatePHI(type, 2);
    state.turn->addIncoming(state.first, rest_);
    state.last = IRBuilder<>(next_, next_->begin()).CreatePHI(type, 2);
  }

  void copy_turn() {
    llvm::SmallVector<BasicBlock *, 8> copies;
    for (BasicBlock *block : loop_->blocks()) {
      copies.push_back(llvm::CloneBasicBlock(block, map_, "", &function_));
      map_[block] = copies.back();
    }
    for (const State &state : states_) {
      if (!state.inside) continue;
      llvm::cast<PHINode>(map_[state.inside])->eraseFromParent();
      map_[state.inside] = state.turn;
    }
    llvm::remapInstructionsInBlocks(copies, map_);
    auto *const end = llvm::cast<BasicBlock>(map_[latch_]);
    end->getTerminator()->eraseFromParent();
    IRBuilder<>(end).CreateBr(next_);
    IRBuilder<>(turn_).CreateCondBr(states_[0].turn, llvm::cast<BasicBlock>(map_[header_]), next_);
    for (State &state : states_) finish_turn(state, end);
  }

  Value *copied(Value *value) {
    const auto found = map_.find(value);
    return found == map_.end() ? value : static_cast<Value *>(found->second);
  }

  void finish_turn(State &state, BasicBlock *end) {
    Value *after = copied(state.after), *without = state.turn;
    if (state.step) after = without = IRBuilder<>(turn_->getTerminator()).CreateAdd(state.turn, state.step);
    state.last->addIncoming(without, turn_);
    state.last->addIncoming(after, end);
    state.turn->addIncoming(state.last, next_);
  }

  // What is known of the loop behind it.
  void leave() {
    for (PHINode &phi : after_->phis()) {
      Value *before = llvm::PoisonValue::get(phi.getType()),
            *after = phi.getIncomingValueForBlock(after_ == exit_ ? latch_ : exit_);
      if (after_ != exit_) {
        before = phi.removeIncomingValue(entry_, false);
        const auto *const at_exit = llvm::dyn_cast<PHINode>(after);
        if (at_exit && at_exit->getParent() == exit_) after = at_exit->getIncomingValueForBlock(latch_);
      }
      const State &state = state_of(before, after);
      if (after_ == exit_) phi.removeIncomingValue(latch_, false);
      phi.addIncoming(state.first, rest_);
      phi.addIncoming(state.last, next_);
    }
  }

  State &state_of(Value *before, Value *after) {
    for (State &state : states_) {
      if (state.before == before && state.after == after && !state.step) return state;
    }
    State &state = states_.emplace_back(State{before, after});
    add_phis(state);
    finish_turn(state, llvm::cast<BasicBlock>(map_[latch_]));
    return state;
  }

  void vote(BasicBlock *block, const char *which, Value *own, BasicBlock *yes, BasicBlock *no) {
    if (block->getTerminator()) block->getTerminator()->eraseFromParent();
    IRBuilder<> builder(block);
    builder.CreateCondBr(builder.CreateCall(vote_function(*function_.getParent(), which), {own}), yes, no);
  }

  llvm::Function &function_;
  const Differs &differs_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree exits_;
  llvm::LoopInfo loops_;
  Uniformity uniformity_;

  llvm::Loop *loop_ = nullptr;
  BasicBlock *entry_ = nullptr, *before_ = nullptr, *header_ = nullptr, *latch_ = nullptr, *exit_ = nullptr,
             *after_ = nullptr, *rest_ = nullptr, *turn_ = nullptr, *next_ = nullptr;
  Value *enters_ = nullptr, *again_ = nullptr;  // whether a thread makes a turn: the first, the next
  bool enters_if_ = true;
  std::vector<std::pair<llvm::LoadInst *, Value *>> strides_;
  std::vector<State> states_;  // [0]: whether a thread makes the next turn
  llvm::ValueToValueMapTy map_;
};

}  // namespace

bool lockstep(llvm::Function &function, llvm::TargetMachine &machine, const Differs &differs) {
  {
    Analyses analyses(machine);
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::LCSSAPass());
    passes.run(function, analyses.functions);
  }
  bool any = false;
  while (Lockstep(function, differs).run()) any = true;
  if (!any) return false;
  for (BasicBlock &block : function) {
    if (block.getSinglePredecessor()) llvm::FoldSingleEntryPHINodes(&block);
  }
  return true;
}

}  // namespace gpuopt::jit
