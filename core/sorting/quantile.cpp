// core/sorting/quantile.cpp -- gpuopt_median, quantile, percentile, and these without NaN: elements of sorted lines,
// and numbers between two of them.
#include <cmath>

#include "core/engine/library_call.h"
#include "core/engine/transfer.h"
#include "core/ops/join.h"
#include "core/ops/reduce.h"
#include "core/ops/select.h"
#include "core/sorting/sort.h"

namespace gpuopt {
namespace {

// ---- Places in a sorted line

// The median's way, which is no method of gpuopt_quantile(): the mean of the two elements in the middle.
constexpr gpuopt_quantile_method kMedian = -1;

// Between which two elements a quantile lies, and how far from the first to the second.
struct Place {
  int64_t before, after;
  double weight;
};

// Methods that give an element of the line as it is.
bool gives_elements(gpuopt_quantile_method method) {
  return method == GPUOPT_QUANTILE_LOWER || method == GPUOPT_QUANTILE_HIGHER || method == GPUOPT_QUANTILE_NEAREST ||
         method == GPUOPT_QUANTILE_INVERTED_CDF || method == GPUOPT_QUANTILE_CLOSEST_OBSERVATION;
}

// Returns the position from 0 on, with a fraction, as "Sample Quantiles in Statistical Packages" (Hyndman and Fan,
// 1996) has it for these two parameters.
double hyndman_fan(double n, double q, double alpha, double beta) {
  return n * q + (alpha + q * (1 - alpha - beta)) - 1;
}

double position_of(gpuopt_quantile_method method, double n, double q) {
  const double linear = (n - 1) * q, from_end = n * q - 1;
  const double floor = std::floor(from_end), closest = std::floor(from_end - 0.5);
  switch (method) {
    case GPUOPT_QUANTILE_LOWER:
      return std::floor(linear);
    case GPUOPT_QUANTILE_HIGHER:
      return std::ceil(linear);
    case GPUOPT_QUANTILE_NEAREST:
      return std::nearbyint(linear);
    case GPUOPT_QUANTILE_INVERTED_CDF:
      return from_end == floor ? floor : floor + 1;
    case GPUOPT_QUANTILE_CLOSEST_OBSERVATION:
      return from_end - 0.5 == closest && std::fmod(closest, 2) != 0 ? closest : closest + 1;
    case GPUOPT_QUANTILE_AVERAGED_INVERTED_CDF:
      return from_end;
    case GPUOPT_QUANTILE_INTERPOLATED_INVERTED_CDF:
      return hyndman_fan(n, q, 0, 1);
    case GPUOPT_QUANTILE_HAZEN:
      return hyndman_fan(n, q, 0.5, 0.5);
    case GPUOPT_QUANTILE_WEIBULL:
      return hyndman_fan(n, q, 0, 0);
    case GPUOPT_QUANTILE_MEDIAN_UNBIASED:
      return hyndman_fan(n, q, 1 / 3.0, 1 / 3.0);
    case GPUOPT_QUANTILE_NORMAL_UNBIASED:
      return hyndman_fan(n, q, 3 / 8.0, 3 / 8.0);
    default:
      return linear;  // also of midpoint and the median, whose weights differ
  }
}

double weight_of(gpuopt_quantile_method method, double fraction) {
  if (method == GPUOPT_QUANTILE_AVERAGED_INVERTED_CDF) return fraction == 0 ? 0.5 : 1;
  if (method == GPUOPT_QUANTILE_MIDPOINT) return fraction == 0 ? 0 : 0.5;
  return fraction;
}

// The place of a quantile in a line of n elements; a line without any is treated as if it had one.
Place place_in_line(gpuopt_quantile_method method, int64_t n, double q) {
  const double position = position_of(method, static_cast<double>(n), q);
  if (n < 2 || position < 0) return {0, 0, 0};
  if (position >= static_cast<double>(n - 1)) return {n - 1, n - 1, 0};
  const double before = std::floor(position);
  const auto first = static_cast<int64_t>(before);
  return {first, first + 1, weight_of(method, position - before)};
}

// ---- Values

// Returns the number that lies between two elements. `weight` is an array or a number.
Value between(const Value &before, const Value &after, const Value &weight) {
  const Value distance = after - before;
  const Value from_before = before + distance * weight, from_after = after - distance * (Value(1.0) - weight);
  return where(greater_equal(weight, Value(0.5)), from_after, from_before);
}

// What is asked of one array.
struct Request {
  std::vector<double> q;
  Dims q_shape;  // comes first in the shape of the result
  gpuopt_quantile_method method;
  bool without_nan;
  const char *what;
};

// The lines that the axes make, each sorted, as the last axis of an array; the other axes are those that are kept.
struct SortedLines {
  SortedLines(gpuopt_array x, uint64_t mask, const char *what) {
    std::vector<int64_t> order;
    for (int i = 0; i < x->ndim; ++i) {
      if (!(mask >> i & 1)) order.push_back(i), kept.push_back(x->shape[i]);
    }
    for (int i = 0; i < x->ndim; ++i) {
      if (mask >> i & 1) order.push_back(i), length *= x->shape[i];
    }
    Dims shape = kept;
    shape.push_back(length);
    const ArrayRef line = raveled(permuted_view(x, order.data()).get());
    lines = sorted(reshaped_view(line.get(), shape).get(), axis(), false, what);
    may_be_nan = dtype_kind(x->dtype) == 'f';
  }
  int axis() const { return static_cast<int>(kept.size()); }
  // The elements at one position of each line.
  Value at(int64_t position) const { return without_last(part_view(lines.get(), axis(), position, 1).get()); }
  // The elements at a position for each line.
  Value at(const Dims &positions) const {
    const ArrayRef indices = numbers(GPUOPT_INT64, positions.data());
    const int64_t last = -1;
    const ArrayRef column = expanded_view(indices.get(), last);
    return without_last(taken_along(lines.get(), column.get(), axis()).get());
  }
  // An array with a number of the host's for each line.
  ArrayRef numbers(gpuopt_dtype dtype, const void *data) const {
    const ArrayRef x = make_array(lines->stream.get(), dtype, axis(), kept.data());
    if (x->size) copy_from_host(x.get(), data);
    return x;
  }
  // How many elements of each line are not NaN, read by the host.
  Dims counts() const {
    const Value valid = logical_not(isnan(lines));
    const ArrayRef sums =
        record_reduction(GPUOPT_REDUCTION_count_nonzero, valid.get(), uint64_t{1} << axis(), false, 0);
    Dims list(static_cast<size_t>(sums->size));
    if (sums->size) copy_to_host(sums.get(), list.data());
    return list;
  }

