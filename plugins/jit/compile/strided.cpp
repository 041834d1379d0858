// plugins/jit/compile/strided.cpp -- see strided.h.
#include "plugins/jit/compile/strided.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>
#include <vector>

namespace gpuopt::jit {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr int kMaxDepth = 16;  // of expressions that are looked at

// The lanes of a vector of integers or addresses that grow by the same number from each to the next. All arithmetic is
// that of 64 bits, which may wrap around.
class Progressions {
 public:
  explicit Progressions(const llvm::DataLayout &layout) : layout_(layout) {}

  // The number, in bytes for addresses; nothing if there is none or it is not known.
  std::optional<int64_t> step_of(Value *vector, int depth = kMaxDepth) const;
  // The first lane of a vector that has a step.
  Value *first_of(Value *vector);

 private:
  std::optional<int64_t> step_of_address(const llvm::GetElementPtrInst &address, int depth) const;
  Value *first_of_phi(llvm::PHINode &phi);
  Value *first_of_address(llvm::GetElementPtrInst &address);

  const llvm::DataLayout &layout_;
  llvm::DenseMap<Value *, Value *> first_;
};

std::optional<int64_t> step_of_constant(const llvm::Constant &vector) {
  const auto *const type = llvm::cast<llvm::FixedVectorType>(vector.getType());
  std::vector<int64_t> lanes;
  for (unsigned k = 0; k < type->getNumElements(); k++) {
    const auto *const lane = llvm::dyn_cast_or_null<llvm::ConstantInt>(vector.getAggregateElement(k));
    if (!lane) return std::nullopt;
    lanes.push_back(lane->getSExtValue());
  }
  for (size_t k = 2; k < lanes.size(); k++) {
    if (lanes[k] - lanes[k - 1] != lanes[1] - lanes[0]) return std::nullopt;
  }
  return lanes.size() < 2 ? 0 : lanes[1] - lanes[0];
}

// An induction variable: the phi of a loop's header, and what is added in each iteration.
struct Induction {
  Value *start = nullptr, *step = nullptr;
  llvm::BinaryOperator *next = nullptr;
  unsigned from_start = 0;  // which of the phi's predecessors
};

std::optional<Induction> induction_of(const llvm::PHINode &phi) {
  if (phi.getNumIncomingValues() != 2) return std::nullopt;
  for (unsigned k = 0; k < 2; k++) {
    auto *const next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValue(1 - k));
    if (!next || next->getOpcode() != Instruction::Add || next->getOperand(0) != &phi) continue;
    Value *const step = llvm::getSplatValue(next->getOperand(1));
    if (step && llvm::isa<llvm::Constant>(step)) return Induction{phi.getIncomingValue(k), step, next, k};
  }
  return std::nullopt;
}

std::optional<int64_t> Progressions::step_of_address(const llvm::GetElementPtrInst &address, int depth) const {
  int64_t bytes = 0;
  if (address.getPointerOperandType()->isVectorTy()) {
    const std::optional<int64_t> step = step_of(address.getOperand(0), depth);
    if (!step) return std::nullopt;
    bytes = *step;
  }
  for (auto index = llvm::gep_type_begin(address); index != llvm::gep_type_end(address); ++index) {
    Value *const operand = index.getOperand();
    if (!operand->getType()->isVectorTy()) continue;
    const std::optional<int64_t> step = step_of(operand, depth);
    if (!step || (*step && index.isStruct())) return std::nullopt;
    if (*step) bytes += *step * int64_t(index.getSequentialElementStride(layout_).getFixedValue());
  }
  return bytes;
}

std::optional<int64_t> Progressions::step_of(Value *vector, int depth) const {
  if (depth == 0 || !llvm::isa<llvm::FixedVectorType>(vector->getType())) return std::nullopt;
  if (llvm::getSplatValue(vector)) return 0;
  if (const auto *const address = llvm::dyn_cast<llvm::GetElementPtrInst>(vector))
    return step_of_address(*address, depth - 1);
  if (!vector->getType()->getScalarType()->isIntegerTy(64)) return std::nullopt;
  if (const auto *const constant = llvm::dyn_cast<llvm::Constant>(vector)) return step_of_constant(*constant);
  if (const auto *const phi = llvm::dyn_cast<llvm::PHINode>(vector)) {
    const std::optional<Induction> induction = induction_of(*phi);
    return induction ? step_of(induction->start, depth - 1) : std::nullopt;
  }
  const auto *const operation = llvm::dyn_cast<llvm::BinaryOperator>(vector);
  if (!operation) return std::nullopt;
  const std::optional<int64_t> left = step_of(operation->getOperand(0), depth - 1),
                               right = step_of(operation->getOperand(1), depth - 1);
  if (!left || !right) return std::nullopt;
  const auto *const factor = llvm::dyn_cast_or_null<llvm::ConstantInt>(llvm::getSplatValue(operation->getOperand(1)));
  switch (operation->getOpcode()) {
    case Instruction::Add:
      return *left + *right;
    case Instruction::Sub:
      return *left - *right;
    case Instruction::Or:
      return llvm::cast<llvm::PossiblyDisjointInst>(operation)->isDisjoint() ? std::optional(*left + *right)
                                                                             : std::nullopt;
    case Instruction::Mul:
      return factor ? std::optional(*left * factor->getSExtValue()) : std::nullopt;
    case Instruction::Shl:
      return factor && factor->getValue().ult(32) ? std::optional(*left << factor->getZExtValue()) : std::nullopt;
    default:
      return std::nullopt;
  }
}

