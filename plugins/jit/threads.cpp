// plugins/jit/threads.cpp -- see threads.h.
//
// The coroutine is LLVM's switched-resume kind ("Coroutines in LLVM", llvm.org/docs/Coroutines.html): the frame begins
// with the function that resumes it, NULL once it is done.
#include "plugins/jit/threads.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Support/Alignment.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "plugins/jit/check.h"
#include "plugins/jit/fields.h"
#include "plugins/jit/fission.h"
#include "plugins/jit/jit.h"

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
                     *kMostThreads = "gpuopt_most_threads", *kChecked = "gpuopt_checked",
                     *kAnnotations = "llvm.global.annotations", *kBounds = "gpuopt_launch_bounds";

std::vector<CallInst *> calls_in(Function &function, const char *name) {
  std::vector<CallInst *> found;
  for (Instruction &instruction : llvm::instructions(function)) {
    auto *const call = llvm::dyn_cast<CallInst>(&instruction);
    const Function *const callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName() == name) found.push_back(call);
  }
  return found;
}

// Whether a function comes back to itself through what it calls.
bool is_recursive(Function &function, llvm::SmallPtrSetImpl<Function *> &above,
                  llvm::SmallPtrSetImpl<Function *> &known) {
  if (above.contains(&function)) return true;
  if (!known.insert(&function).second) return false;
  above.insert(&function);
  for (Instruction &instruction : llvm::instructions(function)) {
    auto *const call = llvm::dyn_cast<CallInst>(&instruction);
    Function *const callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration() && is_recursive(*callee, above, known)) return true;
  }
  above.erase(&function);
  return false;
}

// Everything the thread calls becomes part of it: what it waits in, and where it asks who it is, must be its own code.
std::string inline_all(Function &thread) {
  llvm::SmallPtrSet<Function *, 16> above, known;
  if (is_recursive(thread, above, known)) return "functions that call themselves";
  for (;;) {
    CallInst *next = nullptr;
    for (Instruction &instruction : llvm::instructions(thread)) {
      auto *const call = llvm::dyn_cast<CallInst>(&instruction);
      Function *const callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || callee->isDeclaration()) continue;
      next = call;
      break;
    }
    if (!next) return "";
    const std::string name = next->getCalledFunction()->getName().str();
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*next, info).isSuccess()) return "a call that cannot be inlined: " + name;
  }
}

// i64 name() { return number; }
void define_number(llvm::Module &module, const char *name, uint64_t number) {
  auto *const type = llvm::FunctionType::get(llvm::Type::getInt64Ty(module.getContext()), false);
  auto *const function = Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", function));
  builder.CreateRet(builder.getInt64(number));
}

// The first of the __launch_bounds__ of the kernel, the only function there that has any; 0 if it has none. Clang keeps
// annotations in a list of {function, ptr text, ptr file, i32 line, ptr arguments} ("Clang Language Extensions").
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

class Lowering {
 public:
  Lowering(llvm::Module &module, llvm::TargetMachine &machine)
      : module_(module),
        machine_(machine),
        context_(module.getContext()),
        pointer_(llvm::PointerType::getUnqual(context_)) {}

  std::string run(Function &thread, bool may_loop, bool check) {
    const int64_t most = take_launch_bounds(module_);
    if (std::string problem = inline_all(thread); !problem.empty()) return problem;
    for (CallInst *call : calls_in(thread, kSelf)) {
      call->replaceAllUsesWith(thread.getArg(1));
      call->eraseFromParent();
    }
    keep_entries_only();
    if (most > 0) define_number(module_, kMostThreads, static_cast<uint64_t>(most));
    lay_out_shared(thread);
    if (check) {
      add_checks(thread, machine_, shared_);
      define_number(module_, kChecked, 1);
    }
    simplify_thread(thread, machine_);
    if (may_loop && !check && loop_over(thread)) return "";
    resolve_shared(thread);
    resolve_slots(thread);
    if (calls_in(thread, kSuspend).empty()) {
      thread.setLinkage(llvm::GlobalValue::InternalLinkage);
      thread.removeFnAttr(llvm::Attribute::NoInline);
      thread.addFnAttr(llvm::Attribute::AlwaysInline);
    } else {
      if (Function *const one_by_one = module_.getFunction(kBlock); one_by_one != block_) one_by_one->eraseFromParent();
      make_coroutine(thread);
    }
    return "";
  }

