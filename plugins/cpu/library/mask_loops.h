// plugins/cpu/library/mask_loops.h -- inner loops over boolean masks, compiled once per instruction set level. Every
// byte that is not 0 is true.
#pragma once

#include <cstdint>

namespace gpuopt::cpu {

struct MaskLoops {
  // Returns the number of true bytes among `n` contiguous ones.
  int64_t (*count)(const uint8_t *mask, int64_t n);
  // Stores the positions of true bytes in order, and returns how many there are. `index` must have room for n +
  // kIndexSlack elements, all of which may be overwritten.
  int64_t (*collect)(const uint8_t *mask, int64_t n, int32_t *index);
  // Copy the elements of `from` (of 4 or 8 bytes) whose mask byte is true to `to`, in order. `count` is the number of
  // true bytes; nothing is written behind that many elements.
  void (*compress4)(uint32_t *to, const uint32_t *from, const uint8_t *mask, int64_t n, int64_t count);
  void (*compress8)(uint64_t *to, const uint64_t *from, const uint8_t *mask, int64_t n, int64_t count);
};

constexpr int64_t kIndexSlack = 16;

// Return the loops of an instruction set level, and those of this processor's level.
const MaskLoops &mask_loops(int level) noexcept;
const MaskLoops &mask_loops() noexcept;

}  // namespace gpuopt::cpu
