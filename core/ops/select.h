// core/ops/select.h -- selection by indices, and the conversion of operands for that.
#pragma once
#include "core/array/array.h"
#include "core/array/view.h"

namespace gpuopt {

// Returns the elements of x at integer indices of any shape along `axis`: NumPy's take(). Runs at once. Negative
// indices count from the end; ERR_INDEX for one out of range.
ArrayRef take(gpuopt_array x, gpuopt_array indices, int64_t axis);
ArrayRef take(gpuopt_array x, const Dims &indices, int64_t axis);

// Returns the rows of x where the mask is true: gpuopt_mask_select(). Runs at once.
ArrayRef mask_select(gpuopt_array x, gpuopt_array mask);
// Returns the places of the true elements of a mask of one dimension, as int64 of one dimension. Runs at once.
ArrayRef true_places(gpuopt_array mask);
// Writes values to the places `indices` (int64) of x, which is new and of one dimension. Runs at once.
void put_at(gpuopt_array x, gpuopt_array indices, gpuopt_array values, const char *what);
// x[..., indices, ...] = values along `axis`, as gpuopt_put().
void put(gpuopt_array x, gpuopt_array indices, int64_t axis, gpuopt_array values);
// x[indices[k]] = op(x[indices[k]], values[k]) for each row k of the values, one after the other. Runs at once.
void accumulate(gpuopt_op op, gpuopt_array x, gpuopt_array indices, gpuopt_array values);
// Returns the indices of the elements that are not 0, as gpuopt_argwhere().
ArrayRef argwhere(gpuopt_array x);

// Returns integer indices as int64. Those of uint64 that do not fit become INT64_MAX, which is out of range, too.
// Throws ERR_TYPE if they are no integers; `what` opens the message.
ArrayRef int64_indices(const char *what, gpuopt_array indices);
// Throws ERR_INDEX for the first of the int64 indices that is not in [-size, size). Waits for the device. `what` and
// `axis` are for the message.
void check_indices(const char *what, gpuopt_array indices, int axis, int64_t size);
// Returns `a`, or a copy of it if it may share memory with x, which is about to be written.
ArrayRef apart_from(gpuopt_array x, ArrayRef a);
// Returns an array of shape () with the number, cast to `dtype` by any cast.
ArrayRef scalar_array(gpuopt_stream stream, gpuopt_dtype dtype, const gpuopt_scalar &value);

}  // namespace gpuopt
