// plugins/jit/lower/split.cpp -- see split.h.
#include "plugins/jit/lower/split.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

#include "plugins/jit/analysis/uniform.h"
#include "plugins/jit/lower/rematerialize.h"

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr size_t kMaxNestsTogether = 16;
constexpr const char *kSuffix = "loops";

using Blocks = llvm::SetVector<BasicBlock *>;
using Copies = llvm::DenseMap<const Value *, Value *>;

// Puts a block of its own in front of a nest.
BasicBlock *add_preheader(const LoopNest &nest) {
  BasicBlock *const preheader =
      BasicBlock::Create(nest.header->getContext(), kSuffix, nest.header->getParent(), nest.header);
  llvm::IRBuilder<>(preheader).CreateBr(nest.header);
  nest.header->replacePhiUsesWith(nest.before, preheader);
  nest.before->getTerminator()->replaceSuccessorWith(nest.header, preheader);
  return preheader;
}

Blocks blocks_between(BasicBlock *begin, const BasicBlock *after) {
  Blocks blocks;
  blocks.insert(begin);
  for (size_t k = 0; k < blocks.size(); k++) {
    for (BasicBlock *next : llvm::successors(blocks[k])) {
      if (next != after) blocks.insert(next);
    }
  }
  return blocks;
}

// Whether a value from outside of the nest can be recomputed, in at most `left` instructions, from the arguments of the
// function and what the kernel was launched with.
bool is_cheap(const Value *value, const Blocks &nest, const Copies &copies, int &left) {
  const auto *const from = llvm::dyn_cast<Instruction>(value);
  if (!from) return llvm::isa<llvm::Constant, llvm::Argument>(value);
  if (copies.contains(value)) return true;
  if (left-- == 0 || nest.contains(const_cast<BasicBlock *>(from->getParent()))) return false;
  const bool is_rematerializable =
      llvm::isa<llvm::LoadInst>(from)
          ? reads_launch_data(*from)
          : llvm::isa<llvm::GetElementPtrInst, llvm::CastInst>(from) || (from->isBinaryOp() && !from->isIntDivRem());
  return is_rematerializable && llvm::all_of(from->operand_values(), [&](const Value *operand) {
           return is_cheap(operand, nest, copies, left);
         });
}

// The copy of a cheap value at the end of the preheader.
Value *copy_of(Value *value, const Blocks &nest, Copies &copies) {
  auto *const from = llvm::dyn_cast<Instruction>(value);
  if (!from) return value;
  if (const auto known = copies.find(value); known != copies.end()) return known->second;
  Instruction *const copy = from->clone();
  for (llvm::Use &use : copy->operands()) use.set(copy_of(use.get(), nest, copies));
  copy->insertBefore(nest.front()->getTerminator());
  copies[value] = copy;
  return copy;
}

// Recomputes cheap values in the preheader of a nest. They need not be kept across the code in front of it, and LLVM
// sees how they are computed, which it would not if they were arguments.
void rematerialize_inputs(const Blocks &nest) {
  Copies copies;
  for (BasicBlock *block : nest) {
    for (Instruction &instruction : *block) {
      if (block == nest.front() || llvm::isa<llvm::PHINode>(instruction)) continue;
      for (llvm::Use &use : instruction.operands()) {
        int left = kMaxRematerialized;
        if (is_cheap(use.get(), nest, copies, left)) use.set(copy_of(use.get(), nest, copies));
      }
    }
  }
}

void keep_apart(llvm::Function &function) {
  function.removeFnAttr(llvm::Attribute::AlwaysInline);
  function.addFnAttr(llvm::Attribute::NoInline);
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
}

}  // namespace

void split_loops(llvm::Function &function, const std::vector<LoopNest> &nests) {
  if (nests.size() <= kMaxNestsTogether) return;
  std::vector<Blocks> parts;
  for (const LoopNest &nest : nests) {
    parts.push_back(blocks_between(add_preheader(nest), nest.after));
    rematerialize_inputs(parts.back());
  }
  const llvm::CodeExtractorAnalysisCache cache(function);
  for (const Blocks &blocks : parts) {
    llvm::CodeExtractor extractor(blocks.getArrayRef(), nullptr, false, nullptr, nullptr, nullptr, false, false,
                                  nullptr, kSuffix);
    llvm::Function *const extracted = extractor.isEligible() ? extractor.extractCodeRegion(cache) : nullptr;
    if (extracted) keep_apart(*extracted);
  }
}

}  // namespace gpuopt::jit
