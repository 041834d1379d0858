// plugins/jit/lower/converge.cpp -- see converge.h.
#include "plugins/jit/lower/converge.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <vector>

#include "plugins/jit/analysis/fields.h"

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Function;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

// Values of gpo::Thread::waits_for (plugins/jit/text/thread.h).
constexpr uint32_t kWaitForWarp = 2, kWaitConverged = 4;
constexpr uint32_t kWarpLanes = 32;

std::vector<CallInst *> converges_of(Function &function) {
  std::vector<CallInst *> found;
  for (Instruction &each : llvm::instructions(function))
    if (is_call_of(each, kConverge)) found.push_back(llvm::cast<CallInst>(&each));
  return found;
}

// The blocks of a function, each behind those that lead to it, but for the ends of loops, and what follows a loop
// behind all of the loop: a reverse postorder that follows the edges out of loops first.
std::vector<BasicBlock *> in_order(Function &function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  struct Step {
    BasicBlock *block;
    std::vector<BasicBlock *> next;  // what is still to be followed, the last one first
  };
  const auto step_at = [&](BasicBlock *block) {
    Step step{block, {llvm::succ_begin(block), llvm::succ_end(block)}};
    std::stable_sort(step.next.begin(), step.next.end(),
                     [&](auto *a, auto *b) { return loops.getLoopDepth(a) > loops.getLoopDepth(b); });
    return step;
  };
  llvm::SmallPtrSet<BasicBlock *, 32> seen = {&function.getEntryBlock()};
  std::vector<Step> path = {step_at(&function.getEntryBlock())};
  std::vector<BasicBlock *> order;
  while (!path.empty()) {
    if (path.back().next.empty()) {
      order.push_back(path.back().block);
      path.pop_back();
      continue;
    }
    BasicBlock *const next = path.back().next.back();
    path.back().next.pop_back();
    if (seen.insert(next).second) path.push_back(step_at(next));
  }
  std::reverse(order.begin(), order.end());
  return order;
}

Value *field_at(IRBuilder<> &at, Value *self, uint64_t offset) { return at.CreatePtrAdd(self, at.getInt64(offset)); }
Value *field_of(IRBuilder<> &at, Value *self, uint64_t offset) {
  return at.CreateLoad(at.getInt32Ty(), field_at(at, self, offset));
}

void wait(IRBuilder<> &at, Value *self, Value *mask, uint32_t waits_for) {
  at.CreateStore(mask, field_at(at, self, kMaskOffset));
  at.CreateStore(at.getInt32(waits_for), field_at(at, self, kWaitsForOffset));
  at.CreateCall(at.GetInsertBlock()->getModule()->getOrInsertFunction(kSuspend, at.getVoidTy()));
}

// The mask of all lanes of the warp: the last one of a block may have fewer than 32.
Value *whole_warp(IRBuilder<> &at, Value *self) {
  Value *threads = field_of(at, self, kBlockSizeOffset);
  for (const uint64_t d : {4, 8}) threads = at.CreateMul(threads, field_of(at, self, kBlockSizeOffset + d));
  Value *const begin = at.CreateAnd(field_of(at, self, kNumberOffset), at.getInt32(~(kWarpLanes - 1)));
  Value *const left = at.CreateSub(threads, begin), *const warp = at.getInt32(kWarpLanes);
  Value *const lanes = at.CreateSelect(at.CreateICmpULT(left, warp), left, warp);
  return at.CreateLShr(at.getInt32(~0u), at.CreateSub(warp, lanes));
}

void replace(CallInst *call, Value *mask) {
  call->replaceAllUsesWith(mask);
  call->eraseFromParent();
}

}  // namespace

void number_places(Function &thread) {
  uint32_t places = 0;
  for (BasicBlock *block : in_order(thread))
    for (Instruction &each : *block)
      if (is_call_of(each, kConverge))
        llvm::cast<CallInst>(each).setArgOperand(1, IRBuilder<>(&each).getInt32(++places));
}

void converge_whole_warps(Function &thread) {
  for (CallInst *call : converges_of(thread)) {
    IRBuilder<> at(call);
    wait(at, call->getArgOperand(0), at.getInt32(~0u), kWaitForWarp);
    replace(call, whole_warp(at, call->getArgOperand(0)));
  }
}

void converge_by_waiting(Function &thread) {
  for (CallInst *call : converges_of(thread)) {
    IRBuilder<> at(call);
    wait(at, call->getArgOperand(0), call->getArgOperand(1), kWaitConverged);
    replace(call, field_of(at, call->getArgOperand(0), kMaskOffset));
  }
}

void converge_alone(Function &function) {
  for (CallInst *call : converges_of(function)) {
    IRBuilder<> at(call);
    Value *const lane = at.CreateAnd(field_of(at, call->getArgOperand(0), kNumberOffset), at.getInt32(kWarpLanes - 1));
    replace(call, at.CreateShl(at.getInt32(1), lane));
  }
}

}  // namespace gpuopt::jit
