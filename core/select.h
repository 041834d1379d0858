// core/select.h -- selection by masks and indices.
#pragma once
#include "array.h"

namespace gpuopt {

// x along `axis` at integer indices of any shape; out of range is ERR_INDEX.
ArrayRef take(gpuopt_array x, gpuopt_array indices, int64_t axis);

}  // namespace gpuopt
