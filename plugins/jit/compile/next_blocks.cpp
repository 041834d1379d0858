// plugins/jit/compile/next_blocks.cpp -- see next_blocks.h.
#include "plugins/jit/compile/next_blocks.h"

#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <algorithm>
#include <vector>

#include "plugins/jit/lower/parallel.h"

namespace gpuopt::jit {
namespace {

using llvm::Instruction;
using llvm::SCEV;
using llvm::Value;

constexpr uint64_t kAheadBytes = 256;  // four blocks of 16 threads in a row that read 4 bytes each
constexpr uint64_t kCacheLine = 64;
constexpr size_t kMostArrays = 10;  // prefetches in front of a loop

// Whether an address is computed from one that is an argument of the kernel. The function has the array of pointers to
// the arguments as its first argument.
bool is_of_kernel_argument(const Value *address) {
  for (int k = 0; k < 2; k++) {
    const auto *const load = llvm::dyn_cast<llvm::LoadInst>(llvm::getUnderlyingObject(address));
    if (!load) return false;
    address = load->getPointerOperand();
  }
  const auto *const argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(address));
  return argument && argument->getArgNo() == 0;
}

bool is_loop_over_threads(const llvm::Loop &loop) {
  const auto has = [&](const char *property) { return llvm::findOptionMDForLoop(&loop, property) != nullptr; };
  return loop.isInnermost() && loop.getParentLoop() && (has("llvm.loop.parallel_accesses") || has(kThreadLoop));
}

// Whether adjacent iterations access adjacent elements of an array of the kernel's arguments.
bool is_along_array(const Instruction &instruction, llvm::Loop &loop, llvm::PredicatedScalarEvolution &evolution) {
  const Value *const address = llvm::getLoadStorePointerOperand(&instruction);
  if (!address || instruction.isVolatile() || loop.isLoopInvariant(address) || !is_of_kernel_argument(address))
    return false;
  llvm::Type *const type = llvm::getLoadStoreType(const_cast<Instruction *>(&instruction));
  return llvm::getPtrStride(evolution, type, const_cast<Value *>(address), &loop,
                            llvm::DenseMap<Value *, const SCEV *>(), true) == 1;
}

// Whether two addresses are always less than a line of the cache apart, so that one prefetch will do.
bool are_close(const SCEV *a, const SCEV *b, llvm::ScalarEvolution &evolution) {
  const auto *const difference = llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(a, b));
  return difference && difference->getAPInt().abs().ult(kCacheLine);
}

// The addresses that the loop's first iteration reads and writes; of those that are close to each other, one.
std::vector<const SCEV *> first_addresses(llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  std::vector<const SCEV *> found;
  llvm::PredicatedScalarEvolution predicated(evolution, loop);
  for (llvm::BasicBlock *block : loop.blocks()) {
    for (Instruction &instruction : *block) {
      if (!is_along_array(instruction, loop, predicated)) continue;
      const SCEV *const address = evolution.getSCEV(llvm::getLoadStorePointerOperand(&instruction));
      const SCEV *const first = evolution.SplitIntoInitAndPostInc(&loop, address).first;
      if (llvm::isa<llvm::SCEVCouldNotCompute>(first)) continue;
      const auto is_known = [&](const SCEV *other) { return are_close(first, other, evolution); };
      if (std::none_of(found.begin(), found.end(), is_known)) found.push_back(first);
    }
  }
  return found;
}

// Returns whether the function has changed: by a prefetch, or only by a new block in front of the loop.
bool prefetch(llvm::Loop &loop, llvm::LoopInfo &loops, llvm::DominatorTree &dominators,
              llvm::ScalarEvolution &evolution) {
  if (!is_loop_over_threads(loop)) return false;
  const bool has_preheader = loop.getLoopPreheader();  // without one, addresses may have no first value
  if (!has_preheader && !llvm::InsertPreheaderForLoop(&loop, &dominators, &loops, nullptr, true)) return false;
  const std::vector<const SCEV *> addresses = first_addresses(loop, evolution);
  if (addresses.size() > kMostArrays) return !has_preheader;
  Instruction *const place = loop.getLoopPreheader()->getTerminator();
  llvm::SCEVExpander expander(evolution, place->getDataLayout(), "ahead");
  bool changed = !has_preheader;
  for (const SCEV *address : addresses) {
    if (!expander.isSafeToExpandAt(address, place)) continue;
    llvm::IRBuilder<> builder(place);
    Value *const first = expander.expandCodeFor(address, builder.getPtrTy(), place);
    Value *const ahead = builder.CreateGEP(builder.getInt8Ty(), first, builder.getInt64(kAheadBytes));
    enum { kRead = 0, kNearest = 3, kData = 1 };
    builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {ahead->getType()},
                            {ahead, builder.getInt32(kRead), builder.getInt32(kNearest), builder.getInt32(kData)});
    changed = true;
  }
  return changed;
}

}  // namespace

llvm::PreservedAnalyses PrefetchNextBlocks::run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (prefetch(*loop, loops, analyses.getResult<llvm::DominatorTreeAnalysis>(function), evolution)) changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  return llvm::PreservedAnalyses::none();
}

}  // namespace gpuopt::jit
