/* abi/gpuopt/gpuopt_statistics.h -- averages, covariances, differences and integrals; part of gpuopt.h, which includes
 * it.
 *
 * The functions of NumPy 2 of these names. Results are new arrays, and recorded unless a function says that it runs.
 * Axes may be negative; one out of range is GPUOPT_ERR_INDEX. They are safe from any threads. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_STATISTICS_H)
#define GPUOPT_STATISTICS_H

/* x[i + 1] - x[i] along an axis, n times; of bool whether the two differ. `prepend` and `append` (NULL: nothing) are
 * joined to x first: numbers without dimensions once, other arrays whole; weak scalars are allowed. n = 0 gives x
 * itself, a negative one is GPUOPT_ERR_INVALID_ARGUMENT. numpy.diff. */
GPUOPT_CALL gpuopt_diff(gpuopt_array x, int64_t n, int64_t axis, gpuopt_array prepend, gpuopt_array append,
                        gpuopt_array *result, gpuopt_error *error);
/* The greatest element less the least one, in x's dtype, along the axes of `options` (NULL: all axes), of which axes,
 * keepdims and out are taken. Bool x is GPUOPT_ERR_TYPE, no elements are GPUOPT_ERR_INVALID_ARGUMENT. numpy.ptp. */
GPUOPT_CALL gpuopt_ptp(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                       gpuopt_error *error);
/* The integral of y along an axis by the trapezoidal rule, between points at x, which has one dimension or broadcasts
 * to y's shape; NULL: points at the distance dx. numpy.trapezoid. */
GPUOPT_CALL gpuopt_trapezoid(gpuopt_array y, gpuopt_array x, double dx, int64_t axis, gpuopt_array *result,
                             gpuopt_error *error);

/* The mean of x weighted by `weights` (NULL: equal ones) along the axes of `options` (NULL: all axes), of which axes
 * and keepdims are taken, and in *weight_sum, unless it is NULL, the sum of the weights in the shape of the mean.
 * Weights have x's shape, or the sizes of the axes that are named, in their order (GPUOPT_ERR_SHAPE). Integers and bool
 * are computed in float64. A sum of weights that is 0 is GPUOPT_ERR_INVALID_ARGUMENT; to know it, weights are summed at
 * once. numpy.average. */
GPUOPT_CALL gpuopt_average(gpuopt_array x, gpuopt_array weights, const gpuopt_reduce_options *options,
                           gpuopt_array *result, gpuopt_array *weight_sum, gpuopt_error *error);

typedef struct gpuopt_cov_options {
  uint32_t struct_size, flags;
  const void *next;
  gpuopt_array fweights; /* integers, how often each observation is there; NULL: once */
  gpuopt_array aweights; /* real numbers, the weight of each observation; NULL: 1 */
  int32_t columns;       /* 1: the variables are columns of x (NumPy's rowvar=False), not rows */
  int32_t reserved;
  double bias;           /* the divisor is n - 1 + bias, or as numpy.cov has it for weights, with ddof = 1 - bias */
} gpuopt_cov_options;
/* The covariance matrix of variables with their observations: the rows of x, which has one or two dimensions
 * (GPUOPT_ERR_SHAPE), and those of y (NULL: none) behind them. `options` NULL: rows, without weights, bias 0. The
 * result is at least float64, and has no dimensions for a single variable. Weights have one dimension, the number of
 * observations, and nothing negative (GPUOPT_ERR_SHAPE, GPUOPT_ERR_TYPE, GPUOPT_ERR_INVALID_ARGUMENT), and are read by
 * the host. A divisor of 0 or below counts as 0. The products are those of gpuopt_matmul(), and run. numpy.cov. */
GPUOPT_CALL gpuopt_cov(gpuopt_array x, gpuopt_array y, const gpuopt_cov_options *options, gpuopt_array *result,
                       gpuopt_error *error);
/* The same, divided by the standard deviations, within [-1, 1]. `columns` is as above. numpy.corrcoef. */
GPUOPT_CALL gpuopt_corrcoef(gpuopt_array x, gpuopt_array y, int32_t columns, gpuopt_array *result,
                            gpuopt_error *error);

#endif
