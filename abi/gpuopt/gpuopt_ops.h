/* abi/gpuopt/gpuopt_ops.h -- generated from ops.def by abi/generate.py; do not edit. Included by gpuopt.h. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_OPS_H)
#define GPUOPT_OPS_H

/* x1 + x2. Integers wrap; on bool it is logical or.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real, complex; result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_add(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_add_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 - x2. Integers wrap.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real, complex; result: the promoted dtype. */
GPUOPT_CALL gpuopt_subtract(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_subtract_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 * x2. Integers wrap; on bool it is logical and.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real, complex; result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_multiply(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_multiply_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 / x2, true division: integers are divided in float64.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_divide(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_divide_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The quotient rounded towards negative infinity. Integer division by zero gives 0.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_floor_divide(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_floor_divide_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The remainder with the sign of the divisor (Python's %). An integer divisor of zero gives 0.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_remainder(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_remainder_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The remainder with the sign of the dividend (C's fmod). An integer divisor of zero gives 0.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_fmod(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_fmod_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 to the power x2. The real powers 2, 3 and -1 are x1 * x1, x1 * x1 * x1 and 1 / x1. A negative integer exponent
 * gives the exact result truncated towards zero, 0 for base 0.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real, complex; result: the promoted dtype. */
GPUOPT_CALL gpuopt_pow(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_pow_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* -x. Integers wrap.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real, complex; result: the promoted dtype. */
GPUOPT_CALL gpuopt_negative(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_negative_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* +x, a copy.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real, complex; result: the promoted dtype. */
GPUOPT_CALL gpuopt_positive(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_positive_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The absolute value, for complex numbers the magnitude without undue overflow. The most negative integer is its own.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real, complex; result: the promoted dtype;
 * of complex numbers its real component. */
GPUOPT_CALL gpuopt_abs(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_abs_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* -1, 0 or 1 by sign; x / abs(x) for complex numbers; NaN for NaN.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real, complex; result: the promoted dtype. */
GPUOPT_CALL gpuopt_sign(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_sign_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* x * x.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real, complex; result: the promoted dtype. */
GPUOPT_CALL gpuopt_square(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_square_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* 1 / x.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_reciprocal(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_reciprocal_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The square root, correctly rounded for reals; NaN for negative reals.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_sqrt(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_sqrt_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The real cube root.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_cbrt(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_cbrt_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* sqrt(x1*x1 + x2*x2) without undue overflow or underflow.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_hypot(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_hypot_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The least integer not below x.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_ceil(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_ceil_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The greatest integer not above x.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_floor(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_floor_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* x rounded towards zero.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_trunc(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_trunc_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The nearest integer, halves to even; each component for complex numbers.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real, complex; result: the promoted dtype. */
GPUOPT_CALL gpuopt_round(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_round_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The real component.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real, complex; result: the promoted dtype; of
 * complex numbers its real component. */
GPUOPT_CALL gpuopt_real(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_real_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The imaginary component; zero for real numbers.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real, complex; result: the promoted dtype; of
 * complex numbers its real component. */
GPUOPT_CALL gpuopt_imag(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_imag_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The complex conjugate.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real, complex; result: the promoted dtype. */
GPUOPT_CALL gpuopt_conj(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_conj_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The magnitude of x1 with the sign bit of x2.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_copysign(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_copysign_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The next representable value after x1 in the direction of x2.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_nextafter(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_nextafter_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* e to the power x.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_exp(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_exp_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* 2 to the power x.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_exp2(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_exp2_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* exp(x) - 1, accurate near zero.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_expm1(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_expm1_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The natural logarithm.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_log(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_log_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The base-2 logarithm.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_log2(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_log2_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The base-10 logarithm.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_log10(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_log10_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* log(1 + x), accurate near zero.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_log1p(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_log1p_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* log(exp(x1) + exp(x2)) without overflow.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_logaddexp(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_logaddexp_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The sine of x in radians.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_sin(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_sin_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The cosine of x in radians.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_cos(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_cos_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The tangent of x in radians.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_tan(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_tan_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The inverse sine, in [-pi/2, pi/2] for reals.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_asin(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_asin_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The inverse cosine, in [0, pi] for reals.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_acos(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_acos_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The inverse tangent, in [-pi/2, pi/2] for reals.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_atan(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_atan_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The angle of the point (x2, x1), in [-pi, pi].
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_atan2(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_atan2_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The hyperbolic sine.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_sinh(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_sinh_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The hyperbolic cosine.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_cosh(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_cosh_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The hyperbolic tangent.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_tanh(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_tanh_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The inverse hyperbolic sine.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_asinh(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_asinh_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The inverse hyperbolic cosine, in [0, inf] for reals.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_acosh(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_acosh_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The inverse hyperbolic tangent.
 * Elementwise, recorded; inputs broadcast. dtypes: real, complex (bool and integers as float64); result: the promoted
 * dtype. */
GPUOPT_CALL gpuopt_atanh(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_atanh_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* x * pi/180.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_deg2rad(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_deg2rad_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* x * 180/pi.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_rad2deg(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_rad2deg_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* sin(pi x) / (pi x), 1 at zero (the normalized sinc, as numpy.sinc).
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_sinc(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_sinc_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The error function.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_erf(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_erf_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* 1 - erf(x), accurate in the tail.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_erfc(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_erfc_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The gamma function (C's tgamma).
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_gamma(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_gamma_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The logarithm of the absolute value of the gamma function.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_lgamma(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_lgamma_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* 0 where x1 < 0, x2 where x1 == 0, 1 where x1 > 0, NaN where x1 is NaN.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_heaviside(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_heaviside_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The greater; NaN if either is NaN; +0 over -0.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_maximum(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_maximum_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The lesser; NaN if either is NaN; -0 under +0.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_minimum(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_minimum_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The greater, ignoring a single NaN; +0 over -0.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_fmax(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_fmax_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The lesser, ignoring a single NaN; -0 under +0.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_fmin(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_fmin_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* minimum(maximum(x1, x2), x3): x1 held between x2 and x3.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_clip(gpuopt_array x1, gpuopt_array x2, gpuopt_array x3, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_clip_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array x3, gpuopt_array out, gpuopt_error *error);

/* x1 == x2. NaN equals nothing.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real, complex; result: bool. */
GPUOPT_CALL gpuopt_equal(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_equal_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 != x2.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real, complex; result: bool. */
GPUOPT_CALL gpuopt_not_equal(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_not_equal_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 < x2.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real; result: bool. */
GPUOPT_CALL gpuopt_less(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_less_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 <= x2.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real; result: bool. */
GPUOPT_CALL gpuopt_less_equal(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_less_equal_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 > x2.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real; result: bool. */
GPUOPT_CALL gpuopt_greater(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_greater_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 >= x2.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real; result: bool. */
GPUOPT_CALL gpuopt_greater_equal(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_greater_equal_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* Whether x is NaN; for complex numbers either component.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real, complex; result: bool. */
GPUOPT_CALL gpuopt_isnan(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_isnan_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* Whether x is infinite; for complex numbers either component.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real, complex; result: bool. */
GPUOPT_CALL gpuopt_isinf(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_isinf_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* Whether x is neither NaN nor infinite.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned, real, complex; result: bool. */
GPUOPT_CALL gpuopt_isfinite(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_isfinite_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* Whether the sign bit is set, also of -0 and NaN.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: bool. */
GPUOPT_CALL gpuopt_signbit(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_signbit_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* x1 and x2.
 * Elementwise, recorded; inputs broadcast. dtypes: any; result: bool (inputs count as x != 0). */
GPUOPT_CALL gpuopt_logical_and(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_logical_and_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 or x2.
 * Elementwise, recorded; inputs broadcast. dtypes: any; result: bool (inputs count as x != 0). */
GPUOPT_CALL gpuopt_logical_or(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_logical_or_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* Exactly one of x1 and x2.
 * Elementwise, recorded; inputs broadcast. dtypes: any; result: bool (inputs count as x != 0). */
GPUOPT_CALL gpuopt_logical_xor(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_logical_xor_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* not x.
 * Elementwise, recorded; inputs broadcast. dtypes: any; result: bool (inputs count as x != 0). */
GPUOPT_CALL gpuopt_logical_not(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_logical_not_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* x1 & x2.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned; result: the promoted dtype. */
GPUOPT_CALL gpuopt_bitwise_and(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_bitwise_and_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 | x2.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned; result: the promoted dtype. */
GPUOPT_CALL gpuopt_bitwise_or(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_bitwise_or_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 ^ x2.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned; result: the promoted dtype. */
GPUOPT_CALL gpuopt_bitwise_xor(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_bitwise_xor_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* ~x; logical not on bool.
 * Elementwise, recorded; inputs broadcast. dtypes: bool, signed, unsigned; result: the promoted dtype. */
GPUOPT_CALL gpuopt_bitwise_invert(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_bitwise_invert_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* x1 << x2; 0 where x2 is negative or not below the width.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned; result: the promoted dtype. */
GPUOPT_CALL gpuopt_bitwise_left_shift(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_bitwise_left_shift_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x1 >> x2, arithmetic for signed; where x2 is negative or not below the width 0, or -1 for negative x1.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned; result: the promoted dtype. */
GPUOPT_CALL gpuopt_bitwise_right_shift(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_bitwise_right_shift_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* x2 where x1 is true, else x3.
 * Elementwise, recorded; inputs broadcast. dtypes: any; result: the promoted dtype of x2 and x3 (x1 counts as x1 !=
 * 0). */
GPUOPT_CALL gpuopt_where(gpuopt_array x1, gpuopt_array x2, gpuopt_array x3, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_where_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array x3, gpuopt_array out, gpuopt_error *error);

/* The logistic function 1 / (1 + exp(-x)), accurate in both tails (as scipy.special.expit).
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_expit(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_expit_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The greatest common divisor of |x1| and |x2|; 0 for two zeros.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned; result: the promoted dtype. */
GPUOPT_CALL gpuopt_gcd(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_gcd_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The least common multiple of |x1| and |x2|; 0 if one is zero. Integers wrap.
 * Elementwise, recorded; inputs broadcast. dtypes: signed, unsigned; result: the promoted dtype. */
GPUOPT_CALL gpuopt_lcm(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_lcm_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* log2(exp2(x1) + exp2(x2)) without overflow.
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_logaddexp2(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_logaddexp2_into(gpuopt_array x1, gpuopt_array x2, gpuopt_array out, gpuopt_error *error);

/* The logarithmic derivative of the gamma function (as scipy.special.digamma).
 * Elementwise, recorded; inputs broadcast. dtypes: real (bool and integers as float64); result: the promoted dtype. */
GPUOPT_CALL gpuopt_digamma(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_digamma_into(gpuopt_array x, gpuopt_array out, gpuopt_error *error);

/* The sum; 0 for no elements.
 * Reduction over options->axes, recorded. dtypes: bool, signed, unsigned, real, complex; result: int64 for bool and
 * signed, uint64 for unsigned integers, else the dtype of x. */
GPUOPT_CALL gpuopt_sum(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);

/* The product; 1 for no elements.
 * Reduction over options->axes, recorded. dtypes: bool, signed, unsigned, real, complex; result: int64 for bool and
 * signed, uint64 for unsigned integers, else the dtype of x. */
GPUOPT_CALL gpuopt_prod(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                        gpuopt_error *error);

/* The least element; NaN if any is NaN. No elements is an error.
 * Reduction over options->axes, recorded. dtypes: bool, signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_min(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);

/* The greatest element; NaN if any is NaN. No elements is an error.
 * Reduction over options->axes, recorded. dtypes: bool, signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_max(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);

/* The least element that is not NaN; NaN if all are. No elements is an error.
 * Reduction over options->axes, recorded. dtypes: bool, signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_nanmin(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                          gpuopt_error *error);

/* The greatest element that is not NaN; NaN if all are. No elements is an error.
 * Reduction over options->axes, recorded. dtypes: bool, signed, unsigned, real; result: the promoted dtype. */
GPUOPT_CALL gpuopt_nanmax(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                          gpuopt_error *error);

/* Whether any element is nonzero; false for no elements.
 * Reduction over options->axes, recorded. dtypes: any; result: bool. */
GPUOPT_CALL gpuopt_any(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);

/* Whether all elements are nonzero; true for no elements.
 * Reduction over options->axes, recorded. dtypes: any; result: bool. */
GPUOPT_CALL gpuopt_all(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);

/* The position of the first least element, or of the first NaN. No elements is an error.
 * Reduction over options->axes, recorded. dtypes: bool, signed, unsigned, real; result: int64. */
GPUOPT_CALL gpuopt_argmin(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                          gpuopt_error *error);

/* The position of the first greatest element, or of the first NaN. No elements is an error.
 * Reduction over options->axes, recorded. dtypes: bool, signed, unsigned, real; result: int64. */
GPUOPT_CALL gpuopt_argmax(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                          gpuopt_error *error);

/* The number of nonzero elements (NaN is nonzero).
 * Reduction over options->axes, recorded. dtypes: bool; result: int64. */
GPUOPT_CALL gpuopt_count_nonzero(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result,
                                 gpuopt_error *error);

/* The running sum along an axis.
 * Scan along `axis`, which has no default (to scan all elements in C order, reshape x to one dimension first),
 * recorded; dtype 0: the default; include_initial puts the identity in front (length + 1). dtypes: bool, signed,
 * unsigned, real, complex; result: int64 for bool and signed, uint64 for unsigned integers, else the dtype of x. */
GPUOPT_CALL gpuopt_cumulative_sum(gpuopt_array x, int64_t axis, gpuopt_dtype dtype, int32_t include_initial,
                                  gpuopt_array *result, gpuopt_error *error);

/* The running product along an axis.
 * Scan along `axis`, which has no default (to scan all elements in C order, reshape x to one dimension first),
 * recorded; dtype 0: the default; include_initial puts the identity in front (length + 1). dtypes: bool, signed,
 * unsigned, real, complex; result: int64 for bool and signed, uint64 for unsigned integers, else the dtype of x. */
GPUOPT_CALL gpuopt_cumulative_prod(gpuopt_array x, int64_t axis, gpuopt_dtype dtype, int32_t include_initial,
                                   gpuopt_array *result, gpuopt_error *error);

#endif
