// core/ops/join.cpp -- concat, stack, append and meshgrid; see join.h.
#include "core/ops/join.h"

#include <algorithm>

#include "core/engine/library_call.h"
#include "core/engine/record.h"

namespace gpuopt {
namespace {

using Refs = std::vector<ArrayRef>;

// Returns the arrays as a span. Throws unless there is at least one, none is NULL, and all are on one device; weak
// scalars are on none, and there has to be another array beside them.
std::span<const gpuopt_array> operands(int32_t count, const gpuopt_array *arrays, const char *what) {
  if (count < 1 || !arrays) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: need at least one array", what);
  gpuopt_array first = nullptr;
  for (int32_t i = 0; i < count; ++i) {
    if (deref(arrays[i], what).weak) continue;
    if (!first) first = arrays[i];
    check_same_device(what, {first, arrays[i]});
  }
  if (!first) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: weak scalars alone have no device to run on", what);
  return {arrays, static_cast<size_t>(count)};
}

gpuopt_stream stream_of(std::span<const gpuopt_array> arrays) {
  for (gpuopt_array x : arrays) {
    if (!x->weak) return x->stream.get();
  }
  return nullptr;
}

void check_fits(const gpuopt_array_s &first, const gpuopt_array_s &x, size_t index, int axis, const char *what) {
  if (x.ndim != first.ndim) {
    fail(GPUOPT_ERR_SHAPE,
         "%s: all the input arrays must have same number of dimensions, but the array at index 0 has %d and the array "
         "at index %zu has %d",
         what, first.ndim, index, x.ndim);
  }
  for (int i = 0; i < x.ndim; ++i) {
    if (i == axis || x.shape[i] == first.shape[i]) continue;
    fail(GPUOPT_ERR_SHAPE,
         "%s: all the input array dimensions except for the concatenation axis must match exactly, but along dimension "
         "%d, the array at index 0 has size %lld and the array at index %zu has size %lld",
         what, i, static_cast<long long>(first.shape[i]), index, static_cast<long long>(x.shape[i]));
  }
}

ArrayRef concat_flattened(std::span<const gpuopt_array> arrays, gpuopt_dtype dtype) {
  Dims shape(1, 0);
  for (gpuopt_array x : arrays) shape[0] += x->size;
  ArrayRef result = unwritten(stream_of(arrays), dtype, shape);
  int64_t start = 0;
  for (gpuopt_array x : arrays) {
    const ArrayRef part = part_view(result.get(), 0, start, x->size);
    record_part(reshaped_view(part.get(), x->sizes()).get(), x);  // so that a recorded x is stored as it is
    start += x->size;
  }
  return result;
}

ArrayRef concat(int32_t count, const gpuopt_array *list, const int64_t *axis, const char *what) {
  const std::span<const gpuopt_array> arrays = operands(count, list, what);
  const gpuopt_dtype dtype = common_dtype(arrays);
  if (!axis) return concat_flattened(arrays, dtype);
  for (gpuopt_array x : arrays) {
    if (deref_strong(x, what).ndim == 0)
      fail(GPUOPT_ERR_SHAPE, "%s: zero-dimensional arrays cannot be concatenated", what);
  }
  return joined(arrays, checked_axis(*axis, arrays[0]->ndim, what), dtype, what);
}

ArrayRef stack(int32_t count, const gpuopt_array *list, int64_t axis) {
  const std::span<const gpuopt_array> arrays = operands(count, list, "stack");
  for (gpuopt_array x : arrays) {
    if (!std::ranges::equal(deref_strong(x, "stack").sizes(), arrays[0]->sizes())) {
      fail(GPUOPT_ERR_SHAPE, "stack: all input arrays must have the same shape, not %s and %s",
           shape_text(arrays[0]->ndim, arrays[0]->shape).c_str(), shape_text(x->ndim, x->shape).c_str());
    }
  }
  const gpuopt_dtype dtype = common_dtype(arrays);
  const int at = checked_axis(axis, arrays[0]->ndim + 1, "stack");
  Dims shape(arrays[0]->shape, arrays[0]->shape + arrays[0]->ndim);
  shape.insert(shape.begin() + at, count);
  ArrayRef result = unwritten(stream_of(arrays), dtype, shape);
  const int64_t axes[] = {at};
  for (int64_t i = 0; i < count; ++i) {
    record_part(squeezed_view(part_view(result.get(), at, i, 1).get(), 1, axes).get(), arrays[i]);
  }
  return result;
}

// Returns x broadcast from axis `at` to the shape of the grid, as a new array.
ArrayRef coordinates(gpuopt_array x, int at, const Dims &grid) {
  Dims shape(grid.size(), 1);
  shape[at] = x->size;
  const ArrayRef line = reshaped_view(raveled(x).get(), shape);
  return record_copy(broadcast_view(line.get(), grid, "meshgrid").get());
}

Refs meshgrid(int32_t count, const gpuopt_array *list, bool ij) {
  if (count == 0) return {};
  const std::span<const gpuopt_array> arrays = operands(count, list, "meshgrid");
  if (count > GPUOPT_MAX_NDIM) fail(GPUOPT_ERR_SHAPE, "meshgrid: %d dimensions are too many", count);
  const auto axis_of = [&](int i) { return !ij && count > 1 && i < 2 ? 1 - i : i; };
  Dims grid(count);
  for (int i = 0; i < count; ++i) grid[axis_of(i)] = deref_strong(arrays[i], "meshgrid").size;
  Refs results;
  for (int i = 0; i < count; ++i) results.push_back(coordinates(arrays[i], axis_of(i), grid));
  return results;
}

}  // namespace

ArrayRef unwritten(gpuopt_stream stream, gpuopt_dtype dtype, const Dims &shape) {
  return make_array(stream, dtype, static_cast<int>(shape.size()), shape.data(), false);
}

ArrayRef joined(std::span<const gpuopt_array> arrays, int axis, gpuopt_dtype dtype, const char *what) {
  const gpuopt_array_s &first = *arrays[0];
  Dims shape(first.shape, first.shape + first.ndim);
  for (size_t i = 1; i < arrays.size(); ++i) {
    check_fits(first, *arrays[i], i, axis, what);
    shape[axis] += arrays[i]->shape[axis];
  }
  ArrayRef result = unwritten(stream_of(arrays), dtype, shape);
  int64_t start = 0;
  for (gpuopt_array x : arrays) {
    record_part(part_view(result.get(), axis, start, x->shape[axis]).get(), x);
    start += x->shape[axis];
  }
  return result;
}

ArrayRef along(gpuopt_array x, const int64_t *axis, int &number, const char *what) {
  number = axis ? checked_axis(*axis, x->ndim, what) : 0;
  return axis ? ArrayRef::share(x) : raveled(x);
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_concat(int32_t count, const gpuopt_array *arrays, const int64_t *axis, gpuopt_array *result,
                            gpuopt_error *error) {
  return giving(result, error, [&] { return concat(count, arrays, axis, "concat"); });
}

gpuopt_status gpuopt_stack(int32_t count, const gpuopt_array *arrays, int64_t axis, gpuopt_array *result,
                           gpuopt_error *error) {
  return giving(result, error, [&] { return stack(count, arrays, axis); });
}

gpuopt_status gpuopt_append(gpuopt_array x, gpuopt_array values, const int64_t *axis, gpuopt_array *result,
                            gpuopt_error *error) {
  return giving(result, error, [&] {
    const gpuopt_array both[] = {&deref_strong(x, "append"), values};
    return concat(2, both, axis, "append");
  });
}

gpuopt_status gpuopt_meshgrid(int32_t count, const gpuopt_array *arrays, int32_t ij, gpuopt_array *results,
                              gpuopt_error *error) {
  return giving_all(count, results, error, [&] { return meshgrid(count, arrays, ij != 0); });
}

}  // extern "C"
