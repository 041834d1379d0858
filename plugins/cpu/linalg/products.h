// plugins/cpu/linalg/products.h -- how the CPU backend runs the algorithms of plugins/shared/linalg: as the level of
// the processor has them, their loops on the threads of the pool, and their products by the kernels of matrix products.
#pragma once

#include "plugins/cpu/levels/linalg_loops.h"
#include "plugins/cpu/runtime/cpuid.h"

namespace gpuopt::cpu {

struct Lapack;  // lapack.h

// How the matrices of a call are computed.
struct Runner {
  LinalgRunner how;      // on which threads
  const Lapack *lapack;  // to which decompositions are left, if there is one
};
Runner make_runner(bool threads, const Lapack *lapack) noexcept;

// The algorithms for a type of elements, as this processor's level has them.
template <class T>
const LinalgAlgorithms<T> &algorithms() noexcept {
  return linalg_loops(isa_level()).of<T>();
}

}  // namespace gpuopt::cpu