 private:
  // All threads of a block in loops between barriers, if that is proved to be the same: for all blocks?
  bool loop_over(Function &thread) {
    const BlockFunction block = fission(thread, machine_);
    block_ = block.function;
    if (!block_) return false;
    Function *const one_by_one = module_.getFunction(kBlock);
    block_->takeName(one_by_one);
    one_by_one->eraseFromParent();
    define_number(module_, kBlockFrameBytes, block.bytes);
    if (!block.one_row) thread.eraseFromParent();
    return !block.one_row;
  }

  // What was inlined is of no use any more, and by itself not right: it goes if nobody calls it.
  void keep_entries_only() {
    std::vector<Function *> others;
    for (Function &function : module_) {
      const llvm::StringRef name = function.getName();
      if (function.isDeclaration() || name == kThread || name == kBlock) continue;
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      others.push_back(&function);
    }
    const auto unused = [](Function *function) { return function->use_empty(); };
    for (auto end = others.end(); (end = std::partition(others.begin(), end, std::not_fn(unused))) != others.end();) {
      std::for_each(end, others.end(), [](Function *function) { function->eraseFromParent(); });
      others.erase(end, others.end());
      end = others.end();
    }
  }

  // Arrays in __shared__ memory, which the frontend made thread_local, get places in the block's own.
  void lay_out_shared(Function &thread) {
    uint64_t bytes = 0;
    std::vector<GlobalVariable *> variables, dynamic;
    for (GlobalVariable &variable : module_.globals()) {
      if (!variable.isThreadLocal()) continue;
      (variable.isDeclaration() ? dynamic : variables).push_back(&variable);
    }
    for (GlobalVariable *variable : variables) {
      const llvm::Align alignment = std::max(variable->getAlign().valueOrOne(), llvm::Align(16));
      bytes = llvm::alignTo(bytes, alignment);
      const uint64_t size = module_.getDataLayout().getTypeAllocSize(variable->getValueType());
      place(*variable, thread, bytes, size);
      bytes += size;
    }
    bytes = llvm::alignTo(bytes, llvm::Align(64));
    for (GlobalVariable *variable : dynamic) place(*variable, thread, bytes, GPUOPT_SITE_DYNAMIC);
    define_number(module_, kSharedBytes, bytes);
  }

  void place(GlobalVariable &variable, Function &thread, uint64_t offset, uint64_t bytes) {
    shared_.push_back({variable.getName().str(), offset, bytes});
    IRBuilder<> builder(&*thread.getEntryBlock().getFirstInsertionPt());
    llvm::FunctionCallee address_of =
        module_.getOrInsertFunction(kSharedVariable, pointer_, pointer_, builder.getInt64Ty());
    auto *const callee = llvm::cast<Function>(address_of.getCallee());
    callee->setDoesNotAccessMemory();
    callee->setDoesNotThrow();
    callee->setWillReturn();
    Value *const address =
        builder.CreateCall(address_of, {thread.getArg(1), builder.getInt64(offset)}, variable.getName());
    std::vector<CallInst *> asked;
    for (llvm::User *user : variable.users()) {
      if (auto *const call = llvm::dyn_cast<llvm::IntrinsicInst>(user)) asked.push_back(call);
    }
    for (CallInst *call : asked) {
      call->replaceAllUsesWith(address);
      call->eraseFromParent();
    }
  }

