// plugins/jit/analysis/fields.cpp -- see fields.h.
#include "plugins/jit/analysis/fields.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include <algorithm>
#include <map>
#include <vector>

namespace gpuopt::jit {

using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

namespace {

constexpr unsigned kMaxThreads = 1024;  // of a block

bool is_divergent_field(uint64_t offset) { return offset < kBlockOffset || offset == kNumberOffset; }
bool is_block_size(uint64_t offset) { return offset >= kBlockSizeOffset && offset < kGridSizeOffset; }

// Whether an instruction accesses __shared__ variables and nothing else.
bool is_in_shared(const Instruction &access) {
  const Value *pointer = llvm::getLoadStorePointerOperand(&access);
  if (const auto *const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access)) pointer = update->getPointerOperand();
  if (const auto *const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
    pointer = exchange->getPointerOperand();
  if (!pointer) return false;
  llvm::SmallVector<const Value *, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  return std::all_of(objects.begin(), objects.end(), [](const Value *object) { return is_shared_variable(*object); });
}

// Whether a load reads a field that says who the thread is.
bool is_field_load(const llvm::LoadInst &load, uint64_t offset) {
  return load.isSimple() && load.getType()->isIntegerTy(32) && offset % 4 == 0 &&
         (offset < kSharedOffset || offset == kNumberOffset);
}

}  // namespace

bool is_call_of(const Value &value, const char *name) {
  const auto *const call = llvm::dyn_cast<llvm::CallInst>(&value);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}
bool is_shared_variable(const Value &value) { return is_call_of(value, kSharedVariable); }
bool is_exchange_slot(const Value &value) { return is_call_of(value, kExchangeSlot); }

void lower_exchange_slots(llvm::Function &function) {
  for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!is_exchange_slot(instruction)) continue;
    IRBuilder<> builder(&instruction);
    Value *const self = instruction.getOperand(0);
    Value *const own =
        builder.CreateLoad(builder.getInt32Ty(), builder.CreatePtrAdd(self, builder.getInt64(kNumberOffset)));
    Value *const steps = builder.CreateSExt(builder.CreateSub(instruction.getOperand(1), own), builder.getInt64Ty());
    Value *const other = builder.CreatePtrAdd(self, builder.CreateMul(steps, builder.getInt64(kThreadBytes)));
    instruction.replaceAllUsesWith(builder.CreatePtrAdd(other, builder.getInt64(kExchangeOffset)));
    instruction.eraseFromParent();
  }
}

// Threads of a block never run at the same time, and no others see its shared memory, so that plain instructions do
// there what atomic ones would. The passes before this one have to see which accesses are atomic.
static void replace_atomics_in_shared(llvm::Function &function) {
  for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
    auto *const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
    auto *const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    auto *const store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!instruction.isAtomic() || instruction.isVolatile() || !is_in_shared(instruction)) continue;
    if (load) load->setAtomic(llvm::AtomicOrdering::NotAtomic);
    if (store) store->setAtomic(llvm::AtomicOrdering::NotAtomic);
    if (update) llvm::lowerAtomicRMWInst(update);
    if (exchange) llvm::lowerAtomicCmpXchgInst(exchange);
  }
}

void lower_shared_variables(llvm::Function &function) {
  replace_atomics_in_shared(function);
  for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!is_shared_variable(instruction)) continue;
    IRBuilder<> builder(&instruction);
    Value *const at = builder.CreatePtrAdd(function.getArg(1), builder.getInt64(kSharedOffset));
    Value *const address = builder.CreatePtrAdd(builder.CreateLoad(builder.getPtrTy(), at), instruction.getOperand(1));
    instruction.replaceAllUsesWith(address);
    instruction.eraseFromParent();
  }
}

namespace {

// The uses of a gpo::Thread that take_thread_fields() replaces.
struct ThreadUses {
  std::map<uint64_t, std::vector<llvm::LoadInst *>> loads;  // by offset
  std::vector<Instruction *> dropped;
  llvm::SmallPtrSet<const Instruction *, 8> warp_waits;
};

// A thread stores for whom it waits (waits_for = wait_block or wait_warp; mask = all lanes) before it calls kSuspend.
// Nothing that runs a whole block at a time can wait for other blocks (wait_grid).
bool match_wait(llvm::StoreInst &store, uint64_t offset, ThreadUses &uses) {
  const auto *const what = llvm::dyn_cast<llvm::ConstantInt>(store.getValueOperand());
  if (!what) return false;
  if (offset == kMaskOffset) return what->isMinusOne();
  if (offset != kWaitsForOffset || what->getZExtValue() > 2) return false;
  const Instruction *next = store.getNextNode();
  while (next && !is_call_of(*next, kSuspend)) next = next->getNextNode();
  if (next && !what->isOne()) uses.warp_waits.insert(next);
  return next != nullptr;
}

// Collects the uses of a pointer to this offset of a gpo::Thread. False if there are others than are known here.
bool match_uses(Value *pointer, uint64_t offset, ThreadUses &uses) {
  for (llvm::User *user : pointer->users()) {
    if (auto *const step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      llvm::APInt more(64, 0);
      if (!step->accumulateConstantOffset(step->getDataLayout(), more)) return false;
      if (!match_uses(step, offset + more.getZExtValue(), uses)) return false;
      uses.dropped.push_back(step);  // behind its own users, which are erased before it
    } else if (auto *const load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (!is_field_load(*load, offset)) return false;
      uses.loads[offset].push_back(load);
    } else if (auto *const store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (!match_wait(*store, offset, uses)) return false;
      uses.dropped.push_back(store);
    } else if (!is_shared_variable(*user) && !is_exchange_slot(*user)) {
      return false;
    }
  }
  return true;
}

Instruction *load_field(llvm::Function &function, uint64_t offset, llvm::Type *type) {
  IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
  auto *const load = builder.CreateLoad(type, builder.CreatePtrAdd(function.getArg(1), builder.getInt64(offset)));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(function.getContext(), {}));
  if (is_divergent_field(offset) || is_block_size(offset)) {
    const unsigned least = is_block_size(offset);
    load->setMetadata(llvm::LLVMContext::MD_range,
                      llvm::MDBuilder(function.getContext())
                          .createRange(llvm::APInt(32, least), llvm::APInt(32, least + kMaxThreads)));
  }
  return load;
}

}  // namespace

std::optional<ThreadFields> take_thread_fields(llvm::Function &function) {
  ThreadUses uses;
  if (!match_uses(function.getArg(1), 0, uses)) return std::nullopt;
  ThreadFields fields;
  llvm::Type *const word = llvm::Type::getInt32Ty(function.getContext());
  for (auto &[offset, loads] : uses.loads) {
    Instruction *const field = load_field(function, offset, word);
    if (is_divergent_field(offset)) fields.divergent[field] = offset;
    for (llvm::LoadInst *load : loads) {
      load->replaceAllUsesWith(field);
      load->eraseFromParent();
    }
  }
  for (Instruction *instruction : uses.dropped) instruction->eraseFromParent();
  for (unsigned k = 0; k < 3; k++) fields.size[k] = load_field(function, kBlockSizeOffset + 4 * k, word);
  fields.frame = load_field(function, kFrameOffset, llvm::PointerType::getUnqual(function.getContext()));
  fields.warp_waits = std::move(uses.warp_waits);
  return fields;
}

}  // namespace gpuopt::jit
