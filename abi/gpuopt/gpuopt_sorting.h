/* abi/gpuopt/gpuopt_sorting.h -- sorting, searching, sets, medians and quantiles; part of gpuopt.h, which includes
 * it. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_SORTING_H)
#define GPUOPT_SORTING_H

/* ---- Sorting, searching and sets: new arrays; all of them run ---------------------------------------------------- */

/* One order holds for all functions here: NumPy's, in which NaN is last, -0 equals 0, and complex numbers are compared
 * by their real and then by their imaginary part; those with a NaN come behind the others. In descending order NaN is
 * last, too. Equal elements keep their order, also in descending order. So results have the same bits everywhere.
 * Results are C-contiguous, and new unless there is nothing to do. Where an `axis` is a pointer, NULL flattens x
 * first. */

/* x sorted along *axis. A 0-d x is GPUOPT_ERR_INDEX unless it is flattened. numpy.sort(kind="stable"), array API
 * sort. */
GPUOPT_CALL gpuopt_sort(gpuopt_array x, const int64_t *axis, int32_t descending, gpuopt_array *result,
                        gpuopt_error *error);
/* The positions, int64, that sort x along *axis. numpy.argsort(kind="stable"), array API argsort. */
GPUOPT_CALL gpuopt_argsort(gpuopt_array x, const int64_t *axis, int32_t descending, gpuopt_array *result,
                           gpuopt_error *error);
/* x with the element at position kth (negative: from the end) of each line in its sorted place, those before it not
 * greater and those behind it not less; nothing else may be relied upon. Out of range is GPUOPT_ERR_INDEX.
 * numpy.partition. */
GPUOPT_CALL gpuopt_partition(gpuopt_array x, int64_t kth, const int64_t *axis, gpuopt_array *result,
                             gpuopt_error *error);
/* The positions, int64, that do that. numpy.argpartition. */
GPUOPT_CALL gpuopt_argpartition(gpuopt_array x, int64_t kth, const int64_t *axis, gpuopt_array *result,
                                gpuopt_error *error);
/* The k largest (or, `largest` 0, smallest) elements along an axis, in order, and their positions, int64: the first k
 * of the descending (ascending) order, so that NaN is taken last. k outside 0 .. size of the axis is
 * GPUOPT_ERR_INVALID_ARGUMENT. */
GPUOPT_CALL gpuopt_top_k(gpuopt_array x, int64_t k, int64_t axis, int32_t largest, gpuopt_array *values,
                         gpuopt_array *indices, gpuopt_error *error);
/* The positions, int64, that sort by several keys of one shape, of which the last one counts most: numpy.lexsort. No
 * key is GPUOPT_ERR_INVALID_ARGUMENT, other shapes are GPUOPT_ERR_SHAPE. */
GPUOPT_CALL gpuopt_lexsort(int32_t count, const gpuopt_array *keys, int64_t axis, gpuopt_array *result,
                           gpuopt_error *error);
/* x[i, j, ..] with the index along the axis taken from `indices`, which are integers, negative from the end, and have
 * as many dimensions as x (GPUOPT_ERR_SHAPE); the other axes broadcast. Out of range is GPUOPT_ERR_INDEX. With the
 * positions of gpuopt_argsort this gives what gpuopt_sort gives. numpy.take_along_axis. */
GPUOPT_CALL gpuopt_take_along_axis(gpuopt_array x, gpuopt_array indices, int64_t axis, gpuopt_array *result,
                                   gpuopt_error *error);

/* For each value how many elements of x are less or, if `right` is not 0, not greater: int64 in the shape of values,
 * where they would be inserted. x has one dimension (GPUOPT_ERR_SHAPE) and is in ascending order, or `sorter` (NULL: x
 * is in order) has the positions that sort it: as many integers in range, else GPUOPT_ERR_SHAPE or GPUOPT_ERR_INDEX.
 * The two are compared in the dtype that they promote to; `values` may be a weak scalar. numpy.searchsorted. */
GPUOPT_CALL gpuopt_searchsorted(gpuopt_array x, gpuopt_array values, int32_t right, gpuopt_array sorter,
                                gpuopt_array *result, gpuopt_error *error);
/* The bin of each element, int64: i where bins[i-1] <= x < bins[i] or, if `right` is not 0, bins[i-1] < x <= bins[i];
 * the other way round where the bins descend. Bins of no order are GPUOPT_ERR_INVALID_ARGUMENT, of more dimensions than
 * one GPUOPT_ERR_SHAPE, complex numbers GPUOPT_ERR_TYPE. numpy.digitize. */
GPUOPT_CALL gpuopt_digitize(gpuopt_array x, gpuopt_array bins, int32_t right, gpuopt_array *result,
                            gpuopt_error *error);
