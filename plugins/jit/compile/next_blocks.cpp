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

#include <optional>
#include <vector>

namespace gpuopt::jit {
namespace {

using llvm::Instruction;
using llvm::SCEV;
using llvm::Value;

constexpr uint64_t kAheadBytes = 256;  // four blocks of 16 threads in a row that read 4 bytes each
constexpr size_t kMostArrays = 6;      // prefetches in front of a loop

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
  return loop.isInnermost() && loop.getParentLoop() && llvm::findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses");
}

// The addresses that the loop's first iteration reads.
std::vector<const SCEV *> first_addresses(llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  std::vector<const SCEV *> found;
  llvm::PredicatedScalarEvolution predicated(evolution, loop);
  for (llvm::BasicBlock *block : loop.blocks()) {
    for (Instruction &instruction : *block) {
      auto *const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (!load || load->isVolatile() || loop.isLoopInvariant(load->getPointerOperand())) continue;
      if (!is_of_kernel_argument(load->getPointerOperand())) continue;
      const std::optional<int64_t> stride = llvm::getPtrStride(predicated, load->getType(), load->getPointerOperand(),
                                                               &loop, llvm::DenseMap<Value *, const SCEV *>(), true);
      if (stride != 1) continue;
      const SCEV *const first =
          evolution.SplitIntoInitAndPostInc(&loop, evolution.getSCEV(load->getPointerOperand())).first;
      if (!llvm::isa<llvm::SCEVCouldNotCompute>(first) && !llvm::is_contained(found, first)) found.push_back(first);
    }
  }
  return found;
}

bool prefetch(llvm::Loop &loop, llvm::LoopInfo &loops, llvm::DominatorTree &dominators,
              llvm::ScalarEvolution &evolution) {
  if (!is_loop_over_threads(loop)) return false;
  if (!loop.getLoopPreheader() && !llvm::InsertPreheaderForLoop(&loop, &dominators, &loops, nullptr, true))
    return false;
  const std::vector<const SCEV *> addresses = first_addresses(loop, evolution);
  if (addresses.size() > kMostArrays) return false;
  Instruction *const place = loop.getLoopPreheader()->getTerminator();
  llvm::SCEVExpander expander(evolution, place->getDataLayout(), "ahead");
  bool changed = false;
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
