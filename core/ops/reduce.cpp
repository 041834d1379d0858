// core/ops/reduce.cpp -- the C functions of reductions and scans, and of statistics composed of recorded operations.
#include "core/ops/reduce.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/array/view.h"
#include "core/engine/engine.h"
#include "core/engine/expression.h"
#include "core/engine/record.h"
#include "core/engine/small.h"
#include "core/engine/transfer.h"

namespace gpuopt {

void refuse_where_and_initial(const gpuopt_reduce_options &options, const char *what) {
  if (options.where || options.initial)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: where and initial are no options of it", what);
}

ArrayRef stored_in_out(const gpuopt_reduce_options &options, ArrayRef result, const char *what) {
  if (!options.out) return result;
  const gpuopt_array_s &out = deref_strong(options.out, what);
  if (!std::ranges::equal(out.sizes(), result->sizes())) {
    fail(GPUOPT_ERR_SHAPE, "%s: the result has shape %s, the output array has %s", what,
         shape_text(result->ndim, result->shape).c_str(), shape_text(out.ndim, out.shape).c_str());
  }
  record_assign(options.out, result.get());
  return ArrayRef::share(options.out);
}

namespace {

// The contents of gpuopt_reduce_options, checked against an array.
struct Axes {
  uint64_t mask;  // the axes to reduce, as a bit mask
  bool keepdims;
  gpuopt_dtype dtype;  // 0 for the default
  double correction;
  const gpuopt_scalar *initial;
  gpuopt_reduce_options options;
  std::optional<Value> where{};  // a view with the array's shape
  int64_t count = 1;             // how many elements are reduced to each element of the result
};

Value read_where(gpuopt_array where, const gpuopt_array_s &x, const char *what) {
  if (deref_strong(where, what).dtype != GPUOPT_BOOL) {
    fail(GPUOPT_ERR_TYPE,
         "%s: where: Cannot cast array data from dtype('%s') to dtype('bool') according to the rule "
         "'safe'",
         what, dtype_name(where->dtype));
  }
  return broadcast_view(where, x.sizes(), what);
}

Axes read_axes(const gpuopt_reduce_options *options, const gpuopt_array_s &x, const char *what) {
  const auto o = options_or_default(options, what);
  if (o.naxes < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the number of axes is negative", what);
  Axes axes{axis_mask(o.naxes, o.axes, x.ndim, what),
            o.keepdims != 0,
            dtype_or(o.dtype, 0, what),
            o.correction,
            o.initial,
            o};
  if (o.where) axes.where = read_where(o.where, x, what);
  if (o.initial) check_scalar(*o.initial, what);
  if (o.out) deref_strong(o.out, what);
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

// Returns the variance or (`root`) the standard deviation in the dtype of the result. The square root is taken before
// the cast, so that a 16-bit result is rounded only once, and need not be able to hold the variance.
Value finish_spread(const Value &variance, bool root, const Value &x, const Axes &axes) {
  const Value spread = root ? sqrt(variance) : variance;
  return finish(cast(spread, real_component(statistic_dtype(x.dtype(), axes.dtype))), axes);
}

// Which elements count in a statistic of x: those of options.where and, if `skip_nan`, only those that are not NaN.
class Kept {
 public:
  Kept(const Value &x, const Axes &axes, bool skip_nan) : mask_(axes.where) {
    if (!skip_nan) return;
    const Value number = logical_not(isnan(x));
    mask_ = mask_ ? logical_and(number, *mask_) : number;
  }
  // Returns x with each element that does not count replaced by `neutral`.
  Value of(const Value &x, const Value &neutral) const { return mask_ ? where(*mask_, x, neutral) : x; }
  Value sum_of(const Value &x, const Axes &axes) const { return sum(of(x, Value(0.0)), axes); }
  // Returns how many elements count, in the real dtype of x.
  Value count(const Value &x, const Axes &axes) const {
    if (!mask_) return Value(static_cast<double>(axes.count));
    const Value count = record_reduction(GPUOPT_REDUCTION_count_nonzero, mask_->get(), axes.mask, true, 0);
    return cast(count, real_component(x.dtype()));
  }

 private:
  std::optional<Value> mask_;
};

template <bool skip_nan>
Value mean(const Value &x, const Axes &axes) {
  const Value wide = as_statistic(x, axes);
  const Kept kept(wide, axes, skip_nan);
  const Value quotient = kept.sum_of(wide, axes) / kept.count(wide, axes);
  return finish(cast(quotient, statistic_dtype(x.dtype(), axes.dtype)), axes);
}

// Returns the divisor of var: max(count - correction, 0), as numpy.var has it; in numpy.nanvar the result is NaN where
// no degree of freedom is left.
Value degrees_of_freedom(const Kept &kept, const Value &wide, const Axes &axes, bool skip_nan) {
  if (!skip_nan && !axes.where) return Value(std::fmax(static_cast<double>(axes.count) - axes.correction, 0.0));
  const Value freedom = kept.count(wide, axes) - Value(axes.correction);
  if (!skip_nan) return apply_op(GPUOPT_OP_maximum, freedom, Value(0.0));
  return where(less_equal(freedom, Value(0.0)), Value(NAN), freedom);
}

// var or (`root`) std: sum |x - mean|^2 / degrees_of_freedom().
template <bool root, bool skip_nan>
Value spread(const Value &x, const Axes &axes) {
  const Value wide = as_statistic(x, axes);
  const Kept kept(wide, axes, skip_nan);
  const Value centre = kept.sum_of(wide, axes) / kept.count(wide, axes);
  const Value deviation = kept.of(wide - centre, Value(0.0));
  const Value divisor = degrees_of_freedom(kept, wide, axes, skip_nan);
  return finish_spread(sum(squared_magnitude(deviation), axes) / divisor, root, x, axes);
}

bool may_be_nan(const gpuopt_array_s &x) { return dtype_kind(x.dtype) == 'f' || dtype_kind(x.dtype) == 'c'; }

// What a reduction does with `where` and `initial`: the operation that combines two of its results, and what elements
// that do not count are replaced by. Those without a neutral number take the initial one for that.
struct Combination {
  gpuopt_op op;  // -1: there is none
  int32_t neutral;
};
constexpr int32_t kNoNeutral = -1;

// Throws ERR_INVALID_ARGUMENT if the reduction has no such options.
Combination combination_of(gpuopt_reduction reduction, const Axes &axes, const char *what) {
  switch (reduction) {
    case GPUOPT_REDUCTION_sum:
      return {GPUOPT_OP_add, 0};
    case GPUOPT_REDUCTION_prod:
      return {GPUOPT_OP_multiply, 1};
    case GPUOPT_REDUCTION_any:
      return {GPUOPT_OP_logical_or, 0};
    case GPUOPT_REDUCTION_all:
      return {GPUOPT_OP_logical_and, 1};
    case GPUOPT_REDUCTION_min:
      return {GPUOPT_OP_minimum, kNoNeutral};
    case GPUOPT_REDUCTION_max:
      return {GPUOPT_OP_maximum, kNoNeutral};
    case GPUOPT_REDUCTION_nanmin:
      return {GPUOPT_OP_fmin, kNoNeutral};
    case GPUOPT_REDUCTION_nanmax:
      return {GPUOPT_OP_fmax, kNoNeutral};
    default:
      break;
  }
  if (axes.initial) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: initial is no option of it", what);
  if (reduction != GPUOPT_REDUCTION_count_nonzero)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: where is no option of it", what);
  return {-1, 0};
}

// Returns an array without dimensions with the number. Integers must fit the dtype; to bool any number can be cast.
Value number_of(const gpuopt_scalar &number, gpuopt_dtype dtype, gpuopt_stream stream) {
  unsigned char element[16];
  if (dtype == GPUOPT_BOOL) {
    store_scalar(number, dtype, element, true);
  } else {
    store_weak(number, dtype, element);
  }
  return record_constant(stream, dtype, 0, nullptr, element);
}

// Returns x with the elements that do not count replaced by what does not change the result.
Value only_counted(const Value &x, const Combination &combination, const Axes &axes, const char *what) {
  const gpuopt_stream stream = x.get()->stream.get();
  if (combination.neutral != kNoNeutral)
    return where(*axes.where, x, number_of(gpuopt_scalar_bool(combination.neutral), x.dtype(), stream));
  if (!axes.initial) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT,
         "%s: reduction operation '%s' does not have an identity, so to use a where mask one has to specify 'initial'",
         what, what);
  }
  return where(*axes.where, x, number_of(*axes.initial, x.dtype(), stream));
}

// The reduction of no elements to each of the results, which is the initial number. A sum gives shape and stream.
ArrayRef initial_alone(const Value &x, const Axes &axes) {
  const Value shape = record_reduction(GPUOPT_REDUCTION_any, x.get(), axes.mask, axes.keepdims, 0);
  const Value number = number_of(*axes.initial, x.dtype(), x.get()->stream.get());
  return record_copy(broadcast_view(number.get(), shape.get()->sizes(), "initial").get());
}

// A reduction with all of the options but `out`.
ArrayRef reduce(gpuopt_reduction reduction, const Value &given, const Axes &axes, const char *what) {
  if (!axes.where && !axes.initial) {
    ArrayRef made = reduce_small(reduction, given.get(), axes.mask, axes.keepdims, axes.dtype);
    return made ? made : record_reduction(reduction, given.get(), axes.mask, axes.keepdims, axes.dtype);
  }
  const Combination combination = combination_of(reduction, axes, what);
  const Value x = axes.where ? only_counted(given, combination, axes, what) : given;
  if (combination.neutral == kNoNeutral && axes.count == 0) return initial_alone(x, axes);
  const Value result = record_reduction(reduction, x.get(), axes.mask, axes.keepdims, axes.dtype);
  if (!axes.initial) return result.array();
  return apply_op(combination.op, number_of(*axes.initial, result.dtype(), result.get()->stream.get()), result).array();
}

// nansum or nanprod: a sum or product in which each NaN is replaced by `neutral`.
ArrayRef reduce_without_nan(gpuopt_reduction reduction, gpuopt_array x, const gpuopt_reduce_options *options,
                            double neutral, const char *what) {
  const Axes axes = read_axes(options, deref_strong(x, what), what);
  const Value clean = may_be_nan(*x) ? where(isnan(x), Value(neutral), x) : Value(x);
  return stored_in_out(axes.options, reduce(reduction, clean, axes, what), what);
}

// nanargmin or nanargmax: the position of the first element that equals the extreme (nanmin or nanmax) of its slice.
// Unlike replacing NaN by an infinity, this is right for slices that contain infinities. A slice without such an
// element has nothing but NaN, which is ERR_INVALID_ARGUMENT. Runs at once.
ArrayRef nan_position(gpuopt_reduction position, gpuopt_reduction extreme, gpuopt_array x, const Axes &axes,
                      const char *what) {
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

gpuopt_status give_nan_position(gpuopt_reduction position, gpuopt_reduction extreme, const char *what, gpuopt_array x,
                                const gpuopt_reduce_options *options, gpuopt_array *result,
                                gpuopt_error *error) noexcept {
  return giving(result, error, [&] {
    const Axes axes = read_axes(options, deref_strong(x, what), what);
    refuse_where_and_initial(axes.options, what);
    return stored_in_out(axes.options, nan_position(position, extreme, x, axes, what), what);
  });
}

using Statistic = Value (*)(const Value &, const Axes &);

gpuopt_status give_statistic(Statistic statistic, const char *what, gpuopt_array x,
                             const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error) noexcept {
  return giving(result, error, [&] {
    const Axes axes = read_axes(options, deref_strong(x, what), what);
    if (axes.dtype && dtype_kind(axes.dtype) != 'f' && dtype_kind(axes.dtype) != 'c') {
      fail(GPUOPT_ERR_TYPE, "%s: dtype %s is not a floating dtype", what, dtype_name(axes.dtype));
    }
    if (axes.initial) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: initial is no option of it", what);
    return stored_in_out(axes.options, statistic(x, axes).array(), what);
  });
}

gpuopt_status give_reduction(gpuopt_reduction reduction, gpuopt_array x, const gpuopt_reduce_options *options,
                             gpuopt_array *result, gpuopt_error *error) noexcept {
  return giving(result, error, [&] {
    const char *what = reduction_info(reduction).name;
    const Axes axes = read_axes(options, deref_strong(x, what), what);
    return stored_in_out(axes.options, reduce(reduction, x, axes, what), what);
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
  return give_statistic(mean<false>, "mean", x, options, result, error);
}

gpuopt_status gpuopt_var(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                         gpuopt_error *error) {
  return give_statistic(spread<false, false>, "var", x, options, result, error);
}

gpuopt_status gpuopt_std(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                         gpuopt_error *error) {
  return give_statistic(spread<true, false>, "std", x, options, result, error);
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
  return give_statistic(mean<true>, "nanmean", x, options, result, error);
}

gpuopt_status gpuopt_nanvar(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                            gpuopt_error *error) {
  return give_statistic(spread<false, true>, "nanvar", x, options, result, error);
}

gpuopt_status gpuopt_nanstd(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                            gpuopt_error *error) {
  return give_statistic(spread<true, true>, "nanstd", x, options, result, error);
}

gpuopt_status gpuopt_nanargmin(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                               gpuopt_error *error) {
  return give_nan_position(GPUOPT_REDUCTION_argmin, GPUOPT_REDUCTION_nanmin, "nanargmin", x, options, result, error);
}

gpuopt_status gpuopt_nanargmax(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                               gpuopt_error *error) {
  return give_nan_position(GPUOPT_REDUCTION_argmax, GPUOPT_REDUCTION_nanmax, "nanargmax", x, options, result, error);
}

}  // extern "C"
