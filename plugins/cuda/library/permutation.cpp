// plugins/cuda/library/permutation.cpp -- random words and a radix sort of them.
#include "plugins/cuda/library/permutation.h"

#include "plugins/cuda/library/radix.h"

namespace gpuopt::cuda {

void permute(const Work &work, const gpuopt_philox_state &state, uint64_t out, int64_t n) {
  constexpr int64_t kThreads = 256;
  RadixItems items(work, 1, n, 8);
  launch_library(work, "permutation.h", "gpo::permutation_words",
                 {static_cast<uint64_t>(n), items.address(), state.key, state.counter, state.stream},
                 (n - 1) / (2 * kThreads) + 1, kThreads);
  items.sort_to_indices(out);
}

}  // namespace gpuopt::cuda
