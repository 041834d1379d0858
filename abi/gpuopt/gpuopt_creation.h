/* abi/gpuopt/gpuopt_creation.h -- sequences, grids, windows, host buffers and views of memory; part of gpuopt.h, which
 * includes it.
 *
 * The functions of NumPy 2 of these names. New arrays are C-contiguous, on the default stream of the device, and
 * recorded unless a function says otherwise. dtype 0 is the one a function names. All are safe from any threads. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_CREATION_H)
#define GPUOPT_CREATION_H

/* ---- Sequences ----------------------------------------------------------------------------------------------------*/

/* As gpuopt_linspace() for numbers of any kind, with the distance of neighbours in *step (unless it is NULL; NaN where
 * there is none). dtype 0 is float64, or complex128 if an end is complex. Values are computed in float64, of complex
 * numbers each component; in an integer dtype they are rounded down, but ends that are integers are exact.
 * A complex end with a real dtype is GPUOPT_ERR_TYPE, a negative `num` GPUOPT_ERR_INVALID_ARGUMENT. numpy.linspace with
 * retstep. */
GPUOPT_CALL gpuopt_linspace_step(gpuopt_device device, gpuopt_dtype dtype, gpuopt_scalar start, gpuopt_scalar stop,
                                 int64_t num, int32_t endpoint, gpuopt_scalar *step, gpuopt_array *result,
                                 gpuopt_error *error);
/* base to the powers of gpuopt_linspace(start, stop), computed in float64. dtype 0 is float64. numpy.logspace. */
GPUOPT_CALL gpuopt_logspace(gpuopt_device device, gpuopt_dtype dtype, double start, double stop, int64_t num,
                            int32_t endpoint, double base, gpuopt_array *result, gpuopt_error *error);
/* Numbers of a constant ratio, the first being start and, if `endpoint`, the last stop. dtype 0 is float64, or
 * complex128 if an end is complex: then they lie on a spiral. An end that is 0 is GPUOPT_ERR_INVALID_ARGUMENT; between
 * real ends of different signs there are NaNs. numpy.geomspace. */
GPUOPT_CALL gpuopt_geomspace(gpuopt_device device, gpuopt_dtype dtype, gpuopt_scalar start, gpuopt_scalar stop,
                             int64_t num, int32_t endpoint, gpuopt_array *result, gpuopt_error *error);

/* The same between each element of `start` and `stop`, which broadcast together, along a new axis of the result, whose
 * place is `axis` (negative: from the end; GPUOPT_ERR_INDEX). One of the ends, or the base, is an array
 * (GPUOPT_ERR_INVALID_ARGUMENT), others may be numbers (weak scalars); all are on one device, where the results are.
 * They are computed in the dtype that the ends promote to, float64 for integers; dtype 0 is that. In an integer dtype
 * numbers are rounded down. gpuopt_linspace_between() gives the distance of neighbours in *steps, in the shape of the
 * ends, unless that is NULL. The base (NULL: 10) broadcasts with the ends. Numbers of a constant ratio are computed in
 * float64 at least, unless dtype says less. The ends run, and are looked at. numpy.linspace, logspace and geomspace of
 * arrays. */
GPUOPT_CALL gpuopt_linspace_between(gpuopt_array start, gpuopt_array stop, int64_t num, int32_t endpoint, int64_t axis,
                                    gpuopt_dtype dtype, gpuopt_array *steps, gpuopt_array *result,
                                    gpuopt_error *error);
GPUOPT_CALL gpuopt_logspace_between(gpuopt_array start, gpuopt_array stop, gpuopt_array base, int64_t num,
                                    int32_t endpoint, int64_t axis, gpuopt_dtype dtype, gpuopt_array *result,
                                    gpuopt_error *error);
GPUOPT_CALL gpuopt_geomspace_between(gpuopt_array start, gpuopt_array stop, int64_t num, int32_t endpoint, int64_t axis,
                                     gpuopt_dtype dtype, gpuopt_array *result, gpuopt_error *error);

/* ---- Grids --------------------------------------------------------------------------------------------------------*/

/* The indices of a grid, of shape (ndim,) + shape: element [i, ...] is the index into axis i. dtype 0 is int64.
 * numpy.indices. */
GPUOPT_CALL gpuopt_indices(gpuopt_device device, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                           gpuopt_array *result, gpuopt_error *error);
/* The coordinates of a grid with `ndim` axes, along which they are start, start + step and so on below stop or, if the
 * step is complex, as many numbers as its magnitude says, from start to stop itself: numpy.mgrid gives one array of
 * shape (ndim,) + the grid's, numpy.ogrid an array for each axis, with size 1 along the others, to `results` (all or,
 * where the call fails, NULL to all). int64 if all numbers are integers, else float64. */
