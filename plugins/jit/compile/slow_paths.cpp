// plugins/jit/compile/slow_paths.cpp -- see slow_paths.h.
#include "plugins/jit/compile/slow_paths.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/VFABIDemangler.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace gpuopt::jit {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

namespace {

constexpr const char *kSection = "gpuopt_slow";

// Declares a function without effects, which may be called speculatively.
llvm::Function *declare_pure(llvm::FunctionType *type, const std::string &name, llvm::Module &module) {
  auto *const function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  for (const auto kind :
       {llvm::Attribute::NoFree, llvm::Attribute::NoSync, llvm::Attribute::NoCallback, llvm::Attribute::Speculatable})
    function->addFnAttr(kind);
  return function;
}

llvm::FunctionType *vector_type(llvm::FunctionType *scalar, unsigned lanes) {
  std::vector<llvm::Type *> parameters;
  for (llvm::Type *type : scalar->params()) parameters.push_back(llvm::FixedVectorType::get(type, lanes));
  return llvm::FunctionType::get(llvm::FixedVectorType::get(scalar->getReturnType(), lanes), parameters, false);
}

std::vector<CallInst *> calls_of(llvm::Function &function) {
  std::vector<CallInst *> calls;
  for (llvm::User *user : function.users()) {
    if (auto *const call = llvm::dyn_cast<CallInst>(user)) calls.push_back(call);
  }
  return calls;
}

// Replaces a call by a branch that is taken if `condition` is true. `compute(end)` inserts the code of the branch
// before `end` and returns the result. If the branch is not taken the first argument, the result of the fast path, is
// the result.
template <class Compute>
void replace_by_branch(CallInst &call, Value *condition, Compute compute) {
  BasicBlock *const before = call.getParent();
  Instruction *const end = llvm::SplitBlockAndInsertIfThen(
      condition, &call, false, llvm::MDBuilder(call.getContext()).createUnlikelyBranchWeights());
  Value *const slow = compute(end);
  IRBuilder<> builder(&call);
  llvm::PHINode *const result = builder.CreatePHI(call.getType(), 2);
  result->addIncoming(call.getArgOperand(0), before);
  result->addIncoming(slow, end->getParent());
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

void expand_scalar(CallInst &call, llvm::Function &body) {
  replace_by_branch(call, call.getArgOperand(1), [&](Instruction *end) -> Value * {
    IRBuilder<> builder(end);
    std::vector<Value *> arguments(call.arg_begin(), call.arg_end());
    return builder.CreateCall(&body, arguments);
  });
}

// Runs the slow path for lanes of a vector, which are in memory for that, one after the other.
class Lanes {
 public:
  Lanes(CallInst &call, llvm::Function &body) : call_(call), body_(body) {
    BasicBlock &entry = call.getFunction()->getEntryBlock();
    IRBuilder<> builder(&entry, entry.begin());
    for (Value *argument : call.args()) places_.push_back(builder.CreateAlloca(argument->getType()));
  }

  // Inserts a loop over the set bits of `bits`, from the lowest one. Returns the vector of results.
  Value *run(Instruction *end, Value *bits) {
    IRBuilder<> builder(end);
    for (unsigned k = 0; k < places_.size(); k++) {
      if (k != 1) builder.CreateStore(call_.getArgOperand(k), places_[k]);
    }
    BasicBlock *const before = end->getParent(), *const after = before->splitBasicBlock(end);
    auto *const loop = BasicBlock::Create(call_.getContext(), "lane", call_.getFunction(), after);
    before->getTerminator()->setSuccessor(0, loop);
    builder.SetInsertPoint(loop);
    llvm::PHINode *const left = builder.CreatePHI(bits->getType(), 2);
    Value *const lane = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder.getTrue());
    run_lane(builder, lane);
    Value *const rest = builder.CreateAnd(left, builder.CreateSub(left, builder.getInt32(1)));
    left->addIncoming(bits, before);
    left->addIncoming(rest, loop);
    builder.CreateCondBr(builder.CreateIsNotNull(rest), loop, after);
    builder.SetInsertPoint(end);
    return builder.CreateLoad(call_.getType(), places_[0]);
  }

 private:
  void run_lane(IRBuilder<> &builder, Value *lane) {
    const auto place = [&](unsigned k) { return builder.CreateGEP(body_.getArg(k)->getType(), places_[k], lane); };
    std::vector<Value *> arguments;
    for (unsigned k = 0; k < places_.size(); k++)
      arguments.push_back(k == 1 ? static_cast<Value *>(builder.getTrue())
                                 : builder.CreateLoad(body_.getArg(k)->getType(), place(k)));
    builder.CreateStore(builder.CreateCall(&body_, arguments), place(0));
  }

  CallInst &call_;
  llvm::Function &body_;
  std::vector<llvm::AllocaInst *> places_;
};

void expand_vector(CallInst &call, llvm::Function &body) {
  IRBuilder<> builder(&call);
  Value *const slow = call.getArgOperand(1);
  const unsigned count = llvm::cast<llvm::FixedVectorType>(slow->getType())->getNumElements();
  Value *const bits = builder.CreateZExt(builder.CreateBitCast(slow, builder.getIntNTy(count)), builder.getInt32Ty());
  Lanes lanes(call, body);
  replace_by_branch(call, builder.CreateIsNotNull(bits), [&](Instruction *end) { return lanes.run(end, bits); });
}

}  // namespace

