// core/selection/along_axis.cpp -- gpuopt_apply_along_axis: a function of the caller's for each line along an axis.
#include "core/ops/join.h"
#include "core/selection/call.h"

namespace gpuopt {
namespace {

constexpr const char *kAlong = "apply_along_axis";

struct LineFunction {
  gpuopt_line_function function;
  void *context;

  // Returns what the function makes of a line. Throws its failure.
  ArrayRef operator()(const ArrayRef &line) const {
    gpuopt_array result = nullptr;
    SlotError error;
    const gpuopt_status status = function(line.get(), context, &result, &error);
    check_slot(status, error, kAlong);
    if (!result) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the function has given no array", kAlong);
    ArrayRef made = ArrayRef::adopt(result);
    if (made->weak) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the function has given a weak scalar", kAlong);
    return made;
  }
};

// Moves to the next index of a shape in C order. Returns false behind the last one.
bool next_index(Dims &index, std::span<const int64_t> shape) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i]) return true;
    index[i] = 0;
  }
  return false;
}

// Returns the part of x at an index of its first axes.
ArrayRef at_index(const ArrayRef &x, const Dims &index) {
  const int64_t rest = x->ndim - static_cast<int64_t>(index.size());
  int64_t offset = x->offset;
  for (size_t i = 0; i < index.size(); ++i) offset += index[i] * x->strides[i];
  const int64_t *const shape = x->shape + index.size(), *const strides = x->strides + index.size();
  return restrided(x.get(), Dims(shape, shape + rest), Dims(strides, strides + rest), offset, x->read_only);
}

// The result while it is made: the axes of the lines' places in front, those of what the function gives behind.
struct Results {
  ArrayRef whole, first;

  Results(const Dims &outer, ArrayRef made) : first(std::move(made)) {
    Dims shape = outer;
    shape.insert(shape.end(), first->shape, first->shape + first->ndim);
    if (shape.size() > GPUOPT_MAX_NDIM)
      fail(GPUOPT_ERR_SHAPE, "%s: the result would have more than %d dimensions", kAlong, GPUOPT_MAX_NDIM);
    checked_size(static_cast<int>(shape.size()), shape.data(), dtype_size(first->dtype));
    whole = zeros_of(first->stream.get(), first->dtype, shape);
  }
  void store(const Dims &index, const ArrayRef &made) const {
    check_same_device(kAlong, {first.get(), made.get()});
    if (!std::ranges::equal(made->sizes(), first->sizes()))
      fail(GPUOPT_ERR_SHAPE, "%s: the function has given shapes %s and %s", kAlong,
           shape_text(first->ndim, first->shape).c_str(), shape_text(made->ndim, made->shape).c_str());
    record_assign(at_index(whole, index).get(), in_dtype(made.get(), first->dtype).get());
  }
};

ArrayRef apply_along_axis(gpuopt_array x, int64_t given_axis, const LineFunction &function) {
  deref_strong(x, kAlong);
  if (!function.function) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the function is NULL", kAlong);
  const int64_t axis = checked_axis(given_axis, x->ndim, kAlong), last = x->ndim - 1;
  const ArrayRef moved = moved_axes(x, 1, &axis, &last);
  const Dims outer(moved->shape, moved->shape + last);
  if (std::ranges::find(outer, 0) != outer.end())
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Cannot apply_along_axis when any iteration dimensions are 0", kAlong);
  Dims index(outer.size(), 0);
  const Results results(outer, function(at_index(moved, index)));
  results.store(index, results.first);
  while (next_index(index, outer)) results.store(index, function(at_index(moved, index)));
  const int inner = results.first->ndim;
  Dims from, to;
  for (int i = 0; i < inner; ++i) {
    from.push_back(last + i);
    to.push_back(axis + i);
  }
  return moved_axes(results.whole.get(), inner, from.data(), to.data());
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_apply_along_axis(gpuopt_array x, int64_t axis, gpuopt_line_function function, void *context,
                                      gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return apply_along_axis(x, axis, {function, context}); });
}

}  // extern "C"
