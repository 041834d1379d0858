// plugins/cuda/library/permutation.cpp -- the passes of a radix sort of random words.
#include "plugins/cuda/library/permutation.h"

#include <utility>

namespace gpuopt::cuda {

// kTile, kDigits and kThreads are sort_tile, sort_digits and sort_threads of text/permutation.h.
void permute(const Work &work, const gpuopt_philox_state &state, uint64_t out, int64_t n) {
  constexpr int64_t kTile = 2048, kDigits = 16, kThreads = 256;
  constexpr uint64_t kWordBits = 64, kDigitBits = 4, kElement = 16;
  const int64_t tiles = (n - 1) / kTile + 1, counts = kDigits * tiles;
  const auto size = static_cast<uint64_t>(n);
  const Scratch first(work.device, work.stream, size * kElement), second(work.device, work.stream, size * kElement);
  const Scratch starts(work.device, work.stream, static_cast<uint64_t>(counts + 1) * sizeof(uint64_t));
  uint64_t from = first.address(), to = second.address();
  launch_library(work, "permutation.h", "gpo::permutation_words", {size, from, state.key, state.counter, state.stream},
                 (n - 1) / (2 * kThreads) + 1, kThreads);
  for (uint64_t shift = 0; shift < kWordBits; shift += kDigitBits) {
    const bool last = shift + kDigitBits == kWordBits;
    const KernelWords words{size, from, starts.address(), shift, static_cast<uint64_t>(tiles), last ? out : to};
    launch_library(work, "permutation.h", "gpo::sort_counts", words, tiles, kThreads);
    launch_starts(work, counts, starts.address());
    launch_library(work, "permutation.h", last ? "gpo::sort_move<true>" : "gpo::sort_move<false>", words, tiles,
                   kThreads);
    std::swap(from, to);
  }
}

}  // namespace gpuopt::cuda
