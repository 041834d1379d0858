// core/statistics/differences.cpp -- gpuopt_diff, ptp and trapezoid: differences of neighbours and of extremes.
#include <algorithm>

#include "core/engine/expression.h"
#include "core/engine/library_call.h"
#include "core/ops/join.h"
#include "core/ops/reduce.h"
#include "core/sorting/sort.h"

namespace gpuopt {
namespace {

// Returns what is joined to x along the axis: an array without dimensions, or a number, becomes one element of each
// line.
ArrayRef joined_part(const ArrayRef &given, gpuopt_array x, int axis) {
  if (given->weak) {
    const gpuopt_array both[] = {x, given.get()};
    return joined_part(in_dtype_on(x->stream.get(), given.get(), common_dtype(both)), x, axis);
  }
  if (given->ndim) return given;
  Dims shape(x->shape, x->shape + x->ndim);
  shape[static_cast<size_t>(axis)] = 1;
  return broadcast_view(given.get(), shape, "diff");
}

// Returns x between what is joined to its ends. Either may be NULL.
ArrayRef extended(gpuopt_array x, gpuopt_array prepend, gpuopt_array append, int axis) {
  std::vector<ArrayRef> parts;
  if (prepend) parts.push_back(joined_part(ArrayRef::share(prepend), x, axis));
  parts.push_back(ArrayRef::share(x));
  if (append) parts.push_back(joined_part(ArrayRef::share(append), x, axis));
  if (parts.size() == 1) return parts[0];
  std::vector<gpuopt_array> raw;
  for (const ArrayRef &part : parts) raw.push_back(part.get());
  return joined(raw, axis, common_dtype(raw), "diff");
}

// Returns x[1:] and x[:-1] along an axis; both are empty if x has no element there.
struct Neighbours {
  Value next, previous;
  Neighbours(const Value &x, int axis) : Neighbours(x.get(), axis, std::max<int64_t>(x.get()->shape[axis] - 1, 0)) {}

 private:
  Neighbours(gpuopt_array x, int axis, int64_t count)
      : next(part_view(x, axis, count ? 1 : 0, count)), previous(part_view(x, axis, 0, count)) {}
};

Value difference(const Value &x, int axis) {
  const Neighbours of(x, axis);
  return apply_op(x.dtype() == GPUOPT_BOOL ? GPUOPT_OP_not_equal : GPUOPT_OP_subtract, of.next, of.previous);
}

ArrayRef diff(gpuopt_array x, int64_t n, int64_t given_axis, gpuopt_array prepend, gpuopt_array append) {
  deref_strong(x, "diff");
  if (n < 0)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "diff: order must be non-negative but got %lld", static_cast<long long>(n));
  if (!n) return ArrayRef::share(x);
  if (!x->ndim) fail(GPUOPT_ERR_SHAPE, "diff: diff requires input that is at least one dimensional");
  const int axis = checked_axis(given_axis, x->ndim, "diff");
  Value rest = extended(x, prepend, append, axis);
  do {
    rest = difference(rest, axis);
  } while (--n > 0 && rest.get()->shape[axis] > 0);
  return rest.array();
}

ArrayRef ptp(gpuopt_array x, const gpuopt_reduce_options *given) {
  deref_strong(x, "ptp");
  const auto options = options_or_default(given, "gpuopt_reduce_options");
  if (options.dtype || options.correction != 0)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "ptp: dtype and correction are no options of it");
  refuse_where_and_initial(options, "ptp");
  if (x->dtype == GPUOPT_BOOL) fail(GPUOPT_ERR_TYPE, "ptp: bool has no differences");
  const uint64_t axes = axis_mask(options.naxes, options.axes, x->ndim, "ptp");
  const bool keepdims = options.keepdims != 0;
  const Value most = record_reduction(GPUOPT_REDUCTION_max, x, axes, keepdims, 0);
  const Value range = most - record_reduction(GPUOPT_REDUCTION_min, x, axes, keepdims, 0);
  return stored_in_out(options, range.array(), "ptp");
}

// Returns the distances of the points along an axis of y.
Value distances(gpuopt_array x, int64_t given_axis, const gpuopt_array_s &y, int axis) {
  if (x->ndim != 1) return difference(x, checked_axis(given_axis, x->ndim, "trapezoid"));
  Dims shape(static_cast<size_t>(y.ndim), 1);
  shape[static_cast<size_t>(axis)] = -1;
  const Value d = difference(x, 0);
  shape[static_cast<size_t>(axis)] = d.get()->size;
  return reshaped_view(d.get(), shape);
}

ArrayRef trapezoid(gpuopt_array y, gpuopt_array x, double dx, int64_t given_axis) {
  deref_strong(y, "trapezoid");
  const int axis = checked_axis(given_axis, y->ndim, "trapezoid");
  if (x) check_same_device("trapezoid", {y, x});
  const Neighbours of(y, axis);
  const Value width = x ? distances(&deref_strong(x, "trapezoid"), given_axis, *y, axis) : Value(dx);
  const Value areas = width * (of.next + of.previous) / Value(2.0);
  const int summed = checked_axis(given_axis, areas.get()->ndim, "trapezoid");
  return record_reduction(GPUOPT_REDUCTION_sum, areas.get(), uint64_t{1} << summed, false, 0);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_diff(gpuopt_array x, int64_t n, int64_t axis, gpuopt_array prepend, gpuopt_array append,
                          gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return diff(x, n, axis, prepend, append); });
}

gpuopt_status gpuopt_ptp(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                         gpuopt_error *error) {
  return giving(result, error, [&] { return ptp(x, options); });
}

gpuopt_status gpuopt_trapezoid(gpuopt_array y, gpuopt_array x, double dx, int64_t axis, gpuopt_array *result,
                               gpuopt_error *error) {
  return giving(result, error, [&] { return trapezoid(y, x, dx, axis); });
}

}  // extern "C"
