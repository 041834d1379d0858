// abi/gpuopt/hpp/sorting.hpp -- part of gpuopt.hpp: sorting, searching and sets.
#ifndef GPUOPT_HPP_SORTING_HPP
#define GPUOPT_HPP_SORTING_HPP

#include <utility>

#include "joins.hpp"

namespace gpuopt {
inline namespace v1 {

// What functions with several results give: auto [values, indices] = gp::top_k(x, 3);
struct top_k_result {
  array values, indices;
};
struct unique_counts_result {
  array values, counts;
};
struct unique_inverse_result {
  array values, inverse;
};
struct unique_all_result {
  array values, indices, inverse, counts;
};
struct histogram_result {
  array counts, edges;
};

namespace detail {

// Calls a function of gpuopt.h that writes an array to each of several pointers. Result has as many arrays.
template <class Result, class F, size_t... I, class... Args>
Result make_each(std::index_sequence<I...>, F function, Args... args) {
  gpuopt_array raw[sizeof...(I)] = {};
  call(function, args..., &raw[I]...);
  return Result{array(array::handle_type(raw[I]))...};
}
template <class Result, class F, class... Args>
Result make_two(F function, Args... args) {
  return make_each<Result>(std::make_index_sequence<2>(), function, args...);
}

}  // namespace detail

// x in order, NaN last. `axis` none flattens x first. See gpuopt_sort().
inline array sort(const array &x, int64_t axis = -1, bool descending = false) {
  return detail::make<array>(gpuopt_sort, x.get(), detail::axis_or_null(axis), int32_t{descending});
}
// The positions that sort x. See gpuopt_argsort().
inline array argsort(const array &x, int64_t axis = -1, bool descending = false) {
  return detail::make<array>(gpuopt_argsort, x.get(), detail::axis_or_null(axis), int32_t{descending});
}
// x with the element at position kth in its sorted place, between those that are not greater and those that are not
// less. See gpuopt_partition().
inline array partition(const array &x, int64_t kth, int64_t axis = -1) {
  return detail::make<array>(gpuopt_partition, x.get(), kth, detail::axis_or_null(axis));
}
// The positions that do that. See gpuopt_argpartition().
inline array argpartition(const array &x, int64_t kth, int64_t axis = -1) {
  return detail::make<array>(gpuopt_argpartition, x.get(), kth, detail::axis_or_null(axis));
}
// The k largest or smallest elements in order, and their positions. See gpuopt_top_k().
inline top_k_result top_k(const array &x, int64_t k, int64_t axis = -1, bool largest = true) {
  return detail::make_two<top_k_result>(gpuopt_top_k, x.get(), k, axis, int32_t{largest});
}
// The positions that sort by several keys, of which the last one counts most. See gpuopt_lexsort().
inline array lexsort(const std::vector<array> &keys, int64_t axis = -1) {
  const detail::gathered_list in(keys);
  return detail::make<array>(gpuopt_lexsort, in.count(), in.data(), axis);
}
// x at indices along an axis, such as those of argsort(). See gpuopt_take_along_axis().
inline array take_along_axis(const array &x, const array &indices, int64_t axis = -1) {
  return detail::product(gpuopt_take_along_axis, x, indices, axis);
}

// Where values, which may be one number, would be put into x, which is in order; `right`: behind equal elements. See
// gpuopt_searchsorted().
inline array searchsorted(const array &x, const operand &values, bool right = false) {
  const detail::gathered in(x, values);
  return detail::make<array>(gpuopt_searchsorted, in[0], in[1], int32_t{right}, gpuopt_array{nullptr});
}
// The same for an x that the positions of the sorter sort.
inline array searchsorted(const array &x, const operand &values, bool right, const array &sorter) {
  const detail::gathered in(x, values, sorter);
  return detail::make<array>(gpuopt_searchsorted, in[0], in[1], int32_t{right}, in[2]);
}
// The bin of each element. See gpuopt_digitize().
inline array digitize(const array &x, const array &bins, bool right = false) {
  return detail::product(gpuopt_digitize, x, bins, int32_t{right});
}
// How often each integer is there. See gpuopt_bincount().
inline array bincount(const array &x, int64_t minlength = 0) {
  return detail::make<array>(gpuopt_bincount, x.get(), gpuopt_array{nullptr}, minlength);
}
// The sum of the weights of each integer, in the order of the elements.
inline array bincount(const array &x, const array &weights, int64_t minlength = 0) {
  return detail::product(gpuopt_bincount, x, weights, minlength);
}
// How many elements are in each of so many bins between the least and the greatest one. See gpuopt_histogram().
inline histogram_result histogram(const array &x, int64_t bins = 10, bool density = false) {
  const double *const range = nullptr;
  return detail::make_two<histogram_result>(gpuopt_histogram, x.get(), bins, range, gpuopt_array{nullptr},
                                            int32_t{density});
}
// The same between two numbers; with weights, the sums of these.
inline histogram_result histogram(const array &x, int64_t bins, std::pair<double, double> range, bool density = false) {
  const double numbers[] = {range.first, range.second};
  return detail::make_two<histogram_result>(gpuopt_histogram, x.get(), bins, numbers, gpuopt_array{nullptr},
                                            int32_t{density});
}
// The same between edges in ascending order. See gpuopt_histogram_with().
inline array histogram(const array &x, const array &edges, bool density = false) {
  const detail::gathered in(x, edges);
  return detail::make<array>(gpuopt_histogram_with, in[0], in[1], gpuopt_array{nullptr}, int32_t{density});
}
inline array histogram(const array &x, const array &edges, const array &weights, bool density = false) {
  const detail::gathered in(x, edges, weights);
  return detail::make<array>(gpuopt_histogram_with, in[0], in[1], in[2], int32_t{density});
}

struct histogramdd_result {
  array counts;
  std::vector<array> edges;  // of each axis
};
namespace detail {
inline histogramdd_result histogramdd(const array &sample, const dims &bins, const double *ranges, bool density) {
  std::vector<gpuopt_array> edges(static_cast<size_t>(bins.size()), nullptr);
  histogramdd_result made{make<array>([&](gpuopt_array *counts, gpuopt_error *error) {
                            return gpuopt_histogramdd(sample.get(), bins.size(), bins.data(), ranges, nullptr,
                                                      int32_t{density}, counts, edges.data(), error);
                          }),
                          {}};
  for (const gpuopt_array e : edges) made.edges.emplace_back(array::handle_type(e));
  return made;
}
}  // namespace detail
// How many points, rows of a matrix, are in each cell of a grid of so many bins. See gpuopt_histogramdd().
inline histogramdd_result histogramdd(const array &sample, const dims &bins, bool density = false) {
  return detail::histogramdd(sample, bins, nullptr, density);
}
// The same between two numbers for each axis.
inline histogramdd_result histogramdd(const array &sample, const dims &bins,
                                      const std::vector<std::pair<double, double>> &ranges, bool density = false) {
  if (ranges.size() != static_cast<size_t>(bins.size()))
    detail::raise(GPUOPT_ERR_SHAPE, "histogramdd: range argument must have one entry per dimension");
  std::vector<double> numbers;
  for (const std::pair<double, double> &range : ranges) numbers.insert(numbers.end(), {range.first, range.second});
  return detail::histogramdd(sample, bins, numbers.data(), density);
}
// The same between edges in ascending order. See gpuopt_histogramdd_with().
inline array histogramdd_with(const array &sample, const std::vector<array> &edges, bool density = false) {
  const detail::gathered_list in(edges);
  return detail::make<array>(gpuopt_histogramdd_with, sample.get(), in.count(), in.data(), gpuopt_array{nullptr},
                             int32_t{density});
}
// The same as sums of weights.
inline array histogramdd_with(const array &sample, const std::vector<array> &edges, const array &weights,
                              bool density = false) {
  const detail::gathered_list in(edges);
  return detail::make<array>(gpuopt_histogramdd_with, sample.get(), in.count(), in.data(), weights.get(),
                             int32_t{density});
}

// How a quantile is chosen: numpy.quantile's methods. See gpuopt_quantile_method.
enum class quantile_method : gpuopt_quantile_method {
  linear = GPUOPT_QUANTILE_LINEAR,
  lower = GPUOPT_QUANTILE_LOWER,
  higher = GPUOPT_QUANTILE_HIGHER,
  midpoint = GPUOPT_QUANTILE_MIDPOINT,
  nearest = GPUOPT_QUANTILE_NEAREST,
  inverted_cdf = GPUOPT_QUANTILE_INVERTED_CDF,
  averaged_inverted_cdf = GPUOPT_QUANTILE_AVERAGED_INVERTED_CDF,
  closest_observation = GPUOPT_QUANTILE_CLOSEST_OBSERVATION,
  interpolated_inverted_cdf = GPUOPT_QUANTILE_INTERPOLATED_INVERTED_CDF,
  hazen = GPUOPT_QUANTILE_HAZEN,
  weibull = GPUOPT_QUANTILE_WEIBULL,
  median_unbiased = GPUOPT_QUANTILE_MEDIAN_UNBIASED,
  normal_unbiased = GPUOPT_QUANTILE_NORMAL_UNBIASED
};

namespace detail {
template <class F>
array quantiles(F function, const array &x, const operand &q, const axes &over, quantile_method method) {
  const gathered in(x, q);
  const gpuopt_reduce_options options = over.raw();
  return make<array>(function, in[0], in[1], static_cast<gpuopt_quantile_method>(method), &options);
}
}  // namespace detail

// The element in the middle of each slice along axes. See gpuopt_median().
inline array median(const array &x, const axes &over = {}) {
  const gpuopt_reduce_options options = over.raw();
  return detail::make<array>(gpuopt_median, x.get(), &options);
}
// The same of the elements that are not NaN. See gpuopt_nanmedian().
inline array nanmedian(const array &x, const axes &over = {}) {
  const gpuopt_reduce_options options = over.raw();
  return detail::make<array>(gpuopt_nanmedian, x.get(), &options);
}
// Quantiles of each slice along axes: q is a number from 0 to 1, or an array of them. See gpuopt_quantile().
inline array quantile(const array &x, const operand &q, const axes &over = {},
                      quantile_method method = quantile_method::linear) {
  return detail::quantiles(gpuopt_quantile, x, q, over, method);
}
// The same of the elements that are not NaN. See gpuopt_nanquantile().
inline array nanquantile(const array &x, const operand &q, const axes &over = {},
                         quantile_method method = quantile_method::linear) {
  return detail::quantiles(gpuopt_nanquantile, x, q, over, method);
}
// The same with q from 0 to 100.
inline array percentile(const array &x, const operand &q, const axes &over = {},
                        quantile_method method = quantile_method::linear) {
  return detail::quantiles(gpuopt_percentile, x, q, over, method);
}
// The same of the elements that are not NaN. See gpuopt_nanpercentile().
inline array nanpercentile(const array &x, const operand &q, const axes &over = {},
                           quantile_method method = quantile_method::linear) {
  return detail::quantiles(gpuopt_nanpercentile, x, q, over, method);
}

namespace detail {
template <class F>
array weighted_quantiles(F function, const array &x, const operand &q, const array &weights, const axes &over) {
  const gathered in(x, q, weights);
  const gpuopt_reduce_options options = over.raw();
  return make<array>(function, in[0], in[1], in[2], &options);
}
}  // namespace detail

// The first elements in order whose weights, with those of all before them, are at least q of the whole; weights have
// the shape of x or of the axes. See gpuopt_quantile_weighted().
inline array quantile_weighted(const array &x, const operand &q, const array &weights, const axes &over = {}) {
  return detail::weighted_quantiles(gpuopt_quantile_weighted, x, q, weights, over);
}
// The same of the elements that are not NaN. See gpuopt_nanquantile_weighted().
inline array nanquantile_weighted(const array &x, const operand &q, const array &weights, const axes &over = {}) {
  return detail::weighted_quantiles(gpuopt_nanquantile_weighted, x, q, weights, over);
}
// The same with q from 0 to 100. See gpuopt_percentile_weighted().
inline array percentile_weighted(const array &x, const operand &q, const array &weights, const axes &over = {}) {
  return detail::weighted_quantiles(gpuopt_percentile_weighted, x, q, weights, over);
}
// The same of the elements that are not NaN. See gpuopt_nanpercentile_weighted().
inline array nanpercentile_weighted(const array &x, const operand &q, const array &weights, const axes &over = {}) {
  return detail::weighted_quantiles(gpuopt_nanpercentile_weighted, x, q, weights, over);
}

// The different elements in order. NaNs are different ones unless equal_nan. See gpuopt_unique_values() and so on.
inline array unique_values(const array &x, bool equal_nan = false) {
  return detail::make<array>(gpuopt_unique_values, x.get(), int32_t{equal_nan});
}
// These, and how often each is there.
inline unique_counts_result unique_counts(const array &x, bool equal_nan = false) {
  return detail::make_two<unique_counts_result>(gpuopt_unique_counts, x.get(), int32_t{equal_nan});
}
// These, and which one each element is.
inline unique_inverse_result unique_inverse(const array &x, bool equal_nan = false) {
  return detail::make_two<unique_inverse_result>(gpuopt_unique_inverse, x.get(), int32_t{equal_nan});
}
// All that, and where each value stands first.
inline unique_all_result unique_all(const array &x, bool equal_nan = false) {
  return detail::make_each<unique_all_result>(std::make_index_sequence<4>(), gpuopt_unique_all, x.get(),
                                              int32_t{equal_nan});
}
// Whether each element of x is one of the others; with `invert`, whether it is none. See gpuopt_isin().
inline array isin(const array &x, const operand &others, bool invert = false) {
  return detail::product(gpuopt_isin, x, others, int32_t{invert});
}
// Sets of one dimension, in order: what is in one of the two, in both, in x1 alone, in exactly one.
inline array union1d(const array &x1, const array &x2) { return detail::product(gpuopt_union1d, x1, x2); }
inline array intersect1d(const array &x1, const array &x2) { return detail::product(gpuopt_intersect1d, x1, x2); }
inline array setdiff1d(const array &x1, const array &x2) { return detail::product(gpuopt_setdiff1d, x1, x2); }
inline array setxor1d(const array &x1, const array &x2) { return detail::product(gpuopt_setxor1d, x1, x2); }

}  // namespace v1
}  // namespace gpuopt
#endif
