// core/ops/select.h -- selection by masks and indices.
#pragma once
#include "core/array/array.h"

namespace gpuopt {

// x along `axis` at integer indices of any shape; out of range is ERR_INDEX.
ArrayRef take(gpuopt_array x, gpuopt_array indices, int64_t axis);

// Integer indices as int64 (ERR_TYPE); those of uint64 that do not fit stay out of range. `what` opens the message.
ArrayRef int64_indices(const char *what, gpuopt_array indices);
// `a`, or a copy of it if it may share memory with x, which is about to be written.
ArrayRef apart_from(gpuopt_array x, ArrayRef a);
// One number as an array without axes.
ArrayRef scalar_array(gpuopt_stream stream, gpuopt_dtype dtype, const gpuopt_scalar &value);

}  // namespace gpuopt
