// plugins/cpu/library/blas_product.h -- matrix products by the BLAS, for any strides and sizes.
#pragma once

#include <cstdint>

#include "plugins/cpu/library/blas.h"
#include "plugins/shared/host/matrix.h"

namespace gpuopt::cpu {
using plugin::Matrix;

// The largest dimension and leading dimension handed to a BLAS with 32-bit integers.
constexpr int64_t kBlasMaxSize = INT32_MAX;

// c = a b, all of one floating dtype the BLAS has (see blas_type), none of the sizes 0. An operand whose rows or
// columns are contiguous is passed as it is, any other is packed first; larger sizes than `max_size` are cut. False if
// there is no memory.
bool blas_multiply(const Blas &blas, int32_t dtype, const Matrix &a, const Matrix &b, const Matrix &c,
                   int64_t max_size = kBlasMaxSize);

// kBlasS to kBlasZ, -1 for other dtypes.
int blas_type(int32_t dtype) noexcept;

// Multiply-adds up to which OpenBLAS computes a product in the calling thread.
constexpr double kBlasSerialWork = 1 << 18;

}  // namespace gpuopt::cpu
