// plugins/cuda/library/permutation.h -- random permutations.
#pragma once

#include <gpuopt/random_call.h>

#include "plugins/cuda/library/library.h"

namespace gpuopt::cuda {

// Writes 0 .. n-1 (n > 0) as int64 to address `out`, in the order that a stable sort gives n random 64-bit words, which
// Philox draws from `state`.
void permute(const Work &work, const gpuopt_philox_state &state, uint64_t out, int64_t n);

}  // namespace gpuopt::cuda
