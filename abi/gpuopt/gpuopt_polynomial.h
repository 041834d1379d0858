/* abi/gpuopt/gpuopt_polynomial.h -- polynomials as arrays of their coefficients; part of gpuopt.h, which includes it.
 *
 * The functions of NumPy 2 of these names: an array of one dimension has the coefficients of a polynomial, that of the
 * highest power first, and one without dimensions is a constant. Other dimensions are GPUOPT_ERR_SHAPE, weak scalars
 * GPUOPT_ERR_INVALID_ARGUMENT. Results are new arrays, and recorded unless a function says that it runs. They are safe
 * from any threads. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_POLYNOMIAL_H)
#define GPUOPT_POLYNOMIAL_H

/* The polynomial p at each element of x, of any shape and in the dtype that both promote to, by Horner's method; 0
 * without coefficients. numpy.polyval. */
GPUOPT_CALL gpuopt_polyval(gpuopt_array p, gpuopt_array x, gpuopt_array *result, gpuopt_error *error);

/* The sum and the difference, in the dtype of gpuopt_add() and gpuopt_subtract(), with as many coefficients as the
 * longer operand. numpy.polyadd, numpy.polysub. */
GPUOPT_CALL gpuopt_polyadd(gpuopt_array p1, gpuopt_array p2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_polysub(gpuopt_array p1, gpuopt_array p2, gpuopt_array *result, gpuopt_error *error);
/* The product: the convolution of the coefficients without zeros in front. Runs. numpy.polymul. */
GPUOPT_CALL gpuopt_polymul(gpuopt_array p1, gpuopt_array p2, gpuopt_array *result, gpuopt_error *error);
/* p1 = quotient * p2 + remainder, by synthetic division in the floating dtype that both promote to. Coefficients in
 * front of the remainder that are at most 1e-8 are left out, but not the last one. p2's first coefficient should not be
 * 0. Operands without coefficients are GPUOPT_ERR_INVALID_ARGUMENT. Runs. numpy.polydiv. */
GPUOPT_CALL gpuopt_polydiv(gpuopt_array p1, gpuopt_array p2, gpuopt_array *quotient, gpuopt_array *remainder,
                           gpuopt_error *error);

/* The derivative of order m, in the dtype that p and int64 promote to; p itself, copied, for m = 0. A negative m is
 * GPUOPT_ERR_INVALID_ARGUMENT. numpy.polyder. */
GPUOPT_CALL gpuopt_polyder(gpuopt_array p, int64_t m, gpuopt_array *result, gpuopt_error *error);
/* The antiderivative of order m, in float64 or complex128; p itself, copied, for m = 0. `k` (NULL: zeros; a weak scalar
 * is allowed) has the constants in the order of the integrations: m or more, or one for all of them, else
 * GPUOPT_ERR_INVALID_ARGUMENT. So is a negative m, and one above 10000. numpy.polyint. */
GPUOPT_CALL gpuopt_polyint(gpuopt_array p, int64_t m, gpuopt_array k, gpuopt_array *result, gpuopt_error *error);

/* The polynomial of this degree that is next to the points (x, y) in the sense of least squares: n coordinates x, and n
 * values y or the columns of a matrix y (n, k), which give coefficients (degree + 1) or (degree + 1, k). `weights`
 * (NULL: 1; n real numbers) multiply the distances. Singular values of the scaled Vandermonde matrix not above *rcond
 * times the greatest count as 0 (NULL: n times the epsilon of x's dtype). Each of these may be NULL: `residuals`,
 * `rank` and `s`, as gpuopt_lstsq() gives them for that matrix. Of a rank below degree + 1 the fit is not the only one.
 * No points, or sizes that do not fit, are GPUOPT_ERR_SHAPE, a negative degree GPUOPT_ERR_INVALID_ARGUMENT, y of
 * 16-bit floats GPUOPT_ERR_TYPE. Runs. numpy.polyfit. */
GPUOPT_CALL gpuopt_polyfit(gpuopt_array x, gpuopt_array y, int64_t degree, const double *rcond, gpuopt_array weights,
                           gpuopt_array *coefficients, gpuopt_array *residuals, gpuopt_array *rank, gpuopt_array *s,
                           gpuopt_error *error);
/* The same, and the covariance matrices of the coefficients, (degree + 1, degree + 1) or (degree + 1, degree + 1, k):
 * with `unscaled` not 0 those of weights that are the reciprocals of standard deviations, else multiplied by the
 * residuals over n - degree - 1, which is GPUOPT_ERR_INVALID_ARGUMENT unless positive. GPUOPT_ERR_LINALG: the fit is
 * not the only one. numpy.polyfit(cov=True). */
GPUOPT_CALL gpuopt_polyfit_cov(gpuopt_array x, gpuopt_array y, int64_t degree, const double *rcond,
                               gpuopt_array weights, int32_t unscaled, gpuopt_array *coefficients,
                               gpuopt_array *covariance, gpuopt_error *error);

/* The zeros of a polynomial, complex64 or complex128, as many as its degree without zeros in front: the eigenvalues of
 * the companion matrix, and zeros behind them for coefficients of 0 at the end. They are complex also where all are
 * real. GPUOPT_ERR_LINALG: a coefficient is not finite. 16-bit floats are GPUOPT_ERR_TYPE. Runs. numpy.roots. */
GPUOPT_CALL gpuopt_roots(gpuopt_array p, gpuopt_array *result, gpuopt_error *error);
/* The polynomial with these zeros and the leading coefficient 1, or the characteristic polynomial of a square matrix.
 * Integers, bool and 16-bit floats become float64. The coefficients are real if the zeros are, or are complex and in
 * pairs of conjugates, which match exactly. Without zeros it is the constant 1, of shape (). Runs. numpy.poly. */
GPUOPT_CALL gpuopt_poly(gpuopt_array zeros, gpuopt_array *result, gpuopt_error *error);

#endif
