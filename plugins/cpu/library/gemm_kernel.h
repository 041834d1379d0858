// plugins/cpu/library/gemm_kernel.h -- the inner kernels of matrix products, compiled once per instruction set level.
#pragma once

#include <cstdint>

#include "plugins/shared/host/matrix.h"

namespace gpuopt::cpu {
using plugin::Matrix;

// A kernel multiplies packed panels. A panel has `rows` rows of a or `cols` columns of b, interleaved, padded with
// zeros, and converted to the type of `compute_bytes` bytes in which the kernel computes. Integers compute in the
// unsigned type of their width, 8-bit ones in 16 bits, of which the lower 8 are right, and bools in uint8_t.
struct GemmKernel {
  int64_t rows, cols, compute_bytes;
  // Pack a matrix of at most `rows` rows (of a) or at most `cols` columns (of b) into one panel. `negative` negates it.
  void (*pack_a)(const Matrix &a, bool negative, void *panel);
  void (*pack_b)(const Matrix &b, void *panel);
  // Computes c = the product of two panels, or c += it with `add`; `depth` is the number of columns of a and rows of b.
  void (*multiply)(int64_t depth, const void *a_panel, const void *b_panel, bool add, const Matrix &c);
  // Multiply a matrix by a vector: pack_x packs the vector, given as a matrix of one row. The rows of a are contiguous,
  // and c has one column.
  void (*pack_x)(const Matrix &x, bool negative, void *packed);
  void (*multiply_vector)(const Matrix &a, const void *x, bool add, const Matrix &c);
};

// Returns the kernel for a dtype and level; NULL if the dtype has none. It is static.
const GemmKernel *gemm_kernel(int32_t dtype, int level) noexcept;

}  // namespace gpuopt::cpu
