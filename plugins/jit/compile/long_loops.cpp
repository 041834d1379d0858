// plugins/jit/compile/long_loops.cpp -- see long_loops.h.
#include "plugins/jit/compile/long_loops.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace gpuopt::jit {
namespace {

constexpr size_t kMostBlocks = 4096, kMostInstructions = 65536;

bool is_long(const llvm::Loop &loop) {
  size_t instructions = 0;
  for (const llvm::BasicBlock *block : loop.blocks()) instructions += block->size();
  return loop.getNumBlocks() > kMostBlocks || instructions > kMostInstructions;
}

}  // namespace

llvm::PreservedAnalyses LeaveLongLoops::run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  if (function.size() <= kMostBlocks && function.getInstructionCount() <= kMostInstructions)
    return llvm::PreservedAnalyses::all();
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (is_long(*loop)) llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace gpuopt::jit
