// plugins/jit/lower/functions.h -- inlines what a thread calls, and makes functions that remain functions find their
// thread.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <string>

namespace gpuopt::jit {

// The code in which a thread waits, or asks who it is, should be its own. This inlines everything into the function of
// a thread, except for functions that call themselves and calls through pointers; and likewise everything into those
// functions. Returns an error message (plugins/jit/lower/problems.h), empty on success.
std::string inline_all(llvm::Function &thread);

// Makes the functions that remain ask the backend for the thread that runs (gpuopt_thread_of_function), which the
// function of a thread tells it wherever it starts to run (gpuopt_enter_thread). Where they wait for other threads,
// they end the kernel with a message instead (gpuopt_refuse_to_wait): a coroutine has no stack that could keep their
// variables. To be called when __shared__ variables have their places.
void provide_thread(llvm::Function &thread);

// The thread that runs, in a function that is not that of a thread.
llvm::Value *thread_in(llvm::Function &function);

}  // namespace gpuopt::jit
