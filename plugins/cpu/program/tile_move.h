// plugins/cpu/program/tile_move.h -- moving elements of any dtype between strided and contiguous memory.
#pragma once

#include <cstdint>

namespace gpuopt::cpu {

// One side of a move: the first element, and bytes from row to row and from column to column.
struct Strided {
  char *data;
  int64_t row, column;
};

// Copies rows x columns elements of `size` bytes (1, 2, 4, 8 or 16). The sides do not overlap.
void move_elements(const Strided &to, const Strided &from, int64_t rows, int64_t columns, int size) noexcept;

// Fills n elements with the one at `value`.
void fill_elements(void *to, const void *value, int64_t n, int size) noexcept;

// Copies past the caches: for results too large to be found there again.
void stream_bytes(void *to, const void *from, int64_t bytes) noexcept;

}  // namespace gpuopt::cpu
