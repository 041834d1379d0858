// plugins/cpu/library/mask_loops.h -- inner loops over booleans, one build per instruction set level. A byte that is
// not 0 is true.
#pragma once

#include <cstdint>

namespace gpuopt::cpu {

struct MaskLoops {
  // The true bytes among `n` contiguous ones.
  int64_t (*count)(const uint8_t *mask, int64_t n);
  // Their positions in order, at most n; returns how many. `index` has kIndexSlack elements of room after the n-th.
  int64_t (*collect)(const uint8_t *mask, int64_t n, int32_t *index);
  // Copies the elements of `from` at true bytes to `to`, in order. `count` is their number and at the same time all the
  // room there is in `to`. Elements of 4 and of 8 bytes.
  void (*compress4)(uint32_t *to, const uint32_t *from, const uint8_t *mask, int64_t n, int64_t count);
  void (*compress8)(uint64_t *to, const uint64_t *from, const uint8_t *mask, int64_t n, int64_t count);
};

constexpr int64_t kIndexSlack = 16;

// The loops of an instruction set level, and those of this processor's.
const MaskLoops &mask_loops(int level) noexcept;
const MaskLoops &mask_loops() noexcept;

}  // namespace gpuopt::cpu
