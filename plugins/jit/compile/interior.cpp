// plugins/jit/compile/interior.cpp -- see interior.h.
#include "plugins/jit/compile/interior.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::CmpInst;
using llvm::ICmpInst;
using llvm::Instruction;
using llvm::SCEV;
using llvm::Value;

constexpr size_t kMostInstructions = 600, kMostConditions = 24;  // of a loop

struct Context {
  llvm::LoopInfo &loops;
  llvm::DominatorTree &dominators;
  llvm::ScalarEvolution &evolution;
  llvm::AssumptionCache &assumptions;
};

// An instruction whose result is known of all iterations if a comparison holds for the first or the last of them. Its
// index grows by 1 in each.
struct Condition {
  Instruction *instruction = nullptr;
  const SCEV *first = nullptr, *last = nullptr;  // the index
  Value *bound = nullptr;
  CmpInst::Predicate needs = CmpInst::BAD_ICMP_PREDICATE;  // of the index and the bound; ICMP_NE: of all indices
  bool of_last = false;
  Value *result = nullptr;
  bool is_clamp = false;  // one for whose sake the loop is worth a second version
};

// The index that an operand is, in the first and the last iteration. False for other operands.
bool find_index(Value *operand, const llvm::Loop &loop, llvm::ScalarEvolution &evolution, Condition &condition) {
  if (!operand->getType()->isIntegerTy()) return false;
  const auto *const index = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(operand));
  if (!index || index->getLoop() != &loop || !index->isAffine() || !index->getStepRecurrence(evolution)->isOne())
    return false;
  const SCEV *const turns = evolution.getBackedgeTakenCount(&loop);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(turns)) return false;
  // Indices of more iterations than their type has values would come around.
  if (evolution.getUnsignedRangeMax(turns).getActiveBits() > operand->getType()->getIntegerBitWidth()) return false;
  condition.first = index->getStart();
  condition.last = index->evaluateAtIteration(turns, evolution);
  return true;
}

// Whether a comparison chooses among numbers that may be indices.
bool chooses_index(const Instruction &compare) {
  return llvm::any_of(compare.users(), [](const llvm::User *user) {
    return llvm::isa<llvm::SelectInst>(user) && user->getType()->isIntegerTy() && !user->getType()->isIntegerTy(1);
  });
}

// What a comparison of an index with a bound is in the interior. The bound above of a guard is a variable; a constant,
// such as 0, is a bound below.
void set_comparison(CmpInst::Predicate predicate, Condition &condition) {
  llvm::LLVMContext &context = condition.instruction->getContext();
  Value *const yes = llvm::ConstantInt::getTrue(context), *const no = llvm::ConstantInt::getFalse(context);
  condition.needs = predicate;
  condition.result = yes;
  condition.is_clamp = chooses_index(*condition.instruction);
  if (ICmpInst::isEquality(predicate)) {
    condition.needs = CmpInst::ICMP_NE;
    condition.result = predicate == CmpInst::ICMP_NE ? yes : no;
    condition.is_clamp = true;
  } else if (ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate)) {
    condition.of_last = true;
  } else if (!llvm::isa<llvm::Constant>(condition.bound)) {
    condition.needs = CmpInst::getInversePredicate(predicate);
    condition.of_last = true;
    condition.result = no;
  }
}

std::optional<Condition> match(Instruction &instruction, const llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  const auto *const extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction);
  const auto *const compare = llvm::dyn_cast<ICmpInst>(&instruction);
  if (!extreme && !compare) return std::nullopt;
  for (unsigned k = 0; k < 2; k++) {
    Condition condition;
    condition.instruction = &instruction;
    condition.bound = instruction.getOperand(1 - k);
    if (!loop.isLoopInvariant(condition.bound)) continue;
    if (!find_index(instruction.getOperand(k), loop, evolution, condition)) continue;
    if (compare) {
      set_comparison(k ? compare->getSwappedPredicate() : compare->getPredicate(), condition);
      return condition;
    }
    condition.needs = ICmpInst::getNonStrictPredicate(extreme->getPredicate());
    condition.of_last = ICmpInst::isLE(condition.needs);
    condition.result = instruction.getOperand(k);
    condition.is_clamp = true;
    return condition;
  }
  return std::nullopt;
}

bool may_be_copied(const llvm::Loop &loop) {
  size_t instructions = 0;
  for (const BasicBlock *block : loop.blocks()) instructions += block->size();
  return loop.isInnermost() && loop.getLoopLatch() && loop.getUniqueExitBlock() &&
         loop.getExitingBlock() == loop.getLoopLatch() && instructions <= kMostInstructions && loop.isSafeToClone() &&
         !llvm::getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized");
}

// The conditions of a loop that is worth a second version; else none.
std::vector<Condition> conditions_of(const llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  std::vector<Condition> found;
  for (BasicBlock *block : loop.blocks()) {
    for (Instruction &instruction : *block) {
      if (&instruction == block->getTerminator()) continue;
      if (block == loop.getLoopLatch() && block->getTerminator()->getOperand(0) == &instruction) continue;
      if (std::optional<Condition> condition = match(instruction, loop, evolution)) found.push_back(*condition);
    }
  }
  const bool gains = llvm::any_of(found, [](const Condition &condition) { return condition.is_clamp; });
  return gains && found.size() <= kMostConditions ? found : std::vector<Condition>();
}

