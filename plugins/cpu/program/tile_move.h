// plugins/cpu/program/tile_move.h -- copies elements of any dtype between strided and contiguous memory.
#pragma once

#include <cstdint>

namespace gpuopt::cpu {

// Source or destination of a copy: the address of element [0, 0], and the strides of rows and columns in bytes.
struct Strided {
  char *data;
  int64_t row, column;
};

// Copies rows x columns elements of `size` bytes (1, 2, 4, 8 or 16). Source and destination may not overlap.
void move_elements(const Strided &to, const Strided &from, int64_t rows, int64_t columns, int size) noexcept;

// Fills n elements of `size` bytes with the element at `value`.
void fill_elements(void *to, const void *value, int64_t n, int size) noexcept;

// Copies with streaming stores, which bypass the caches: for results too large to stay there. Streaming stores are not
// ordered with others; before other threads may read the result, the caller needs a store fence.
void stream_bytes(void *to, const void *from, int64_t bytes) noexcept;

// Orders the calling thread's streaming stores before its later stores.
void fence_streams() noexcept;

// Whether the processor has streaming stores; otherwise stream_bytes() copies as memcpy does.
#if defined(__x86_64__) || defined(_M_X64)
constexpr bool kHasStreams = true;
#else
constexpr bool kHasStreams = false;
#endif

}  // namespace gpuopt::cpu
