// plugins/jit/uniform.cpp -- see uniform.h. LLVM analyses uniformity for GPUs ("Convergence And Uniformity",
// llvm.org/docs/ConvergenceAndUniformity.html); what differs between threads here is told to it as a target would.
#include "plugins/jit/uniform.h"

#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>

#include <vector>

#include "plugins/jit/fields.h"

namespace gpuopt::jit {
namespace {

using llvm::Instruction;
using llvm::Value;
using Differs = std::function<bool(const Instruction &)>;

// argument 0, offset by a constant
bool is_in_list(const Value *pointer) {
  const auto *const argument = llvm::dyn_cast<llvm::Argument>(pointer->stripInBoundsConstantOffsets());
  return argument && argument->getArgNo() == 0;
}

bool is_plain_load(const Value *value) {
  const auto *const load = llvm::dyn_cast<llvm::LoadInst>(value);
  return load && load->isSimple();
}

class Target : public llvm::TargetTransformInfoImplCRTPBase<Target> {
 public:
  Target(const llvm::DataLayout &layout, const Differs *differs)
      : llvm::TargetTransformInfoImplCRTPBase<Target>(layout), differs_(differs) {}

  bool hasBranchDivergence(const llvm::Function * = nullptr) const { return true; }
  bool isSourceOfDivergence(const Value *value) const {
    const auto *const instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return false;
    if ((*differs_)(*instruction) || llvm::isa<llvm::AllocaInst>(instruction)) return true;
    return instruction->mayReadOrWriteMemory() && !reads_launch(*instruction);
  }
  bool isAlwaysUniform(const Value *value) const {
    const auto *const instruction = llvm::dyn_cast<Instruction>(value);
    return instruction && is_vote(*instruction);
  }

 private:
  const Differs *differs_;
};

}  // namespace

bool reads_launch(const Instruction &instruction) {
  if (!is_plain_load(&instruction)) return false;
  return instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load) || is_in_list(instruction.getOperand(0)) ||
         is_argument(instruction);
}

bool is_argument(const Instruction &instruction) {
  if (!is_plain_load(&instruction)) return false;
  const Value *const base = instruction.getOperand(0)->stripInBoundsConstantOffsets();
  return is_plain_load(base) && is_in_list(llvm::cast<llvm::LoadInst>(base)->getPointerOperand());
}

bool is_ordered(const Instruction &instruction) {
  if (instruction.isAtomic() || instruction.isVolatile() || llvm::isa<llvm::FenceInst>(instruction)) return true;
  const auto *const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && !call->onlyAccessesArgMemory() && !call->doesNotAccessMemory() && !call->isLifetimeStartOrEnd() &&
         !llvm::isa<llvm::AssumeInst>(call);
}

bool is_vote(const Instruction &instruction) {
  return is_call_of(instruction, kVoteAll) || is_call_of(instruction, kVoteAny);
}

llvm::FunctionCallee vote_function(llvm::Module &module, const char *which) {
  llvm::Type *const truth = llvm::Type::getInt1Ty(module.getContext());
  llvm::FunctionCallee function = module.getOrInsertFunction(which, truth, truth);
  auto *const callee = llvm::cast<llvm::Function>(function.getCallee());
  callee->setDoesNotAccessMemory();
  callee->setDoesNotThrow();
  callee->setWillReturn();
  callee->setConvergent();
  return function;
}

struct Uniformity::Analysis {
  Differs differs;
  llvm::FunctionAnalysisManager manager;
  llvm::UniformityInfo *values = nullptr;
  llvm::CycleInfo *cycles = nullptr;
};

Uniformity::Uniformity(llvm::Function &function, Differs differs) : analysis_(std::make_unique<Analysis>()) {
  analysis_->differs = std::move(differs);
  llvm::FunctionAnalysisManager &manager = analysis_->manager;
  manager.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  manager.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  manager.registerPass([] { return llvm::CycleAnalysis(); });
  manager.registerPass([this] {
    return llvm::TargetIRAnalysis([this](const llvm::Function &of) {
      return llvm::TargetTransformInfo(Target(of.getDataLayout(), &analysis_->differs));
    });
  });
  manager.registerPass([] { return llvm::UniformityInfoAnalysis(); });
  analysis_->values = &manager.getResult<llvm::UniformityInfoAnalysis>(function);
  analysis_->cycles = &manager.getResult<llvm::CycleAnalysis>(function);
}

Uniformity::~Uniformity() = default;

bool Uniformity::is_structured() const {
  std::vector<const llvm::Cycle *> left(analysis_->cycles->toplevel_begin(), analysis_->cycles->toplevel_end());
  while (!left.empty()) {
    const llvm::Cycle *const cycle = left.back();
    left.pop_back();
    if (!cycle->isReducible()) return false;
    left.insert(left.end(), cycle->child_begin(), cycle->child_end());
  }
  return true;
}

bool Uniformity::varies(const Instruction &instruction) const { return analysis_->values->isDivergent(&instruction); }

bool Uniformity::parts_threads(const llvm::BasicBlock &block) const {
  return analysis_->values->hasDivergentTerminator(block);
}

}  // namespace gpuopt::jit