/* How often each integer from 0 on is in x, int64; as many as there have to be, and at least minlength. x has one
 * dimension; its dtype is bool or an integer one (GPUOPT_ERR_TYPE). A negative element is
 * GPUOPT_ERR_INVALID_ARGUMENT. With weights (NULL: none), real numbers in x's shape, the sum of those instead, as
 * float64, added in the order of the elements. numpy.bincount. */
GPUOPT_CALL gpuopt_bincount(gpuopt_array x, gpuopt_array weights, int64_t minlength, gpuopt_array *result,
                            gpuopt_error *error);
/* How many elements of x are in each of `bins` bins of one width between range[0] and range[1] (NULL: the least and the
 * greatest element), and the bins' edges, of which there is one more; the last bin includes its upper edge. Elements
 * outside and NaN are left out. The edges have x's dtype if that is a floating one, else float64; an element belongs
 * between the edges that it is between. Counts are int64. With weights (NULL: none), real numbers in x's shape, they
 * are sums of those, in float64 and the order of the elements, cast to the weights' dtype. `density` not 0: divided by
 * the width and the sum of all, float64. A range that is not finite is GPUOPT_ERR_INVALID_ARGUMENT, complex x
 * GPUOPT_ERR_TYPE. numpy.histogram. */
GPUOPT_CALL gpuopt_histogram(gpuopt_array x, int64_t bins, const double *range, gpuopt_array weights,
                             int32_t density, gpuopt_array *counts, gpuopt_array *edges, gpuopt_error *error);
/* The same between edges in ascending order, one at least (else GPUOPT_ERR_INVALID_ARGUMENT). */
GPUOPT_CALL gpuopt_histogram_with(gpuopt_array x, gpuopt_array edges, gpuopt_array weights, int32_t density,
                                  gpuopt_array *result, gpuopt_error *error);

/* How many of n points are in each cell of a grid of `dims` dimensions: `sample` (n, dims) has their coordinates, or
 * (n) those of one dimension. Along axis i there are bins[i] bins (NULL: 10), at least 1, of one width between
 * ranges[2 * i] and ranges[2 * i + 1] (NULL: the least and the greatest coordinate). Writes float64 counts of the shape
 * `bins`, and for each axis its edges to `edges`, which has room for `dims` of them. Coordinates are compared, weights
 * added, and errors given as by gpuopt_histogram(), but weighted sums stay float64; `density` not 0: divided by the
 * volumes of the cells and the sum of all. Another number of coordinates than `dims`, or more than 64, is
 * GPUOPT_ERR_SHAPE. numpy.histogramdd. */
GPUOPT_CALL gpuopt_histogramdd(gpuopt_array sample, int32_t dims, const int64_t *bins, const double *ranges,
                               gpuopt_array weights, int32_t density, gpuopt_array *counts, gpuopt_array *edges,
                               gpuopt_error *error);
/* The same between edges in ascending order, two at least for each axis (else GPUOPT_ERR_INVALID_ARGUMENT). */
GPUOPT_CALL gpuopt_histogramdd_with(gpuopt_array sample, int32_t dims, const gpuopt_array *edges,
                                    gpuopt_array weights, int32_t density, gpuopt_array *result, gpuopt_error *error);

/* How a quantile q of n sorted elements is chosen: NumPy's methods, by their names there. A position is counted from
 * 0; positions before the first and behind the last element are those elements. */
enum {
  GPUOPT_QUANTILE_LINEAR = 0,   /* position (n - 1) q, between two elements in proportion */
  GPUOPT_QUANTILE_LOWER = 1,    /* the element before that position */
  GPUOPT_QUANTILE_HIGHER = 2,   /* the element behind it */
  GPUOPT_QUANTILE_MIDPOINT = 3, /* the middle between the two */
  GPUOPT_QUANTILE_NEAREST = 4,  /* the nearer one; of two equally near ones that of the even position */
  GPUOPT_QUANTILE_INVERTED_CDF = 5,          /* 5 to 12: Hyndman and Fan's nine, without linear, which is their 7th */
  GPUOPT_QUANTILE_AVERAGED_INVERTED_CDF = 6, /* their 2nd */
  GPUOPT_QUANTILE_CLOSEST_OBSERVATION = 7,
  GPUOPT_QUANTILE_INTERPOLATED_INVERTED_CDF = 8,
  GPUOPT_QUANTILE_HAZEN = 9,
  GPUOPT_QUANTILE_WEIBULL = 10,
  GPUOPT_QUANTILE_MEDIAN_UNBIASED = 11, /* 8th */
  GPUOPT_QUANTILE_NORMAL_UNBIASED = 12  /* 9th */
};
typedef int32_t gpuopt_quantile_method;

/* The element in the middle of each slice along the axes of `options` (NULL: all axes), or the mean of the two that
 * are; NaN if one is NaN, or there are none. x is real (GPUOPT_ERR_TYPE); the result is a floating dtype: x's own, or
 * float64. It is computed in float64 and rounded once. Only axes, keepdims and out are taken from the
 * options. numpy.median. */
