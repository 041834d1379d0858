/* abi/gpuopt/gpuopt_signal.h -- gradients, interpolation, convolutions and phases; part of gpuopt.h, which includes it.
 *
 * The functions of NumPy 2 of these names. Results are new arrays, and recorded unless a function says that it runs.
 * Axes may be negative; one out of range is GPUOPT_ERR_INDEX. They are safe from any threads. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_SIGNAL_H)
#define GPUOPT_SIGNAL_H

/* The derivative of x along an axis by differences of second order inside, and of order edge_order, 1 or 2, at both
 * ends. The points are at `coordinates`, of one dimension and the axis's size (GPUOPT_ERR_SHAPE), or, where that is
 * NULL, at the distance `spacing`. Fewer than edge_order + 1 elements are GPUOPT_ERR_SHAPE, bool x is GPUOPT_ERR_TYPE;
 * integers are computed in float64. numpy.gradient. */
GPUOPT_CALL gpuopt_gradient(gpuopt_array x, gpuopt_array coordinates, double spacing, int64_t axis, int32_t edge_order,
                            gpuopt_array *result, gpuopt_error *error);
/* The values at x of the piecewise linear function through the points (xp, fp), which have one dimension and one length
 * that is not 0 (GPUOPT_ERR_SHAPE); xp increases, which is not checked. `left` and `right` (NULL: the first and the
 * last of fp) are the values below and above all points. With a `period` (NULL: none; not 0 and finite, else
 * GPUOPT_ERR_INVALID_ARGUMENT) x and xp are taken modulo it, xp need not be sorted, and left and right do not count. x
 * and xp are real (GPUOPT_ERR_TYPE); the result is float64, or complex128 of complex fp. Runs. numpy.interp. */
GPUOPT_CALL gpuopt_interp(gpuopt_array x, gpuopt_array xp, gpuopt_array fp, const gpuopt_scalar *left,
                          const gpuopt_scalar *right, const double *period, gpuopt_array *result, gpuopt_error *error);

/* Which elements of a convolution of n and m elements are computed. */
enum {
  GPUOPT_CONVOLVE_FULL = 0, /* all n + m - 1 */
  GPUOPT_CONVOLVE_SAME = 1, /* max(n, m), in the middle */
  GPUOPT_CONVOLVE_VALID = 2 /* those where the shorter operand lies inside the longer one */
};
typedef int32_t gpuopt_convolve_mode;

/* The sums over j of x[k - j] y[j], and for correlate of x[k + j] conj(y[j]), of operands of one dimension that are not
 * empty (GPUOPT_ERR_SHAPE, GPUOPT_ERR_INVALID_ARGUMENT), in the dtype that they promote to; of bool whether any product
 * is true. Each is a sum of min(n, m) products in the order of gpuopt_sum(), of 16-bit floats in float32 and rounded
 * once. numpy.convolve, numpy.correlate. */
GPUOPT_CALL gpuopt_convolve(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode, gpuopt_array *result,
                            gpuopt_error *error);
GPUOPT_CALL gpuopt_correlate(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode, gpuopt_array *result,
                             gpuopt_error *error);

/* How gpuopt_convolve_nd() computes: each element as a sum of products, or all by Fourier transforms. */
enum { GPUOPT_CONVOLVE_AUTO = 0, GPUOPT_CONVOLVE_DIRECT = 1, GPUOPT_CONVOLVE_FFT = 2 };
typedef int32_t gpuopt_convolve_method;

/* The same of operands of one number of dimensions, at most 32 (GPUOPT_ERR_SHAPE), along all axes at once, in the dtype
 * that they promote to. SAME is the size of x along each axis, in the middle; for VALID one operand must be at least as
 * large as the other along every axis (GPUOPT_ERR_INVALID_ARGUMENT). correlate_nd is convolve_nd with the reversed
 * conjugates of y.
 *
 * DIRECT is as gpuopt_convolve(): integers are exact and wrap, and what is not finite stays where it belongs. FFT
 * computes in the precision of the dtype, float32 for 16-bit floats and float64 for integers, which are rounded, and
 * exact while no sum exceeds 2^53 or so; its errors are relative to the largest sums, and a NaN or infinity spoils all
 * elements. AUTO is gpuopt_choose_conv_method(). DIRECT is recorded, the others run; the bits are the same everywhere.
 * scipy.signal.convolve, scipy.signal.correlate, scipy.signal.fftconvolve. */
GPUOPT_CALL gpuopt_convolve_nd(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode, gpuopt_convolve_method method,
                               gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_correlate_nd(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode,
                                gpuopt_convolve_method method, gpuopt_array *result, gpuopt_error *error);
/* Writes the method, DIRECT or FFT, that is likely to take less time: by the number of products and the sizes of the
 * transforms. bool is always DIRECT, and integers are unless a bound from the largest magnitudes, for which it may run
 * reductions of both, says that FFT is exact. scipy.signal.choose_conv_method. */
GPUOPT_CALL gpuopt_choose_conv_method(gpuopt_array x, gpuopt_array y, gpuopt_convolve_mode mode,
                                      gpuopt_convolve_method *method, gpuopt_error *error);

/* Phases whose neighbours along an axis differ by at most half a period, by adding multiples of `period` (0: 2 pi; not
 * positive and finite: GPUOPT_ERR_INVALID_ARGUMENT). Differences below `discont`, or below period / 2 where that is
 * more, stay. Integers with a period that is a whole number keep their dtype, and are computed in float64 with another
 * one; bool, unsigned and complex x are GPUOPT_ERR_TYPE. numpy.unwrap. */
GPUOPT_CALL gpuopt_unwrap(gpuopt_array x, double discont, double period, int64_t axis, gpuopt_array *result,
                          gpuopt_error *error);

/* gpuopt_cumulative_sum and gpuopt_cumulative_prod of x with 0 and 1 for NaN, along an axis. `dtype` is that of the
 * result; 0: that of these. numpy.nancumsum, numpy.nancumprod. */
GPUOPT_CALL gpuopt_nancumsum(gpuopt_array x, int64_t axis, gpuopt_dtype dtype, gpuopt_array *result,
                             gpuopt_error *error);
GPUOPT_CALL gpuopt_nancumprod(gpuopt_array x, int64_t axis, gpuopt_dtype dtype, gpuopt_array *result,
                              gpuopt_error *error);

#endif
