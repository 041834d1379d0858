// plugins/jit/compile/outline.cpp -- see outline.h.
#include "plugins/jit/compile/outline.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/VFABIDemangler.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <algorithm>
#include <stdexcept>

#include "plugins/jit/compile/slow_paths.h"

namespace gpuopt::jit {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Function;
using llvm::GlobalVariable;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

namespace {

// Lengths are in instructions as Clang emits them. Optimization leaves about a fifth of these.
constexpr uint64_t kMaxInlined = 10'000;    // kernels up to this length are inlined as a whole
constexpr uint64_t kMinOutlined = 24;       // shorter functions are always inlined
constexpr uint64_t kMaxLength = 1'000'000;  // longer kernels are refused; LLVM would need minutes and gigabytes
constexpr const char *kPrefix = "gpuopt_function_";

bool is_entry(const Function &function) {
  const llvm::StringRef name = function.getName();
  return name == "gpuopt_run_thread" || name == "gpuopt_run_block" || name == "gpuopt_entry";
}

// The length of each function once everything it calls is inlined, and the number of its copies in the kernel then.
class Lengths {
 public:
  explicit Lengths(llvm::Module &module) {
    for (Function &function : module) {
      if (is_entry(function)) length_of(function);
    }
    for (auto caller = callees_first_.rbegin(); caller != callees_first_.rend(); ++caller) {
      if (is_entry(**caller)) copies_[*caller] = 1;
      const uint64_t copies = copies_[*caller];
      for (const auto &[callee, calls] : calls_[*caller])
        copies_[callee] = std::min(copies_[callee] + copies * calls, kLimit);
    }
  }
  // The length of the longest entry.
  uint64_t longest() const {
    uint64_t most = 0;
    for (const Function *function : callees_first_) most = std::max(most, of(*function));
    return most;
  }
  uint64_t of(const Function &function) const { return length_.lookup(&function); }
  uint64_t copies_of(const Function &function) const { return copies_.lookup(&function); }

 private:
  static constexpr uint64_t kLimit = uint64_t{1} << 31;  // products of two numbers up to this do not overflow

  uint64_t length_of(Function &function) {
    if (const auto known = length_.find(&function); known != length_.end()) return known->second;
    length_[&function] = 0;  // for functions that call themselves
    uint64_t length = 0;
    llvm::DenseMap<Function *, uint64_t> calls;
    for (Instruction &each : llvm::instructions(function)) {
      length++;
      const auto *const call = llvm::dyn_cast<CallInst>(&each);
      Function *const callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || callee->isDeclaration() || has_slow_path(*callee)) continue;
      calls[callee]++;
      length = std::min(length + length_of(*callee), kLimit);
    }
    callees_first_.push_back(&function);
    calls_[&function] = std::move(calls);
    return length_[&function] = length;
  }

  llvm::DenseMap<const Function *, uint64_t> length_, copies_;
  llvm::DenseMap<const Function *, llvm::DenseMap<Function *, uint64_t>> calls_;
  std::vector<Function *> callees_first_;
};

// Decides which functions may be outlined. Functions in which a thread waits, asks who it is, or uses __shared__ memory
// may not, since this code has to become part of the thread's own function.
class Outlinable {
 public:
  bool may_outline(Function &function) {
    if (const auto known = known_.find(&function); known != known_.end()) return known->second;
    known_[&function] = false;  // for functions that call themselves
    bool all = !function.isVarArg() && !takes_thread(function);
    for (Instruction &each : llvm::instructions(function)) {
      all = all && may_outline_with(each);
      if (!all) break;
    }
    return known_[&function] = all;
  }

 private:
  // Whether a function of plugins/jit/text/thread.h has a gpo::Thread * among its parameters.
  static bool takes_thread(const Function &function) {
    return function.getName().starts_with("_ZN3gpo") && function.getName().contains("6Thread");
  }
  bool may_outline_with(Instruction &each) {
    if (const auto *const call = llvm::dyn_cast<llvm::CallBase>(&each)) {
      Function *const callee = call->getCalledFunction();
      if (!callee) return false;
      if (callee->isIntrinsic()) {
        if (callee->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) return false;
      } else if (callee->isDeclaration() || !may_outline(*callee)) {
        return false;
      }
    }
    return std::all_of(each.op_begin(), each.op_end(),
                       [](const llvm::Use &use) { return may_be_in_two_modules(*use.get()); });
  }
  // A variable of internal linkage cannot be in two modules if it may change.
  static bool may_be_in_two_modules(const Value &operand) {
    const auto *const constant = llvm::dyn_cast<llvm::Constant>(&operand);
    if (!constant) return true;
    if (const auto *const variable = llvm::dyn_cast<GlobalVariable>(constant))
      return !variable->isThreadLocal() && (variable->isConstant() || !variable->hasLocalLinkage());
    if (llvm::isa<Function, llvm::ConstantData>(constant)) return true;
    return std::all_of(constant->op_begin(), constant->op_end(),
                       [](const llvm::Use &use) { return may_be_in_two_modules(*use.get()); });
  }

