// plugins/cpu/matrix.h -- a matrix in memory: sizes and byte strides, nothing owned.
#pragma once

#include <cstdint>

namespace gpuopt::cpu {

struct Matrix {
  char *data;
  int64_t rows, cols;
  int64_t row_stride, col_stride;  // bytes, any sign, 0 where broadcast

  Matrix transposed() const noexcept { return {data, cols, rows, col_stride, row_stride}; }
  Matrix block(int64_t row, int64_t col, int64_t block_rows, int64_t block_cols) const noexcept {
    return {data + row * row_stride + col * col_stride, block_rows, block_cols, row_stride, col_stride};
  }
  Matrix at(int64_t offset) const noexcept { return {data + offset, rows, cols, row_stride, col_stride}; }
};

// A new matrix without gaps, row after row.
inline Matrix packed_matrix(void *data, int64_t rows, int64_t cols, int64_t element) noexcept {
  return {static_cast<char *>(data), rows, cols, cols * element, element};
}

}  // namespace gpuopt::cpu
