// plugins/cpu/library/take_loops.h -- the inner loop of `take` for elements side by side, compiled once per instruction
// set level.
#pragma once

#include <cstdint>

namespace gpuopt::cpu {

struct TakeLoops {
  // Write from[index[k]], or from[index[k] + size] where the index is negative, to to[k] for all k < n; elements have 4
  // or 8 bytes, and `from` has `size` of them. Indices must be within [-size, size). No pointer need be aligned.
  void (*take4)(char *to, const char *index, const char *from, int64_t size, int64_t n);
  void (*take8)(char *to, const char *index, const char *from, int64_t size, int64_t n);
};

// Return the loops of an instruction set level, and those of this processor's level.
const TakeLoops &take_loops(int level) noexcept;
const TakeLoops &take_loops() noexcept;

}  // namespace gpuopt::cpu
