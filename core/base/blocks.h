// core/base/blocks.h -- memory for small objects that are made and destroyed again and again: each thread keeps some
// blocks for its next ones.
#pragma once

#include <cstddef>

namespace gpuopt {

// Returns `bytes` bytes, aligned for every type of the language, or NULL if there is no memory.
void *take_block(size_t bytes) noexcept;
// Takes back a block of take_block(), from any thread; `bytes` is what it was taken with.
void give_block(void *block, size_t bytes) noexcept;

}  // namespace gpuopt
