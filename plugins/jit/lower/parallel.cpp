// plugins/jit/lower/parallel.cpp -- see parallel.h. The metadata is that of the "LLVM Language Reference":
// llvm.loop.parallel_accesses, alias.scope and noalias.
#include "plugins/jit/lower/parallel.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>

#include "plugins/jit/analysis/analyses.h"
#include "plugins/jit/analysis/fields.h"
#include "plugins/jit/analysis/uniform.h"

namespace gpuopt::jit {
namespace {

using llvm::Instruction;
using llvm::MDNode;
using llvm::Value;

constexpr size_t kMaxAccesses = 400;  // of a loop, each of which is compared with all others
constexpr size_t kMaxObjects = 32, kMaxObjectsOfLoop = 256;

using Order = llvm::DenseMap<const llvm::BasicBlock *, size_t>;
using Latches = std::vector<llvm::BranchInst *>;
using Objects = llvm::SmallPtrSet<const Value *, 16>;
using Accesses = llvm::MapVector<const Value *, std::vector<Instruction *>>;  // by the object that they access

// ---- What a loop accesses ----

bool touches_memory(const Instruction &instruction) {
  return instruction.mayReadOrWriteMemory() && !reads_launch_data(instruction);
}

// The place of each block in reverse postorder.
Order order_of(llvm::Function &function) {
  Order order;
  for (const llvm::BasicBlock *block : llvm::ReversePostOrderTraversal<llvm::Function *>(&function))
    order.try_emplace(block, order.size());
  return order;
}

struct LoopAccesses {
  std::vector<Instruction *> list;  // of one iteration, in an order in which they may run; empty if some are not plain
  bool too_many = false;            // to be compared with each other; the list is empty then
};

LoopAccesses accesses_of(const llvm::Loop &loop, const Order &order) {
  std::vector<llvm::BasicBlock *> blocks(loop.block_begin(), loop.block_end());
  llvm::sort(blocks, [&](auto *one, auto *other) { return order.lookup(one) < order.lookup(other); });
  LoopAccesses found;
  bool plain = true;
  for (llvm::BasicBlock *block : blocks) {
    for (Instruction &instruction : *block) {
      if (!touches_memory(instruction)) continue;
      plain = plain && llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction) && !has_visible_order(instruction);
      found.list.push_back(&instruction);
    }
  }
  found.too_many = found.list.size() > kMaxAccesses;
  if (!plain || found.too_many) found.list.clear();
  return found;
}

// Whether an iteration may access again what it has written.
bool depends_on_itself(const std::vector<Instruction *> &accesses, llvm::AAResults &aliases) {
  for (size_t k = 0; k < accesses.size(); k++) {
    if (!accesses[k]->mayWriteToMemory()) continue;
    for (size_t later = k + 1; later < accesses.size(); later++) {
      if (!aliases.isNoAlias(llvm::MemoryLocation::get(accesses[k]), llvm::MemoryLocation::get(accesses[later])))
        return true;
    }
  }
  return false;
}

// ---- Loop metadata ----

void set_property(llvm::BranchInst &latch, const char *name, llvm::Metadata *value) {
  llvm::LLVMContext &context = latch.getContext();
  llvm::Metadata *const property[] = {llvm::MDString::get(context, name), value};
  llvm::Metadata *const parts[] = {nullptr, MDNode::get(context, property)};
  MDNode *const id = MDNode::getDistinct(context, parts);
  id->replaceOperandWith(0, id);
  latch.setMetadata(llvm::LLVMContext::MD_loop, id);
}

void mark(llvm::BranchInst &latch, const std::vector<Instruction *> &accesses) {
  MDNode *const group = MDNode::getDistinct(latch.getContext(), {});
  for (Instruction *access : accesses) access->setMetadata(llvm::LLVMContext::MD_access_group, group);
  set_property(latch, "llvm.loop.parallel_accesses", group);
}

// LLVM's own checks compare all accesses with each other, too, only to find that they are too many to be checked at run
// time.
void disable_vectorization(llvm::BranchInst &latch) {
  set_property(latch, "llvm.loop.vectorize.enable",
               llvm::ConstantAsMetadata::get(llvm::ConstantInt::getFalse(latch.getContext())));
}

// ---- Alias scopes ----

// The variable, array or argument that a pointer was computed from; NULL if that cannot be seen. Several arguments may
// point to one object, but to no other one, so all count as argument 0 of the function, the array of their addresses.
const Value *object_of(const Value *pointer, const llvm::Function &function, const Objects &arrays) {
  for (;;) {
    if (arrays.contains(pointer)) return pointer;
    if (is_shared_variable(*pointer))
      return llvm::cast<llvm::CallInst>(pointer)->getArgOperand(1);  // its offset, one for each variable
    const auto *const load = llvm::dyn_cast<llvm::LoadInst>(pointer);
    if (load && is_kernel_argument(*load)) return function.getArg(0);
    const auto *const step = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
    if (!step) return nullptr;
    pointer = step->getPointerOperand();
  }
}

// Gives the accesses to each object an alias scope of their own, which those to other objects do not alias.
void add_alias_scopes(const Accesses &accesses, llvm::LLVMContext &context) {
  llvm::MDBuilder builder(context);
  MDNode *const domain = builder.createAnonymousAliasScopeDomain();
  std::vector<llvm::Metadata *> scopes;
  for (size_t k = 0; k < accesses.size(); k++) scopes.push_back(builder.createAnonymousAliasScope(domain));
  size_t k = 0;
  for (const auto &[object, list] : accesses) {
    std::vector<llvm::Metadata *> others = scopes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    MDNode *const own = MDNode::get(context, {scopes[k]});
    MDNode *const noalias = MDNode::get(context, others);
    for (Instruction *access : list) {
      access->setMetadata(llvm::LLVMContext::MD_alias_scope, own);
      access->setMetadata(llvm::LLVMContext::MD_noalias, noalias);
    }
    k++;
  }
}

// Adds alias scopes to each of the marked loops by itself. The lists of scopes grow with the square of the number of
// objects, so that a function with many of them gets none as a whole.
void add_scopes_by_loop(const Accesses &accesses, const Latches &latches, const llvm::LoopInfo &loops,
                        llvm::LLVMContext &context) {
  llvm::SmallPtrSet<const llvm::Loop *, 16> nests;
  for (const llvm::BranchInst *latch : latches) nests.insert(loops.getLoopFor(latch->getParent()));
  llvm::MapVector<const llvm::Loop *, Accesses> by_nest;
  for (const auto &[object, list] : accesses) {
    for (Instruction *access : list) {
      const llvm::Loop *nest = loops.getLoopFor(access->getParent());
      while (nest && !nests.contains(nest)) nest = nest->getParentLoop();
      if (nest) by_nest[nest][object].push_back(access);
    }
  }
  for (const auto &[nest, list] : by_nest) {
    if (list.size() <= kMaxObjectsOfLoop) add_alias_scopes(list, context);
  }
}

void tell_objects_apart(llvm::Function &function, const Objects &arrays, const Latches &latches,
                        const llvm::LoopInfo &loops) {
  Accesses accesses;
  for (Instruction &instruction : llvm::instructions(function)) {
    const Value *const pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (!pointer || reads_launch_data(instruction)) continue;
    if (const Value *const object = object_of(pointer, function, arrays)) accesses[object].push_back(&instruction);
  }
  if (accesses.size() <= kMaxObjects) return add_alias_scopes(accesses, function.getContext());
  add_scopes_by_loop(accesses, latches, loops, function.getContext());
}

}  // namespace

void mark_parallel(llvm::Function &function, const std::vector<Value *> &arrays, const Latches &latches,
                   llvm::TargetMachine &machine) {
  Analyses analyses(machine);
  const auto &loops = analyses.functions.getResult<llvm::LoopAnalysis>(function);
  tell_objects_apart(function, Objects(arrays.begin(), arrays.end()), latches, loops);
  auto &aliases = analyses.functions.getResult<llvm::AAManager>(function);
  const Order order = order_of(function);
  for (llvm::BranchInst *latch : latches) {
    const llvm::Loop *const loop = loops.getLoopFor(latch->getParent());
    if (!loop || !loop->isInnermost()) continue;
    const LoopAccesses accesses = accesses_of(*loop, order);
    if (accesses.too_many) disable_vectorization(*latch);
    if (accesses.list.empty()) continue;
    if (depends_on_itself(accesses.list, aliases)) {
      set_property(*latch, kThreadLoop,
                   llvm::ConstantAsMetadata::get(llvm::ConstantInt::getTrue(function.getContext())));
    } else {
      mark(*latch, accesses.list);
    }
  }
}

}  // namespace gpuopt::jit
