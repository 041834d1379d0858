// core/array/view.h -- views: arrays of other shapes, strides and offsets that share an array's storage.
#pragma once
#include <span>
#include <vector>

#include "core/array/array.h"

namespace gpuopt {

using Dims = std::vector<int64_t>;

// A shape without heap memory, for recording operations.
struct Shape {
  int ndim = 0;
  int64_t sizes[GPUOPT_MAX_NDIM];
};

// Sets `result` to the shape that operands of these shapes, of at most GPUOPT_MAX_NDIM axes each, broadcast to. Throws
// ERR_SHAPE, "<what>: operands could not be broadcast together with shapes ...".
void broadcast_shape(std::span<const std::span<const int64_t>> shapes, Shape &result, const char *what);

// Each of these returns a new view of x's storage, and throws what the C function of the same purpose documents. x is
// not a weak scalar. restrided() takes strides and offset in bytes and does not check them.
ArrayRef restrided(gpuopt_array x, const Dims &shape, const Dims &strides, int64_t offset, bool read_only);
ArrayRef broadcast_view(gpuopt_array x, std::span<const int64_t> shape, const char *what);
ArrayRef permuted_view(gpuopt_array x, const int64_t *axes);
ArrayRef expanded_view(gpuopt_array x, int64_t axis);
ArrayRef squeezed_view(gpuopt_array x, int count, const int64_t *axes);
ArrayRef flipped_view(gpuopt_array x, int count, const int64_t *axes);
ArrayRef sliced_view(gpuopt_array x, int count, const gpuopt_index *items);
// Returns x as a view of another shape, which has no -1 and as many elements as x; an empty reference if no strides
// describe that without a copy.
ArrayRef reshaped_view(gpuopt_array x, std::span<const int64_t> shape);
// Returns x[..., start : start + size*step : step, ...], where the colons are at `axis`; all of these are in range.
ArrayRef part_view(gpuopt_array x, int axis, int64_t start, int64_t size, int64_t step = 1);
// Returns x with a new axis of size 1 at each of these places in the result.
ArrayRef expanded_view(gpuopt_array x, int count, const int64_t *axes);
// Returns x with its axes moved, as gpuopt_moveaxis says.
ArrayRef moved_axes(gpuopt_array x, int count, const int64_t *source, const int64_t *destination);
// Returns a read-only view of a diagonal: gpuopt_diagonal.
ArrayRef diagonal_view(gpuopt_array x, int64_t offset, int64_t axis1, int64_t axis2);
// Returns x as one dimension in C order: a view if x is contiguous, else a recorded copy.
ArrayRef raveled(gpuopt_array x);
// Returns a mask with bit i set if axis i is in the list (NULL: all axes). Negative axes count from the end. Throws
// ERR_INDEX if one is out of range, ERR_INVALID_ARGUMENT if one is named twice.
uint64_t axis_mask(int count, const int64_t *axes, int ndim, const char *what);

}  // namespace gpuopt
