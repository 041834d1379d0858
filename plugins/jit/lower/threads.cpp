// plugins/jit/lower/threads.cpp -- see threads.h.
//
// A coroutine is of LLVM's switched-resume kind ("Coroutines in LLVM", llvm.org/docs/Coroutines.html). Its frame begins
// with the address of the function that resumes it, which is NULL once the thread has returned.
#include "plugins/jit/lower/threads.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Support/Alignment.h>
#include <llvm/Transforms/Coroutines/CoroEarly.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include <algorithm>
#include <map>
#include <vector>

#include "plugins/jit/analysis/analyses.h"
#include "plugins/jit/analysis/fields.h"
#include "plugins/jit/analysis/uniform.h"
#include "plugins/jit/api/jit.h"
#include "plugins/jit/lower/check.h"
#include "plugins/jit/lower/converge.h"
#include "plugins/jit/lower/fission.h"
#include "plugins/jit/lower/functions.h"
#include "plugins/jit/lower/problems.h"
#include "plugins/jit/lower/rematerialize.h"

namespace gpuopt::jit {
namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::ConstantInt;
using llvm::Function;
using llvm::GlobalVariable;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

constexpr const char *kThread = "gpuopt_run_thread", *kBlock = "gpuopt_run_block", *kSelf = "gpuopt_thread",
                     *kFrame = "gpuopt_frame", *kSharedBytes = "gpuopt_shared_bytes",
                     *kFrameBytes = "gpuopt_frame_bytes", *kBlockFrameBytes = "gpuopt_block_frame_bytes",
                     *kMaxThreads = "gpuopt_most_threads", *kAssertion = "gpuopt_assertion",
                     *kChecked = "gpuopt_checked", *kAnnotations = "llvm.global.annotations",
                     *kBounds = "gpuopt_launch_bounds";
constexpr unsigned kMaxSuspensions = 16;  // of coroutines that LLVM's own pass splits

std::vector<CallInst *> calls_in(Function &function, const char *name) {
  std::vector<CallInst *> found;
  for (Instruction &instruction : llvm::instructions(function)) {
    auto *const call = llvm::dyn_cast<CallInst>(&instruction);
    const Function *const callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName() == name) found.push_back(call);
  }
  return found;
}

// Defines a function i64 name() { return number; }.
void define_number(llvm::Module &module, const char *name, uint64_t number) {
  auto *const type = llvm::FunctionType::get(llvm::Type::getInt64Ty(module.getContext()), false);
  auto *const function = Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", function));
  builder.CreateRet(builder.getInt64(number));
}

// The first argument of the kernel's __launch_bounds__, or 0 if it has none. No other function of the module has any.
// Clang lists annotations as {function, ptr text, ptr file, i32 line, ptr arguments} ("Clang Language Extensions").
int64_t take_launch_bounds(llvm::Module &module) {
  GlobalVariable *const list = module.getGlobalVariable(kAnnotations);
  if (!list) return 0;
  int64_t bounds = 0;
  for (const Value *each : llvm::cast<llvm::ConstantArray>(list->getInitializer())->operand_values()) {
    const auto *const entry = llvm::cast<llvm::ConstantStruct>(each);
    const auto *const text = llvm::cast<GlobalVariable>(entry->getOperand(1));
    const auto *const arguments = llvm::dyn_cast<GlobalVariable>(entry->getOperand(4));
    if (!arguments || llvm::cast<llvm::ConstantDataArray>(text->getInitializer())->getAsCString() != kBounds) continue;
    bounds = llvm::cast<ConstantInt>(arguments->getInitializer()->getAggregateElement(0u))->getSExtValue();
  }
  list->eraseFromParent();
  return bounds;
}

// ---- One function of a thread, with everything inlined ----

