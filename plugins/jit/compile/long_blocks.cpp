// plugins/jit/compile/long_blocks.cpp -- see long_blocks.h.
#include "plugins/jit/compile/long_blocks.h"

#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

#include <vector>

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;

// In instructions. A piece is long enough for its call, and the values that it takes and gives back, to cost little.
constexpr size_t kLongBlock = 4096, kPiece = 1024;
constexpr const char *kSuffix = "piece";

// Where the pieces of a block may begin: behind what has to stay in the function.
Instruction *first_movable(BasicBlock &block) {
  auto at = block.getFirstNonPHIOrDbg()->getIterator();
  for (auto other = at; other != block.end(); ++other) {
    if (llvm::isa<llvm::AllocaInst>(*other)) at = std::next(other);
  }
  return &*at;
}

// Splits a long block into pieces, which are blocks that end in a branch to the next one. Returns those to be moved.
std::vector<BasicBlock *> pieces_of(BasicBlock &block) {
  std::vector<BasicBlock *> pieces;
  if (block.size() <= kLongBlock) return pieces;
  for (BasicBlock *rest = block.splitBasicBlock(first_movable(block)); rest->size() > kPiece;) {
    BasicBlock *const next = rest->splitBasicBlock(std::next(rest->begin(), kPiece));
    pieces.push_back(rest);
    rest = next;
  }
  return pieces;
}

void cut_long_blocks(llvm::Function &function) {
  std::vector<BasicBlock *> pieces, blocks;
  for (BasicBlock &block : function) blocks.push_back(&block);
  for (BasicBlock *block : blocks) {
    const std::vector<BasicBlock *> more = pieces_of(*block);
    pieces.insert(pieces.end(), more.begin(), more.end());
  }
  if (pieces.empty()) return;
  const llvm::CodeExtractorAnalysisCache cache(function);
  for (BasicBlock *piece : pieces) {
    llvm::CodeExtractor extractor(piece, nullptr, false, nullptr, nullptr, nullptr, false, false, nullptr, kSuffix);
    llvm::Function *const moved = extractor.isEligible() ? extractor.extractCodeRegion(cache) : nullptr;
    if (!moved) continue;
    moved->removeFnAttr(llvm::Attribute::AlwaysInline);
    moved->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

}  // namespace

void cut_long_blocks(llvm::Module &module) {
  std::vector<llvm::Function *> functions;
  for (llvm::Function &function : module) {
    if (!function.isDeclaration()) functions.push_back(&function);
  }
  for (llvm::Function *function : functions) cut_long_blocks(*function);
}

}  // namespace gpuopt::jit