  Function *intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type *> types = {}) {
    return llvm::Intrinsic::getDeclaration(&module_, id, types);
  }

  // A function of the same body that gives its frame, and is left wherever the thread waits.
  void make_coroutine(Function &thread) {
    auto *const type = llvm::FunctionType::get(pointer_, thread.getFunctionType()->params(), false);
    auto *const coroutine = Function::Create(type, llvm::GlobalValue::ExternalLinkage, "", module_);
    coroutine->takeName(&thread);
    coroutine->splice(coroutine->end(), &thread);
    for (unsigned k = 0; k < 2; k++) thread.getArg(k)->replaceAllUsesWith(coroutine->getArg(k));
    coroutine->setPresplitCoroutine();
    thread.eraseFromParent();
    BasicBlock *const body = &coroutine->getEntryBlock();
    leave_ = BasicBlock::Create(context_, "leave", coroutine);
    begin(*coroutine, body);
    finish(*coroutine);
    for (CallInst *call : calls_in(*coroutine, kSuspend)) suspend_at(call);
  }

  void begin(Function &coroutine, BasicBlock *body) {
    IRBuilder<> builder(BasicBlock::Create(context_, "begin", &coroutine, body));
    Value *const null = llvm::ConstantPointerNull::get(pointer_);
    Value *const id = builder.CreateCall(intrinsic(llvm::Intrinsic::coro_id), {builder.getInt32(64), null, null, null});
    Value *const bytes = builder.CreateCall(intrinsic(llvm::Intrinsic::coro_size, builder.getInt64Ty()));
    const auto frame = module_.getOrInsertFunction(kFrame, pointer_, pointer_, builder.getInt64Ty());
    Value *const memory = builder.CreateCall(frame, {coroutine.getArg(1), bytes});
    handle_ = builder.CreateCall(intrinsic(llvm::Intrinsic::coro_begin), {id, memory});
    // Local arrays belong to the frame, and are found there only if they are made in its first block.
    for (Instruction &instruction : llvm::make_early_inc_range(*body)) {
      if (llvm::isa<llvm::AllocaInst>(instruction))
        instruction.moveBefore(*builder.GetInsertBlock(), builder.GetInsertPoint());
    }
    builder.CreateBr(body);
  }

  // Every return becomes the last suspension.
  void finish(Function &coroutine) {
    IRBuilder<> builder(leave_);
    builder.CreateCall(intrinsic(llvm::Intrinsic::coro_end),
                       {handle_, builder.getFalse(), llvm::ConstantTokenNone::get(context_)});
    builder.CreateRet(handle_);
    std::vector<llvm::ReturnInst *> returns;
    for (BasicBlock &block : coroutine) {
      auto *const instruction = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
      if (instruction && &block != leave_) returns.push_back(instruction);
    }
    auto *const never = BasicBlock::Create(context_, "never", &coroutine);
    IRBuilder<>(never).CreateUnreachable();
    for (llvm::ReturnInst *instruction : returns) {
      IRBuilder<> at(instruction);
      branch_after(at, suspension(at, true), never);
      instruction->eraseFromParent();
    }
  }

  void suspend_at(CallInst *call) {
    BasicBlock *const before = call->getParent(), *const after = before->splitBasicBlock(call->getNextNode());
    before->getTerminator()->eraseFromParent();
    IRBuilder<> at(before);
    branch_after(at, suspension(at, false), after);
    call->eraseFromParent();
  }

  Value *suspension(IRBuilder<> &at, bool last) {
    return at.CreateCall(intrinsic(llvm::Intrinsic::coro_suspend),
                         {llvm::ConstantTokenNone::get(context_), at.getInt1(last)});
  }

  // 0: resumed; 1: destroyed, which nobody does; else left for now.
  void branch_after(IRBuilder<> &at, Value *suspended, BasicBlock *resumed) {
    llvm::SwitchInst *const branch = at.CreateSwitch(suspended, leave_, 2);
    branch->addCase(at.getInt8(0), resumed);
    branch->addCase(at.getInt8(1), leave_);
  }

  llvm::Module &module_;
  llvm::TargetMachine &machine_;
  llvm::LLVMContext &context_;
  llvm::PointerType *pointer_;
  Function *block_ = nullptr;  // all threads in loops
  BasicBlock *leave_ = nullptr;
  Value *handle_ = nullptr;
  std::vector<SharedVariable> shared_;
};

}  // namespace

std::string lower_threads(llvm::Module &module, llvm::TargetMachine &machine, bool may_loop, bool check) {
  Function *const thread = module.getFunction(kThread);
  return thread && !thread->isDeclaration() ? Lowering(module, machine).run(*thread, may_loop, check) : "";
}

void finish_frames(llvm::Module &module) {
  Function *const thread = module.getFunction(kThread);
  if (!thread || thread->isDeclaration() || thread->hasLocalLinkage()) return;
  uint64_t most = 0;
  for (CallInst *call : calls_in(*thread, kFrame)) {
    most = std::max(most, llvm::cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
    IRBuilder<> builder(call);
    Value *const at = builder.CreatePtrAdd(call->getArgOperand(0), builder.getInt64(kFrameAt));
    call->replaceAllUsesWith(builder.CreateLoad(call->getType(), at));
    call->eraseFromParent();
  }
  define_number(module, kFrameBytes, most);
}

}  // namespace gpuopt::jit
