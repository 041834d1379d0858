// plugins/cpu/products/gemm_kernel.h -- the inner kernels of matrix products, compiled once per instruction set level.
//
// Products of floats have the order of sums of plugins/shared/product_shape.h: a kernel computes one block of it. It
// therefore gives the same bits at every level.
#pragma once

#include <cstdint>

#include "plugins/shared/host/matrix.h"

namespace gpuopt::cpu {
using plugin::Matrix;

// Batches of products of small matrices: `count` of them, at distances of a_step, b_step and c_step bytes.
struct SmallBatch {
  Matrix a, b, c;
  int64_t count, a_step, b_step, c_step;
};

// Memory that a kernel will read soon: it prefetches from `data` on, `step` bytes further at each step. The addresses
// need not be valid ones.
struct Ahead {
  const void *data;
  int64_t step;
};

// A panel of b whose rows, of as many numbers as the kernel takes, are `step` bytes apart: a packed one, or columns of
// a matrix that need no packing.
struct RowsOfB {
  const void *data;
  int64_t step;
};

// A kernel multiplies packed panels. A panel has `rows` rows of a or `cols` columns of b, interleaved, padded with
// zeros, and converted to the type of `compute_bytes` bytes in which the kernel computes. Integers compute in the
// unsigned type of their width, 8-bit ones in 16 bits, of which the lower 8 are right, and bools in uint8_t.
struct GemmKernel {
  int64_t rows, cols, compute_bytes;
  // Pack a matrix of at most `rows` rows (of a) or at most `cols` columns (of b) into one panel, as every `step`-th
  // step of it: the parts of complex numbers are packed one after the other. `negative` negates it.
  void (*pack_a)(const Matrix &a, int64_t step, bool negative, void *panel);
  void (*pack_b)(const Matrix &b, int64_t step, bool negative, void *panel);
  // Computes the product of `depth` steps of two panels: sets c to the sums, or adds them to it with `add`. Meanwhile
  // `ahead` is fetched into the first-level cache.
  void (*multiply)(int64_t depth, const void *a_panel, RowsOfB b_panel, Ahead ahead, bool add, const Matrix &c);
  // Multiplies a matrix whose rows are contiguous by a vector of contiguous elements in the type of computing:
  // c[i] = a[i, :] x, or c[i] += with `add`. If x_step is not 0, row i has a vector of its own, at that distance in
  // bytes from that of row i - 1.
  void (*pack_x)(const Matrix &x, void *packed);
  void (*multiply_vector)(const Matrix &a, const void *x, int64_t x_step, bool add, const Matrix &c);
  // Multiplies matrices where b and c have at most kMostSmallCols contiguous columns. NULL for bool and 8-bit integers.
  void (*multiply_small)(const SmallBatch &batch);
  // Multiplies one row by a matrix whose rows are contiguous, as those of c are. Nothing is packed. For floats only.
  void (*multiply_row)(const Matrix &a, const Matrix &b, bool add, const Matrix &c);
};

inline constexpr int64_t kMostSmallCols = 16;

// Returns the kernel for a dtype and level; NULL if the dtype has none. It is static.
const GemmKernel *gemm_kernel(int32_t dtype, int level) noexcept;

}  // namespace gpuopt::cpu
