// plugins/jit/lower/lockstep.h -- makes the iterations of divergent grid-stride loops uniform:
// `for (i = number of the thread in the grid; i < n; i += threads of the grid)`.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "plugins/jit/analysis/uniform.h"

namespace gpuopt::jit {

// Splits each divergent grid-stride loop of the function of one thread into a uniform loop and a masked tail;
// lockstep.cpp has an example. All threads run an iteration of the uniform loop together, so that its body is a region
// (plugins/jit/analysis/regions.h) in which adjacent threads access adjacent memory. Returns false if there is no such
// loop.
//
// The operations of one thread keep their order, those of different threads do not. Loops that contain instructions
// with a visible order (has_visible_order()) are therefore left as they are. So are loops that would not gain: those
// whose threads may run very different numbers of iterations, and those of a small stride, where one thread reads
// adjacent memory in successive iterations. `is_source` names the sources of divergence.
bool lockstep(llvm::Function &function, llvm::TargetMachine &machine, const DivergenceSource &is_source);

}  // namespace gpuopt::jit
