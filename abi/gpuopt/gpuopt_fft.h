/* abi/gpuopt/gpuopt_fft.h -- discrete Fourier transforms; part of gpuopt.h, which includes it.
 *
 * The functions of numpy.fft, with NumPy 2's semantics. A forward transform of n elements along an axis is
 * y[k] = sum over j of x[j] exp(-2 pi i j k / n), an inverse one has +2 pi i. Any n is transformed in a time that grows
 * as n log n. The bits are the same on every device and processor, whatever the number of threads and the layout of x,
 * and computed in the precision of the result: complex64 and float32 transforms in float32. With GPUOPT_FFT=fast they
 * are left to cuFFT on CUDA, if it is there, and on the CPU to MKL, if that is the BLAS library: their bits differ.
 *
 * x of float16, bfloat16 and float32 gives complex64, of other real dtypes complex128. `n` is the number of elements
 * that are transformed along the axis: x is cut off there, or followed by zeros; NULL: all that x has. Less than 1 is
 * GPUOPT_ERR_INVALID_ARGUMENT. An axis may be negative; one out of range is GPUOPT_ERR_INDEX. Results are new and
 * C-contiguous, and the transforms run: nothing of them is recorded. They are safe from any threads. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_FFT_H)
#define GPUOPT_FFT_H

/* By what each of the n elements of a result is multiplied. */
enum {
  GPUOPT_FFT_BACKWARD = 0, /* forward transforms by 1, inverse ones by 1/n */
  GPUOPT_FFT_ORTHO = 1,    /* both by 1/sqrt(n) */
  GPUOPT_FFT_FORWARD = 2   /* forward transforms by 1/n, inverse ones by 1 */
};
typedef int32_t gpuopt_fft_norm;

/* Of complex numbers, and the inverse. */
GPUOPT_CALL gpuopt_fft(gpuopt_array x, const int64_t *n, int64_t axis, gpuopt_fft_norm norm, gpuopt_array *result,
                       gpuopt_error *error);
GPUOPT_CALL gpuopt_ifft(gpuopt_array x, const int64_t *n, int64_t axis, gpuopt_fft_norm norm, gpuopt_array *result,
                        gpuopt_error *error);
/* Of real numbers: the first n/2 + 1 elements, from which the others follow. Complex x is GPUOPT_ERR_TYPE. */
GPUOPT_CALL gpuopt_rfft(gpuopt_array x, const int64_t *n, int64_t axis, gpuopt_fft_norm norm, gpuopt_array *result,
                        gpuopt_error *error);
/* The inverse of it: n real numbers, by default 2 (m - 1) of m elements, from n/2 + 1 complex ones. The imaginary part
 * of the first, and for even n of the last, does not count. float16 and bfloat16 stay what they are; they are computed
 * in float32. */
GPUOPT_CALL gpuopt_irfft(gpuopt_array x, const int64_t *n, int64_t axis, gpuopt_fft_norm norm, gpuopt_array *result,
                         gpuopt_error *error);
/* hfft: the forward transform of n elements with Hermitian symmetry, whose first n/2 + 1 are given, which has n real
 * ones; `n` as for gpuopt_irfft. ihfft: the inverse, the first n/2 + 1 elements from n real ones; complex x is
 * GPUOPT_ERR_TYPE. */
GPUOPT_CALL gpuopt_hfft(gpuopt_array x, const int64_t *n, int64_t axis, gpuopt_fft_norm norm, gpuopt_array *result,
                        gpuopt_error *error);
GPUOPT_CALL gpuopt_ihfft(gpuopt_array x, const int64_t *n, int64_t axis, gpuopt_fft_norm norm, gpuopt_array *result,
                         gpuopt_error *error);

/* Along several axes, one after the other: `count` of them, with the `n` of each in `s`, where -1 stands for all that x
 * has. `s` NULL: that for all. `axes` NULL: the last `count` axes, or all axes if `s` is NULL, too. An axis that is
 * named twice is transformed twice; a count above GPUOPT_MAX_NDIM is GPUOPT_ERR_INVALID_ARGUMENT. Without any axis x is
 * copied as it is. rfftn transforms real numbers along the last axis that is named, complex ones along the others, and
 * irfftn is the inverse of that, whose last n is by default 2 (m - 1); without any axis both are
 * GPUOPT_ERR_INVALID_ARGUMENT. */
GPUOPT_CALL gpuopt_fftn(gpuopt_array x, int32_t count, const int64_t *s, const int64_t *axes, gpuopt_fft_norm norm,
                        gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_ifftn(gpuopt_array x, int32_t count, const int64_t *s, const int64_t *axes, gpuopt_fft_norm norm,
                         gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_rfftn(gpuopt_array x, int32_t count, const int64_t *s, const int64_t *axes, gpuopt_fft_norm norm,
                         gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_irfftn(gpuopt_array x, int32_t count, const int64_t *s, const int64_t *axes, gpuopt_fft_norm norm,
                          gpuopt_array *result, gpuopt_error *error);

/* The frequencies of the elements of gpuopt_fft's result, and of gpuopt_rfft's, for n samples at the distance d: of
 * fftfreq 0, 1, ..., (n - 1)/2, -(n/2), ..., -1, of rfftfreq 0, 1, ..., n/2, times 1/(n d). A real floating dtype;
 * GPUOPT_DTYPE_DEFAULT is float64, another one GPUOPT_ERR_TYPE. n below 1 or d = 0 is GPUOPT_ERR_INVALID_ARGUMENT. */
GPUOPT_CALL gpuopt_fftfreq(gpuopt_device device, int64_t n, double d, gpuopt_dtype dtype, gpuopt_array *result,
                           gpuopt_error *error);
GPUOPT_CALL gpuopt_rfftfreq(gpuopt_device device, int64_t n, double d, gpuopt_dtype dtype, gpuopt_array *result,
                            gpuopt_error *error);
/* Frequency 0 moved into the middle of each of `count` axes (NULL: of all), of any dtype, and back: rolled by half of
 * the size, rounded down, or by as much to the other side. Recorded. */
GPUOPT_CALL gpuopt_fftshift(gpuopt_array x, int32_t count, const int64_t *axes, gpuopt_array *result,
                            gpuopt_error *error);
GPUOPT_CALL gpuopt_ifftshift(gpuopt_array x, int32_t count, const int64_t *axes, gpuopt_array *result,
                             gpuopt_error *error);

#endif
