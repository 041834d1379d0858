// plugins/jit/lower/shifts.cpp -- see shifts.h.
#include "plugins/jit/lower/shifts.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include <vector>

namespace gpuopt::jit {
namespace {

using llvm::BinaryOperator;
using llvm::ConstantInt;
using llvm::IRBuilder;
using llvm::Value;

// Whether the amount is below the number of bits, as a constant is and what is masked by `& 31`.
bool fits_always(const BinaryOperator &shift) {
  const llvm::DataLayout &layout = shift.getModule()->getDataLayout();
  const unsigned bits = shift.getType()->getScalarSizeInBits();
  return llvm::computeKnownBits(shift.getOperand(1), layout).getMaxValue().ult(bits);
}

// x << n becomes n < bits ? x << n : 0, and x >> n of signed numbers x >> min(n, bits - 1).
void limit(BinaryOperator &shift) {
  IRBuilder<> builder(&shift);
  Value *const amount = shift.getOperand(1);
  llvm::Type *const type = shift.getType();
  const unsigned bits = type->getScalarSizeInBits();
  if (shift.getOpcode() == llvm::Instruction::AShr) {
    shift.setOperand(1, builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, ConstantInt::get(type, bits - 1)));
    return;
  }
  Value *const fits = builder.CreateICmpULT(amount, ConstantInt::get(type, bits));
  builder.SetInsertPoint(shift.getNextNode());
  std::vector<llvm::Use *> uses;
  for (llvm::Use &use : shift.uses()) uses.push_back(&use);
  Value *const result = builder.CreateSelect(fits, &shift, llvm::Constant::getNullValue(type));
  for (llvm::Use *use : uses) use->set(result);
}

}  // namespace

void define_shifts(llvm::Module &module) {
  std::vector<BinaryOperator *> found;
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *const operation = llvm::dyn_cast<BinaryOperator>(&instruction);
      if (operation && operation->isShift() && !fits_always(*operation)) found.push_back(operation);
    }
  }
  for (BinaryOperator *shift : found) limit(*shift);
}

}  // namespace gpuopt::jit
