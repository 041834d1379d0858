// plugins/jit/fields.h -- what a thread reads of its own gpo::Thread (plugins/jit/text/thread.h).
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <vector>

namespace gpuopt::jit {

// Where things lie in it.
enum ThreadField : uint64_t {
  kIndexAt = 0,
  kBlockAt = 12,
  kBlockSizeAt = 24,
  kGridSizeAt = 36,
  kSharedAt = 48,
  kExchangeAt = 56,
  kMaskAt = 64,
  kNumberAt = 68,
  kWaitsForAt = 72,
  kFrameAt = 80,
  kThreadBytes = 88
};

bool is_call_of(const llvm::Value &value, const char *name);

constexpr const char *kSuspend = "gpuopt_suspend";  // called where a thread waits

// Calls that stand for a __shared__ variable's address: ptr (Thread *, i64 offset in the block's shared memory).
constexpr const char *kSharedVariable = "gpuopt_shared_variable";
bool is_shared_variable(const llvm::Value &value);
void resolve_shared(llvm::Function &function);  // into the addresses; argument 1 is the thread

// Calls that stand for the address of a thread's word for its warp: ptr (Thread *, i32 number in the block).
constexpr const char *kSlot = "gpuopt_slot";
bool is_slot(const llvm::Value &value);
void resolve_slots(llvm::Function &function);  // into the threads' own

class ThreadFields {
 public:
  // Who a thread is it then reads at the function's beginning alone. False if it does anything else with its
  // gpo::Thread, argument 1, than that and waiting for its block or its whole warp, and then nothing has changed.
  bool take(llvm::Function &function);

  // What of it differs between threads of a block, with where it lies.
  const llvm::MapVector<const llvm::Instruction *, uint64_t> &varying() const { return varying_; }
  llvm::Instruction *size(unsigned k) const { return size_[k]; }  // of the block
  llvm::Instruction *frame() const { return frame_; }
  const llvm::SmallPtrSetImpl<const llvm::Instruction *> &warp_waits() const { return warp_waits_; }

 private:
  bool collect(llvm::Value *pointer, uint64_t offset);
  bool take_wait(llvm::StoreInst &store, uint64_t offset);
  llvm::Instruction *load(llvm::Function &function, uint64_t offset, llvm::Type *type);

  std::map<uint64_t, std::vector<llvm::LoadInst *>> loads_;
  std::vector<llvm::Instruction *> dropped_;
  llvm::SmallPtrSet<const llvm::Instruction *, 8> warp_waits_;
  llvm::MapVector<const llvm::Instruction *, uint64_t> varying_;
  llvm::Instruction *size_[3] = {}, *frame_ = nullptr;
};

}  // namespace gpuopt::jit
