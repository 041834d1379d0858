// plugins/jit/analysis/uniform.cpp -- see uniform.h. LLVM's analysis was made for GPUs ("Convergence And Uniformity",
// llvm.org/docs/ConvergenceAndUniformity.html). It asks a target for the sources of divergence; class Target answers.
#include "plugins/jit/analysis/uniform.h"

#include <llvm/ADT/SmallSet.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>

#include <vector>

#include "plugins/jit/analysis/fields.h"

namespace gpuopt::jit {
namespace {

using llvm::Instruction;
using llvm::Value;

// Whether a pointer is argument 0 of its function, plus a constant offset.
bool is_in_argument_list(const Value *pointer) {
  const auto *const argument = llvm::dyn_cast<llvm::Argument>(pointer->stripInBoundsConstantOffsets());
  return argument && argument->getArgNo() == 0;
}

bool is_plain_load(const Value *value) {
  const auto *const load = llvm::dyn_cast<llvm::LoadInst>(value);
  return load && load->isSimple();
}

constexpr const char *kCommutes = "gpuopt.commutes";

// The kind of a commutative update, or 0 for any other instruction and for an update whose result is used. Updates of
// one kind leave the same values in memory in whatever order they run.
unsigned commutative_kind(const llvm::AtomicRMWInst &update) {
  if (!update.use_empty() || update.isVolatile() || update.getOrdering() != llvm::AtomicOrdering::Monotonic) return 0;
  switch (update.getOperation()) {
    case llvm::AtomicRMWInst::Add:
    case llvm::AtomicRMWInst::Sub:
      return 1 + llvm::AtomicRMWInst::Add;
    case llvm::AtomicRMWInst::And:
    case llvm::AtomicRMWInst::Or:
    case llvm::AtomicRMWInst::Xor:
    case llvm::AtomicRMWInst::Max:
    case llvm::AtomicRMWInst::Min:
    case llvm::AtomicRMWInst::UMax:
    case llvm::AtomicRMWInst::UMin:
      return 1 + update.getOperation();
    default:
      return 0;
  }
}

class Target : public llvm::TargetTransformInfoImplCRTPBase<Target> {
 public:
  Target(const llvm::DataLayout &layout, const DivergenceSource *is_source)
      : llvm::TargetTransformInfoImplCRTPBase<Target>(layout), is_source_(is_source) {}

  bool hasBranchDivergence(const llvm::Function * = nullptr) const { return true; }
  bool isSourceOfDivergence(const Value *value) const {
    const auto *const instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return false;
    if ((*is_source_)(*instruction) || llvm::isa<llvm::AllocaInst>(instruction)) return true;
    return instruction->mayReadOrWriteMemory() && !reads_launch_data(*instruction);
  }
  bool isAlwaysUniform(const Value *value) const {
    const auto *const instruction = llvm::dyn_cast<Instruction>(value);
    return instruction && is_vote(*instruction);
  }

 private:
  const DivergenceSource *is_source_;
};

}  // namespace

bool reads_launch_data(const Instruction &instruction) {
  if (!is_plain_load(&instruction)) return false;
  return instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load) ||
         is_in_argument_list(instruction.getOperand(0)) || is_kernel_argument(instruction);
}

bool is_kernel_argument(const Instruction &instruction) {
  if (!is_plain_load(&instruction)) return false;
  const Value *const base = instruction.getOperand(0)->stripInBoundsConstantOffsets();
  return is_plain_load(base) && is_in_argument_list(llvm::cast<llvm::LoadInst>(base)->getPointerOperand());
}

void mark_commutative_atomics(llvm::Function &function) {
  std::vector<Instruction *> found;
  llvm::SmallSet<unsigned, 2> kinds;
  for (Instruction &instruction : llvm::instructions(function)) {
    if (!instruction.isAtomic()) continue;
    const auto *const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
    const unsigned kind = update ? commutative_kind(*update) : 0;
    if (!kind) return;
    kinds.insert(kind);
    found.push_back(&instruction);
  }
  if (kinds.size() > 1) return;
  for (Instruction *update : found) update->setMetadata(kCommutes, llvm::MDNode::get(function.getContext(), {}));
}

bool has_visible_order(const Instruction &instruction) {
  if (instruction.hasMetadata(kCommutes)) return false;
  if (instruction.isAtomic() || instruction.isVolatile() || llvm::isa<llvm::FenceInst>(instruction)) return true;
  const auto *const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && !call->onlyAccessesArgMemory() && !call->doesNotAccessMemory() && !call->isLifetimeStartOrEnd() &&
         !llvm::isa<llvm::AssumeInst>(call);
}

bool is_vote_of(const Instruction &instruction, const char *which) {
  const auto *const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function *const callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().rsplit('.').first == which;
}

bool is_vote(const Instruction &instruction) {
  return is_vote_of(instruction, kVoteAll) || is_vote_of(instruction, kVoteAny) ||
         is_vote_of(instruction, kVoteLeast) || is_vote_of(instruction, kVoteGreatest);
}

llvm::FunctionCallee vote_function(llvm::Module &module, const char *which, llvm::Type *type) {
  const std::string name = which + ("." + std::to_string(type->getIntegerBitWidth()));
  llvm::FunctionCallee function = module.getOrInsertFunction(name, type, type);
  auto *const callee = llvm::cast<llvm::Function>(function.getCallee());
  callee->setDoesNotAccessMemory();
  callee->setDoesNotThrow();
  callee->setWillReturn();
  callee->setConvergent();
  return function;
}

struct Uniformity::Analysis {
  DivergenceSource is_source;
  llvm::FunctionAnalysisManager manager;
  llvm::UniformityInfo *values = nullptr;
  llvm::CycleInfo *cycles = nullptr;
};

Uniformity::Uniformity(llvm::Function &function, DivergenceSource is_source) : analysis_(std::make_unique<Analysis>()) {
  analysis_->is_source = std::move(is_source);
  llvm::FunctionAnalysisManager &manager = analysis_->manager;
  manager.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  manager.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  manager.registerPass([] { return llvm::CycleAnalysis(); });
  manager.registerPass([this] {
    return llvm::TargetIRAnalysis([this](const llvm::Function &of) {
      return llvm::TargetTransformInfo(Target(of.getDataLayout(), &analysis_->is_source));
    });
  });
  manager.registerPass([] { return llvm::UniformityInfoAnalysis(); });
  analysis_->values = &manager.getResult<llvm::UniformityInfoAnalysis>(function);
  analysis_->cycles = &manager.getResult<llvm::CycleAnalysis>(function);
}

Uniformity::~Uniformity() = default;

bool Uniformity::is_reducible() const {
  std::vector<const llvm::Cycle *> left(analysis_->cycles->toplevel_begin(), analysis_->cycles->toplevel_end());
  while (!left.empty()) {
    const llvm::Cycle *const cycle = left.back();
    left.pop_back();
    if (!cycle->isReducible()) return false;
    left.insert(left.end(), cycle->child_begin(), cycle->child_end());
  }
  return true;
}

bool Uniformity::is_divergent(const Instruction &instruction) const {
  return analysis_->values->isDivergent(&instruction);
}

bool Uniformity::has_divergent_branch(const llvm::BasicBlock &block) const {
  return analysis_->values->hasDivergentTerminator(block);
}

}  // namespace gpuopt::jit
