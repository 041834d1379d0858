// plugins/jit/compile/long_loops.cpp -- see long_loops.h.
#include "plugins/jit/compile/long_loops.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>

namespace gpuopt::jit {
namespace {

constexpr size_t kLong = 2048, kFarTooLong = 65536;  // in instructions
constexpr size_t kMostBlocks = 4096;

size_t instructions_of(const llvm::Loop &loop) {
  size_t instructions = 0;
  for (const llvm::BasicBlock *block : loop.blocks()) instructions += block->size();
  return instructions;
}

// Whether the loop carries a floating-point value from one iteration to the next. If a loop has a width of its own,
// the vectorizer takes that as the permission to reorder the sums of such a value.
bool carries_floating_point(const llvm::Loop &loop) {
  const auto phis = loop.getHeader()->phis();
  return std::any_of(phis.begin(), phis.end(),
                     [](const llvm::PHINode &phi) { return phi.getType()->isFPOrFPVectorTy(); });
}

// The bits of the widest number that the loop loads, stores, or computes in floating point; 0 if there is none.
unsigned widest_bits_of(const llvm::Loop &loop, const llvm::DataLayout &layout) {
  unsigned bits = 0;
  for (llvm::BasicBlock *block : loop.blocks()) {
    for (llvm::Instruction &each : *block) {
      const bool in_memory = llvm::getLoadStorePointerOperand(&each);
      if (!in_memory && !each.getType()->isFloatingPointTy()) continue;
      llvm::Type *const type = in_memory ? llvm::getLoadStoreType(&each) : each.getType();
      bits = std::max(bits, unsigned(layout.getTypeSizeInBits(type).getKnownMinValue()));
    }
  }
  return bits;
}

// A loop whose numbers in memory are narrow may compute with wider integers, so that the vectorizer has to compare
// widths.
constexpr unsigned kLeastBits = 32;

void set_width(llvm::Loop *loop, const llvm::Function &function, const llvm::TargetTransformInfo &target) {
  const unsigned bits = widest_bits_of(*loop, function.getDataLayout());
  if (bits < kLeastBits || carries_floating_point(*loop)) return;
  const auto vector = unsigned(target.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector));
  if (vector > bits) llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.width", vector / bits);
}

}  // namespace

llvm::PreservedAnalyses LimitLongLoops::run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  if (function.getInstructionCount() <= kLong) return llvm::PreservedAnalyses::all();
  const auto &target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    const size_t instructions = instructions_of(*loop);
    if (loop->getNumBlocks() > kMostBlocks || instructions > kFarTooLong) {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
    } else if (instructions > kLong && loop->isInnermost()) {
      set_width(loop, function, target);
    }
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace gpuopt::jit