Value *Progressions::first_of_phi(llvm::PHINode &phi) {
  const std::optional<Induction> induction = induction_of(phi);
  llvm::PHINode *const first = llvm::IRBuilder<>(&phi).CreatePHI(phi.getType()->getScalarType(), 2);
  Value *const next = llvm::IRBuilder<>(induction->next).CreateAdd(first, induction->step);
  first->addIncoming(first_of(induction->start), phi.getIncomingBlock(induction->from_start));
  first->addIncoming(next, phi.getIncomingBlock(1 - induction->from_start));
  return first;
}

Value *Progressions::first_of_address(llvm::GetElementPtrInst &address) {
  std::vector<Value *> operands;
  for (Value *operand : address.operands())
    operands.push_back(operand->getType()->isVectorTy() ? first_of(operand) : operand);
  return llvm::IRBuilder<>(&address).CreateGEP(address.getSourceElementType(), operands[0],
                                               llvm::ArrayRef(operands).drop_front());
}

Value *Progressions::first_of(Value *vector) {
  if (Value *const same = llvm::getSplatValue(vector)) return same;
  if (const auto *const constant = llvm::dyn_cast<llvm::Constant>(vector)) return constant->getAggregateElement(0u);
  if (Value *const known = first_.lookup(vector)) return known;
  Value *first = nullptr;
  if (auto *const phi = llvm::dyn_cast<llvm::PHINode>(vector)) {
    first = first_of_phi(*phi);
  } else if (auto *const address = llvm::dyn_cast<llvm::GetElementPtrInst>(vector)) {
    first = first_of_address(*address);
  } else {
    auto *const operation = llvm::cast<llvm::BinaryOperator>(vector);
    Value *const left = first_of(operation->getOperand(0)), *const right = first_of(operation->getOperand(1));
    const bool is_sum = operation->getOpcode() == Instruction::Or;
    first = llvm::IRBuilder<>(operation).CreateBinOp(is_sum ? Instruction::Add : operation->getOpcode(), left, right);
  }
  return first_[vector] = first;
}

bool takes_all_lanes(const Value *mask) {
  const auto *const constant = llvm::dyn_cast<llvm::Constant>(mask);
  return constant && constant->isAllOnesValue();
}

Value *loads_of(llvm::IntrinsicInst &gather, Value *first, int64_t step) {
  llvm::IRBuilder<> builder(&gather);
  auto *const type = llvm::cast<llvm::FixedVectorType>(gather.getType());
  const llvm::Align alignment = llvm::cast<llvm::ConstantInt>(gather.getArgOperand(1))->getAlignValue();
  const auto load = [&](unsigned lane) {
    Value *const address = builder.CreateGEP(builder.getInt8Ty(), first, builder.getInt64(uint64_t(step) * lane));
    llvm::LoadInst *const made = builder.CreateAlignedLoad(type->getElementType(), address, alignment);
    made->setAAMetadata(gather.getAAMetadata());
    return made;
  };
  if (step == 0) return builder.CreateVectorSplat(type->getNumElements(), load(0));
  Value *all = llvm::PoisonValue::get(type);
  for (unsigned k = 0; k < type->getNumElements(); k++) all = builder.CreateInsertElement(all, load(k), k);
  return all;
}

}  // namespace

llvm::PreservedAnalyses LoadStrided::run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
  Progressions progressions(function.getDataLayout());
  std::vector<std::pair<llvm::IntrinsicInst *, int64_t>> found;
  for (Instruction &instruction : llvm::instructions(function)) {
    auto *const gather = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!gather || gather->getIntrinsicID() != llvm::Intrinsic::masked_gather) continue;
    if (!takes_all_lanes(gather->getArgOperand(2))) continue;
    if (const std::optional<int64_t> step = progressions.step_of(gather->getArgOperand(0)))
      found.emplace_back(gather, *step);
  }
  llvm::SmallVector<llvm::WeakTrackingVH, 16> addresses;
  for (const auto &[gather, step] : found) {
    addresses.emplace_back(gather->getArgOperand(0));
    gather->replaceAllUsesWith(loads_of(*gather, progressions.first_of(gather->getArgOperand(0)), step));
    gather->eraseFromParent();
  }
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(addresses);
  return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace gpuopt::jit
