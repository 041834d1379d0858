// core/ops/matmul.h -- matrix products of arrays.
#pragma once
#include "core/array/array.h"

namespace gpuopt {

// Returns the matrix product by the rules of the array API standard's matmul: vectors, and stacks of matrices that are
// broadcast. Runs at once, but for the product of two vectors, which is recorded, unless `mode` is GPUOPT_PRODUCT_FAST.
// Throws ERR_SHAPE, ERR_DEVICE_MISMATCH. `what` names the calling operation in messages.
ArrayRef matmul(gpuopt_array x1, gpuopt_array x2, const char *what, gpuopt_product_mode mode = GPUOPT_PRODUCT_DEFAULT);

// Records the sums of the products of x1 and x2, which are broadcast, over the axes of the mask. 16-bit floats are
// multiplied (exactly) and summed in float32, so that only the result is rounded to 16 bits; a sum of bools is `any`.
ArrayRef record_summed_products(gpuopt_array x1, gpuopt_array x2, uint64_t axes);

}  // namespace gpuopt
