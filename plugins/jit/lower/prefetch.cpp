// plugins/jit/ahead.cpp -- see ahead.h.
#include "plugins/jit/ahead.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace gpuopt::jit {
namespace {

constexpr uint64_t kLine = 64, kMostBytes = 1 << 14;  // 1024 threads with 16 bytes each

}  // namespace

void announce(llvm::LoadInst &load, llvm::Value *step) {
  llvm::IRBuilder<> builder(&load);
  llvm::Value *const far = builder.CreateMul(step, builder.getInt64(kTurnsAhead));
  llvm::FunctionCallee function =
      load.getModule()->getOrInsertFunction(kAhead, builder.getVoidTy(), builder.getPtrTy());
  llvm::cast<llvm::Function>(function.getCallee())->setDoesNotAccessMemory();
  builder.CreateCall(function, {builder.CreateGEP(builder.getInt8Ty(), load.getPointerOperand(), far)});
}

void prefetch(llvm::Value *first, llvm::Value *last, llvm::Instruction *before) {
  llvm::IRBuilder<> builder(before);
  llvm::Type *const number = builder.getInt64Ty();
  llvm::Value *const bytes =
      builder.CreateSub(builder.CreatePtrToInt(last, number), builder.CreatePtrToInt(first, number));
  llvm::Value *const lines = builder.CreateAdd(builder.CreateUDiv(bytes, builder.getInt64(kLine)), builder.getInt64(1));
  llvm::Value *const is_near = builder.CreateICmpULT(bytes, builder.getInt64(kMostBytes));
  const auto [inside, line] =
      llvm::SplitBlockAndInsertSimpleForLoop(builder.CreateSelect(is_near, lines, builder.getInt64(1)), before);
  builder.SetInsertPoint(inside);
  llvm::Value *const address =
      builder.CreateGEP(builder.getInt8Ty(), first, builder.CreateMul(line, builder.getInt64(kLine)));
  enum { kRead = 0, kNearest = 3, kData = 1 };
  builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                          {address, builder.getInt32(kRead), builder.getInt32(kNearest), builder.getInt32(kData)});
}

}  // namespace gpuopt::jit
