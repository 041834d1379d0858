// plugins/jit/compile/long_blocks.cpp -- see long_blocks.h.
#include "plugins/jit/compile/long_blocks.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

#include <algorithm>
#include <vector>

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;

// In instructions. A piece is long enough for its call, and the values that it takes and gives back, to cost little.
constexpr size_t kLongBlock = 4096, kPiece = 1024;
constexpr const char *kSuffix = "piece";

// Returns the first place where a piece of a block may begin: behind what has to stay in the function.
Instruction *first_movable(BasicBlock &block) {
  auto at = block.getFirstNonPHIOrDbg()->getIterator();
  for (auto other = at; other != block.end(); ++other) {
    if (llvm::isa<llvm::AllocaInst>(*other)) at = std::next(other);
  }
  return &*at;
}

// Computes each address at a constant distance from another one where it is used, which costs nothing: loads and stores
// add the distance themselves. Where LLVM has computed all elements' addresses first, a piece would take or give back a
// thousand of them.
void compute_addresses_where_used(llvm::Function &function) {
  std::vector<llvm::GetElementPtrInst *> addresses;
  for (Instruction &each : llvm::instructions(function)) {
    auto *const address = llvm::dyn_cast<llvm::GetElementPtrInst>(&each);
    if (address && address->hasAllConstantIndices()) addresses.push_back(address);
  }
  for (llvm::GetElementPtrInst *address : addresses) {
    for (llvm::Use &use : llvm::make_early_inc_range(address->uses())) {
      auto *const user = llvm::cast<Instruction>(use.getUser());
      if (llvm::isa<llvm::PHINode>(user)) continue;
      Instruction *const copy = address->clone();
      copy->insertBefore(user);
      use.set(copy);
    }
    if (address->use_empty()) address->eraseFromParent();
  }
}

bool has_long_blocks(const llvm::Function &function) {
  return std::any_of(function.begin(), function.end(),
                     [](const BasicBlock &block) { return block.size() > kLongBlock; });
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
  if (!has_long_blocks(function)) return;
  compute_addresses_where_used(function);
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
