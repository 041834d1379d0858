// core/ops/reduce.cpp -- the C functions of reductions and scans, and of statistics composed of recorded operations.
#include <algorithm>
#include <cmath>

#include "core/array/view.h"
#include "core/engine/engine.h"
#include "core/engine/expression.h"
#include "core/engine/record.h"
#include "core/engine/transfer.h"

namespace gpuopt {
namespace {

// The contents of gpuopt_reduce_options, checked against an array.
struct Axes {
  uint64_t mask;  // the axes to reduce, as a bit mask
  bool keepdims;
  gpuopt_dtype dtype;  // 0 for the default
  double correction;
  int64_t count = 1;  // how many elements are reduced to each element of the result
};

Axes read_axes(const gpuopt_reduce_options *options, const gpuopt_array_s &x, const char *what) {
  const auto o = options_or_default(options, what);
  if (o.naxes < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the number of axes is negative", what);
  Axes axes{axis_mask(o.naxes, o.axes, x.ndim, what), o.keepdims != 0, dtype_or(o.dtype, 0, what), o.correction};
  for (int i = 0; i < x.ndim; ++i) {
    if (axes.mask >> i & 1) axes.count *= x.shape[i];
  }
  return axes;
}

// Removes the reduced axes of a statistic unless keepdims is set. Until then they have size 1, so that all intermediate
// results can be broadcast to x.
Value finish(const Value &x, const Axes &axes) {
  if (axes.keepdims) return x;
  Dims shape, strides;
  for (int i = 0; i < x.get()->ndim; ++i) {
    if (axes.mask >> i & 1) continue;
    shape.push_back(x.get()->shape[i]);
    strides.push_back(x.get()->strides[i]);
  }
  return restrided(x.get(), shape, strides, x.get()->offset, x.get()->read_only);
}

// Keeps the reduced axes with size 1.
Value sum(const Value &x, const Axes &axes) {
  return record_reduction(GPUOPT_REDUCTION_sum, x.get(), axes.mask, true, 0);
}

// Returns the dtype of the mean of elements of dtype `x`, whose real component is that of var and std. `asked` is the
// caller's, or 0.
gpuopt_dtype statistic_dtype(gpuopt_dtype x, gpuopt_dtype asked) { return asked ? asked : as_inexact_dtype(x); }

// Returns x in the dtype in which a statistic is computed: that of the result, but float32 for 16-bit floats.
Value as_statistic(const Value &x, const Axes &axes) {
  const gpuopt_dtype dtype = statistic_dtype(x.dtype(), axes.dtype);
  return cast(x, is_half(dtype) ? GPUOPT_FLOAT32 : dtype);
}

Value squared_magnitude(const Value &x) {
  if (dtype_kind(x.dtype()) != 'c') return square(x);
  return square(apply_op(GPUOPT_OP_real, x)) + square(apply_op(GPUOPT_OP_imag, x));
}

Value mean(const Value &x, const Axes &axes) {
  const Value quotient = sum(as_statistic(x, axes), axes) / Value(static_cast<double>(axes.count));
  return finish(cast(quotient, statistic_dtype(x.dtype(), axes.dtype)), axes);
}

// Returns the variance or (`root`) the standard deviation in the dtype of the result. The square root is taken before
// the cast, so that a 16-bit result is rounded only once, and need not be able to hold the variance.
Value finish_spread(const Value &variance, bool root, const Value &x, const Axes &axes) {
  const Value spread = root ? sqrt(variance) : variance;
  return finish(cast(spread, real_component(statistic_dtype(x.dtype(), axes.dtype))), axes);
}

// var or (`root`) std: sum |x - mean|^2 / max(count - correction, 0).
template <bool root>
Value spread(const Value &x, const Axes &axes) {
  const Value wide = as_statistic(x, axes);
  const Value centre = sum(wide, axes) / Value(static_cast<double>(axes.count));
  const double divisor = std::fmax(static_cast<double>(axes.count) - axes.correction, 0.0);
  return finish_spread(sum(squared_magnitude(wide - centre), axes) / Value(divisor), root, x, axes);
}

// Returns x with each NaN replaced by a number.
Value without_nan(const Value &x, double number) { return where(isnan(x), Value(number), x); }

// Returns how many elements are not NaN, in the real dtype of x.
Value nan_count(const Value &x, const Axes &axes) {
  const Value count = record_reduction(GPUOPT_REDUCTION_count_nonzero, logical_not(isnan(x)).get(), axes.mask, true, 0);
  return cast(count, real_component(x.dtype()));
}

Value nanmean(const Value &x, const Axes &axes) {
  const Value wide = as_statistic(x, axes);
  const Value quotient = sum(without_nan(wide, 0), axes) / nan_count(wide, axes);
  return finish(cast(quotient, statistic_dtype(x.dtype(), axes.dtype)), axes);
}

template <bool root>
Value nan_spread(const Value &x, const Axes &axes) {
  const Value wide = as_statistic(x, axes);
  const Value count = nan_count(wide, axes);
  const Value centre = sum(without_nan(wide, 0), axes) / count;
  const Value deviation = where(isnan(wide), Value(0.0), wide - centre);
  const Value freedom = count - Value(axes.correction);
  // The result is NaN where no degree of freedom is left.
  const Value divisor = where(less_equal(freedom, Value(0.0)), Value(NAN), freedom);
  return finish_spread(sum(squared_magnitude(deviation), axes) / divisor, root, x, axes);
}

bool may_be_nan(const gpuopt_array_s &x) { return dtype_kind(x.dtype) == 'f' || dtype_kind(x.dtype) == 'c'; }

// nansum or nanprod: a sum or product in which each NaN is replaced by `neutral`.
ArrayRef reduce_without_nan(gpuopt_reduction reduction, gpuopt_array x, const gpuopt_reduce_options *options,
                            double neutral, const char *what) {
  const Axes axes = read_axes(options, deref_strong(x, what), what);
  const Value clean = may_be_nan(*x) ? without_nan(x, neutral) : Value(x);
  return record_reduction(reduction, clean.get(), axes.mask, axes.keepdims, axes.dtype);
}

// nanargmin or nanargmax: the position of the first element that equals the extreme (nanmin or nanmax) of its slice.
// Unlike replacing NaN by an infinity, this is right for slices that contain infinities. A slice without such an
// element has nothing but NaN, which is ERR_INVALID_ARGUMENT. Runs at once.
ArrayRef nan_position(gpuopt_reduction position, gpuopt_reduction extreme, gpuopt_array x,
                      const gpuopt_reduce_options *options, const char *what) {
  const Axes axes = read_axes(options, deref_strong(x, what), what);
  if (!may_be_nan(*x)) return record_reduction(position, x, axes.mask, axes.keepdims, 0);
  const Value hits = equal(x, record_reduction(extreme, x, axes.mask, true, 0));
  const Value first = record_reduction(GPUOPT_REDUCTION_argmax, hits.get(), axes.mask, axes.keepdims, 0);
  const Value hit = record_reduction(GPUOPT_REDUCTION_any, hits.get(), axes.mask, false, 0);
  const Value every = record_reduction(GPUOPT_REDUCTION_all, hit.get(), ~uint64_t{0}, false, 0);
  const gpuopt_array both[] = {first.get(), every.get()};
  evaluate(both);
  uint8_t found = 0;
  copy_to_host(every.get(), &found);
  if (!found) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: a slice has nothing but NaN", what);
  return first.array();
}

using Statistic = Value (*)(const Value &, const Axes &);

gpuopt_status give_statistic(Statistic statistic, const char *what, gpuopt_array x,
                             const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error) noexcept {
  return giving(result, error, [&] {
    const Axes axes = read_axes(options, deref_strong(x, what), what);
    if (axes.dtype && dtype_kind(axes.dtype) != 'f' && dtype_kind(axes.dtype) != 'c') {
      fail(GPUOPT_ERR_TYPE, "%s: dtype %s is not a floating dtype", what, dtype_name(axes.dtype));
    }
    return statistic(x, axes).array();
  });
}

gpuopt_status give_reduction(gpuopt_reduction reduction, gpuopt_array x, const gpuopt_reduce_options *options,
                             gpuopt_array *result, gpuopt_error *error) noexcept {
  return giving(result, error, [&] {
    const char *what = reduction_info(reduction).name;
    const Axes axes = read_axes(options, deref_strong(x, what), what);
    return record_reduction(reduction, x, axes.mask, axes.keepdims, axes.dtype);
  });
}

// Returns the scan with its identity, 1 or 0, inserted before the first element along the axis.
ArrayRef with_initial(const ArrayRef &scanned, int axis, bool one) {
  Shape shape;
  shape.ndim = scanned->ndim;
  std::copy_n(scanned->shape, shape.ndim, shape.sizes);
  ++shape.sizes[axis];
  unsigned char element[16];
  store_scalar(gpuopt_scalar_bool(one), scanned->dtype, element);
  ArrayRef result = record_constant(scanned->stream.get(), scanned->dtype, shape.ndim, shape.sizes, element);
  std::vector<gpuopt_index> items(static_cast<size_t>(axis) + 1,
                                  {GPUOPT_INDEX_SLICE, 0, GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL, 1});
  items.back().start = 1;
  record_assign(sliced_view(result.get(), axis + 1, items.data()).get(), scanned.get());
  return result;
}

gpuopt_status give_scan(gpuopt_scan scan, gpuopt_array x, int64_t axis, gpuopt_dtype dtype, bool include_initial,
                        gpuopt_array *result, gpuopt_error *error) noexcept {
  return giving(result, error, [&] {
    const char *what = scan_info(scan).name;
    const int along = checked_axis(axis, deref_strong(x, what).ndim, what);
    ArrayRef scanned = record_scan(scan, x, along, dtype_or(dtype, 0, what));
    return include_initial ? with_initial(scanned, along, scan == GPUOPT_SCAN_cumulative_prod) : scanned;
  });
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_reduce(gpuopt_reduction reduction, gpuopt_array x, const gpuopt_reduce_options *options,
                            gpuopt_array *result, gpuopt_error *error) {
  return give_reduction(reduction, x, options, result, error);
}

#define GPUOPT_REDUCTION(name, kinds, result_rule, doc)                                                   \
  gpuopt_status gpuopt_##name(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result, \
                              gpuopt_error *error) {                                                      \
    return give_reduction(GPUOPT_REDUCTION_##name, x, options, result, error);                            \
  }
#define GPUOPT_SCAN(name, kinds, result_rule, doc)                                                       \
  gpuopt_status gpuopt_##name(gpuopt_array x, int64_t axis, gpuopt_dtype dtype, int32_t include_initial, \
                              gpuopt_array *result, gpuopt_error *error) {                               \
    return give_scan(GPUOPT_SCAN_##name, x, axis, dtype, include_initial != 0, result, error);           \
  }
#include <gpuopt/ops.def>

gpuopt_status gpuopt_mean(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                          gpuopt_error *error) {
  return give_statistic(mean, "mean", x, options, result, error);
}

gpuopt_status gpuopt_var(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                         gpuopt_error *error) {
  return give_statistic(spread<false>, "var", x, options, result, error);
}

gpuopt_status gpuopt_std(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                         gpuopt_error *error) {
  return give_statistic(spread<true>, "std", x, options, result, error);
}

gpuopt_status gpuopt_nansum(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                            gpuopt_error *error) {
  return giving(result, error, [&] { return reduce_without_nan(GPUOPT_REDUCTION_sum, x, options, 0.0, "nansum"); });
}

gpuopt_status gpuopt_nanprod(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                             gpuopt_error *error) {
  return giving(result, error, [&] { return reduce_without_nan(GPUOPT_REDUCTION_prod, x, options, 1.0, "nanprod"); });
}

gpuopt_status gpuopt_nanmean(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                             gpuopt_error *error) {
  return give_statistic(nanmean, "nanmean", x, options, result, error);
}

gpuopt_status gpuopt_nanvar(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                            gpuopt_error *error) {
  return give_statistic(nan_spread<false>, "nanvar", x, options, result, error);
}

gpuopt_status gpuopt_nanstd(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                            gpuopt_error *error) {
  return give_statistic(nan_spread<true>, "nanstd", x, options, result, error);
}

gpuopt_status gpuopt_nanargmin(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                               gpuopt_error *error) {
  return giving(result, error, [&] {
    return nan_position(GPUOPT_REDUCTION_argmin, GPUOPT_REDUCTION_nanmin, x, options, "nanargmin");
  });
}

gpuopt_status gpuopt_nanargmax(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                               gpuopt_error *error) {
  return giving(result, error, [&] {
    return nan_position(GPUOPT_REDUCTION_argmax, GPUOPT_REDUCTION_nanmax, x, options, "nanargmax");
  });
}

}  // extern "C"
