// plugins/jit/lower/launches.cpp -- see launches.h.
#include "plugins/jit/lower/launches.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "plugins/jit/lower/problems.h"

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Constant;
using llvm::Function;
using llvm::GlobalValue;
using llvm::GlobalVariable;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Type;
using llvm::Value;

constexpr const char *kRunThread = "gpuopt_run_thread", *kLaunch = "gpuopt_launch", *kOffsets = "gpuopt_offsets",
                     *kName = "gpuopt_name", *kChildren = "gpuopt_children", *kAnnotated = "llvm.global.annotations",
                     *kOwned = "gpuopt_own_variable";
// What a kernel's module defines for the backend (plugins/cpu/kernel/kernel_object.cpp).
constexpr const char *kInterface[] = {kRunThread,
                                      "gpuopt_run_block",
                                      "gpuopt_shared_bytes",
                                      "gpuopt_frame_bytes",
                                      "gpuopt_block_frame_bytes",
                                      "gpuopt_most_threads",
                                      "gpuopt_checked",
                                      kOffsets,
                                      kName};
// Parts of mangled names: gpo::configure() of plugins/jit/text/launches.h, and gpo::Entry of plugins/jit/text/entry.h,
// which calls the kernel that the host launches.
constexpr const char *kConfigure = "_ZN3gpo9configure", *kEntry = "3gpo5Entry";

// ---- Annotations, which Clang lists as {function, ptr text, ptr file, i32 line, ptr arguments} ----

std::vector<Constant *> annotations_of(const llvm::Module &module) {
  const GlobalVariable *const list = module.getGlobalVariable(kAnnotated);
  std::vector<Constant *> all;
  if (!list) return all;
  for (const llvm::Use &entry : list->getInitializer()->operands()) all.push_back(llvm::cast<Constant>(entry));
  return all;
}

llvm::StringRef text_of(const Constant &annotation) {
  const auto *const text = llvm::cast<GlobalVariable>(annotation.getOperand(1));
  return llvm::cast<llvm::ConstantDataArray>(text->getInitializer())->getAsCString();
}

std::vector<Function *> kernels_of(const llvm::Module &module) {
  std::vector<Function *> found;
  for (const Constant *annotation : annotations_of(module)) {
    auto *const function = llvm::dyn_cast<Function>(annotation->getOperand(0)->stripPointerCasts());
    if (function && text_of(*annotation) == kGlobal && !llvm::is_contained(found, function)) found.push_back(function);
  }
  return found;
}

// Keeps the annotations of one function.
void keep_annotations(llvm::Module &module, const Function *kernel) {
  std::vector<Constant *> kept;
  for (Constant *annotation : annotations_of(module))
    if (annotation->getOperand(0)->stripPointerCasts() == kernel) kept.push_back(annotation);
  GlobalVariable *const list = module.getGlobalVariable(kAnnotated);
  if (!list) return;
  const std::string section = list->getSection().str();
  list->eraseFromParent();
  if (kept.empty()) return;
  llvm::ArrayType *const type = llvm::ArrayType::get(kept.front()->getType(), kept.size());
  auto *const fewer = new GlobalVariable(module, type, false, GlobalValue::AppendingLinkage,
                                         llvm::ConstantArray::get(type, kept), kAnnotated);
  fewer->setSection(section);
}

// ---- Launches ----

CallInst *call_of(llvm::User *user, const Function &function) {
  auto *const call = llvm::dyn_cast<CallInst>(user);
  return call && call->getCalledFunction() == &function ? call : nullptr;
}

bool is_entry(const Function &function) { return function.getName().contains(kEntry); }

// The calls of a kernel that are launches, in the order of the module.
std::vector<CallInst *> launches_in(Function &function, const std::vector<Function *> &kernels) {
  std::vector<CallInst *> found;
  if (is_entry(function)) return found;
  for (Instruction &each : llvm::instructions(function)) {
    auto *const call = llvm::dyn_cast<CallInst>(&each);
    if (call && llvm::is_contained(kernels, call->getCalledFunction())) found.push_back(call);
  }
  return found;
}

bool is_by_value(const Function &kernel, unsigned k) { return kernel.hasParamAttribute(k, llvm::Attribute::ByVal); }

