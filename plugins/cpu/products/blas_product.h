// plugins/cpu/products/blas_product.h -- matrix products by a BLAS, for any strides and sizes.
#pragma once

#include <cstdint>

#include "plugins/cpu/products/blas.h"
#include "plugins/shared/host/matrix.h"

namespace gpuopt::cpu {
using plugin::Matrix;

// The largest dimension and leading dimension that a BLAS with 32-bit integers can be given.
constexpr int64_t kBlasMaxSize = INT32_MAX;

// Computes c = a b. The dtype is one that blas_type() knows, no dimension is 0, and c overlaps neither a nor b. An
// operand whose rows or columns are contiguous is passed as it is, any other is packed first. Dimensions above
// `max_size` are split, and the parts of the depth are added up. Returns false if there is no memory for packing; c may
// have changed then.
bool blas_multiply(const Blas &blas, int32_t dtype, const Matrix &a, const Matrix &b, const Matrix &c,
                   int64_t max_size = kBlasMaxSize);

// Returns kBlasS to kBlasZ; -1 for other dtypes.
int blas_type(int32_t dtype) noexcept;

// The most multiply-adds for which OpenBLAS computes a product on the calling thread alone.
constexpr double kBlasSerialWork = 1 << 18;

}  // namespace gpuopt::cpu
