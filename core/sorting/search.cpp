// core/sorting/search.cpp -- gpuopt_searchsorted, digitize, bincount and histogram.
#include "core/engine/library_call.h"
#include "core/ops/create.h"
#include "core/ops/select.h"
#include "core/sorting/bins.h"

namespace gpuopt {
namespace {

// ---- searchsorted, digitize

// Returns a[sorter], with NumPy's checks.
ArrayRef in_order_of(gpuopt_array sorter, gpuopt_array a) {
  check_same_device("searchsorted", {a, sorter});
  const ArrayRef order = int64_indices("searchsorted", sorter);
  check_one_dimension(*order, "the sorter", "searchsorted");
  if (order->size != a->size) {
    fail(GPUOPT_ERR_SHAPE, "searchsorted: the sorter has %lld elements and the array %lld",
         static_cast<long long>(order->size), static_cast<long long>(a->size));
  }
  if (!order->size) return ArrayRef::share(a);
  const Extremes<int64_t> range(order.get(), GPUOPT_INT64);
  if (range.least < 0 || range.greatest >= a->size) {
    fail(GPUOPT_ERR_INDEX, "searchsorted: the sorter's index %lld is out of range for %lld elements",
         static_cast<long long>(range.least < 0 ? range.least : range.greatest), static_cast<long long>(a->size));
  }
  return take(a, order.get(), 0);
}

// Searches in the dtype that both promote to; a weak value is a number without dimensions.
ArrayRef search_in(gpuopt_array a, gpuopt_array values, bool right, const char *what) {
  const gpuopt_array both[] = {a, values};
  const gpuopt_dtype dtype = common_dtype(both);
  const ArrayRef typed = in_dtype_on(a->stream.get(), values, dtype);
  return places_in(in_dtype(a, dtype).get(), typed.get(), right, what);
}

ArrayRef searchsorted(gpuopt_array a, gpuopt_array values, bool right, gpuopt_array sorter) {
  check_one_dimension(deref_strong(a, "searchsorted"), "the sorted array", "searchsorted");
  if (!deref(values, "searchsorted").weak) check_same_device("searchsorted", {a, values});
  const ArrayRef ordered = sorter ? in_order_of(&deref(sorter, "searchsorted"), a) : ArrayRef::share(a);
  return search_in(ordered.get(), values, right, "searchsorted");
}

ArrayRef digitize(gpuopt_array x, gpuopt_array bins, bool right) {
  check_same_device("digitize", {x, bins});
  check_one_dimension(*bins, "the bins", "digitize");
  if (is_complex_dtype(x->dtype) || is_complex_dtype(bins->dtype))
    fail(GPUOPT_ERR_TYPE, "digitize: complex numbers have no order");
  if (!any_neighbours(GPUOPT_OP_greater, bins)) return search_in(bins, x, !right, "digitize");
  if (any_neighbours(GPUOPT_OP_less, bins))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "digitize: bins must be monotonically increasing or decreasing");
  const ArrayRef ascending = flipped_view(bins, 0, nullptr);
  return (Value(bins->size) - Value(search_in(ascending.get(), x, !right, "digitize"))).array();
}

// ---- bincount

ArrayRef bincount(gpuopt_array x, gpuopt_array weights, int64_t minlength) {
  check_one_dimension(deref_strong(x, "bincount"), "the array", "bincount");
  if (minlength < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "bincount: the minimal length is negative");
  if (x->size && x->dtype != GPUOPT_UINT64 && !can_cast(x->dtype, GPUOPT_INT64, 0))  // 2^63 and more become negative
    fail(GPUOPT_ERR_TYPE, "bincount: dtype %s cannot be cast to int64 safely", dtype_name(x->dtype));
  const ArrayRef heavy = weights ? checked_weights(x, &deref(weights, "bincount"), "bincount") : ArrayRef();
  const ArrayRef numbers = in_dtype(x, GPUOPT_INT64);
  if (x->size) {
    const Extremes<int64_t> range(numbers.get(), GPUOPT_INT64);
    if (range.least < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "bincount: there are negative elements");
    if (range.greatest == INT64_MAX) fail(GPUOPT_ERR_OUT_OF_MEMORY, "bincount: too many bins");
    minlength = std::max(minlength, range.greatest + 1);
  }
  return binned(numbers.get(), heavy.get(), minlength, "bincount");
}

// ---- histogram

Value as_density(const Value &counts, const Value &edges) {
  const int64_t bins = counts.get()->size;
  const Value wide = cast(edges, GPUOPT_FLOAT64), heights = cast(counts, GPUOPT_FLOAT64);
  const Value all = record_reduction(GPUOPT_REDUCTION_sum, heights.get(), ~uint64_t{0}, false, 0);
  return heights / (part(wide, 1, bins + 1) - part(wide, 0, bins)) / all;
}

ArrayRef histogram_between(gpuopt_array x, gpuopt_array edges, gpuopt_array weights, bool density) {
  const ArrayRef heavy = weights ? checked_weights(x, &deref(weights, "histogram"), "histogram") : ArrayRef();
  const ArrayRef line = raveled(x), numbers = bin_numbers(line.get(), edges, "histogram");
  const Value counts = binned(numbers.get(), heavy.get(), edges->size - 1, "histogram");
  if (density) return as_density(counts, edges).array();
  return weights ? in_dtype(counts.get(), weights->dtype) : counts.array();
}

void check_histogram_operand(const gpuopt_array_s &x) {
  if (is_complex_dtype(x.dtype)) fail(GPUOPT_ERR_TYPE, "histogram: complex numbers have no order");
}

std::vector<ArrayRef> histogram(gpuopt_array given, int64_t bins, const double *range, gpuopt_array weights,
                                bool density) {
  check_histogram_operand(deref_strong(given, "histogram"));
  if (bins < 1) fail(GPUOPT_ERR_INVALID_ARGUMENT, "histogram: there must be one bin at least");
  const ArrayRef x = given->dtype == GPUOPT_BOOL ? in_dtype(given, GPUOPT_UINT8) : ArrayRef::share(given);
  const Interval interval = histogram_range(x.get(), range, "histogram");
  const ArrayRef edges =
      linspace(x->stream.get(), as_inexact_dtype(x->dtype), interval.first, interval.last, bins + 1, true);
  if (any_neighbours(GPUOPT_OP_greater_equal, edges.get()))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "histogram: Too many bins for data range. Cannot create %lld finite-sized bins.",
         static_cast<long long>(bins));
  return {histogram_between(x.get(), edges.get(), weights, density), edges};
}

