// plugins/cpu/library/take_elements.h -- takes elements of any size, one after the other.
#pragma once

#include "plugins/cpu/library/index.h"

namespace gpuopt::cpu {

// Takes n elements of type T side by side: `to` and `index` are contiguous, and the axis has `size` elements. How many
// reads a processor has under way is limited by the instructions between them, so there are few.
template <typename T>
void take_elements(char *to, const char *index, const char *from, int64_t size, int64_t n) {
#pragma GCC unroll 4
  for (int64_t k = 0; k < n; k++) {
    const int64_t at = load_index(index + k * 8);
    std::memcpy(to + k * int64_t{sizeof(T)}, from + (at + (at >> 63 & size)) * int64_t{sizeof(T)}, sizeof(T));
  }
}

}  // namespace gpuopt::cpu
