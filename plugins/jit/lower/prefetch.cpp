// plugins/jit/lower/prefetch.cpp -- see prefetch.h.
#include "plugins/jit/lower/prefetch.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace gpuopt::jit {
namespace {

constexpr uint64_t kLineBytes = 64, kMaxSpan = 1 << 14;  // 1024 threads that read 16 bytes each

}  // namespace

void request_prefetch(llvm::LoadInst &load, llvm::Value *step) {
  llvm::IRBuilder<> builder(&load);
  llvm::Value *const distance = builder.CreateMul(step, builder.getInt64(kPrefetchDistance));
  llvm::FunctionCallee function =
      load.getModule()->getOrInsertFunction(kPrefetch, builder.getVoidTy(), builder.getPtrTy());
  llvm::cast<llvm::Function>(function.getCallee())->setDoesNotAccessMemory();
  builder.CreateCall(function, {builder.CreateGEP(builder.getInt8Ty(), load.getPointerOperand(), distance)});
}

void emit_prefetches(llvm::Value *first, llvm::Value *last, llvm::Instruction *before) {
  llvm::IRBuilder<> builder(before);
  llvm::Type *const number = builder.getInt64Ty();
  llvm::Value *const bytes =
      builder.CreateSub(builder.CreatePtrToInt(last, number), builder.CreatePtrToInt(first, number));
  llvm::Value *const lines =
      builder.CreateAdd(builder.CreateUDiv(bytes, builder.getInt64(kLineBytes)), builder.getInt64(1));
  llvm::Value *const is_near = builder.CreateICmpULT(bytes, builder.getInt64(kMaxSpan));
  const auto [inside, line] =
      llvm::SplitBlockAndInsertSimpleForLoop(builder.CreateSelect(is_near, lines, builder.getInt64(1)), before);
  builder.SetInsertPoint(inside);
  llvm::Value *const address =
      builder.CreateGEP(builder.getInt8Ty(), first, builder.CreateMul(line, builder.getInt64(kLineBytes)));
  enum { kRead = 0, kNearest = 3, kData = 1 };
  builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                          {address, builder.getInt32(kRead), builder.getInt32(kNearest), builder.getInt32(kData)});
}

}  // namespace gpuopt::jit