bool has_slow_path(const llvm::Function &function) { return function.getSection() == kSection; }

SlowPaths::SlowPaths(llvm::Module &module, bool branches) : module_(module) {
  std::vector<llvm::Function *> found;
  for (llvm::Function &function : module) {
    if (has_slow_path(function)) found.push_back(&function);
  }
  for (llvm::Function *function : found) {
    function->setSection("");
    function->removeParamAttr(1, llvm::Attribute::ZExt);  // as the calls below do not extend it
    function->setComdat(nullptr);
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    if (!branches) replace_by_declaration(*function);
  }
}

void SlowPaths::replace_by_declaration(llvm::Function &body) {
  const std::string name = "gpuopt_slow_" + std::to_string(functions_.size());
  Function function{&body, declare_pure(body.getFunctionType(), name, module_), {}};
  body.replaceAllUsesWith(function.scalar);
  std::string variants;
  std::vector<llvm::GlobalValue *> used = {&body};
  for (const unsigned lanes : kVectorLanes) {
    const std::string number = std::to_string(lanes), vector = name + "_" + number;
    function.vectors.push_back(declare_pure(vector_type(body.getFunctionType(), lanes), vector, module_));
    used.push_back(function.vectors.back());
    variants += (variants.empty() ? "_ZGV_LLVM_N" : ",_ZGV_LLVM_N") + number + std::string(body.arg_size(), 'v') + "_" +
                name + "(" + vector + ")";
  }
  function.scalar->addFnAttr(llvm::VFABI::MappingsAttrName, variants);
  for (CallInst *call : calls_of(*function.scalar)) call->setAttributes({});
  used.push_back(function.scalar);
  llvm::appendToCompilerUsed(module_, used);
  functions_.push_back(std::move(function));
}

void SlowPaths::expand() {
  llvm::removeFromUsedLists(module_, [](llvm::Constant *) { return true; });
  for (const Function &function : functions_) {
    for (llvm::Function *vector : function.vectors) {
      for (CallInst *call : calls_of(*vector)) expand_vector(*call, *function.body);
      vector->eraseFromParent();
    }
    for (CallInst *call : calls_of(*function.scalar)) expand_scalar(*call, *function.body);
    function.scalar->eraseFromParent();
    if (function.body->use_empty()) function.body->eraseFromParent();
  }
  functions_.clear();
}

}  // namespace gpuopt::jit
