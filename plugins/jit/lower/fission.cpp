// plugins/jit/lower/fission.cpp -- see fission.h.
//
// An example. A block reverses its elements and scales them:
//
//   __shared__ float s[256];
//   int t = threadIdx.x;
//   float x = in[t] * scale;
//   s[t] = x;
//   __syncthreads();
//   float y = s[255 - t];
//   if (y > x) out[t] = y;
//
// The barrier cuts the function into two regions (regions.h). The branch is divergent, since y and x differ between
// threads, so it stays inside the second region. The loads of the pointers and of `scale` are uniform: they are hoisted
// and run once for the block. Three values are live from the first region to the second. `t` becomes the counter of
// each loop (thread_loops.h), `255 - t` is rematerialized from it, and x, which was loaded from memory, is spilled to
// an array (spills.h):
//
//   float *x_of = frame;
//   for (int t = 0; t < blockDim.x; t++) {      // and over y and z, if the block has them
//     float x = in[t] * scale;
//     s[t] = x;
//     x_of[t] = x;
//   }
//   for (int t = 0; t < blockDim.x; t++) {
//     float x = x_of[t], y = s[255 - t];
//     if (y > x) out[t] = y;
//   }
//
// Threads between two barriers do not depend on each other, or the program has a data race. The loops are therefore
// marked as parallel (parallel.h), and LLVM vectorizes them.
#include "plugins/jit/lower/fission.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

#include <optional>
#include <vector>

#include "plugins/jit/analysis/analyses.h"
#include "plugins/jit/lower/converge.h"
#include "plugins/jit/lower/lockstep.h"
#include "plugins/jit/lower/parallel.h"
#include "plugins/jit/lower/prefetch.h"
#include "plugins/jit/lower/spills.h"
#include "plugins/jit/lower/split.h"
#include "plugins/jit/lower/warps.h"

