// core/array/view_axes.cpp -- views with other axes: moved, swapped, turned, inserted, and diagonals.
#include <algorithm>
#include <numeric>

#include "core/array/view.h"

namespace gpuopt {
namespace {

Dims dims_of(const int64_t *values, int ndim) { return Dims(values, values + ndim); }

// Throws ERR_INVALID_ARGUMENT unless there is a list, or no number of it is needed.
void check_list(int count, const int64_t *list, const char *what) {
  if (count < 0 || (count && !list)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the list is missing", what);
}

// Returns two axes in range, and throws ERR_INVALID_ARGUMENT if they are one.
std::pair<int, int> plane(const gpuopt_array_s &x, int64_t axis1, int64_t axis2, const char *what) {
  if (x.ndim < 2) fail(GPUOPT_ERR_SHAPE, "%s: an array of at least two dimensions is needed, not %d", what, x.ndim);
  const int first = checked_axis(axis1, x.ndim, what), second = checked_axis(axis2, x.ndim, what);
  if (first == second) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the two axes cannot be the same", what);
  return {first, second};
}

ArrayRef swapped_axes(gpuopt_array x, int64_t axis1, int64_t axis2) {
  Dims order(x->ndim);
  std::iota(order.begin(), order.end(), 0);
  const int first = checked_axis(axis1, x->ndim, "swapaxes"), second = checked_axis(axis2, x->ndim, "swapaxes");
  std::swap(order[first], order[second]);
  return permuted_view(x, order.data());
}

// One turn is the second axis reversed, and then both swapped; three turns are the first axis reversed instead.
ArrayRef turned(gpuopt_array x, int64_t k, const int64_t *axes) {
  const auto [first, second] = plane(*x, axes ? axes[0] : 0, axes ? axes[1] : 1, "rot90");
  const int64_t a = first, b = second, both[] = {a, b};
  switch ((k % 4 + 4) % 4) {
    case 0:
      return restrided(x, dims_of(x->shape, x->ndim), dims_of(x->strides, x->ndim), x->offset, x->read_only);
    case 1:
      return swapped_axes(flipped_view(x, 1, &b).get(), a, b);
    case 2:
      return flipped_view(x, 2, both);
    default:
      return swapped_axes(flipped_view(x, 1, &a).get(), a, b);
  }
}

ArrayRef at_least(gpuopt_array x, int ndim) {
  if (ndim < 1 || ndim > 3) fail(GPUOPT_ERR_INVALID_ARGUMENT, "atleast_nd: %d is not 1, 2 or 3", ndim);
  ArrayRef view = restrided(x, dims_of(x->shape, x->ndim), dims_of(x->strides, x->ndim), x->offset, x->read_only);
  if (view->ndim < std::min(ndim, 2) && view->ndim == 0) view = expanded_view(view.get(), 0);
  if (view->ndim < std::min(ndim, 2)) view = expanded_view(view.get(), 0);
  if (view->ndim < ndim) view = expanded_view(view.get(), -1);
  return view;
}

}  // namespace

ArrayRef part_view(gpuopt_array x, int axis, int64_t start, int64_t size, int64_t step) {
  Dims shape = dims_of(x->shape, x->ndim), strides = dims_of(x->strides, x->ndim);
  const int64_t offset = x->offset + (size > 0 ? start * strides[axis] : 0);
  shape[axis] = size;
  strides[axis] *= step;
  return restrided(x, shape, strides, offset, x->read_only);
}

ArrayRef expanded_view(gpuopt_array x, int count, const int64_t *axes) {
  check_list(count, axes, "expand_dims");
  const int64_t ndim = int64_t{x->ndim} + count;
  if (ndim > GPUOPT_MAX_NDIM) {
    fail(GPUOPT_ERR_SHAPE, "expand_dims: %lld dimensions are more than %d", static_cast<long long>(ndim),
         GPUOPT_MAX_NDIM);
  }
  const uint64_t added = axis_mask(count, count ? axes : &ndim, static_cast<int>(ndim), "expand_dims");
  ArrayRef view = restrided(x, dims_of(x->shape, x->ndim), dims_of(x->strides, x->ndim), x->offset, x->read_only);
  for (int i = 0; i < ndim; ++i) {
    if (added >> i & 1) view = expanded_view(view.get(), i);
  }
  return view;
}

ArrayRef moved_axes(gpuopt_array x, int count, const int64_t *source, const int64_t *destination) {
  check_list(count, source, "moveaxis"), check_list(count, destination, "moveaxis");
  Dims order(x->ndim, -1);
  uint64_t moved = 0, filled = 0;
  for (int i = 0; i < count; ++i) {
    const int from = checked_axis(source[i], x->ndim, "moveaxis"),
              to = checked_axis(destination[i], x->ndim, "moveaxis");
    if ((moved >> from & 1) || (filled >> to & 1)) {
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "moveaxis: repeated axis in the `%s` argument",
           moved >> from & 1 ? "source" : "destination");
    }
    moved |= uint64_t{1} << from, filled |= uint64_t{1} << to;
    order[to] = from;
  }
  int next = 0;  // the next axis that keeps its order
  for (int64_t &from : order) {
    if (from >= 0) continue;
    while (moved >> next & 1) ++next;
    from = next++;
  }
  return permuted_view(x, order.data());
}

ArrayRef diagonal_view(gpuopt_array x, int64_t offset, int64_t axis1, int64_t axis2) {
  const auto [row, column] = plane(*x, axis1, axis2, "diagonal");
  const int64_t down = offset < 0 ? -std::max(offset, -x->shape[row]) : 0;
  const int64_t right = offset > 0 ? std::min(offset, x->shape[column]) : 0;
  const int64_t size = std::min(x->shape[row] - down, x->shape[column] - right);
  Dims shape, strides;
  for (int i = 0; i < x->ndim; ++i) {
    if (i == row || i == column) continue;
    shape.push_back(x->shape[i]);
    strides.push_back(x->strides[i]);
  }
  shape.push_back(size);
  strides.push_back(x->strides[row] + x->strides[column]);
  const int64_t start = size > 0 ? down * x->strides[row] + right * x->strides[column] : 0;
  return restrided(x, shape, strides, x->offset + start, true);
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_expand_dims_n(gpuopt_array x, int32_t count, const int64_t *axes, gpuopt_array *result,
                                   gpuopt_error *error) {
  return giving(result, error, [&] { return expanded_view(&deref_strong(x, "expand_dims"), count, axes); });
}

gpuopt_status gpuopt_moveaxis(gpuopt_array x, int32_t count, const int64_t *source, const int64_t *destination,
                              gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return moved_axes(&deref_strong(x, "moveaxis"), count, source, destination); });
}

gpuopt_status gpuopt_swapaxes(gpuopt_array x, int64_t axis1, int64_t axis2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return swapped_axes(&deref_strong(x, "swapaxes"), axis1, axis2); });
}

gpuopt_status gpuopt_rot90(gpuopt_array x, int64_t k, const int64_t *axes, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return turned(&deref_strong(x, "rot90"), k, axes); });
}

gpuopt_status gpuopt_diagonal(gpuopt_array x, int64_t offset, int64_t axis1, int64_t axis2, gpuopt_array *result,
                              gpuopt_error *error) {
  return giving(result, error, [&] { return diagonal_view(&deref_strong(x, "diagonal"), offset, axis1, axis2); });
}

gpuopt_status gpuopt_atleast_nd(gpuopt_array x, int32_t ndim, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return at_least(&deref_strong(x, "atleast_nd"), ndim); });
}

}  // extern "C"
