// plugins/cpu/runtime/copy.h -- copying contiguous bytes, large ones in parallel.
#pragma once

#include <cstdint>

namespace gpuopt::cpu {

// As memmove: the two ranges may overlap.
void copy_bytes(void *to, const void *from, uint64_t bytes) noexcept;

}  // namespace gpuopt::cpu
