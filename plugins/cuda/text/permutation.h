// plugins/cuda/text/permutation.h -- n random words, by whose stable order 0 .. n-1 are permuted (radix.h)
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_PERMUTATION_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_PERMUTATION_H_

#include "plugins/cuda/text/radix.h"
#include "plugins/shared/random/random_philox.h"

namespace gpo {

// Writes the unsorted items. A thread draws the two 64-bit words of one block of Philox. Words: 0 n, 1 the items, 2 to
// 4 the generator's key, counter and stream.
template <int n>
GPO_FN void permutation_words(const Words<n> &p) {
  const u64 block = u64(blockIdx.x) * blockDim.x + threadIdx.x;
  if (2 * block >= p.w[0]) return;
  u64 words[2];
  philox_block_of(PhiloxBits<u64>{}, Philox{p.w[2], p.w[3], p.w[4]}, block, words);
  for (u64 i = 0; i < 2; ++i) {
    if (2 * block + i < p.w[0]) at_bytes<Item<u64, u64>>(p.w[1], 0)[2 * block + i] = {words[i], 2 * block + i};
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_PERMUTATION_H_
