// core/ops/matmul.h -- matrix products of arrays.
#pragma once
#include "core/array/array.h"

namespace gpuopt {

// Array API matmul. `what` names the calling operation in messages.
ArrayRef matmul(gpuopt_array x1, gpuopt_array x2, const char *what);

}  // namespace gpuopt