// Deletes functions that were inlined everywhere, and constants such as the tables of virtual functions that nobody
// uses. The constants that are left are this object's own.
void delete_inlined_functions(llvm::Module &module, llvm::TargetMachine &machine) {
  for (Function &function : module) {
    if (function.isDeclaration() || function.getName() == kThread || function.getName() == kBlock) continue;
    function.setComdat(nullptr);
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (GlobalVariable &variable : module.globals()) {
    if (!variable.isConstant() || !variable.hasLinkOnceLinkage()) continue;
    variable.setComdat(nullptr);
    variable.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  Analyses analyses(machine);
  llvm::GlobalDCEPass().run(module, analyses.modules);
}

// The address of a __shared__ variable in the function of a thread.
Value *shared_address(Function &thread, const GlobalVariable &variable, uint64_t offset) {
  llvm::PointerType *const pointer = llvm::PointerType::getUnqual(thread.getContext());
  IRBuilder<> builder(&*thread.getEntryBlock().getFirstInsertionPt());
  llvm::FunctionCallee address_of =
      thread.getParent()->getOrInsertFunction(kSharedVariable, pointer, pointer, builder.getInt64Ty());
  auto *const callee = llvm::cast<Function>(address_of.getCallee());
  callee->setDoesNotAccessMemory();
  callee->setDoesNotThrow();
  callee->setWillReturn();
  return builder.CreateCall(address_of, {thread.getArg(1), builder.getInt64(offset)}, variable.getName());
}

// The same in another function, which does not have the thread as an argument.
Value *shared_address_in(Function &function, uint64_t offset) {
  auto *const self = llvm::cast<Instruction>(thread_in(function));
  IRBuilder<> builder(self->getNextNode());
  builder.SetCurrentDebugLocation({});
  Value *const begin = builder.CreatePtrAdd(self, builder.getInt64(kSharedOffset));
  return builder.CreatePtrAdd(builder.CreateLoad(builder.getPtrTy(), begin), builder.getInt64(offset));
}

// Replaces a __shared__ variable, which the frontend made thread_local, by its place in the shared memory of the block.
void replace_shared(GlobalVariable &variable, Function &thread, uint64_t offset) {
  std::vector<CallInst *> uses;  // of llvm.threadlocal.address
  for (llvm::User *user : variable.users()) {
    if (auto *const call = llvm::dyn_cast<llvm::IntrinsicInst>(user)) uses.push_back(call);
  }
  std::map<Function *, Value *> addresses;
  addresses[&thread] = shared_address(thread, variable, offset);
  for (CallInst *call : uses) {
    Value *&address = addresses[call->getFunction()];
    if (!address) address = shared_address_in(*call->getFunction(), offset);
    call->replaceAllUsesWith(address);
    call->eraseFromParent();
  }
  if (variable.use_empty()) variable.eraseFromParent();  // its linkage may be external
}

// Gives all __shared__ variables a place: static ones first, then those whose size the launch says, which share one.
std::vector<SharedVariable> lay_out_shared(llvm::Module &module, Function &thread) {
  uint64_t bytes = 0;
  std::vector<GlobalVariable *> variables, dynamic;
  for (GlobalVariable &variable : module.globals()) {
    if (!variable.isThreadLocal()) continue;
    (variable.isDeclaration() ? dynamic : variables).push_back(&variable);
  }
  std::vector<SharedVariable> shared;
  for (GlobalVariable *variable : variables) {
    const llvm::Align alignment = std::max(variable->getAlign().valueOrOne(), llvm::Align(16));
    bytes = llvm::alignTo(bytes, alignment);
    const uint64_t size = module.getDataLayout().getTypeAllocSize(variable->getValueType());
    shared.push_back({variable->getName().str(), bytes, size});
    replace_shared(*variable, thread, bytes);
    bytes += size;
  }
  bytes = llvm::alignTo(bytes, llvm::Align(64));
  for (GlobalVariable *variable : dynamic) {
    shared.push_back({variable->getName().str(), bytes, GPUOPT_SITE_DYNAMIC});
    replace_shared(*variable, thread, bytes);
  }
  define_number(module, kSharedBytes, bytes);
  return shared;
}

// Makes the function of a thread one that calls nothing of the module, with its checks if it is to have any. Returns an
// error message, empty on success.
std::string prepare_thread(llvm::Module &module, Function &thread, llvm::TargetMachine &machine, bool check) {
  const int64_t max_threads = take_launch_bounds(module);
  const std::vector<std::string> parameters = check ? prepare_checks(thread) : std::vector<std::string>();
  if (std::string problem = inline_all(thread); !problem.empty()) return problem;
  for (CallInst *call : calls_in(thread, kSelf)) {
    call->replaceAllUsesWith(thread.getArg(1));
    call->eraseFromParent();
  }
  delete_inlined_functions(module, machine);
  if (max_threads > 0) define_number(module, kMaxThreads, static_cast<uint64_t>(max_threads));
  const std::vector<SharedVariable> shared = lay_out_shared(module, thread);
  number_places(thread);
  provide_thread(thread);
  // It never returns, so that nobody sees in which order threads call it.
  if (Function *const assertion = module.getFunction(kAssertion)) assertion->setOnlyAccessesArgMemory();
  if (check) {
    converge_by_waiting(thread);
    add_checks(thread, machine, shared, parameters);
    define_number(module, kChecked, 1);
  }
  simplify_thread(thread, machine);
  mark_commutative_atomics(thread);
  return local_memory_of(thread);
}

// ---- Coroutines ----

struct Coroutine {
  Function *function = nullptr;
  Value *handle = nullptr;      // what it returns wherever it is suspended
  BasicBlock *leave = nullptr;  // where it returns
};

Function *intrinsic(llvm::Module &module, llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type *> types = {}) {
  return llvm::Intrinsic::getDeclaration(&module, id, types);
}

// Puts a block in front of the body, which makes the coroutine's frame at the thread's `frame`.
void begin(Coroutine &coroutine, BasicBlock *body) {
  llvm::Module &module = *coroutine.function->getParent();
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "begin", coroutine.function, body));
  llvm::PointerType *const pointer = builder.getPtrTy();
  Value *const null = llvm::ConstantPointerNull::get(pointer);
  Value *const id =
      builder.CreateCall(intrinsic(module, llvm::Intrinsic::coro_id), {builder.getInt32(64), null, null, null});
  Value *const bytes = builder.CreateCall(intrinsic(module, llvm::Intrinsic::coro_size, builder.getInt64Ty()));
  const auto frame = module.getOrInsertFunction(kFrame, pointer, pointer, builder.getInt64Ty());
  Value *const memory = builder.CreateCall(frame, {coroutine.function->getArg(1), bytes});
  coroutine.handle = builder.CreateCall(intrinsic(module, llvm::Intrinsic::coro_begin), {id, memory});
  // Local arrays have to be in the frame. LLVM puts them there only if they are in the first block.
  for (Instruction &instruction : llvm::make_early_inc_range(*body)) {
    if (llvm::isa<llvm::AllocaInst>(instruction))
      instruction.moveBefore(*builder.GetInsertBlock(), builder.GetInsertPoint());
  }
  builder.CreateBr(body);
}

