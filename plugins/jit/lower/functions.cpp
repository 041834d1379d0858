// plugins/jit/lower/functions.cpp -- see functions.h.
#include "plugins/jit/lower/functions.h"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <vector>

#include "plugins/jit/analysis/fields.h"
#include "plugins/jit/lower/check.h"
#include "plugins/jit/lower/converge.h"
#include "plugins/jit/lower/problems.h"

namespace gpuopt::jit {
namespace {

using llvm::CallInst;
using llvm::Function;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;
using Functions = llvm::SmallPtrSet<Function *, 16>;

constexpr const char *kAsk = "gpuopt_thread_of_function", *kEnter = "gpuopt_enter_thread",
                     *kRefuse = "gpuopt_refuse_to_wait", *kOwnThread = "gpuopt_thread", *kOneByOne = "gpuopt_run_block";

// The functions that call themselves by their names, perhaps through others.
Functions recursive_in(llvm::Module &module) {
  llvm::CallGraph graph(module);
  Functions found;
  for (auto part = llvm::scc_begin(&graph); !part.isAtEnd(); ++part) {
    if (!part.hasCycle()) continue;
    for (const llvm::CallGraphNode *node : *part) {
      if (node->getFunction()) found.insert(node->getFunction());
    }
  }
  for (Function *function : found) function->removeFnAttr(llvm::Attribute::AlwaysInline);
  return found;
}

CallInst *call_to_inline(Instruction &instruction, const Functions &kept) {
  auto *const call = llvm::dyn_cast<CallInst>(&instruction);
  Function *const callee = call ? call->getCalledFunction() : nullptr;
  return callee && !callee->isDeclaration() && !kept.contains(callee) ? call : nullptr;
}

std::string inline_into(Function &function, const Functions &kept) {
  std::vector<CallInst *> calls;
  for (Instruction &instruction : llvm::instructions(function)) {
    if (CallInst *const call = call_to_inline(instruction, kept)) calls.push_back(call);
  }
  // The last call comes first, since inlining moves the instructions behind a call to another block.
  while (!calls.empty()) {
    CallInst *const next = calls.back();
    calls.pop_back();
    llvm::InlineFunctionInfo info;
    const llvm::InlineResult result = llvm::InlineFunction(*next, info);
    if (!result.isSuccess()) return not_inlined(*next, result.getFailureReason());
    for (llvm::CallBase *inlined : info.InlinedCallSites) {
      if (CallInst *const call = call_to_inline(*inlined, kept)) calls.push_back(call);
    }
  }
  return "";
}

std::vector<CallInst *> calls_of(Function &function, llvm::StringRef name) {
  std::vector<CallInst *> found;
  for (Instruction &instruction : llvm::instructions(function)) {
    if (is_call_of(instruction, name.data())) found.push_back(llvm::cast<CallInst>(&instruction));
  }
  return found;
}

void refuse_to_wait(CallInst &wait) {
  IRBuilder<> builder(&wait);
  const llvm::FunctionCallee refuse =
      wait.getModule()->getOrInsertFunction(kRefuse, builder.getVoidTy(), builder.getPtrTy());
  builder.CreateCall(refuse, {builder.CreateGlobalString(name_of(*wait.getFunction()))});
  wait.eraseFromParent();
}

// Returns whether the function asks for its thread.
bool provide_thread_in(Function &function) {
  for (CallInst *wait : calls_of(function, kSuspend)) refuse_to_wait(*wait);
  converge_alone(function);
  for (CallInst *mark : calls_of(function, kReturned)) mark->eraseFromParent();
  for (CallInst *self : calls_of(function, kOwnThread)) {
    self->replaceAllUsesWith(thread_in(function));
    self->eraseFromParent();
  }
  lower_exchange_slots(function);
  return !calls_of(function, kAsk).empty();
}

void enter_at(Function &thread, Instruction *at) {
  IRBuilder<> builder(at);
  builder.SetCurrentDebugLocation({});
  const llvm::FunctionCallee enter =
      thread.getParent()->getOrInsertFunction(kEnter, builder.getVoidTy(), builder.getPtrTy());
  builder.CreateCall(enter, {thread.getArg(1)});
}

}  // namespace

std::string inline_all(Function &thread) {
  const Functions kept = recursive_in(*thread.getParent());
  if (std::string problem = inline_into(thread, kept); !problem.empty()) return problem;
  for (Function &function : *thread.getParent()) {
    const bool remains = kept.contains(&function) || function.hasAddressTaken(nullptr, false, true, true);
    if (function.isDeclaration() || &function == &thread || !remains) continue;
    if (std::string problem = inline_into(function, kept); !problem.empty()) return problem;
  }
  return "";
}

Value *thread_in(Function &function) {
  IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder.SetCurrentDebugLocation({});
  llvm::FunctionCallee ask = function.getParent()->getOrInsertFunction(kAsk, builder.getPtrTy());
  auto *const callee = llvm::cast<Function>(ask.getCallee());
  callee->setDoesNotThrow();
  callee->setWillReturn();
  callee->setOnlyReadsMemory();
  return builder.CreateCall(ask);
}

void provide_thread(Function &thread) {
  bool asks = false;
  for (Function &function : *thread.getParent()) {
    if (function.isDeclaration() || &function == &thread || function.getName() == kOneByOne) continue;
    asks |= provide_thread_in(function);
  }
  if (!asks) return;
  for (const char *wait : {kSuspend, kConverge})
    for (CallInst *call : calls_of(thread, wait)) enter_at(thread, call->getNextNode());
  enter_at(thread, &*thread.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
}

}  // namespace gpuopt::jit
