// plugins/cpu/runtime/copy.h -- copies contiguous bytes; large ranges in parallel.
#pragma once

#include <cstdint>

namespace gpuopt::cpu {

// Does what memmove does: the two ranges may overlap.
void copy_bytes(void *to, const void *from, uint64_t bytes) noexcept;

}  // namespace gpuopt::cpu
