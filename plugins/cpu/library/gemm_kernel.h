// plugins/cpu/library/gemm_kernel.h -- the inner kernels of matrix products, one build per instruction set level.
#pragma once

#include <cstdint>

#include "plugins/shared/host/matrix.h"

namespace gpuopt::cpu {
using plugin::Matrix;

// A kernel multiplies panels: `rows` rows of a or `cols` columns of b, interleaved, padded with zeros, and converted to
// the type the kernel computes in (the unsigned integer of the width, but 16 bits for 8; what wraps in 16 bits is right
// in 8).
struct GemmKernel {
  int64_t rows, cols, compute_bytes;
  // Packs a matrix with at most `rows` rows (of a), or at most `cols` columns (of b), into one panel.
  void (*pack_a)(const Matrix &a, bool negative, void *panel);
  void (*pack_b)(const Matrix &b, void *panel);
  // c = product of two panels, or c += it; `depth` is the columns of a and the rows of b.
  void (*multiply)(int64_t depth, const void *a_panel, const void *b_panel, bool add, const Matrix &c);
  // Matrix times vector: x is packed from a matrix of one row; the rows of a are contiguous and c has one column.
  void (*pack_x)(const Matrix &x, bool negative, void *packed);
  void (*multiply_vector)(const Matrix &a, const void *x, bool add, const Matrix &c);
};

// NULL for a dtype without a kernel.
const GemmKernel *gemm_kernel(int32_t dtype, int level) noexcept;

}  // namespace gpuopt::cpu
