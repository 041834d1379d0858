// plugins/jit/fields.cpp -- see fields.h.
#include "plugins/jit/fields.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>

namespace gpuopt::jit {

using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

namespace {

constexpr unsigned kMostThreads = 1024;  // of a block

bool differs(uint64_t offset) { return offset < kBlockAt || offset == kNumberAt; }
bool is_size(uint64_t offset) { return offset >= kBlockSizeAt && offset < kGridSizeAt; }

bool is_known(const llvm::LoadInst &load, uint64_t offset) {
  return load.isSimple() && load.getType()->isIntegerTy(32) && offset % 4 == 0 &&
         (offset < kSharedAt || offset == kNumberAt);
}

}  // namespace

bool is_call_of(const Value &value, const char *name) {
  const auto *const call = llvm::dyn_cast<llvm::CallInst>(&value);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}
bool is_shared_variable(const Value &value) { return is_call_of(value, kSharedVariable); }
bool is_slot(const Value &value) { return is_call_of(value, kSlot); }

void resolve_slots(llvm::Function &function) {
  for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!is_slot(instruction)) continue;
    IRBuilder<> builder(&instruction);
    Value *const self = instruction.getOperand(0);
    Value *const own =
        builder.CreateLoad(builder.getInt32Ty(), builder.CreatePtrAdd(self, builder.getInt64(kNumberAt)));
    Value *const steps = builder.CreateSExt(builder.CreateSub(instruction.getOperand(1), own), builder.getInt64Ty());
    Value *const other = builder.CreatePtrAdd(self, builder.CreateMul(steps, builder.getInt64(kThreadBytes)));
    instruction.replaceAllUsesWith(builder.CreatePtrAdd(other, builder.getInt64(kExchangeAt)));
    instruction.eraseFromParent();
  }
}

void resolve_shared(llvm::Function &function) {
  for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!is_shared_variable(instruction)) continue;
    IRBuilder<> builder(&instruction);
    Value *const at = builder.CreatePtrAdd(function.getArg(1), builder.getInt64(kSharedAt));
    Value *const address = builder.CreatePtrAdd(builder.CreateLoad(builder.getPtrTy(), at), instruction.getOperand(1));
    instruction.replaceAllUsesWith(address);
    instruction.eraseFromParent();
  }
}

bool ThreadFields::take(llvm::Function &function) {
  if (!collect(function.getArg(1), 0)) return false;
  llvm::Type *const word = llvm::Type::getInt32Ty(function.getContext());
  for (auto &[offset, loads] : loads_) {
    Instruction *const made = load(function, offset, word);
    if (differs(offset)) varying_[made] = offset;
    for (llvm::LoadInst *each : loads) {
      each->replaceAllUsesWith(made);
      each->eraseFromParent();
    }
  }
  for (Instruction *each : dropped_) each->eraseFromParent();
  for (unsigned k = 0; k < 3; k++) size_[k] = load(function, kBlockSizeAt + 4 * k, word);
  frame_ = load(function, kFrameAt, llvm::PointerType::getUnqual(function.getContext()));
  return true;
}

bool ThreadFields::collect(Value *pointer, uint64_t offset) {
  for (llvm::User *user : pointer->users()) {
    if (auto *const step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      llvm::APInt more(64, 0);
      if (!step->accumulateConstantOffset(step->getDataLayout(), more)) return false;
      if (!collect(step, offset + more.getZExtValue())) return false;
      dropped_.push_back(step);  // after its users
    } else if (auto *const load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (!is_known(*load, offset)) return false;
      loads_[offset].push_back(load);
    } else if (auto *const store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (!take_wait(*store, offset)) return false;
      dropped_.push_back(store);
    } else if (!is_shared_variable(*user) && !is_slot(*user)) {
      return false;
    }
  }
  return true;
}

// waits_for = wait_block or wait_warp, and then the wait; mask = all lanes
bool ThreadFields::take_wait(llvm::StoreInst &store, uint64_t offset) {
  const auto *const what = llvm::dyn_cast<llvm::ConstantInt>(store.getValueOperand());
  if (!what) return false;
  if (offset == kMaskAt) return what->isMinusOne();
  if (offset != kWaitsForAt) return false;
  const Instruction *next = store.getNextNode();
  while (next && !is_call_of(*next, kSuspend)) next = next->getNextNode();
  if (next && !what->isOne()) warp_waits_.insert(next);
  return next != nullptr;
}

Instruction *ThreadFields::load(llvm::Function &function, uint64_t offset, llvm::Type *type) {
  IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
  auto *const made = builder.CreateLoad(type, builder.CreatePtrAdd(function.getArg(1), builder.getInt64(offset)));
  made->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(function.getContext(), {}));
  if (differs(offset) || is_size(offset)) {
    const unsigned least = is_size(offset);
    made->setMetadata(llvm::LLVMContext::MD_range,
                      llvm::MDBuilder(function.getContext())
                          .createRange(llvm::APInt(32, least), llvm::APInt(32, least + kMostThreads)));
  }
  return made;
}

}  // namespace gpuopt::jit
