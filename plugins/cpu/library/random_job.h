// plugins/cpu/library/random_job.h -- a checked random call, and the three generators that do it.
#pragma once

#include <gpuopt/gpuopt_plugin.h>
#include <gpuopt/random_call.h>

#include <algorithm>
#include <cstdint>

#include "plugins/cpu/levels/random_loops.h"
#include "plugins/cpu/program/tile_move.h"
#include "plugins/cpu/runtime/range.h"

namespace gpuopt::cpu {

struct RandomJob {
  // From this many bytes on the output goes past the caches.
  static constexpr int64_t kStreamedBytes = int64_t{16} << 20;
  static constexpr int64_t kStageBytes = int64_t{32} << 10;

  const RandomLoops &loops;
  int64_t distribution;
  int32_t dtype;
  int64_t element;  // bytes
  int64_t n;
  char *out;
  RandomDraw draw;

  char *at(int64_t i) const noexcept { return out + i * element; }
  bool is_streamed() const noexcept { return n * element >= kStreamedBytes; }

  // Calls make(first, count, to) so that elements begin .. end - 1 come to be in the output. If they are streamed it is
  // called for parts of up to 32 KiB, which start a multiple of 1024 elements after `begin`.
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

// Each draws the job's n >= 1 elements and advances the state; where it fails the state stays.
void draw_philox(const RandomJob &job, gpuopt_philox_state &state);
void draw_legacy(const RandomJob &job, gpuopt_mt19937_state &state);
void draw_pcg64(const RandomJob &job, gpuopt_pcg64_state &state);

// GPUOPT_RANDOM_PERMUTATION of Philox.
void permute_philox(const RandomJob &job, const gpuopt_philox_state &state);

}  // namespace gpuopt::cpu