// Whether all conditions have their results in every iteration, computed in front of the loop. NULL if that cannot be.
Value *interior_test(const std::vector<Condition> &conditions, const llvm::Loop &loop, Context &context) {
  Instruction *const place = loop.getLoopPreheader()->getTerminator();
  llvm::SCEVExpander expander(context.evolution, place->getDataLayout(), "interior");
  for (const Condition &each : conditions) {
    if (!expander.isSafeToExpandAt(each.first, place) || !expander.isSafeToExpandAt(each.last, place)) return nullptr;
  }
  llvm::IRBuilder<> builder(place);
  Value *all = builder.getTrue();
  for (const Condition &each : conditions) {
    // No thread may get to the instruction, whose operands may be poison then: that must not spread to other
    // conditions.
    const auto defined = [&](Value *value) {
      builder.SetInsertPoint(place);
      return llvm::isa<llvm::Constant>(value) ? value : builder.CreateFreeze(value);
    };
    llvm::Type *const type = each.bound->getType();
    Value *const first = defined(expander.expandCodeFor(each.first, type, place));
    Value *const last = defined(expander.expandCodeFor(each.last, type, place));
    Value *const bound = defined(each.bound);
    const bool is_signed = !CmpInst::isUnsigned(each.needs);
    const CmpInst::Predicate less = is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
    Value *const holds =
        each.needs == CmpInst::ICMP_NE
            ? builder.CreateOr(builder.CreateICmp(less, bound, first), builder.CreateICmp(less, last, bound))
            : builder.CreateICmp(each.needs, each.of_last ? last : first, bound);
    const CmpInst::Predicate not_greater = is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
    all = builder.CreateAnd(all, builder.CreateAnd(holds, builder.CreateICmp(not_greater, first, last)));
  }
  return all;
}

// Makes the second version, and the branch to it.
void add_version(llvm::Loop &loop, const std::vector<Condition> &conditions, Value *test, Context &context) {
  BasicBlock *const check = loop.getLoopPreheader(), *const exit = loop.getUniqueExitBlock();
  BasicBlock *const exiting = loop.getExitingBlock();
  BasicBlock *const preheader = llvm::SplitBlock(check, check->getTerminator(), &context.dominators, &context.loops);
  llvm::ValueToValueMapTy copies;
  llvm::SmallVector<BasicBlock *, 8> blocks;
  const llvm::Loop *const interior =
      llvm::cloneLoopWithPreheader(preheader, check, &loop, copies, "", &context.loops, &context.dominators, blocks);
  llvm::remapInstructionsInBlocks(blocks, copies);
  llvm::ReplaceInstWithInst(check->getTerminator(),
                            llvm::BranchInst::Create(interior->getLoopPreheader(), preheader, test));
  const auto copy_of = [&](Value *value) {
    const auto copy = copies.find(value);
    return copy == copies.end() ? value : static_cast<Value *>(copy->second);
  };
  for (llvm::PHINode &phi : exit->phis())
    phi.addIncoming(copy_of(phi.getIncomingValueForBlock(exiting)), llvm::cast<BasicBlock>(copy_of(exiting)));
  context.dominators.changeImmediateDominator(exit, check);
  std::vector<Instruction *> replaced;  // a map follows what is replaced
  for (const Condition &each : conditions) replaced.push_back(llvm::cast<Instruction>(copy_of(each.instruction)));
  for (size_t k = 0; k < conditions.size(); k++) replaced[k]->replaceAllUsesWith(copy_of(conditions[k].result));
  for (Instruction *instruction : replaced) instruction->eraseFromParent();
}

bool split(llvm::Loop &loop, Context &context) {
  if (!may_be_copied(loop)) return false;
  const std::vector<Condition> conditions = conditions_of(loop, context.evolution);
  if (conditions.empty()) return false;
  llvm::simplifyLoop(&loop, &context.dominators, &context.loops, &context.evolution, &context.assumptions, nullptr,
                     false);
  if (!loop.getLoopPreheader() || !loop.hasDedicatedExits()) return false;
  llvm::formLCSSA(loop, context.dominators, &context.loops, &context.evolution);
  Value *const test = interior_test(conditions, loop, context);
  if (!test) return false;
  add_version(loop, conditions, test, context);
  context.evolution.forgetAllLoops();
  return true;
}

}  // namespace

llvm::PreservedAnalyses SplitInterior::run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  Context context{analyses.getResult<llvm::LoopAnalysis>(function),
                  analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                  analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                  analyses.getResult<llvm::AssumptionAnalysis>(function)};
  bool changed = false;
  for (llvm::Loop *loop : context.loops.getLoopsInPreorder()) {
    if (split(*loop, context)) changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::FunctionPassManager simplify;
  simplify.addPass(llvm::InstSimplifyPass());
  simplify.addPass(llvm::SimplifyCFGPass());
  simplify.run(function, analyses);
  return llvm::PreservedAnalyses::none();
}

}  // namespace gpuopt::jit