// The arguments of a kernel, one after the other in memory, as LLVM passes them.
llvm::StructType *arguments_of(const Function &kernel) {
  std::vector<Type *> types;
  for (unsigned k = 0; k < kernel.arg_size(); k++)
    types.push_back(is_by_value(kernel, k) ? kernel.getParamByValType(k) : kernel.getArg(k)->getType());
  return llvm::StructType::get(kernel.getContext(), types);
}

// Replaces a launch by stores of its arguments, and the call that records it.
void record(CallInst &launch, const Function &kernel, size_t number) {
  llvm::Module &module = *launch.getModule();
  llvm::StructType *const type = arguments_of(kernel);
  IRBuilder<> entry(&*launch.getFunction()->getEntryBlock().getFirstInsertionPt());
  llvm::AllocaInst *const memory = entry.CreateAlloca(type);
  IRBuilder<> at(&launch);
  for (unsigned k = 0; k < kernel.arg_size(); k++) {
    Value *const place = at.CreateStructGEP(type, memory, k), *const argument = launch.getArgOperand(k);
    if (is_by_value(kernel, k)) {
      const uint64_t bytes = module.getDataLayout().getTypeAllocSize(type->getElementType(k));
      at.CreateMemCpy(place, module.getDataLayout().getABITypeAlign(type->getElementType(k)), argument,
                      kernel.getParamAlign(k), bytes);
    } else {
      at.CreateStore(argument, place);
    }
  }
  llvm::FunctionCallee recorder =
      module.getOrInsertFunction(kLaunch, at.getVoidTy(), at.getInt32Ty(), at.getPtrTy(), at.getInt64Ty());
  llvm::cast<Function>(recorder.getCallee())->setDoesNotThrow();
  at.CreateCall(recorder, {at.getInt32(static_cast<uint32_t>(number)), memory,
                           at.getInt64(module.getDataLayout().getTypeAllocSize(type))});
  launch.eraseFromParent();
}

// A configuration in a function with more of them than launches; NULL if there is none.
const CallInst *without_launch(Function &function, size_t launches) {
  if (function.getName().starts_with(kConfigure)) return nullptr;
  for (Instruction &each : llvm::instructions(function)) {
    const auto *const call = llvm::dyn_cast<CallInst>(&each);
    const Function *const callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || !callee->getName().starts_with(kConfigure)) continue;
    if (launches-- == 0) return call;
  }
  return nullptr;
}

// Makes variables that are local to this module, and that may change, global, since all kernels of the object share
// them. add_child() needs their names.
void share_variables(llvm::Module &module) {
  size_t count = 0;
  for (GlobalVariable &variable : module.globals()) {
    if (variable.isDeclaration() || variable.isConstant() || variable.isThreadLocal() ||
        variable.getName().starts_with("llvm."))
      continue;
    variable.setComdat(nullptr);
    if (variable.hasLocalLinkage()) {
      variable.setName(kOwned + std::to_string(count++));
      variable.setLinkage(GlobalValue::ExternalLinkage);
    } else if (variable.hasLinkOnceLinkage()) {
      variable.setLinkage(GlobalValue::WeakODRLinkage);
    }
  }
}

// ---- The module of a child ----

void define_constant(llvm::Module &module, const char *name, Constant *value) {
  new GlobalVariable(module, value->getType(), true, GlobalValue::ExternalLinkage, value, name);
}

void describe(llvm::Module &module, const Function &kernel) {
  const llvm::StructType *const type = arguments_of(kernel);
  const llvm::StructLayout *const layout = module.getDataLayout().getStructLayout(const_cast<llvm::StructType *>(type));
  std::vector<uint64_t> offsets = {type->getNumElements()};
  for (unsigned k = 0; k < type->getNumElements(); k++) offsets.push_back(layout->getElementOffset(k));
  define_constant(module, kOffsets, llvm::ConstantDataArray::get(module.getContext(), offsets));
  define_constant(module, kName, llvm::ConstantDataArray::getString(module.getContext(), name_of(kernel)));
}

