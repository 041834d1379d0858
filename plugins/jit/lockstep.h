// plugins/jit/lockstep.h -- loops that each thread leaves by itself, as loops whose turns all threads of a block make
// together: `for (i = number in the grid; i < n; i += threads of the grid)`.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include <functional>

namespace gpuopt::jit {

// In a function of one thread. False if there is no such loop. Else each became two: turns that all threads make, for
// as long as all do, and then turns that some make, until none does; votes (plugins/jit/uniform.h) say which. So one
// turn of all threads is a region (plugins/jit/regions.h), in which their accesses lie side by side.
//
// A thread's own order of operations is kept, that between threads is not: loops in which it can be seen (is_ordered())
// stay as they are, as do those that are not likely to gain, where threads take very different numbers of turns, or
// side by side lies what one thread reads in successive turns. `differs` as for Uniformity.
bool lockstep(llvm::Function &function, llvm::TargetMachine &machine,
              const std::function<bool(const llvm::Instruction &)> &differs);

}  // namespace gpuopt::jit
