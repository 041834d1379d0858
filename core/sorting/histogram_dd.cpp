// core/sorting/histogram_dd.cpp -- gpuopt_histogramdd: points counted in the cells of a grid.
#include <cmath>

#include "core/engine/library_call.h"
#include "core/ops/create.h"
#include "core/sorting/bins.h"

namespace gpuopt {
namespace {

constexpr const char *kName = "histogramdd";

// The points' coordinates along each axis.
struct Sample {
  ArrayRef whole;
  std::vector<ArrayRef> columns;
  int64_t count;
};

ArrayRef column_of(const ArrayRef &x, int64_t i) {
  const int64_t axis = 1;
  return squeezed_view(part_view(x.get(), 1, i, 1).get(), 1, &axis);
}

Sample checked_sample(gpuopt_array given, int32_t dims) {
  const gpuopt_array_s &x = deref_strong(given, kName);
  if (is_complex_dtype(x.dtype)) fail(GPUOPT_ERR_TYPE, "%s: complex numbers have no order", kName);
  if (x.ndim < 1 || x.ndim > 2)
    fail(GPUOPT_ERR_SHAPE, "%s: the sample has %d dimensions, not two", kName, static_cast<int>(x.ndim));
  if (dims < 1 || dims > GPUOPT_MAX_NDIM)
    fail(GPUOPT_ERR_SHAPE, "%s: the number of dimensions, %d, is not from 1 to %d", kName, dims, GPUOPT_MAX_NDIM);
  Sample sample{x.dtype == GPUOPT_BOOL ? in_dtype(given, GPUOPT_UINT8) : ArrayRef::share(given), {}, x.shape[0]};
  if (x.ndim == 1) sample.whole = expanded_view(sample.whole.get(), 1);
  if (sample.whole->shape[1] != dims)
    fail(GPUOPT_ERR_SHAPE, "%s: The dimension of bins must be equal to the dimension of the sample x.", kName);
  for (int32_t i = 0; i < dims; ++i) sample.columns.push_back(column_of(sample.whole, i));
  return sample;
}

// Returns the weights as one dimension, or an empty reference.
ArrayRef weights_of(const Sample &sample, gpuopt_array weights) {
  return weights ? checked_weights(sample.columns[0].get(), &deref_strong(weights, kName), kName) : ArrayRef();
}

// Returns the number of each point's cell in the flattened grid, and -1 for points outside.
Value cell_numbers(const Sample &sample, const std::vector<ArrayRef> &edges) {
  Value cell(int64_t{0});
  Value inside(gpuopt_scalar_bool(1));
  for (size_t i = 0; i < edges.size(); ++i) {
    const int64_t bins = edges[i]->size - 1;
    const Value number = bin_numbers(sample.columns[i].get(), edges[i].get(), kName);
    const Value within = logical_and(greater_equal(number, Value(int64_t{0})), less_equal(number, Value(bins - 1)));
    inside = i ? logical_and(inside, within) : within;
    cell = i ? cell * Value(bins) + number : number;
  }
  return where(inside, cell, Value(int64_t{-1}));
}

Dims cells_of(const std::vector<ArrayRef> &edges) {
  Dims shape;
  for (const ArrayRef &e : edges) shape.push_back(e->size - 1);
  checked_size(static_cast<int>(shape.size()), shape.data(), 8);
  return shape;
}

// Returns counts divided by the cells' volumes and the sum of all.
Value densities(const Value &counts, const std::vector<ArrayRef> &edges) {
  const Value all = record_reduction(GPUOPT_REDUCTION_sum, counts.get(), ~uint64_t{0}, false, 0);
  Value result = counts;
  for (size_t i = 0; i < edges.size(); ++i) {
    Dims shape(edges.size(), 1);
    shape[i] = edges[i]->size - 1;
    const Value widths = part(edges[i], 1, edges[i]->size) - part(edges[i], 0, edges[i]->size - 1);
    result = result / Value(reshaped(cast(widths, GPUOPT_FLOAT64).get(), shape));
  }
  return result / all;
}

ArrayRef counted(const Sample &sample, const std::vector<ArrayRef> &edges, const ArrayRef &weights, bool density) {
  const Dims shape = cells_of(edges);
  int64_t cells = 1;
  for (const int64_t size : shape) cells *= size;
  const ArrayRef numbers = cell_numbers(sample, edges).array();
  const Value sums = binned(numbers.get(), weights.get(), cells, kName);
  const Value counts = reshaped(cast(sums, GPUOPT_FLOAT64).get(), shape);
  return density ? densities(counts, edges).array() : counts.array();
}

// Returns the edges of bins of one width: in float64 between numbers that are given, else in the sample's dtype.
ArrayRef equal_edges(const ArrayRef &column, int64_t bins, const double *range, int32_t axis) {
  if (bins < 1) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: `bins[%d]` must be positive, when an integer", kName, axis);
  if (bins == INT64_MAX) fail(GPUOPT_ERR_OUT_OF_MEMORY, "%s: too many bins", kName);
  const Interval interval = histogram_range(column.get(), range, kName);
  const gpuopt_dtype dtype = range ? GPUOPT_FLOAT64 : as_inexact_dtype(column->dtype);
  return linspace(column->stream.get(), dtype, interval.first, interval.last, bins + 1, true);
}

std::vector<ArrayRef> histogramdd(gpuopt_array given, int32_t dims, const int64_t *bins, const double *ranges,
                                  gpuopt_array weights, bool density) {
  const Sample sample = checked_sample(given, dims);
  const ArrayRef heavy = weights_of(sample, weights);
  std::vector<ArrayRef> edges;
  for (int32_t i = 0; i < dims; ++i)
    edges.push_back(
        equal_edges(sample.columns[static_cast<size_t>(i)], bins ? bins[i] : 10, ranges ? ranges + 2 * i : nullptr, i));
  std::vector<ArrayRef> results{counted(sample, edges, heavy, density)};
  results.insert(results.end(), edges.begin(), edges.end());
  return results;
}

ArrayRef checked_edges(gpuopt_array given, const Sample &sample, int32_t axis) {
  const gpuopt_array_s &x = deref_strong(given, kName);
  check_same_device(kName, {sample.whole.get(), given});
  if (is_complex_dtype(x.dtype)) fail(GPUOPT_ERR_TYPE, "%s: complex numbers have no order", kName);
  check_one_dimension(x, "a list of edges", kName);
  if (x.size < 2) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: `bins[%d]` must have two edges at least", kName, axis);
  ArrayRef edges = x.dtype == GPUOPT_BOOL ? in_dtype(given, GPUOPT_UINT8) : ArrayRef::share(given);
  if (any_neighbours(GPUOPT_OP_greater, edges))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: `bins[%d]` must be monotonically increasing, when an array", kName, axis);
  return edges;
}

ArrayRef histogramdd_with(gpuopt_array given, int32_t dims, const gpuopt_array *lists, gpuopt_array weights,
                          bool density) {
  const Sample sample = checked_sample(given, dims);
  if (!lists) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the pointer to the edges is NULL", kName);
  std::vector<ArrayRef> edges;
  for (int32_t i = 0; i < dims; ++i) edges.push_back(checked_edges(lists[i], sample, i));
  return counted(sample, edges, weights_of(sample, weights), density);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_histogramdd(gpuopt_array sample, int32_t dims, const int64_t *bins, const double *ranges,
                                 gpuopt_array weights, int32_t density, gpuopt_array *counts, gpuopt_array *edges,
                                 gpuopt_error *error) {
  if (counts) *counts = nullptr;
  return guarded(error, [&] {
    if (!counts || !edges) fail(GPUOPT_ERR_INVALID_ARGUMENT, "histogramdd: a result pointer is NULL");
    std::vector<ArrayRef> made = histogramdd(sample, dims, bins, ranges, weights, density != 0);
    *counts = made[0].leave();
    for (size_t i = 1; i < made.size(); ++i) edges[i - 1] = made[i].leave();
  });
}

gpuopt_status gpuopt_histogramdd_with(gpuopt_array sample, int32_t dims, const gpuopt_array *edges,
                                      gpuopt_array weights, int32_t density, gpuopt_array *result,
                                      gpuopt_error *error) {
  return giving(result, error, [&] { return histogramdd_with(sample, dims, edges, weights, density != 0); });
}

}  // extern "C"