// Suspends the coroutine at the end of a block, and goes on at `resumed`. The suspension answers 0 if the coroutine is
// resumed, 1 if it is destroyed, which nobody does, and another number when it is left.
void suspend(IRBuilder<> &at, const Coroutine &coroutine, bool last, BasicBlock *resumed) {
  Value *const answer = at.CreateCall(intrinsic(*coroutine.function->getParent(), llvm::Intrinsic::coro_suspend),
                                      {llvm::ConstantTokenNone::get(at.getContext()), at.getInt1(last)});
  llvm::SwitchInst *const branch = at.CreateSwitch(answer, coroutine.leave, 2);
  branch->addCase(at.getInt8(0), resumed);
  branch->addCase(at.getInt8(1), coroutine.leave);
}

// Makes every return the last suspension.
void finish(const Coroutine &coroutine) {
  llvm::LLVMContext &context = coroutine.function->getContext();
  IRBuilder<> builder(coroutine.leave);
  builder.CreateCall(intrinsic(*coroutine.function->getParent(), llvm::Intrinsic::coro_end),
                     {coroutine.handle, builder.getFalse(), llvm::ConstantTokenNone::get(context)});
  builder.CreateRet(coroutine.handle);
  std::vector<llvm::ReturnInst *> returns;
  for (BasicBlock &block : *coroutine.function) {
    auto *const instruction = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (instruction && &block != coroutine.leave) returns.push_back(instruction);
  }
  auto *const never = BasicBlock::Create(context, "never", coroutine.function);
  IRBuilder<>(never).CreateUnreachable();
  for (llvm::ReturnInst *instruction : returns) {
    IRBuilder<> at(instruction);
    suspend(at, coroutine, true, never);
    instruction->eraseFromParent();
  }
}

void suspend_at(CallInst *wait, const Coroutine &coroutine) {
  BasicBlock *const before = wait->getParent(), *const after = before->splitBasicBlock(wait->getNextNode());
  before->getTerminator()->eraseFromParent();
  IRBuilder<> at(before);
  suspend(at, coroutine, false, after);
  wait->eraseFromParent();
}

