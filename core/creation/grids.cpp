// core/creation/grids.cpp -- gpuopt_indices, mgrid, ogrid and fromfunction.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/ops/create.h"
#include "core/ops/join.h"
#include "core/selection/call.h"

namespace gpuopt {
namespace {

void check_grid(int32_t ndim, int most, const char *what) {
  if (ndim < 0 || ndim > most) fail(GPUOPT_ERR_SHAPE, "%s: a grid of %d dimensions", what, ndim);
}

// Returns a list of one dimension as a view along an axis of a grid.
ArrayRef along_axis(const ArrayRef &list, int axis, int ndim) {
  Dims shape(static_cast<size_t>(ndim), 1);
  shape[static_cast<size_t>(axis)] = list->size;
  return reshaped_view(list.get(), shape);
}

// Returns lists along the axes of a grid of this shape, as one array.
ArrayRef stacked_grid(gpuopt_stream stream, gpuopt_dtype dtype, const std::vector<ArrayRef> &lists, const Dims &shape) {
  const int ndim = static_cast<int>(lists.size());
  Dims all{ndim};
  all.insert(all.end(), shape.begin(), shape.end());
  ArrayRef result = unwritten(stream, dtype, all);
  const int64_t first = 0;
  for (int axis = 0; axis < ndim; ++axis) {
    const ArrayRef part = squeezed_view(part_view(result.get(), 0, axis, 1).get(), 1, &first);
    record_assign(part.get(), along_axis(lists[static_cast<size_t>(axis)], axis, ndim).get());
  }
  return result;
}

ArrayRef indices(gpuopt_device device, gpuopt_dtype asked, int32_t ndim, const int64_t *given) {
  check_grid(ndim, GPUOPT_MAX_NDIM - 1, "indices");
  const gpuopt_dtype dtype = dtype_or(asked, GPUOPT_INT64, "indices");
  const gpuopt_stream stream = deref(device, "indices").default_stream;
  checked_size(ndim, given, dtype_size(dtype));
  const Dims shape(given, given + ndim);
  std::vector<ArrayRef> lists;
  for (const int64_t size : shape) lists.push_back(cast(iota(stream, size).get(), dtype).array());
  return stacked_grid(stream, dtype, lists, shape);
}

// ---- Grids of ranges

bool is_whole(const gpuopt_scalar &s) { return s.kind == 'i' || s.kind == 'u' || s.kind == '?'; }

double real_of(const gpuopt_scalar &s) {
  return s.kind == 'f' || s.kind == 'c' ? s.value.f
         : s.kind == 'u'                ? static_cast<double>(s.value.u)
                                        : static_cast<double>(s.value.i);
}

// Returns the numbers from start to stop: at a distance or, with a complex step, as many as its magnitude says.
ArrayRef range_list(gpuopt_device device, const gpuopt_scalar &start, const gpuopt_scalar &stop,
                    const gpuopt_scalar &step, const char *what) {
  check_scalar(start, what), check_scalar(stop, what), check_scalar(step, what);
  if (start.kind == 'c' || stop.kind == 'c') fail(GPUOPT_ERR_TYPE, "%s: complex numbers bound no range", what);
  if (step.kind != 'c') return made_by(gpuopt_arange, what, device, gpuopt_dtype{0}, start, stop, step);
  const double count = std::floor(std::hypot(step.value.f, step.imag));
  if (!(count < 0x1p62)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: too many numbers", what);
  return linspace(device->default_stream, GPUOPT_FLOAT64, real_of(start), real_of(stop), static_cast<int64_t>(count),
                  true);
}

// Returns the list of each axis, all in one dtype.
std::vector<ArrayRef> range_lists(gpuopt_device device, int32_t ndim, const gpuopt_scalar *start,
                                  const gpuopt_scalar *stop, const gpuopt_scalar *step, const char *what) {
  deref(device, what);
  check_grid(ndim, GPUOPT_MAX_NDIM, what);
  if (ndim && (!start || !stop || !step)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a list is missing", what);
  bool whole = true;
  for (int i = 0; i < ndim; ++i) whole = whole && is_whole(start[i]) && is_whole(stop[i]) && is_whole(step[i]);
  std::vector<ArrayRef> lists;
  for (int i = 0; i < ndim; ++i) {
    const ArrayRef list = range_list(device, start[i], stop[i], step[i], what);
    lists.push_back(in_dtype(list.get(), whole ? GPUOPT_INT64 : GPUOPT_FLOAT64));
  }
  return lists;
}

ArrayRef mgrid(gpuopt_device device, int32_t ndim, const gpuopt_scalar *start, const gpuopt_scalar *stop,
               const gpuopt_scalar *step) {
  const std::vector<ArrayRef> lists = range_lists(device, ndim, start, stop, step, "mgrid");
  check_grid(ndim, GPUOPT_MAX_NDIM - 1, "mgrid");
  Dims shape;
  for (const ArrayRef &list : lists) shape.push_back(list->size);
  return stacked_grid(device->default_stream, lists.empty() ? GPUOPT_FLOAT64 : lists[0]->dtype, lists, shape);
}

std::vector<ArrayRef> ogrid(gpuopt_device device, int32_t ndim, const gpuopt_scalar *start, const gpuopt_scalar *stop,
                            const gpuopt_scalar *step) {
  std::vector<ArrayRef> lists = range_lists(device, ndim, start, stop, step, "ogrid");
  for (int axis = 0; axis < ndim; ++axis) {
    ArrayRef &list = lists[static_cast<size_t>(axis)];
    list = along_axis(list, axis, ndim);
  }
  return lists;
}

// ---- Functions of indices

// A kernel that computes an element from its indices.
struct IndexKernel {
  gpuopt_kernel kernel = nullptr;
  IndexKernel(int32_t ndim, gpuopt_dtype dtype, const char *expression) {
    std::string inputs;
    for (int i = 0; i < ndim; ++i) inputs += (i ? ", int64 i" : "int64 i") + std::to_string(i);
    const std::string output = std::string(dtype_name(dtype)) + " result_";
    const std::string body = "result_ = (" + std::string(expression) + ")";
    SlotError error;
    const gpuopt_status status = gpuopt_elementwise_kernel(inputs.c_str(), output.c_str(), body.c_str(), "fromfunction",
                                                           nullptr, &kernel, &error);
    check_slot(status, error, "fromfunction");
  }
  ~IndexKernel() { gpuopt_kernel_release(kernel); }
  IndexKernel(const IndexKernel &) = delete;
  IndexKernel &operator=(const IndexKernel &) = delete;
};

ArrayRef fromfunction(gpuopt_device device, gpuopt_dtype asked, int32_t ndim, const int64_t *shape,
                      const char *expression) {
  const char *const what = "fromfunction";
  if (!expression) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the expression is NULL", what);
  const gpuopt_dtype dtype = dtype_or(asked, GPUOPT_FLOAT64, what);
  const gpuopt_stream stream = deref(device, what).default_stream;
  checked_size(ndim, shape, dtype_size(dtype));
  ArrayRef result = make_array(stream, dtype, ndim, shape);
  if (!result->size) return result;
  std::vector<ArrayRef> operands;
  for (int axis = 0; axis < ndim; ++axis) operands.push_back(along_axis(iota(stream, shape[axis]).array(), axis, ndim));
  operands.push_back(result);
  const IndexKernel index_kernel(ndim, dtype, expression);
  const std::vector<gpuopt_array> raw = handles(operands);
  SlotError error;
  const gpuopt_status status =
      gpuopt_kernel_call(index_kernel.kernel, static_cast<int32_t>(raw.size()), raw.data(), nullptr, nullptr, &error);
  check_slot(status, error, what);
  return result;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_indices(gpuopt_device device, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                             gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return indices(device, dtype, ndim, shape); });
}

gpuopt_status gpuopt_mgrid(gpuopt_device device, int32_t ndim, const gpuopt_scalar *start, const gpuopt_scalar *stop,
                           const gpuopt_scalar *step, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return mgrid(device, ndim, start, stop, step); });
}

gpuopt_status gpuopt_ogrid(gpuopt_device device, int32_t ndim, const gpuopt_scalar *start, const gpuopt_scalar *stop,
                           const gpuopt_scalar *step, gpuopt_array *results, gpuopt_error *error) {
  return giving_all(ndim, results, error, [&] { return ogrid(device, ndim, start, stop, step); });
}

gpuopt_status gpuopt_fromfunction(gpuopt_device device, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                                  const char *expression, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return fromfunction(device, dtype, ndim, shape, expression); });
}

}  // extern "C"