  llvm::DenseMap<const Function *, bool> known_;
};

void inline_and_simplify(llvm::Module &module) {
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager simplify;
  simplify.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  simplify.addPass(llvm::EarlyCSEPass());
  simplify.addPass(llvm::SimplifyCFGPass());
  simplify.addPass(llvm::InstCombinePass());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::GlobalDCEPass());  // deletes the kernel's own copies before anything is inlined
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(simplify)));
  passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::PostOrderFunctionAttrsPass()));
  passes.run(module, modules);
}

bool is_number(const llvm::Type &type) {
  return type.isFloatTy() || type.isDoubleTy() || type.isIntegerTy(32) || type.isIntegerTy(64);
}

// Whether a function may have variants for vectors: it has no effects and no loops, so that all lanes take similar
// steps.
bool may_have_variants(const Function &function) {
  if (!function.doesNotAccessMemory() || !function.hasFnAttribute(llvm::Attribute::WillReturn)) return false;
  if (function.arg_empty() || !is_number(*function.getReturnType())) return false;
  if (!std::all_of(function.arg_begin(), function.arg_end(), [](auto &each) { return is_number(*each.getType()); }))
    return false;
  llvm::SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> back;
  llvm::FindFunctionBackedges(function, back);
  return back.empty();
}

// Whether a function may be called where its result is not used.
bool is_speculatable(Function &function) {
  return std::all_of(llvm::inst_begin(function), llvm::inst_end(function), [](const Instruction &each) {
    const auto *const call = llvm::dyn_cast<CallInst>(&each);
    const Function *const callee = call ? call->getCalledFunction() : nullptr;
    return each.isTerminator() || (callee && has_slow_path(*callee)) || llvm::isSafeToSpeculativelyExecute(&each);
  });
}

llvm::AttributeList function_attributes(const Function &function) {
  return llvm::AttributeList::get(function.getContext(), llvm::AttributeList::FunctionIndex,
                                  llvm::AttrBuilder(function.getContext(), function.getAttributes().getFnAttrs()));
}

// The metadata of a loop that LLVM is to vectorize with this number of lanes.
llvm::MDNode *vectorize_by(unsigned lanes, llvm::LLVMContext &context) {
  const auto property = [&](const char *name, llvm::Constant *value) {
    return llvm::MDNode::get(context, {llvm::MDString::get(context, name), llvm::ConstantAsMetadata::get(value)});
  };
  llvm::MDNode *const node = llvm::MDNode::getDistinct(
      context, {nullptr, property("llvm.loop.vectorize.enable", llvm::ConstantInt::getTrue(context)),
                property("llvm.loop.vectorize.width", llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), lanes)),
                property("llvm.loop.interleave.count", llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 1))});
  node->replaceOperandWith(0, node);
  return node;
}

std::string variant_of(const std::string &name, unsigned lanes) { return name + "_" + std::to_string(lanes); }

llvm::FunctionType *vector_type(const llvm::FunctionType &scalar, unsigned lanes) {
  std::vector<llvm::Type *> parameters;
  for (llvm::Type *type : scalar.params()) parameters.push_back(llvm::FixedVectorType::get(type, lanes));
  return llvm::FunctionType::get(llvm::FixedVectorType::get(scalar.getReturnType(), lanes), parameters, false);
}

}  // namespace

OutlinedFunctions::OutlinedFunctions(llvm::Module &module, bool pure_only) : module_(module) {
  const std::vector<Function *> functions = candidates();
  if (!functions.empty()) move_out(functions, pure_only);
  check_length();
}

void OutlinedFunctions::move_out(const std::vector<Function *> &functions, bool pure_only) {
  copy_bodies(functions);
  for (size_t k = 0; k < functions.size(); k++) {
    const std::string name = kPrefix + std::to_string(k);
    Function *const body = bodies_->getFunction(name);
    if (pure_only && !body->doesNotAccessMemory()) {
      body->setLinkage(llvm::GlobalValue::InternalLinkage);
      continue;
    }
    declare(*functions[k], *body);
  }
  remove_unused();
}

