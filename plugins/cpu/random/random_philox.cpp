// plugins/cpu/random/random_philox.cpp -- the default generator: each element from a counter of its own, in parallel.
#include "plugins/shared/random/random_philox.h"

#include "plugins/cpu/random/random.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/pool.h"

namespace gpuopt::cpu {
namespace {

constexpr int64_t kTaskElements = int64_t{1} << 15;

// Returns how many elements one block of four 32-bit words gives.
int64_t elements_per_block(const RandomJob &job) {
  switch (job.distribution) {
    case GPUOPT_RANDOM_UNIFORM:
    case GPUOPT_RANDOM_NORMAL:
    case GPUOPT_RANDOM_EXPONENTIAL:
      return job.dtype == GPUOPT_FLOAT64 ? 2 : 4;
    case GPUOPT_RANDOM_INTEGERS:
    case GPUOPT_RANDOM_CHOICE: {
      int64_t elements = 0;
      gpo::philox_integers(int64_t{0}, job.draw.span, [&](const auto &distribution) {
        elements = gpo::philox_block_values<std::decay_t<decltype(distribution)>>;
      });
      return elements;
    }
    default:
      return 2;  // 64 bits for each element
  }
}

void fill(const RandomJob &job, const gpuopt_philox_state &state) {
  const PhiloxFill loop = job.loops.philox[job.distribution][job.dtype];
  parallel_for((job.n + kTaskElements - 1) / kTaskElements, [&](int64_t task, int) {
    const int64_t begin = task * kTaskElements, end = std::min(begin + kTaskElements, job.n);
    job.write(begin, end, [&](int64_t first, int64_t count, char *to) { loop(job.draw, state, first, count, to); });
  });
}

}  // namespace

void draw_philox(const RandomJob &job, gpuopt_philox_state &state) {
  if (job.distribution == GPUOPT_RANDOM_PERMUTATION) {
    permute_philox(job, state);
  } else {
    fill(job, state);
  }
  const int64_t per_block = elements_per_block(job);
  state.counter += static_cast<uint64_t>((job.n + per_block - 1) / per_block);
}

}  // namespace gpuopt::cpu