namespace gpuopt::jit {
namespace {

using llvm::Function;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

constexpr uint64_t kMaxArrayBytes = 1 << 14;  // for each thread

std::vector<llvm::CallInst *> barriers_of(Function &function) {
  std::vector<llvm::CallInst *> barriers;
  for (Instruction &instruction : llvm::instructions(function)) {
    if (is_call_of(instruction, kSuspend)) barriers.push_back(llvm::cast<llvm::CallInst>(&instruction));
  }
  return barriers;
}

// The local variables of a thread, and the marks of their lifetimes, which arrays for all threads replace. Empty if the
// size of a variable is not constant.
std::optional<std::vector<Instruction *>> locals_of(Function &function) {
  std::vector<Instruction *> locals;
  for (Instruction &instruction : llvm::instructions(function)) {
    const auto *const local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (local && !local->isStaticAlloca()) return std::nullopt;
    if (local || instruction.isLifetimeStartOrEnd()) locals.push_back(&instruction);
  }
  return locals;
}

// What a vote starts from, and how it combines the threads' values.
struct VoteKind {
  llvm::APInt neutral;
  llvm::Intrinsic::ID extreme = llvm::Intrinsic::not_intrinsic;
};

VoteKind kind_of(const llvm::CallInst &vote) {
  const unsigned bits = vote.getType()->getIntegerBitWidth();
  if (is_vote_of(vote, kVoteLeast)) return {llvm::APInt::getSignedMaxValue(bits), llvm::Intrinsic::smin};
  if (is_vote_of(vote, kVoteGreatest)) return {llvm::APInt::getSignedMinValue(bits), llvm::Intrinsic::smax};
  return {llvm::APInt(bits, is_vote_of(vote, kVoteAll))};
}

// Makes a vote a variable of the block, in which each thread's loop iteration combines its own value with those before.
// Returns the variable.
llvm::AllocaInst *lower_vote(llvm::CallInst &vote, ThreadLoop &loop, BlockCode &code) {
  const VoteKind kind = kind_of(vote);
  llvm::BasicBlock &front = code.function.getEntryBlock();
  IRBuilder<> entry(&front, front.begin()), preheader(loop.preheader->getTerminator()),
      last(loop.last->getTerminator()), exit(&vote);
  llvm::AllocaInst *const answer = entry.CreateAlloca(vote.getType());
  preheader.CreateStore(llvm::ConstantInt::get(vote.getType(), kind.neutral), answer);
  Value *const own = value_in(loop, vote.getArgOperand(0), code), *const others =
                                                                      last.CreateLoad(vote.getType(), answer);
  Value *const together = kind.extreme           ? last.CreateBinaryIntrinsic(kind.extreme, others, own)
                          : kind.neutral.isOne() ? last.CreateAnd(others, own)
                                                 : last.CreateOr(others, own);
  last.CreateStore(together, answer);
  vote.replaceAllUsesWith(exit.CreateLoad(vote.getType(), answer));
  vote.eraseFromParent();
  return answer;
}

std::vector<llvm::AllocaInst *> lower_votes(BlockCode &code) {
  std::vector<llvm::AllocaInst *> answers;
  for (ThreadLoop &loop : code.loops.list) {
    for (llvm::CallInst *vote : loop.votes) answers.push_back(lower_vote(*vote, loop, code));
  }
  return answers;
}

// Replaces requests for prefetches (prefetch.h) by prefetches in front of the loop over the threads.
void lower_prefetches(BlockCode &code) {
  for (ThreadLoop &loop : code.loops.list) {
    for (llvm::BasicBlock *block : loop.body) {
      for (Instruction &instruction : llvm::make_early_inc_range(*block)) {
        if (!is_call_of(instruction, kPrefetch)) continue;
        Value *const address = instruction.getOperand(0);
        Value *const first = loop.first ? value_of(EndThread::first, address, loop, code) : nullptr;
        Value *const last = first ? value_of(EndThread::last, address, loop, code) : nullptr;
        if (last) emit_prefetches(first, last, loop.preheader->getTerminator());
        instruction.eraseFromParent();
      }
    }
  }
}

void erase_dead(BlockCode &code) {
  for (const auto &[instruction, offset] : code.fields.divergent)
    code.dead.push_back(const_cast<Instruction *>(instruction));
  for (Instruction *instruction : code.dead) {
    if (!instruction->getType()->isVoidTy())
      instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
    instruction->eraseFromParent();
  }
}

void mark_parallel_loops(const BlockCode &code, llvm::TargetMachine &machine) {
  std::vector<llvm::BranchInst *> latches;
  for (const ThreadLoop &loop : code.loops.list) {
    if (loop.first) latches.push_back(loop.inner_latch);
  }
  mark_parallel(code.function, code.arrays, latches, machine);
}

void split_into_functions(const BlockCode &code) {
  std::vector<LoopNest> nests;
  for (const ThreadLoop &loop : code.loops.list) {
    if (!loop.first) continue;
    llvm::BasicBlock *const before = loop.outer_header->phis().begin()->getIncomingBlock(0);
    nests.push_back({before, loop.outer_header, loop.exit});
  }
  split_loops(code.function, nests);
}

// Turns a function with loops around its regions into its final form. False if its arrays take too much memory.
bool finish(BlockCode &code, llvm::TargetMachine &machine) {
  connect_regions(code);
  const std::vector<llvm::AllocaInst *> answers = lower_votes(code);
  lower_prefetches(code);
  place_exchange_slots(code);
  if (code.bytes > kMaxArrayBytes) return false;
  erase_dead(code);
  llvm::DominatorTree dominators(code.function);
  llvm::PromoteMemToReg(answers, dominators);
  mark_parallel_loops(code, machine);
  lower_shared_variables(code.function);
  split_into_functions(code);
  return true;
}

bool is_in_argument_list(const Instruction &load, const Function &function) {
  const auto *const plain = llvm::dyn_cast<llvm::LoadInst>(&load);
  return plain && plain->isSimple() && plain->getPointerOperand()->stripInBoundsConstantOffsets() == function.getArg(0);
}

// Moves the loads of the kernel's arguments to the beginning of the function, where they were before LLVM moved them
// next to their uses. Behind `if (i < n)` they would be in divergent code, where nothing is hoisted, and the addresses
// that are computed from them would keep the loop over the threads from being vectorized. The arguments can be read
// whatever the thread does.
void hoist_arguments(Function &function) {
  Instruction *place = &*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  std::vector<Instruction *> moved;
  llvm::SmallPtrSet<const Value *, 16> known;
  const auto add = [&](Value *value, const auto &add_operand) -> void {
    auto *const instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || !known.insert(instruction).second) return;
    for (Value *operand : instruction->operands()) add_operand(operand, add_operand);  // come before it
    moved.push_back(instruction);
  };
  for (Instruction &instruction : llvm::instructions(function)) {
    if (is_in_argument_list(instruction, function) || is_kernel_argument(instruction)) add(&instruction, add);
  }
  for (Instruction *instruction : moved) {
    if (instruction == place)
      place = place->getNextNode();
    else
      instruction->moveBefore(place);
  }
}

// Makes a copy of the function of one thread that of a block. With `use_lockstep`, its divergent grid-stride loops
// become uniform first (lockstep.h), and nothing is made if it has none.
BlockFunction rewrite(Function &function, llvm::TargetMachine &machine, bool use_lockstep) {
  converge_whole_warps(function);
  hoist_arguments(function);
  const std::vector<llvm::CallInst *> barriers = barriers_of(function);
  std::optional<ThreadFields> fields = take_thread_fields(function);
  if (!fields) return {};
  const auto is_source = [&](const Instruction &instruction) {
    return fields->divergent.contains(&instruction) || is_exchange_slot(instruction);
  };
  const auto is_index = [&](const Instruction &instruction) {
    const auto field = fields->divergent.find(&instruction);
    return field != fields->divergent.end() && (field->second == kIndexOffset || field->second == kNumberOffset);
  };
  const bool one_row = predicate_warp_branches(function, is_source, is_index, fields->warp_waits);
  if (use_lockstep && !lockstep(function, machine, is_source)) return {};
  std::optional<std::vector<Instruction *>> locals = locals_of(function);
  std::optional<Regions> regions = locals ? find_regions(function, barriers, is_source) : std::nullopt;
  if (!regions) return {};
  ThreadLoops loops = wrap_in_loops(function, *fields, *regions);
  BlockCode code(function, std::move(*fields), std::move(*regions), std::move(loops));
  code.dead = std::move(*locals);
  return finish(code, machine) ? BlockFunction{&function, code.bytes, one_row} : BlockFunction{};
}

// Removes what `restrict` said about the bodies of inlined functions, which does not hold for loops around them.
void forget_restrict(Function &thread) {
  for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(thread))) {
    instruction.setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
    if (llvm::isa<llvm::NoAliasScopeDeclInst>(instruction)) instruction.eraseFromParent();
  }
}

}  // namespace

void simplify_thread(Function &thread, llvm::TargetMachine &machine) {
  forget_restrict(thread);
  Analyses analyses(machine);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::LoopFullUnrollPass(3));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::UnifyFunctionExitNodesPass());
  passes.run(thread, analyses.functions);
}

BlockFunction fission(Function &thread, llvm::TargetMachine &machine) {
  for (const bool use_lockstep : {true, false}) {
    llvm::ValueToValueMapTy map;
    Function *const copy = llvm::CloneFunction(&thread, map);
    if (const BlockFunction block = rewrite(*copy, machine, use_lockstep); block.function) return block;
    copy->eraseFromParent();
  }
  return {};
}

}  // namespace gpuopt::jit