// The functions that are called more than once, except those that are called by such functions only.
std::vector<Function *> OutlinedFunctions::candidates() const {
  const Lengths lengths(module_);
  if (lengths.longest() <= kMaxInlined) return {};
  Outlinable outlinable;
  llvm::SetVector<Function *> reached, found;
  for (Function &function : module_) {
    if (is_entry(function)) reached.insert(&function);
  }
  for (size_t k = 0; k < reached.size(); k++) {
    for (Instruction &each : llvm::instructions(*reached[k])) {
      const auto *const call = llvm::dyn_cast<CallInst>(&each);
      Function *const callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || callee->isDeclaration() || has_slow_path(*callee)) continue;
      const bool often = lengths.copies_of(*callee) > 1 && lengths.of(*callee) >= kMinOutlined;
      (often && outlinable.may_outline(*callee) ? found : reached).insert(callee);
    }
  }
  return {found.begin(), found.end()};
}

// Copies these functions into a module of their own, under new names, with the functions and variables that they use.
void OutlinedFunctions::copy_bodies(const std::vector<Function *> &functions) {
  llvm::ValueToValueMapTy copies;
  bodies_ = llvm::CloneModule(module_, copies);
  llvm::removeFromUsedLists(*bodies_, [](llvm::Constant *) { return true; });
  if (GlobalVariable *const list = bodies_->getGlobalVariable("llvm.global.annotations")) list->eraseFromParent();
  for (Function &function : *bodies_) {
    if (function.isDeclaration()) continue;
    function.setComdat(nullptr);
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (GlobalVariable &variable : llvm::make_early_inc_range(bodies_->globals())) {
    if (variable.isDeclaration()) continue;
    variable.setComdat(nullptr);
    if (variable.isConstant() || variable.hasLocalLinkage() || variable.isThreadLocal()) {
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
      continue;
    }
    variable.setInitializer(nullptr);
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    GlobalVariable *const there = module_.getGlobalVariable(variable.getName());
    if (there->hasLinkOnceLinkage())
      there->setLinkage(llvm::GlobalValue::WeakODRLinkage);  // another module reads it now
  }
  for (size_t k = 0; k < functions.size(); k++) {
    auto *const body = llvm::cast<Function>(copies[functions[k]]);
    body->setLinkage(llvm::GlobalValue::ExternalLinkage);
    body->setName(kPrefix + std::to_string(k));
  }
  inline_and_simplify(*bodies_);
}

void OutlinedFunctions::declare(Function &function, Function &body) {
  const bool has_variants = may_have_variants(body);
  auto *const declared =
      Function::Create(function.getFunctionType(), llvm::GlobalValue::ExternalLinkage, body.getName(), module_);
  declared->setAttributes(body.getAttributes());
  declared->removeFnAttr(llvm::Attribute::AlwaysInline);
  declared->removeFnAttr(llvm::Attribute::Convergent);  // no thread waits in it
  if (has_variants) {
    for (const auto kind : {llvm::Attribute::NoFree, llvm::Attribute::NoSync, llvm::Attribute::NoCallback})
      declared->addFnAttr(kind);
    if (is_speculatable(body)) declared->addFnAttr(llvm::Attribute::Speculatable);
    declare_variants(*declared);
  }
  function.replaceAllUsesWith(declared);
  function.eraseFromParent();
  for (llvm::User *user : declared->users()) {
    if (auto *const call = llvm::dyn_cast<CallInst>(user))
      call->setAttributes(call->getAttributes().removeFnAttributes(call->getContext()));
  }
  outlined_.push_back({declared->getName().str(), has_variants});
}

void OutlinedFunctions::declare_variants(Function &declared) {
  const std::string name = declared.getName().str();
  std::string mappings;
  std::vector<llvm::GlobalValue *> used = {&declared};
  for (const unsigned lanes : kVectorLanes) {
    auto *const variant = Function::Create(vector_type(*declared.getFunctionType(), lanes),
                                           llvm::GlobalValue::ExternalLinkage, variant_of(name, lanes), module_);
    variant->setAttributes(function_attributes(declared));
    used.push_back(variant);
    mappings += (mappings.empty() ? "_ZGV_LLVM_N" : ",_ZGV_LLVM_N") + std::to_string(lanes) +
                std::string(declared.arg_size(), 'v') + "_" + name + "(" + variant_of(name, lanes) + ")";
  }
  declared.addFnAttr(llvm::VFABI::MappingsAttrName, mappings);
  llvm::appendToCompilerUsed(module_, used);
}

// Deletes functions that only outlined functions called.
void OutlinedFunctions::remove_unused() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Function &function : llvm::make_early_inc_range(module_)) {
      if (function.isDeclaration() || !function.use_empty() || !function.isDiscardableIfUnused()) continue;
      function.eraseFromParent();
      changed = true;
    }
  }
}

