// core/array/view.h -- the geometry of views: shapes and strides that share an array's storage.
#pragma once
#include <span>
#include <vector>

#include "core/array/array.h"

namespace gpuopt {

using Dims = std::vector<int64_t>;

// A shape on the stack, for the recording path.
struct Shape {
  int ndim = 0;
  int64_t sizes[GPUOPT_MAX_NDIM];
};

// The shape operands broadcast to; throws ERR_SHAPE as "<what>: operands could not be broadcast together with shapes
// ...".
void broadcast_shape(std::span<const std::span<const int64_t>> shapes, Shape &result, const char *what);

// Views of x; each throws what its C function documents.
ArrayRef restrided(gpuopt_array x, const Dims &shape, const Dims &strides, int64_t offset, bool read_only);
ArrayRef broadcast_view(gpuopt_array x, std::span<const int64_t> shape, const char *what);
ArrayRef permuted_view(gpuopt_array x, const int64_t *axes);
ArrayRef expanded_view(gpuopt_array x, int64_t axis);
ArrayRef squeezed_view(gpuopt_array x, int count, const int64_t *axes);
ArrayRef flipped_view(gpuopt_array x, int count, const int64_t *axes);
ArrayRef sliced_view(gpuopt_array x, int count, const gpuopt_index *items);
// x with another shape (no -1): a view where the strides allow, else an empty reference.
ArrayRef reshaped_view(gpuopt_array x, std::span<const int64_t> shape);
// The mask of axes named by a list (NULL: all); throws ERR_INDEX, and ERR_INVALID_ARGUMENT for an axis named twice.
uint64_t axis_mask(int count, const int64_t *axes, int ndim, const char *what);

}  // namespace gpuopt