GPUOPT_CALL gpuopt_mgrid(gpuopt_device device, int32_t ndim, const gpuopt_scalar *start, const gpuopt_scalar *stop,
                         const gpuopt_scalar *step, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_ogrid(gpuopt_device device, int32_t ndim, const gpuopt_scalar *start, const gpuopt_scalar *stop,
                         const gpuopt_scalar *step, gpuopt_array *results, gpuopt_error *error);
/* An array whose elements an expression of their indices gives: C++ of gpuopt_elementwise_kernel(), in which i0, i1
 * and so on are the indices, of int64, so that "i0 == i1 ? 1.0 : 0.0" is an identity. dtype 0 is float64. Runs, and
 * needs what such kernels need. numpy.fromfunction. */
GPUOPT_CALL gpuopt_fromfunction(gpuopt_device device, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                                const char *expression, gpuopt_array *result, gpuopt_error *error);
/* The powers of x, which has one dimension (GPUOPT_ERR_SHAPE), as the rows of a matrix of n columns (n < 0: x's size):
 * from n - 1 down to 0, or up if `increasing`. Integers and bool promote with int64. numpy.vander. */
GPUOPT_CALL gpuopt_vander(gpuopt_array x, int64_t n, int32_t increasing, gpuopt_array *result, gpuopt_error *error);

/* ---- Windows ------------------------------------------------------------------------------------------------------*/

/* Windows of n points in float64: none if n < 1, the number 1 if n is 1. numpy.bartlett, blackman, hamming, hanning,
 * and kaiser, whose shape is `beta`. */
GPUOPT_CALL gpuopt_bartlett(gpuopt_device device, int64_t n, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_blackman(gpuopt_device device, int64_t n, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_hamming(gpuopt_device device, int64_t n, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_hanning(gpuopt_device device, int64_t n, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_kaiser(gpuopt_device device, int64_t n, double beta, gpuopt_array *result, gpuopt_error *error);
/* The modified Bessel function of the first kind and order 0, of real x (GPUOPT_ERR_TYPE), computed in float64. Within
 * 1e-15 of the value. Integers and bool give float64, other dtypes are kept. numpy.i0. */
GPUOPT_CALL gpuopt_i0(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

/* A copy of `count` elements (-1: as many as there are) of host memory of `bytes` bytes, from byte `offset` on, as one
 * dimension. dtype 0 is float64. An offset outside of the memory, fewer elements than asked for, or, with count -1, a
 * rest that is no whole number of elements is GPUOPT_ERR_INVALID_ARGUMENT. Strided memory: gpuopt_from_host().
 * numpy.frombuffer, but for the copy. */
GPUOPT_CALL gpuopt_frombuffer(gpuopt_device device, const void *data, uint64_t bytes, gpuopt_dtype dtype, int64_t count,
                              int64_t offset, gpuopt_array *result, gpuopt_error *error);
/* A read-only view of x's storage of any shape and strides, in bytes, whose element [0,...,0] is x's. Strides are
 * multiples of the size of an element (GPUOPT_ERR_INVALID_ARGUMENT), and all elements lie in the storage
 * (GPUOPT_ERR_INDEX). Elements may overlap. numpy.lib.stride_tricks.as_strided, which checks nothing. */
GPUOPT_CALL gpuopt_as_strided(gpuopt_array x, int32_t ndim, const int64_t *shape, const int64_t *strides,
                              gpuopt_array *result, gpuopt_error *error);
/* A read-only view of all windows: window i has sizes[i] elements along axes[i] (NULL: `count` is ndim, and they are
 * all axes in order), and the windows are new axes at the end. An axis may be named several times. A size that is
 * negative or does not fit is GPUOPT_ERR_INVALID_ARGUMENT. numpy.lib.stride_tricks.sliding_window_view. */
GPUOPT_CALL gpuopt_sliding_window_view(gpuopt_array x, int32_t count, const int64_t *sizes, const int64_t *axes,
                                       gpuopt_array *result, gpuopt_error *error);
/* A view of the same bytes as elements of another dtype. If its size is another one, the last axis is contiguous, and
 * its bytes are a whole number of elements (GPUOPT_ERR_INVALID_ARGUMENT); its size changes accordingly. A view whose
 * elements would not be aligned is GPUOPT_ERR_INVALID_ARGUMENT, as are bytes that are read as bool other than from
 * bool. numpy.ndarray.view. */
GPUOPT_CALL gpuopt_view_dtype(gpuopt_array x, gpuopt_dtype dtype, gpuopt_array *result, gpuopt_error *error);

/* ---- Numbers ------------------------------------------------------------------------------------------------------*/

/* x rounded to a number of decimals, halves to even, as NumPy does: scaled by a power of ten, rounded, and scaled back.
 * A negative number rounds to tens, hundreds, ..; integers are computed in float64 then, else they stay. bool is
 * GPUOPT_ERR_TYPE. numpy.round. */
GPUOPT_CALL gpuopt_round_decimals(gpuopt_array x, int32_t decimals, gpuopt_array *result, gpuopt_error *error);

/* The limits of a floating-point dtype, of a complex one those of its components. */
typedef struct gpuopt_float_limits {
  uint32_t struct_size;
  int32_t bits;               /* of a number */
  int32_t mantissa_bits;      /* of the fraction, without the leading bit: NumPy's nmant */
  int32_t exponent_bits;      /* NumPy's iexp */
  int32_t precision;          /* decimal digits that are kept */
  int32_t max_exponent;       /* the least power of two that is too large */
  int32_t min_exponent;       /* the exponent of smallest_normal */
  int32_t dtype;              /* of the numbers: that of the components if complex */
  double eps, epsneg;         /* the distances of 1 to the next number above, and below */
  double max, min;            /* the greatest and the least finite number */
  double smallest_normal, smallest_subnormal;
  double resolution;          /* 10 to the power -precision, in the dtype */
} gpuopt_float_limits;
/* Set limits->struct_size. A dtype of another kind is GPUOPT_ERR_TYPE. numpy.finfo. */
GPUOPT_CALL gpuopt_finfo(gpuopt_dtype dtype, gpuopt_float_limits *limits, gpuopt_error *error);
/* The limits of an integer dtype. */
typedef struct gpuopt_integer_limits {
  uint32_t struct_size;
  int32_t bits;
  int64_t min;
  uint64_t max;
} gpuopt_integer_limits;
/* Set limits->struct_size. A dtype of another kind is GPUOPT_ERR_TYPE. numpy.iinfo. */
GPUOPT_CALL gpuopt_iinfo(gpuopt_dtype dtype, gpuopt_integer_limits *limits, gpuopt_error *error);

#endif
