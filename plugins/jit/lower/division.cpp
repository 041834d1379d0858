// plugins/jit/lower/division.cpp -- see division.h.
#include "plugins/jit/lower/division.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include <vector>

namespace gpuopt::jit {
namespace {

using llvm::BinaryOperator;
using llvm::Constant;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

bool is_signed(const Instruction &division) {
  return division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
}

bool is_division(const Instruction &instruction) {
  return is_signed(instruction) || instruction.getOpcode() == Instruction::UDiv ||
         instruction.getOpcode() == Instruction::URem;
}

// Whether the divisor is a constant other than 0 and, in a signed division, other than -1.
bool is_defined(const Instruction &division) {
  const auto *const divisor = llvm::dyn_cast<llvm::ConstantInt>(division.getOperand(1));
  return divisor && !divisor->isZero() && !(is_signed(division) && divisor->isMinusOne());
}

// x / y becomes y == 0 ? 0 : y == -1 ? -x : x / (y is one of these ? 1 : y), and x % y is 0 for both.
void define(BinaryOperator &division) {
  IRBuilder<> builder(&division);
  Value *const divided = division.getOperand(0), *const divisor = division.getOperand(1);
  llvm::Type *const type = division.getType();
  Constant *const zero = Constant::getNullValue(type);
  const bool quotient = division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::UDiv;
  Value *const by_zero = builder.CreateICmpEQ(divisor, zero);
  Value *by_minus_one = nullptr, *unsafe = by_zero;
  if (is_signed(division)) {
    by_minus_one = builder.CreateICmpEQ(divisor, Constant::getAllOnesValue(type));
    unsafe = builder.CreateOr(by_zero, by_minus_one);
  }
  division.setOperand(1, builder.CreateSelect(unsafe, llvm::ConstantInt::get(type, 1), divisor));
  builder.SetInsertPoint(division.getNextNode());
  std::vector<llvm::Use *> uses;
  for (llvm::Use &use : division.uses()) uses.push_back(&use);
  Value *result = &division;
  if (by_minus_one) result = builder.CreateSelect(by_minus_one, quotient ? builder.CreateNeg(divided) : zero, result);
  result = builder.CreateSelect(by_zero, zero, result);
  for (llvm::Use *use : uses) use->set(result);
}

}  // namespace

void define_division(llvm::Module &module) {
  std::vector<BinaryOperator *> found;
  for (llvm::Function &function : module) {
    for (Instruction &instruction : llvm::instructions(function)) {
      if (is_division(instruction) && !is_defined(instruction))
        found.push_back(llvm::cast<BinaryOperator>(&instruction));
    }
  }
  for (BinaryOperator *division : found) {
    define(*division);
  }
}

}  // namespace gpuopt::jit