// Makes the function of a thread, void (ptr arguments, ptr thread), call the kernel.
void call_from_thread(Function &thread, Function &kernel) {
  thread.deleteBody();
  thread.setSubprogram(nullptr);
  thread.setLinkage(GlobalValue::ExternalLinkage);
  IRBuilder<> builder(BasicBlock::Create(thread.getContext(), "", &thread));
  std::vector<Value *> arguments;
  for (unsigned k = 0; k < kernel.arg_size(); k++) {
    Value *const place = builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), thread.getArg(0), k);
    Value *const address = builder.CreateLoad(builder.getPtrTy(), place);
    arguments.push_back(is_by_value(kernel, k) ? address : builder.CreateLoad(kernel.getArg(k)->getType(), address));
  }
  CallInst *const call = builder.CreateCall(&kernel, arguments);
  call->setCallingConv(kernel.getCallingConv());
  call->setAttributes(kernel.getAttributes());
  builder.CreateRetVoid();
}

// Leaves to the kernel's module what the child's defines, too.
void declare_shared(llvm::Module &child) {
  llvm::removeFromUsedLists(child, [](Constant *) { return true; });
  for (GlobalVariable &variable : llvm::make_early_inc_range(child.globals())) {
    if (variable.isDeclaration() || variable.hasLocalLinkage() || variable.hasAppendingLinkage()) continue;
    if (llvm::is_contained(kInterface, variable.getName())) continue;
    variable.setComdat(nullptr);
    variable.setInitializer(nullptr);
    variable.setLinkage(GlobalValue::ExternalLinkage);
    if (variable.use_empty()) variable.eraseFromParent();
  }
}

}  // namespace

std::vector<std::string> record_launches(llvm::Module &module, std::string &problem) {
  const std::vector<Function *> kernels = kernels_of(module);
  std::vector<Function *> children;
  for (Function &function : module) {
    const std::vector<CallInst *> launches = launches_in(function, kernels);
    if (const CallInst *const wrong = without_launch(function, launches.size()); wrong && problem.empty())
      problem = wrong_launch(*wrong);
    for (CallInst *launch : launches) {
      Function *const kernel = launch->getCalledFunction();
      if (!kernel->getReturnType()->isVoidTy()) {
        problem = wrong_launch(*launch);
        return {};
      }
      auto place = std::find(children.begin(), children.end(), kernel);
      if (place == children.end()) place = children.insert(place, kernel);
      record(*launch, *kernel, static_cast<size_t>(place - children.begin()));
    }
  }
  std::vector<std::string> names;
  for (const Function *kernel : children) names.push_back(kernel->getName().str());
  if (!names.empty()) share_variables(module);
  return names;
}

void leave_children(llvm::Module &module) {
  for (Function *kernel : kernels_of(module))
    for (llvm::User *user : kernel->users())
      if (const CallInst *const call = call_of(user, *kernel); call && is_entry(*call->getFunction()))
        return keep_annotations(module, kernel);
}

std::unique_ptr<llvm::Module> module_of_child(const llvm::Module &module, const std::string &kernel) {
  std::unique_ptr<llvm::Module> child = llvm::CloneModule(module);
  Function &launched = *child->getFunction(kernel);
  keep_annotations(*child, &launched);
  call_from_thread(*child->getFunction(kRunThread), launched);
  describe(*child, launched);
  return child;
}

void add_child(llvm::Module &module, std::unique_ptr<llvm::Module> child, size_t number) {
  declare_shared(*child);
  for (Function &function : *child)
    if (!function.isDeclaration() && !llvm::is_contained(kInterface, function.getName()))
      function.setLinkage(GlobalValue::InternalLinkage);
  for (const char *name : kInterface)
    if (GlobalValue *const value = child->getNamedValue(name); value && !value->hasLocalLinkage())
      value->setName(name + ("_" + std::to_string(number)));
  if (llvm::Linker::linkModules(module, std::move(child)))
    throw std::runtime_error("a kernel that the kernel launches cannot be linked to it");
}

void define_children(llvm::Module &module, size_t count) {
  auto *const type = llvm::FunctionType::get(Type::getInt64Ty(module.getContext()), false);
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "",
                                         Function::Create(type, GlobalValue::ExternalLinkage, kChildren, module)));
  builder.CreateRet(builder.getInt64(count));
  for (GlobalVariable &variable : module.globals())
    if (variable.getName().starts_with(kOwned)) variable.setLinkage(GlobalValue::InternalLinkage);
}

}  // namespace gpuopt::jit