GPUOPT_CALL gpuopt_median(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                          gpuopt_error *error);
/* Quantiles of each slice, likewise. q has real numbers from 0 to 1 (else GPUOPT_ERR_INVALID_ARGUMENT), read by the
 * host; it may be a weak scalar. The result has q's shape, and behind it that of what is left of x. The methods lower,
 * higher, nearest, inverted_cdf and closest_observation give elements of x, in x's dtype; without elements they are
 * GPUOPT_ERR_INVALID_ARGUMENT where that has no NaN. Where a quantile is an element, it is that one also beside
 * infinities. numpy.quantile. */
GPUOPT_CALL gpuopt_quantile(gpuopt_array x, gpuopt_array q, gpuopt_quantile_method method,
                            const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);
/* The same with q from 0 to 100. numpy.percentile. */
GPUOPT_CALL gpuopt_percentile(gpuopt_array x, gpuopt_array q, gpuopt_quantile_method method,
                              const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);
/* The same over the elements that are not NaN; NaN if all are. */
GPUOPT_CALL gpuopt_nanmedian(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                             gpuopt_error *error);
GPUOPT_CALL gpuopt_nanquantile(gpuopt_array x, gpuopt_array q, gpuopt_quantile_method method,
                               const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_nanpercentile(gpuopt_array x, gpuopt_array q, gpuopt_quantile_method method,
                                 const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);

/* Quantiles, from 0 to 1, and percentiles, from 0 to 100, of elements that count by their weights: the first element in
 * order whose weight, with those of all before it, is at least q of the whole, in x's dtype; by the method
 * inverted_cdf, which is the only one that takes weights. `weights` are real, and have x's shape or that of the axes,
 * which the options name then (GPUOPT_ERR_TYPE), in their order (GPUOPT_ERR_SHAPE). Weights below 0, and those of a
 * slice that add up to 0 or to no number, are GPUOPT_ERR_INVALID_ARGUMENT, no elements GPUOPT_ERR_INDEX. All else is as
 * said above. They run. numpy.quantile with weights. */
GPUOPT_CALL gpuopt_quantile_weighted(gpuopt_array x, gpuopt_array q, gpuopt_array weights,
                                     const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_percentile_weighted(gpuopt_array x, gpuopt_array q, gpuopt_array weights,
                                       const gpuopt_reduce_options *options, gpuopt_array *result,
                                       gpuopt_error *error);
GPUOPT_CALL gpuopt_nanquantile_weighted(gpuopt_array x, gpuopt_array q, gpuopt_array weights,
                                        const gpuopt_reduce_options *options, gpuopt_array *result,
                                        gpuopt_error *error);
GPUOPT_CALL gpuopt_nanpercentile_weighted(gpuopt_array x, gpuopt_array q, gpuopt_array weights,
                                          const gpuopt_reduce_options *options, gpuopt_array *result,
                                          gpuopt_error *error);

/* The different elements of x, in ascending order. -0 and 0 are one, and the first of the two stands for them. NaNs are
 * different ones (array API) or, if equal_nan is not 0, one (numpy.unique). */
GPUOPT_CALL gpuopt_unique_values(gpuopt_array x, int32_t equal_nan, gpuopt_array *result, gpuopt_error *error);
/* These, and how often each is there (int64). */
GPUOPT_CALL gpuopt_unique_counts(gpuopt_array x, int32_t equal_nan, gpuopt_array *values, gpuopt_array *counts,
                                 gpuopt_error *error);
/* These, and for each element which one it is (int64, in x's shape): values[inverse] is x. */
GPUOPT_CALL gpuopt_unique_inverse(gpuopt_array x, int32_t equal_nan, gpuopt_array *values, gpuopt_array *inverse,
                                  gpuopt_error *error);
/* All that, and where in the flattened x each value stands first (int64). */
GPUOPT_CALL gpuopt_unique_all(gpuopt_array x, int32_t equal_nan, gpuopt_array *values, gpuopt_array *indices,
                              gpuopt_array *inverse, gpuopt_array *counts, gpuopt_error *error);
/* Whether each element of x is one of the others (`invert` not 0: none of them), bool in x's shape. They are compared
 * in the dtype that both promote to; NaN equals nothing; `others` may be a weak scalar. numpy.isin. */
GPUOPT_CALL gpuopt_isin(gpuopt_array x, gpuopt_array others, int32_t invert, gpuopt_array *result,
                        gpuopt_error *error);
/* What is in one of the two, in both, in x1 alone, and in exactly one: different elements in ascending order, of
 * operands of any shape, as numpy.union1d and so on give them. NaN equals NaN inside an array and in a union, else
 * nothing. The dtype is what both promote to; of setdiff1d it is that of x1. */
GPUOPT_CALL gpuopt_union1d(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_intersect1d(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_setdiff1d(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_setxor1d(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);

#endif