  Dims kept;
  int64_t length = 1;
  ArrayRef lines;
  bool may_be_nan;

 private:
  Value without_last(gpuopt_array x) const {
    const int64_t last = axis();
    return squeezed_view(x, 1, &last);
  }
};

// Returns a quantile of each line, NaN where a line has one.
Value quantile_of_lines(const SortedLines &lines, const Request &request, double q) {
  const Place place = place_in_line(request.method, lines.length, q);
  Value result = lines.at(place.before);
  if (place.weight != 0) {
    const Value before = cast(result, GPUOPT_FLOAT64), after = cast(lines.at(place.after), GPUOPT_FLOAT64);
    const double weight = place.weight;
    if (request.method == kMedian)
      result = (before + after) * Value(0.5);
    else if (weight >= 0.5)
      result = after - (after - before) * Value(1 - weight);
    else
      result = before + (after - before) * Value(weight);
  }
  if (!lines.may_be_nan) return result;
  const Value last = cast(lines.at(lines.length - 1), result.dtype());
  return where(isnan(last), last, result);
}

// The same of the elements of each line that are not NaN.
Value quantile_without_nan(const SortedLines &lines, const Dims &counts, const Request &request, double q) {
  Dims before, after;
  std::vector<double> weights;
  for (int64_t n : counts) {
    const Place place = place_in_line(request.method, n, q);
    before.push_back(place.before);
    after.push_back(place.after);
    weights.push_back(place.weight);
  }
  const Value first = lines.at(before);
  if (gives_elements(request.method)) return first;
  const Value a = cast(first, GPUOPT_FLOAT64), b = cast(lines.at(after), GPUOPT_FLOAT64);
  const Value weight = lines.numbers(GPUOPT_FLOAT64, weights.data());
  const Value middle = request.method == kMedian ? (a + b) * Value(0.5) : between(a, b, weight);
  return where(equal(weight, Value(0.0)), a, middle);
}

// ---- Calls

gpuopt_dtype quantile_dtype(const gpuopt_array_s &x, const Request &request) {
  return gives_elements(request.method) ? x.dtype : as_inexact_dtype(x.dtype);
}

ArrayRef nan_array(gpuopt_array x, const Request &request, const Dims &shape) {
  const gpuopt_dtype dtype = quantile_dtype(*x, request);
  if (dtype_kind(dtype) != 'f')
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: no elements have no quantile of dtype %s", request.what, dtype_name(dtype));
  alignas(16) unsigned char element[16];
  store_scalar(gpuopt_scalar_real(NAN), dtype, element, true);
  return record_constant(x->stream.get(), dtype, static_cast<int>(shape.size()), shape.data(), element);
}

// Returns the quantiles, one behind the other along a new first axis.
ArrayRef stacked_quantiles(gpuopt_array x, uint64_t mask, const Request &request) {
  const SortedLines lines(x, mask, request.what);
  Dims shape = lines.kept;
  const auto count = static_cast<int64_t>(request.q.size());
  shape.insert(shape.begin(), count);
  if (lines.length == 0) return nan_array(x, request, shape);
  const bool without_nan = request.without_nan && lines.may_be_nan;
  const Dims counts = without_nan ? lines.counts() : Dims();
  ArrayRef result = unwritten(x->stream.get(), quantile_dtype(*x, request), shape);
  const int64_t first = 0;
  for (int64_t k = 0; k < count; ++k) {
    const double q = request.q[static_cast<size_t>(k)];
    const Value value =
        without_nan ? quantile_without_nan(lines, counts, request, q) : quantile_of_lines(lines, request, q);
    const ArrayRef place = squeezed_view(part_view(result.get(), 0, k, 1).get(), 1, &first);
    record_part(place.get(), cast(value, result->dtype).get());
  }
  return result;
}

ArrayRef quantiles(gpuopt_array x, const gpuopt_reduce_options *options, const Request &request) {
  const auto o = options_or_default(options, request.what);
  if (o.naxes < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the number of axes is negative", request.what);
  refuse_where_and_initial(o, request.what);
  if (dtype_kind(x->dtype) == 'c') fail(GPUOPT_ERR_TYPE, "%s: complex numbers have no order", request.what);
  const uint64_t mask = axis_mask(o.naxes, o.axes, x->ndim, request.what);
  const ArrayRef stacked = stacked_quantiles(x, mask, request);
  Dims shape = request.q_shape;
  for (int i = 0; i < x->ndim; ++i) {
    const bool reduced = mask >> i & 1;
    if (!reduced || o.keepdims) shape.push_back(reduced ? 1 : x->shape[i]);
  }
  checked_size(static_cast<int>(shape.size()), shape.data(), dtype_size(stacked->dtype));
  return stored_in_out(o, reshaped_view(stacked.get(), shape), request.what);
}

// Reads q, divided by `whole`, and checks that each is from 0 to 1.
void read_quantiles(gpuopt_array x, gpuopt_array q, double whole, Request &request) {
  if (!q->weak) {
    check_same_device(request.what, {x, q});
    request.q_shape.assign(q->shape, q->shape + q->ndim);
  }
  const gpuopt_array alone[] = {q};
  if (dtype_kind(q->weak ? promote_weak(0, q->scalar.kind) : common_dtype(alone)) == 'c')
    fail(GPUOPT_ERR_TYPE, "%s: q is complex", request.what);
  // Copied by the library first, which says so if there is no memory for them: q may be a broadcast view.
  const ArrayRef numbers = record_copy(in_dtype_on(x->stream.get(), q, GPUOPT_FLOAT64).get());
  evaluate(numbers.get());
  request.q.resize(static_cast<size_t>(q->size));
  if (q->size) copy_to_host(numbers.get(), request.q.data());
  for (double &number : request.q) {
    number /= whole;
    if (!(number >= 0 && number <= 1))
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: q must be from 0 to %g, not %g", request.what, whole, number * whole);
  }
}

gpuopt_status give_quantiles(const char *what, gpuopt_array x, gpuopt_array q, double whole,
                             gpuopt_quantile_method method, bool without_nan, const gpuopt_reduce_options *options,
                             gpuopt_array *result, gpuopt_error *error) noexcept {
  return giving(result, error, [&] {
    if (method < GPUOPT_QUANTILE_LINEAR || method > GPUOPT_QUANTILE_NORMAL_UNBIASED)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: there is no method %d", what, method);
    Request request{{}, {}, method, without_nan, what};
    read_quantiles(&deref_strong(x, what), &deref(q, what), whole, request);
    return quantiles(x, options, request);
  });
}

gpuopt_status give_median(const char *what, gpuopt_array x, bool without_nan, const gpuopt_reduce_options *options,
                          gpuopt_array *result, gpuopt_error *error) noexcept {
  return giving(result, error, [&] {
    return quantiles(&deref_strong(x, what), options, Request{{0.5}, {}, kMedian, without_nan, what});
  });
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_median(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                            gpuopt_error *error) {
  return give_median("median", x, false, options, result, error);
}

gpuopt_status gpuopt_nanmedian(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                               gpuopt_error *error) {
  return give_median("nanmedian", x, true, options, result, error);
}

gpuopt_status gpuopt_quantile(gpuopt_array x, gpuopt_array q, gpuopt_quantile_method method,
                              const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error) {
  return give_quantiles("quantile", x, q, 1, method, false, options, result, error);
}

gpuopt_status gpuopt_nanquantile(gpuopt_array x, gpuopt_array q, gpuopt_quantile_method method,
                                 const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error) {
  return give_quantiles("nanquantile", x, q, 1, method, true, options, result, error);
}

gpuopt_status gpuopt_percentile(gpuopt_array x, gpuopt_array q, gpuopt_quantile_method method,
                                const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error) {
  return give_quantiles("percentile", x, q, 100, method, false, options, result, error);
}

gpuopt_status gpuopt_nanpercentile(gpuopt_array x, gpuopt_array q, gpuopt_quantile_method method,
                                   const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error) {
  return give_quantiles("nanpercentile", x, q, 100, method, true, options, result, error);
}

}  // extern "C"
