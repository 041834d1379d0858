// core/sorting/weighted_quantile.cpp -- gpuopt_quantile_weighted and its like: quantiles of elements that count by
// their weights, as the inverse of the distribution function.
#include <cmath>

#include "core/engine/library_call.h"
#include "core/ops/join.h"
#include "core/ops/reduce.h"
#include "core/ops/select.h"
#include "core/sorting/sort.h"

namespace gpuopt {
namespace {

// What is asked of one array.
struct Weighted {
  const char *what;
  gpuopt_array x, q, weights;
  double whole;  // 1, or 100 for percentiles
  bool without_nan;
  gpuopt_reduce_options options;
  uint64_t mask;  // of the axes

  bool reduces(int axis) const { return mask >> axis & 1; }
};

// Returns x, of the shape of the array, with the axes that are not reduced first, and one of all others behind them.
ArrayRef weighted_lines(const Weighted &w, gpuopt_array x, Dims &kept) {
  std::vector<int64_t> order;
  Dims shape;
  int64_t length = 1;
  for (int i = 0; i < w.x->ndim; ++i) {
    if (!w.reduces(i)) order.push_back(i), shape.push_back(w.x->shape[i]);
  }
  kept = shape;
  for (int i = 0; i < w.x->ndim; ++i) {
    if (w.reduces(i)) order.push_back(i), length *= w.x->shape[i];
  }
  shape.push_back(length);
  return reshaped_view(raveled(permuted_view(x, order.data()).get()).get(), shape);
}

// Returns weights that are given in the shape of the axes, in their order, in the shape of the array.
ArrayRef weights_along_axes(const Weighted &w, gpuopt_array weights) {
  const gpuopt_reduce_options &o = w.options;
  if (!o.axes) fail(GPUOPT_ERR_TYPE, "%s: Axis must be specified when shapes of a and weights differ.", w.what);
  std::vector<int64_t> places(static_cast<size_t>(w.x->ndim), 0), order;
  bool fits = weights->ndim == o.naxes;
  for (int32_t i = 0; i < o.naxes && fits; ++i) {
    const int axis = checked_axis(o.axes[i], w.x->ndim, w.what);
    places[static_cast<size_t>(axis)] = i;
    fits = weights->shape[i] == w.x->shape[axis];
  }
  if (!fits)
    fail(GPUOPT_ERR_SHAPE, "%s: Shape of weights must be consistent with shape of a along specified axis.", w.what);
  Dims shape;
  for (int i = 0; i < w.x->ndim; ++i) {
    if (w.reduces(i)) order.push_back(places[static_cast<size_t>(i)]);
    shape.push_back(w.reduces(i) ? w.x->shape[i] : 1);
  }
  const ArrayRef line = raveled(permuted_view(weights, order.data()).get());
  return broadcast_view(reshaped_view(line.get(), shape).get(), w.x->sizes(), w.what);
}

// Returns the weights in the shape of the array, checked.
ArrayRef checked_weights(const Weighted &w) {
  if (dtype_kind(w.weights->dtype) == 'c') fail(GPUOPT_ERR_TYPE, "%s: the weights are complex", w.what);
  const auto sizes = w.weights->sizes(), wanted = w.x->sizes();
  const bool same = std::equal(sizes.begin(), sizes.end(), wanted.begin(), wanted.end());
  ArrayRef weights = same ? ArrayRef::share(w.weights) : weights_along_axes(w, w.weights);
  if (any_of(apply_op(GPUOPT_OP_less, Value(w.weights), Value(int64_t{0}))))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Weights must be non-negative.", w.what);
  return weights;
}

// Returns the quantiles as parts of 1: a number in x's dtype, if that is a floating one.
Value fractions(const Weighted &w) {
  const bool real = dtype_kind(w.x->dtype) == 'f';
  const gpuopt_dtype dtype = w.q->weak ? real ? w.x->dtype : GPUOPT_FLOAT64 : as_inexact_dtype(w.q->dtype);
  if (dtype_kind(w.q->weak ? promote_weak(0, w.q->scalar.kind) : dtype) == 'c')
    fail(GPUOPT_ERR_TYPE, "%s: q is complex", w.what);
  const Value given = in_dtype_on(w.x->stream.get(), w.q, dtype);
  const Value q = w.whole == 1 ? given : given / Value(w.whole);
  const Value fits = logical_and(greater_equal(q, Value(int64_t{0})), less_equal(q, Value(int64_t{1})));
  if (any_of(logical_not(fits)))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %s", w.what,
         w.whole == 1 ? "Quantiles must be in the range [0, 1]" : "Percentiles must be in the range [0, 100]");
  return q;
}

// The lines of an array in order, what each element's weight and those before it are of the whole, and which lines have
// no number at all.
struct Shares {
  Dims kept;
  int64_t length;
  ArrayRef lines, shares, last;  // last: the elements at the end of each line
  ArrayRef empty;                // NULL unless NaN is left out
};

Value end_of(gpuopt_array x, int axis, int64_t length) {
  const int64_t last = axis;
  return squeezed_view(part_view(x, axis, length - 1, 1).get(), 1, &last);
}

Value lines_where_all(const Value &x, int axis) {
  return record_reduction(GPUOPT_REDUCTION_all, x.get(), uint64_t{1} << axis, false, 0);
}

Shares shares_of(const Weighted &w, gpuopt_dtype dtype) {
  Shares s;
  const ArrayRef given = checked_weights(w), x = weighted_lines(w, w.x, s.kept);
  Value weights = weighted_lines(w, given.get(), s.kept);
  const int axis = static_cast<int>(s.kept.size());
  s.length = x->shape[axis];
  if (s.length == 0) fail(GPUOPT_ERR_INDEX, "%s: no elements have no quantile", w.what);
  const bool may_be_nan = dtype_kind(w.x->dtype) == 'f';
  if (may_be_nan && w.without_nan) {
    const Value absent = isnan(Value(x));
    weights = where(absent, Value(int64_t{0}), weights);
    s.empty = lines_where_all(absent, axis).array();
  }
  const ArrayRef order = sort_order(x.get(), axis, false, w.what);
  s.lines = taken_along(x.get(), order.get(), axis);
  const ArrayRef sorted_weights = taken_along(weights.get(), order.get(), axis);
  const Value sums = record_scan(GPUOPT_SCAN_cumulative_sum, sorted_weights.get(), axis, GPUOPT_FLOAT64);
  const Value shares = sums / Value(part_view(sums.get(), axis, s.length - 1, 1));
  Value wrong = isnan(end_of(shares.get(), axis, s.length));
  if (s.empty) wrong = logical_and(wrong, logical_not(Value(s.empty)));
  if (any_of(wrong)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: Weights included NaN, inf or were all zero.", w.what);
  const Value rounded = cast(shares, dtype);
  s.shares = where(equal(rounded, Value(int64_t{0})), Value(int64_t{-1}), rounded).array();  // q of 0 passes these
  s.last = end_of(s.lines.get(), axis, s.length).array();
  return s;
}

// Returns, for each quantile, the first elements whose shares reach it: an array of shape q + the axes that are kept.
Value elements_reached(const Shares &s, const Value &q) {
  const int nq = q.get()->ndim, axis = nq + static_cast<int>(s.kept.size());
  Dims columns(q.get()->shape, q.get()->shape + nq), flat = s.kept, whole = s.kept;
  columns.resize(static_cast<size_t>(axis) + 1, 1);
  const Value below = apply_op(GPUOPT_OP_less, Value(s.shares), Value(reshaped(q.get(), columns)));
  const Value count = record_reduction(GPUOPT_REDUCTION_count_nonzero, below.get(), uint64_t{1} << axis, false, 0);
  const Value at = cast(apply_op(GPUOPT_OP_minimum, count, Value(s.length - 1)), GPUOPT_INT64);
  flat.insert(flat.begin(), q.get()->size), flat.push_back(1);
  whole.insert(whole.begin(), q.get()->size), whole.push_back(s.length);
  const ArrayRef indices = reshaped(at.get(), flat);
  const ArrayRef lines = broadcast_view(s.lines.get(), whole, "quantile");
  return reshaped(taken_along(lines.get(), indices.get(), static_cast<int>(flat.size()) - 1).get(),
                  Dims(at.get()->shape, at.get()->shape + at.get()->ndim));
}

ArrayRef weighted_quantiles(const Weighted &w) {
  const Value q = fractions(w);
  const Shares s = shares_of(w, q.dtype());
  Value result = elements_reached(s, q);
  if (dtype_kind(w.x->dtype) == 'f') {
    const Value missing = s.empty ? Value(s.empty) : isnan(Value(s.last));
    result = where(missing, Value(std::nan("")), result);
  }
  Dims shape(q.get()->shape, q.get()->shape + q.get()->ndim);
  for (int i = 0; i < w.x->ndim; ++i) {
    if (!w.reduces(i) || w.options.keepdims) shape.push_back(w.reduces(i) ? 1 : w.x->shape[i]);
  }
  checked_size(static_cast<int>(shape.size()), shape.data(), dtype_size(w.x->dtype));
  return stored_in_out(w.options, reshaped(result.get(), shape), w.what);
}

gpuopt_status give_weighted(const char *what, gpuopt_array x, gpuopt_array q, gpuopt_array weights, double whole,
                            bool without_nan, const gpuopt_reduce_options *options, gpuopt_array *result,
                            gpuopt_error *error) noexcept {
  return giving(result, error, [&] {
    deref_strong(x, what), deref(q, what), deref_strong(weights, what);
    const auto o = options_or_default(options, what);
    if (o.naxes < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the number of axes is negative", what);
    refuse_where_and_initial(o, what);
    if (dtype_kind(x->dtype) == 'c') fail(GPUOPT_ERR_TYPE, "%s: complex numbers have no order", what);
    check_same_device(what, {x, weights});
    if (!q->weak) check_same_device(what, {x, q});
    return weighted_quantiles({what, x, q, weights, whole, without_nan, o, axis_mask(o.naxes, o.axes, x->ndim, what)});
  });
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_quantile_weighted(gpuopt_array x, gpuopt_array q, gpuopt_array weights,
                                       const gpuopt_reduce_options *options, gpuopt_array *result,
                                       gpuopt_error *error) {
  return give_weighted("quantile_weighted", x, q, weights, 1, false, options, result, error);
}

gpuopt_status gpuopt_percentile_weighted(gpuopt_array x, gpuopt_array q, gpuopt_array weights,
                                         const gpuopt_reduce_options *options, gpuopt_array *result,
                                         gpuopt_error *error) {
  return give_weighted("percentile_weighted", x, q, weights, 100, false, options, result, error);
}

gpuopt_status gpuopt_nanquantile_weighted(gpuopt_array x, gpuopt_array q, gpuopt_array weights,
                                          const gpuopt_reduce_options *options, gpuopt_array *result,
                                          gpuopt_error *error) {
  return give_weighted("nanquantile_weighted", x, q, weights, 1, true, options, result, error);
}

gpuopt_status gpuopt_nanpercentile_weighted(gpuopt_array x, gpuopt_array q, gpuopt_array weights,
                                            const gpuopt_reduce_options *options, gpuopt_array *result,
                                            gpuopt_error *error) {
  return give_weighted("nanpercentile_weighted", x, q, weights, 100, true, options, result, error);
}

}  // extern "C"
