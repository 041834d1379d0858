// core/ops/matmul.h -- matrix products of arrays.
#pragma once
#include "core/array/array.h"

namespace gpuopt {

// Returns the matrix product by the rules of the array API standard's matmul: vectors, and stacks of matrices that are
// broadcast. Runs at once. Throws ERR_SHAPE, ERR_DEVICE_MISMATCH. `what` names the calling operation in messages.
ArrayRef matmul(gpuopt_array x1, gpuopt_array x2, const char *what, gpuopt_product_mode mode = GPUOPT_PRODUCT_DEFAULT);

}  // namespace gpuopt
