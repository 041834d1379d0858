// core/array/view_split.cpp -- calls that give several views: of the parts of an array, and of arrays broadcast
// together.
#include <algorithm>

#include "core/array/view.h"

namespace gpuopt {
namespace {

using Views = std::vector<ArrayRef>;

ArrayRef without_axis(gpuopt_array x, int axis) {
  const int64_t axes[] = {axis};
  return squeezed_view(x, 1, axes);
}

Views unstack(gpuopt_array x, int64_t given_axis, int32_t count) {
  if (deref_strong(x, "unstack").ndim == 0) fail(GPUOPT_ERR_SHAPE, "unstack: a 0-d array cannot be unstacked");
  const int axis = checked_axis(given_axis, x->ndim, "unstack");
  if (count != x->shape[axis]) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "unstack: %d results are asked for, axis %d has size %lld", count, axis,
         static_cast<long long>(x->shape[axis]));
  }
  Views views;
  for (int64_t i = 0; i < count; ++i) views.push_back(without_axis(part_view(x, axis, i, 1).get(), axis));
  return views;
}

// Returns views of equal parts; the first `size % sections` of them are larger by one. With `even` there may be none
// such.
Views split(gpuopt_array x, int32_t sections, int64_t given_axis, bool even) {
  const char *const what = even ? "split" : "array_split";
  deref_strong(x, what);
  if (sections <= 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the number of sections must be larger than 0", what);
  const int axis = checked_axis(given_axis, x->ndim, what);
  const int64_t size = x->shape[axis] / sections, larger = x->shape[axis] % sections;
  if (even && larger) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "split: array split does not result in an equal division: %lld elements, %d parts",
         static_cast<long long>(x->shape[axis]), sections);
  }
  Views views;
  int64_t start = 0;
  for (int64_t i = 0; i < sections; ++i) {
    const int64_t length = size + (i < larger);
    views.push_back(part_view(x, axis, start, length));
    start += length;
  }
  return views;
}

// Returns the position at which Python's slice begins or ends on an axis of this size.
int64_t clipped(int64_t position, int64_t size) {
  return std::clamp(position < 0 ? position + size : position, int64_t{0}, size);
}

Views split_at(gpuopt_array x, int32_t count, const int64_t *positions, int64_t given_axis) {
  deref_strong(x, "split_at");
  if (count < 0 || (count && !positions)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "split_at: the positions are missing");
  const int axis = checked_axis(given_axis, x->ndim, "split_at");
  const int64_t size = x->shape[axis];
  Views views;
  int64_t start = 0;
  for (int32_t i = 0; i <= count; ++i) {
    const int64_t stop = i < count ? clipped(positions[i], size) : size;
    views.push_back(part_view(x, axis, start, std::max<int64_t>(stop - start, 0)));
    start = stop;
  }
  return views;
}

Views broadcast_arrays(int32_t count, const gpuopt_array *arrays) {
  if (count && !arrays) fail(GPUOPT_ERR_INVALID_ARGUMENT, "broadcast_arrays: the arrays are missing");
  std::vector<std::span<const int64_t>> shapes;
  for (int32_t i = 0; i < count; ++i) shapes.push_back(deref_strong(arrays[i], "broadcast_arrays").sizes());
  Shape shape;
  broadcast_shape(shapes, shape, "broadcast_arrays");
  const std::span<const int64_t> common(shape.sizes, static_cast<size_t>(shape.ndim));
  Views views;
  for (int32_t i = 0; i < count; ++i) {
    views.push_back(broadcast_view(arrays[i], common, "broadcast_arrays"));
    views.back()->read_only = true;
  }
  return views;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_unstack(gpuopt_array x, int64_t axis, int32_t count, gpuopt_array *results, gpuopt_error *error) {
  return giving_all(count, results, error, [&] { return unstack(x, axis, count); });
}

gpuopt_status gpuopt_split(gpuopt_array x, int32_t sections, int64_t axis, gpuopt_array *results, gpuopt_error *error) {
  return giving_all(std::max(sections, 0), results, error, [&] { return split(x, sections, axis, true); });
}

gpuopt_status gpuopt_array_split(gpuopt_array x, int32_t sections, int64_t axis, gpuopt_array *results,
                                 gpuopt_error *error) {
  return giving_all(std::max(sections, 0), results, error, [&] { return split(x, sections, axis, false); });
}

gpuopt_status gpuopt_split_at(gpuopt_array x, int32_t count, const int64_t *positions, int64_t axis,
                              gpuopt_array *results, gpuopt_error *error) {
  return giving_all(int64_t{std::max(count, -1)} + 1, results, error,
                    [&] { return split_at(x, count, positions, axis); });
}

gpuopt_status gpuopt_broadcast_arrays(int32_t count, const gpuopt_array *arrays, gpuopt_array *results,
                                      gpuopt_error *error) {
  return giving_all(count, results, error, [&] { return broadcast_arrays(count, arrays); });
}

}  // extern "C"