void OutlinedFunctions::check_length() {
  const Lengths lengths(module_);
  if (lengths.longest() <= kMaxLength) return;
  const Function *worst = nullptr;
  const auto cost = [&](const Function &function) { return lengths.of(function) * lengths.copies_of(function); };
  for (const Function &function : module_) {
    if (lengths.copies_of(function) > 1 && (!worst || cost(function) > cost(*worst))) worst = &function;
  }
  problem_ = "the kernel has more than " + std::to_string(kMaxLength) +
             " instructions once the functions that it calls are inlined";
  if (worst)
    problem_ += "; " + llvm::demangle(worst->getName()) + " is inlined into it " +
                std::to_string(lengths.copies_of(*worst)) + " times. Call it from fewer places, in a loop for instance";
}

void OutlinedFunctions::finish(const std::function<void(llvm::Module &)> &optimize) {
  if (outlined_.empty()) return;
  for (const Outlined &each : outlined_) {
    Function &scalar = *bodies_->getFunction(each.name);
    if (each.has_variants) {
      for (const unsigned lanes : kVectorLanes) define_variant(scalar, lanes);
    }
    const Function *const declared = module_.getFunction(each.name);
    if (!declared || declared->use_empty()) scalar.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  optimize(*bodies_);
  if (llvm::Linker::linkModules(module_, std::move(bodies_)))
    throw std::runtime_error("the functions that the kernel calls cannot be linked to it");
  for (Function &function : module_) {
    if (function.getName().starts_with(kPrefix) && !function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

// Defines a variant, if the module calls it, as a loop over the lanes, which LLVM vectorizes.
void OutlinedFunctions::define_variant(Function &scalar, unsigned lanes) {
  const std::string name = variant_of(scalar.getName().str(), lanes);
  Function *const declared = module_.getFunction(name);
  if (!declared || declared->use_empty()) return;
  llvm::LLVMContext &context = scalar.getContext();
  auto *const variant =
      Function::Create(declared->getFunctionType(), llvm::GlobalValue::ExternalLinkage, name, *bodies_);
  variant->setAttributes(function_attributes(scalar));
  variant->removeFnAttr(llvm::Attribute::AlwaysInline);
  IRBuilder<> builder(BasicBlock::Create(context, "", variant));
  auto *const loop = BasicBlock::Create(context, "lane", variant), *const end =
                                                                       BasicBlock::Create(context, "", variant);
  std::vector<Value *> places, arguments;
  Value *const results = builder.CreateAlloca(variant->getReturnType());
  for (llvm::Argument &argument : variant->args()) {
    places.push_back(builder.CreateAlloca(argument.getType()));
    builder.CreateStore(&argument, places.back());
  }
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode *const lane = builder.CreatePHI(builder.getInt64Ty(), 2);
  lane->addIncoming(builder.getInt64(0), &variant->getEntryBlock());
  for (unsigned k = 0; k < places.size(); k++) {
    llvm::Type *const type = scalar.getArg(k)->getType();
    arguments.push_back(builder.CreateLoad(type, builder.CreateGEP(type, places[k], lane)));
  }
  CallInst *const call = builder.CreateCall(&scalar, arguments);
  call->addFnAttr(llvm::Attribute::AlwaysInline);
  builder.CreateStore(call, builder.CreateGEP(scalar.getReturnType(), results, lane));
  Value *const next = builder.CreateAdd(lane, builder.getInt64(1), "", true, true);
  lane->addIncoming(next, loop);
  llvm::BranchInst *const back = builder.CreateCondBr(builder.CreateICmpULT(next, builder.getInt64(lanes)), loop, end);
  back->setMetadata(llvm::LLVMContext::MD_loop, vectorize_by(lanes, context));
  builder.SetInsertPoint(end);
  builder.CreateRet(builder.CreateLoad(variant->getReturnType(), results));
}

}  // namespace gpuopt::jit
