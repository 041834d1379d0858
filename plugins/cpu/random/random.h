// plugins/cpu/random/random.h -- the slot `random`, as specified in random_call.h.
//
// Elements drawn by Philox are independent of each other and are drawn in parallel. MT19937 is one sequence of words:
// the generator advances serially, and elements are computed from the words in parallel. PCG64 is drawn serially.
// random_elements.h has what is drawn one by one.
#pragma once

#include <gpuopt/gpuopt_plugin.h>
#include <gpuopt/random_call.h>

#include <algorithm>
#include <cstdint>

#include "plugins/cpu/levels/random_loops.h"
#include "plugins/cpu/program/tile_move.h"
#include "plugins/cpu/runtime/range.h"

namespace gpuopt::cpu {

// Draws as the call says, and advances its state. The numbers do not depend on the level or on the number of threads.
// Throws plugin::Failure; the state is unchanged then. The second function is for tests, with a level that this
// processor supports.
void run_random(const gpuopt_call &call);
void run_random_at_level(const gpuopt_call &call, int level);

// A call that has been checked, as the generators below get it.
struct RandomJob {
  // Outputs of at least this many bytes are stored with streaming stores, which bypass the caches.
  static constexpr int64_t kStreamedBytes = int64_t{16} << 20;
  static constexpr int64_t kStageBytes = int64_t{32} << 10;

  const RandomLoops &loops;
  int64_t distribution;
  int32_t dtype;
  int64_t element;  // bytes of an element
  int64_t n;
  char *out;
  RandomDraw draw;

  char *at(int64_t i) const noexcept { return out + i * element; }
  bool is_streamed() const noexcept { return n * element >= kStreamedBytes; }

  // Calls make(first, count, to), which has to make elements first .. first + count - 1 at `to`, so that elements begin
  // .. end - 1 are written to the output. There is one call, or, if stores are streaming, one for each part of up to 32
  // KiB, which begins a multiple of 1024 elements behind `begin`.
  template <typename Make>
  void write(int64_t begin, int64_t end, Make &&make) const {
    if (!is_streamed()) return make(begin, end - begin, at(begin));
    alignas(64) char stage[kStageBytes];
    for (const Range part : parts_of({begin, end}, kStageBytes / element)) {
      make(part.first, part.count(), stage);
      stream_bytes(at(part.first), stage, part.count() * element);
    }
  }
};

// Each draws the job's n >= 1 elements and advances the state. If it throws, the state is unchanged.
void draw_philox(const RandomJob &job, gpuopt_philox_state &state);
void draw_legacy(const RandomJob &job, gpuopt_mt19937_state &state);
void draw_pcg64(const RandomJob &job, gpuopt_pcg64_state &state);

// Draws GPUOPT_RANDOM_PERMUTATION by Philox. The caller advances the state.
void permute_philox(const RandomJob &job, const gpuopt_philox_state &state);

}  // namespace gpuopt::cpu