ArrayRef histogram_with(gpuopt_array x, gpuopt_array edges, gpuopt_array weights, bool density) {
  check_same_device("histogram", {x, edges});
  check_histogram_operand(*x);
  check_histogram_operand(*edges);
  check_one_dimension(*edges, "the list of edges", "histogram");
  if (edges->size < 1) fail(GPUOPT_ERR_INVALID_ARGUMENT, "histogram: there must be an edge at least");
  if (any_neighbours(GPUOPT_OP_greater, edges))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "histogram: edges must increase monotonically");
  return histogram_between(x, edges, weights, density);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_searchsorted(gpuopt_array x, gpuopt_array values, int32_t right, gpuopt_array sorter,
                                  gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return searchsorted(x, values, right != 0, sorter); });
}

gpuopt_status gpuopt_digitize(gpuopt_array x, gpuopt_array bins, int32_t right, gpuopt_array *result,
                              gpuopt_error *error) {
  return giving(result, error, [&] { return digitize(&deref(x, "digitize"), &deref(bins, "digitize"), right != 0); });
}

gpuopt_status gpuopt_bincount(gpuopt_array x, gpuopt_array weights, int64_t minlength, gpuopt_array *result,
                              gpuopt_error *error) {
  return giving(result, error, [&] { return bincount(x, weights, minlength); });
}

gpuopt_status gpuopt_histogram(gpuopt_array x, int64_t bins, const double *range, gpuopt_array weights, int32_t density,
                               gpuopt_array *counts, gpuopt_array *edges, gpuopt_error *error) {
  return giving_each({counts, edges}, error, [&] { return histogram(x, bins, range, weights, density != 0); });
}

gpuopt_status gpuopt_histogram_with(gpuopt_array x, gpuopt_array edges, gpuopt_array weights, int32_t density,
                                    gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return histogram_with(&deref(x, "histogram"), &deref(edges, "histogram"), weights, density != 0);
  });
}

}  // extern "C"
