// plugins/jit/analysis/fields.h -- how the function of one thread uses its gpo::Thread (plugins/jit/text/thread.h),
// which is argument 1 of that function.
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace gpuopt::jit {

// The offsets of the members of gpo::Thread.
enum ThreadField : uint64_t {
  kIndexOffset = 0,
  kBlockOffset = 12,
  kBlockSizeOffset = 24,
  kGridSizeOffset = 36,
  kSharedOffset = 48,
  kExchangeOffset = 56,
  kMaskOffset = 64,
  kNumberOffset = 68,
  kWaitsForOffset = 72,
  kFrameOffset = 80,
  kThreadBytes = 88
};

bool is_call_of(const llvm::Value &value, const char *name);

// A call where the thread waits: for all threads of its block, for those of its warp, or for all of the grid.
constexpr const char *kSuspend = "gpuopt_suspend";

// A call ptr (Thread *, i64 offset) that stands for the address of a __shared__ variable, which lies at that offset in
// the shared memory of the block.
constexpr const char *kSharedVariable = "gpuopt_shared_variable";
bool is_shared_variable(const llvm::Value &value);
// Replaces such calls by the addresses, and atomic accesses to these variables by plain ones.
void lower_shared_variables(llvm::Function &function);

// A call ptr (Thread *, i32 number) that stands for the address of the word in which the thread of that number in the
// block gives a value to the other lanes of its warp.
constexpr const char *kExchangeSlot = "gpuopt_slot";
bool is_exchange_slot(const llvm::Value &value);
// Replaces such calls by the addresses of gpo::Thread::exchange.
void lower_exchange_slots(llvm::Function &function);

// What a thread reads of its gpo::Thread, and where it waits.
struct ThreadFields {
  llvm::MapVector<const llvm::Instruction *, uint64_t> divergent;  // the loads whose value differs, with the offset
  llvm::Instruction *size[3] = {};                                 // the loads of the block's size
  llvm::Instruction *frame = nullptr;                              // the load of the frame's address
  llvm::SmallPtrSet<const llvm::Instruction *, 8> warp_waits;      // the calls of kSuspend that wait for a whole warp
};

// Replaces all loads from gpo::Thread by one load of each field at the beginning of the function. The result is empty,
// and the function unchanged, if the function uses its gpo::Thread for anything else than reading who the thread is and
// waiting for its block or its whole warp.
std::optional<ThreadFields> take_thread_fields(llvm::Function &function);

}  // namespace gpuopt::jit
