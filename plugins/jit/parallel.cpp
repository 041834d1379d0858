// plugins/jit/parallel.cpp -- see parallel.h. The metadata: "LLVM Language Reference", llvm.loop.parallel_accesses,
// alias.scope and noalias.
#include "plugins/jit/parallel.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>

#include "plugins/jit/analyses.h"
#include "plugins/jit/fields.h"
#include "plugins/jit/uniform.h"

namespace gpuopt::jit {

using llvm::Instruction;
using llvm::MDNode;
using llvm::Value;

namespace {

constexpr size_t kMostAccesses = 400;  // which are compared each with each

bool touches_memory(const Instruction &instruction) {
  return instruction.mayReadOrWriteMemory() && !reads_launch(instruction);
}

// The accesses of one turn in an order in which they may happen; empty if they are none, or not plain ones.
std::vector<Instruction *> accesses_of(const llvm::Loop &loop,
                                       const llvm::ReversePostOrderTraversal<llvm::Function *> &order) {
  std::vector<Instruction *> found;
  for (llvm::BasicBlock *block : order) {
    if (!loop.contains(block)) continue;
    for (Instruction &instruction : *block) {
      if (!touches_memory(instruction)) continue;
      const bool plain = llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction) && !is_ordered(instruction);
      if (!plain || found.size() == kMostAccesses) return {};
      found.push_back(&instruction);
    }
  }
  return found;
}

bool comes_back(const std::vector<Instruction *> &accesses, llvm::AAResults &aliases) {
  for (size_t k = 0; k < accesses.size(); k++) {
    if (!accesses[k]->mayWriteToMemory()) continue;
    for (size_t later = k + 1; later < accesses.size(); later++) {
      if (!aliases.isNoAlias(llvm::MemoryLocation::get(accesses[k]), llvm::MemoryLocation::get(accesses[later])))
        return true;
    }
  }
  return false;
}

void mark(llvm::BranchInst &back, const std::vector<Instruction *> &accesses) {
  llvm::LLVMContext &context = back.getContext();
  MDNode *const group = MDNode::getDistinct(context, {});
  for (Instruction *access : accesses) access->setMetadata(llvm::LLVMContext::MD_access_group, group);
  llvm::Metadata *const property[] = {llvm::MDString::get(context, "llvm.loop.parallel_accesses"), group};
  llvm::Metadata *const parts[] = {nullptr, MDNode::get(context, property)};
  MDNode *const id = MDNode::getDistinct(context, parts);
  id->replaceOperandWith(0, id);
  back.setMetadata(llvm::LLVMContext::MD_loop, id);
}

}  // namespace

void ParallelLoops::declare() {
  tell_objects_apart();
  Analyses analyses(machine_);
  const auto &loops = analyses.functions.getResult<llvm::LoopAnalysis>(function_);
  auto &aliases = analyses.functions.getResult<llvm::AAManager>(function_);
  const llvm::ReversePostOrderTraversal<llvm::Function *> order(&function_);
  for (llvm::BranchInst *back : loops_) {
    const llvm::Loop *const loop = loops.getLoopFor(back->getParent());
    if (!loop || !loop->isInnermost()) continue;
    const std::vector<Instruction *> accesses = accesses_of(*loop, order);
    if (!accesses.empty() && !comes_back(accesses, aliases)) mark(*back, accesses);
  }
}

// The variable, array, or argument that a pointer was computed from; NULL if that cannot be seen.
const Value *ParallelLoops::object_of(const Value *pointer) const {
  for (;;) {
    if (std::find(objects_.begin(), objects_.end(), pointer) != objects_.end()) return pointer;
    if (is_shared_variable(*pointer))
      return llvm::cast<llvm::CallInst>(pointer)->getArgOperand(1);  // one for each offset
    const auto *const load = llvm::dyn_cast<llvm::LoadInst>(pointer);
    if (load && is_argument(*load)) return function_.getArg(0);  // arguments may point to one place, to nothing else
    const auto *const step = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
    if (!step) return nullptr;
    pointer = step->getPointerOperand();
  }
}

void ParallelLoops::tell_objects_apart() {
  llvm::MapVector<const Value *, std::vector<Instruction *>> accesses;
  for (Instruction &instruction : llvm::instructions(function_)) {
    const Value *const pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (!pointer || reads_launch(instruction)) continue;
    if (const Value *const object = object_of(pointer)) accesses[object].push_back(&instruction);
  }
  llvm::MDBuilder builder(function_.getContext());
  MDNode *const domain = builder.createAnonymousAliasScopeDomain();
  std::vector<llvm::Metadata *> scopes;
  for (size_t k = 0; k < accesses.size(); k++) scopes.push_back(builder.createAnonymousAliasScope(domain));
  size_t k = 0;
  for (auto &[object, those] : accesses) {
    std::vector<llvm::Metadata *> others = scopes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    for (Instruction *access : those) {
      access->setMetadata(llvm::LLVMContext::MD_alias_scope, MDNode::get(function_.getContext(), {scopes[k]}));
      access->setMetadata(llvm::LLVMContext::MD_noalias, MDNode::get(function_.getContext(), others));
    }
    k++;
  }
}

}  // namespace gpuopt::jit