// Replaces the function of a thread by a coroutine of the same body, which is suspended wherever the thread waits.
void make_coroutine(Function &thread) {
  llvm::LLVMContext &context = thread.getContext();
  auto *const type =
      llvm::FunctionType::get(llvm::PointerType::getUnqual(context), thread.getFunctionType()->params(), false);
  Coroutine coroutine;
  coroutine.function = Function::Create(type, llvm::GlobalValue::ExternalLinkage, "", *thread.getParent());
  coroutine.function->takeName(&thread);
  coroutine.function->splice(coroutine.function->end(), &thread);
  for (unsigned k = 0; k < 2; k++) thread.getArg(k)->replaceAllUsesWith(coroutine.function->getArg(k));
  coroutine.function->setPresplitCoroutine();
  thread.eraseFromParent();
  BasicBlock *const body = &coroutine.function->getEntryBlock();
  coroutine.leave = BasicBlock::Create(context, "leave", coroutine.function);
  begin(coroutine, body);
  finish(coroutine);
  for (CallInst *wait : calls_in(*coroutine.function, kSuspend)) suspend_at(wait, coroutine);
}

bool may_be_rematerialized(const Instruction &instruction) {
  return llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst, llvm::SelectInst, llvm::BinaryOperator>(
      instruction);
}

// Whether an instruction and all that it is recomputed from take at most `left` instructions.
bool is_cheap(const Instruction &instruction, int &left) {
  if (left-- == 0) return false;
  return llvm::all_of(instruction.operand_values(), [&](const Value *operand) {
    const auto *const from = llvm::dyn_cast<Instruction>(operand);
    return !from || !may_be_rematerialized(*from) || is_cheap(*from, left);
  });
}

bool is_rematerialized(Instruction &instruction) {
  int left = kMaxRematerialized;
  return may_be_rematerialized(instruction) && is_cheap(instruction, left);
}

// ---- Which form the threads get ----

// Gives the module the function that fission() made in place of the one of its text, which calls the threads one after
// the other (plugins/jit/text/entry.h).
void replace_run_block(llvm::Module &module, const BlockFunction &block) {
  Function *const one_by_one = module.getFunction(kBlock);
  block.function->takeName(one_by_one);
  one_by_one->eraseFromParent();
  define_number(module, kBlockFrameBytes, block.bytes);
}

std::string lower_threads(llvm::Module &module, Function &thread, llvm::TargetMachine &machine, bool may_loop,
                          bool check) {
  if (std::string problem = prepare_thread(module, thread, machine, check); !problem.empty()) return problem;
  const BlockFunction block = may_loop && !check ? fission(thread, machine) : BlockFunction();
  if (block.function) replace_run_block(module, block);
  if (block.function && !block.one_row) {
    thread.eraseFromParent();
    return "";
  }
  converge_by_waiting(thread);
  lower_shared_variables(thread);
  lower_exchange_slots(thread);
  if (calls_in(thread, kSuspend).empty()) {
    thread.setLinkage(llvm::GlobalValue::InternalLinkage);
    thread.removeFnAttr(llvm::Attribute::NoInline);
    thread.addFnAttr(llvm::Attribute::AlwaysInline);
    return "";
  }
  if (Function *const one_by_one = module.getFunction(kBlock); one_by_one && !block.function)
    one_by_one->eraseFromParent();
  make_coroutine(thread);
  return "";
}

}  // namespace

void split_long_coroutines(const llvm::Module &module, llvm::ModulePassManager &passes) {
  const Function *const suspend = module.getFunction("llvm.coro.suspend");
  if (!suspend || suspend->getNumUses() <= kMaxSuspensions) return;
  passes.addPass(llvm::CoroEarlyPass());
  passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::CoroSplitPass(is_rematerialized, true)));
}

std::string lower_threads(llvm::Module &module, llvm::TargetMachine &machine, bool may_loop, bool check) {
  Function *const thread = module.getFunction(kThread);
  return thread && !thread->isDeclaration() ? lower_threads(module, *thread, machine, may_loop, check) : "";
}

void finish_frames(llvm::Module &module) {
  Function *const thread = module.getFunction(kThread);
  if (!thread || thread->isDeclaration() || thread->hasLocalLinkage()) return;
  uint64_t most = 0;
  for (CallInst *call : calls_in(*thread, kFrame)) {
    most = std::max(most, llvm::cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
    IRBuilder<> builder(call);
    Value *const at = builder.CreatePtrAdd(call->getArgOperand(0), builder.getInt64(kFrameOffset));
    call->replaceAllUsesWith(builder.CreateLoad(call->getType(), at));
    call->eraseFromParent();
  }
  define_number(module, kFrameBytes, most);
}

}  // namespace gpuopt::jit
