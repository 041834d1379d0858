// core/sorting/bins.cpp -- extremes, edges and counts of bins, for histograms.
#include "core/sorting/bins.h"

#include <cmath>

#include "core/engine/library_call.h"

namespace gpuopt {

bool any_neighbours(gpuopt_op op, const Value &x) {
  const int64_t n = x.get()->size;
  return n > 1 && any_of(apply_op(op, part(x, 0, n - 1), part(x, 1, n)));
}

ArrayRef binned(gpuopt_array x, gpuopt_array weights, int64_t count, const char *what) {
  checked_size(1, &count, 8);
  ArrayRef out = make_array(x->stream.get(), weights ? GPUOPT_FLOAT64 : GPUOPT_INT64, 1, &count);
  if (!count) return out;
  LibraryCall call(GPUOPT_CALL_BINCOUNT, x->stream.get());
  call.input(x);
  if (weights) call.input(weights);
  call.output(out.get()).run(what, &gpuopt_plugin_api::sort);
  return out;
}

ArrayRef checked_weights(gpuopt_array x, gpuopt_array weights, const char *what) {
  check_same_device(what, {x, weights});
  if (is_complex_dtype(weights->dtype))
    fail(GPUOPT_ERR_TYPE, "%s: weights of dtype %s are not supported", what, dtype_name(weights->dtype));
  if (!std::ranges::equal(x->sizes(), weights->sizes())) {
    fail(GPUOPT_ERR_SHAPE, "%s: the weights have shape %s and the array has %s", what,
         shape_text(weights->ndim, weights->shape).c_str(), shape_text(x->ndim, x->shape).c_str());
  }
  return raveled(in_dtype(weights, GPUOPT_FLOAT64).get());
}

Interval histogram_range(gpuopt_array x, const double *given, const char *what) {
  Interval range{0, 1};
  if (given) {
    range = {given[0], given[1]};
    if (!std::isfinite(range.first) || !std::isfinite(range.last))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the range [%g, %g] is not finite", what, range.first, range.last);
    if (range.first > range.last)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the range's greatest number must not be less than its least", what);
  } else if (x->size) {
    const Extremes<double> extremes(x, GPUOPT_FLOAT64);
    range = {extremes.least, extremes.greatest};
    if (!std::isfinite(range.first) || !std::isfinite(range.last)) {
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the range of the elements, [%g, %g], is not finite", what, range.first,
           range.last);
    }
  }
  if (range.first == range.last) return {range.first - 0.5, range.last + 0.5};
  return range;
}

ArrayRef bin_numbers(gpuopt_array x, gpuopt_array edges, const char *what) {
  const gpuopt_array both[] = {x, edges};
  const gpuopt_dtype dtype = common_dtype(both);
  const Value elements = in_dtype(x, dtype), bounds = in_dtype(edges, dtype);
  const int64_t bins = edges->size - 1;
  const Value place = places_in(bounds.get(), elements.get(), true, what);
  return where(equal(elements, part(bounds, bins, bins + 1)), Value(bins - 1), place - Value(int64_t{1})).array();
}

}  // namespace gpuopt
