// plugins/shared/host/matrix.h -- matrices in memory: sizes and byte strides, nothing owned; and batches of products.
#pragma once

#include <cstdint>

#include "plugins/shared/host/tensor.h"

namespace gpuopt::plugin {

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

// Returns a contiguous, row-major matrix in the given memory.
inline Matrix packed_matrix(void *data, int64_t rows, int64_t cols, int64_t element) noexcept {
  return {static_cast<char *>(data), rows, cols, cols * element, element};
}

// Returns the matrix of a tensor's last two axes.
inline Matrix last_axes(const gpuopt_tensor &t) noexcept {
  const int32_t i = t.ndim - 2, j = t.ndim - 1;
  return {bytes_of(t), t.shape[i], t.shape[j], t.strides[i], t.strides[j]};
}

// A batch of products c = a b: the first matrix of each operand, and the shape and byte strides of `ndim` batch axes.
// Batch axes that can be rows are joined to the rows.
struct MatrixBatch {
  Matrix a, b, c;
  int32_t ndim;
  const int64_t *shape, *a_strides, *b_strides, *c_strides;

  MatrixBatch(const gpuopt_tensor &left, const gpuopt_tensor &right, const gpuopt_tensor &out) noexcept
      : a(last_axes(left)),
        b(last_axes(right)),
        c(last_axes(out)),
        ndim(out.ndim - 2),
        shape(out.shape),
        a_strides(left.strides),
        b_strides(right.strides),
        c_strides(out.strides) {
    while (ndim > 0 && join_last_axis()) ndim--;
  }

 private:
  // If b is the same along the last batch axis, and the rows of a and c continue along it, makes them rows of taller
  // matrices. If a is the same, too, its rows would lie at distance 0, which no BLAS takes. Returns whether the axis is
  // gone.
  bool join_last_axis() noexcept {
    const int32_t axis = ndim - 1;
    if (shape[axis] > 1 && (b_strides[axis] != 0 || a_strides[axis] == 0)) return false;
    if (shape[axis] != 1 && !(goes_on(a, a_strides[axis]) && goes_on(c, c_strides[axis]))) return false;
    if (shape[axis] == 1) return true;
    if (c.rows == 1) a.row_stride = a_strides[axis], c.row_stride = c_strides[axis];
    a.rows *= shape[axis];
    c.rows *= shape[axis];
    return true;
  }
  // Returns whether the next matrix, at distance `stride`, continues the rows of x.
  static bool goes_on(const Matrix &x, int64_t stride) noexcept {
    return x.rows == 1 || stride == x.rows * x.row_stride;
  }
};

// Whether a call of the slot matmul lets any order of the terms do. `by_default`: what GPUOPT_MATMUL says.
inline bool is_fast_product(const gpuopt_call &call, bool by_default) noexcept {
  const int64_t mode = call.nints > 0 ? call.ints[0] : int64_t{GPUOPT_PRODUCT_DEFAULT};
  return mode == GPUOPT_PRODUCT_DEFAULT ? by_default : mode == GPUOPT_PRODUCT_FAST;
}

}  // namespace gpuopt::plugin
