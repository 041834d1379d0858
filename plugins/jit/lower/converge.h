// plugins/jit/lower/converge.h -- which lanes of a warp are at one place: __activemask() and coalesced_threads().
//
// Threads do not run at the same time on the host. A call of gpuopt_converge(Thread *, i32 place), which stands for the
// mask of the lanes that are at this very call, is therefore a wait: it ends when all other lanes of the warp have
// returned or wait, too, and none of them can go on. The lanes that then wait at the same place are the answer, at the
// first place if there are several (BlockRun::release_converged() of plugins/cpu/kernel/block_run.h).
#pragma once

#include <llvm/IR/Function.h>

namespace gpuopt::jit {

constexpr const char *kConverge = "gpuopt_converge";

// Gives each call of a function into which everything is inlined a place of its own, in the order in which a thread
// comes to them: those in branches before those behind, and those in loops, too. The text has one call only, in
// __activemask().
void number_places(llvm::Function &thread);

// Replaces the calls by waits of the whole warp, where it is still to be proved that all lanes come to them. The answer
// is the mask of all lanes of the warp.
void converge_whole_warps(llvm::Function &thread);

// Replaces the calls by waits (wait_converged) of a function that is to become a coroutine.
void converge_by_waiting(llvm::Function &thread);

// Replaces the calls by the mask of the thread's own lane, in a function that cannot wait, `self` being the thread: it
// runs alone, and no other thread is anywhere else than it.
void converge_alone(llvm::Function &function);

}  // namespace gpuopt::jit
