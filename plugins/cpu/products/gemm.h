// plugins/cpu/products/gemm.h -- matrix products by our own kernels, with the same bits at every level and on every
// backend.
#pragma once

#include <cstdint>

#include "plugins/cpu/products/gemm_kernel.h"
#include "plugins/shared/host/matrix.h"

namespace gpuopt::cpu {
using plugin::Matrix;

// Why not a template library instead: compiled for one level it would leave the wider vectors of this processor unused,
// and compiled for each level, its inline functions would be merged by the linker into code that older processors
// cannot run (tests/abi/check_levels.sh). And its sums would have an order of their own: here they are those of
// plugins/shared/product_shape.h.
//
// Computes c = a b. All have `dtype` (any but float16 and bfloat16) and any strides; c overlaps neither a nor b.
// Integers wrap; a product of bools is an OR of ANDs. The bits do not depend on the number of threads. Returns false if
// there is no memory for packing; c may have changed then.
bool multiply(int32_t dtype, const Matrix &a, const Matrix &b, const Matrix &c) noexcept;

// Does the same with the kernels of instruction set level `level`, which this processor must support.
bool multiply(int32_t dtype, int level, const Matrix &a, const Matrix &b, const Matrix &c) noexcept;

// How multiply_add() adds a product: negated, or with the conjugates of a's elements in place of these.
struct AddedTerms {
  bool negative, conjugated;
};

// Computes c += a b for one of the dtypes float32, float64, complex64 and complex128: the sum of each block of steps is
// added to the element of c in the order of blocks. Returns false, and changes nothing, if there is no memory.
bool multiply_add(int32_t dtype, AddedTerms terms, const Matrix &a, const Matrix &b, const Matrix &c) noexcept;
bool multiply_add(int32_t dtype, int level, AddedTerms terms, const Matrix &a, const Matrix &b,
                  const Matrix &c) noexcept;

// Computes a batch of products of small matrices in this thread, with the same bits. Returns false, and changes
// nothing, if they are not small, or if rows of b and c are not contiguous: then they are products for multiply().
bool multiply_small(int32_t dtype, int level, const SmallBatch &batch) noexcept;

}  // namespace gpuopt::cpu
