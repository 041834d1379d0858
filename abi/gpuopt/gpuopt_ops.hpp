/* abi/gpuopt/gpuopt_ops.hpp -- generated from ops.def by abi/generate.py; do not edit. Included by gpuopt.hpp; dtypes and results are documented in gpuopt_ops.h. */
#ifndef GPUOPT_OPS_HPP
#define GPUOPT_OPS_HPP

#include "hpp/array.hpp"

namespace gpuopt {
inline namespace v1 {

// x1 + x2. Integers wrap; on bool it is logical or.
inline array add(operand x1, operand x2) { return detail::apply(GPUOPT_OP_add, std::move(x1), std::move(x2)); }
inline void add_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_add, out, std::move(x1), std::move(x2)); }

// x1 - x2. Integers wrap.
inline array subtract(operand x1, operand x2) { return detail::apply(GPUOPT_OP_subtract, std::move(x1), std::move(x2)); }
inline void subtract_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_subtract, out, std::move(x1), std::move(x2)); }

// x1 * x2. Integers wrap; on bool it is logical and.
inline array multiply(operand x1, operand x2) { return detail::apply(GPUOPT_OP_multiply, std::move(x1), std::move(x2)); }
inline void multiply_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_multiply, out, std::move(x1), std::move(x2)); }

// x1 / x2, true division: integers are divided in float64.
inline array divide(operand x1, operand x2) { return detail::apply(GPUOPT_OP_divide, std::move(x1), std::move(x2)); }
inline void divide_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_divide, out, std::move(x1), std::move(x2)); }

// The quotient rounded towards negative infinity. Integer division by zero gives 0.
inline array floor_divide(operand x1, operand x2) { return detail::apply(GPUOPT_OP_floor_divide, std::move(x1), std::move(x2)); }
inline void floor_divide_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_floor_divide, out, std::move(x1), std::move(x2)); }

// The remainder with the sign of the divisor (Python's %). An integer divisor of zero gives 0.
inline array remainder(operand x1, operand x2) { return detail::apply(GPUOPT_OP_remainder, std::move(x1), std::move(x2)); }
inline void remainder_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_remainder, out, std::move(x1), std::move(x2)); }

// The remainder with the sign of the dividend (C's fmod). An integer divisor of zero gives 0.
inline array fmod(operand x1, operand x2) { return detail::apply(GPUOPT_OP_fmod, std::move(x1), std::move(x2)); }
inline void fmod_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_fmod, out, std::move(x1), std::move(x2)); }

// x1 to the power x2. The real powers 2, 3 and -1 are x1 * x1, x1 * x1 * x1 and 1 / x1. A negative integer exponent gives the exact result truncated towards zero, 0 for base 0.
inline array pow(operand x1, operand x2) { return detail::apply(GPUOPT_OP_pow, std::move(x1), std::move(x2)); }
inline void pow_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_pow, out, std::move(x1), std::move(x2)); }

// -x. Integers wrap.
inline array negative(operand x) { return detail::apply(GPUOPT_OP_negative, std::move(x)); }
inline void negative_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_negative, out, std::move(x)); }

// +x, a copy.
inline array positive(operand x) { return detail::apply(GPUOPT_OP_positive, std::move(x)); }
inline void positive_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_positive, out, std::move(x)); }

// The absolute value, for complex numbers the magnitude without undue overflow. The most negative integer is its own.
inline array abs(operand x) { return detail::apply(GPUOPT_OP_abs, std::move(x)); }
inline void abs_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_abs, out, std::move(x)); }

// -1, 0 or 1 by sign; x / abs(x) for complex numbers; NaN for NaN.
inline array sign(operand x) { return detail::apply(GPUOPT_OP_sign, std::move(x)); }
inline void sign_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_sign, out, std::move(x)); }

// x * x.
inline array square(operand x) { return detail::apply(GPUOPT_OP_square, std::move(x)); }
inline void square_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_square, out, std::move(x)); }

// 1 / x.
inline array reciprocal(operand x) { return detail::apply(GPUOPT_OP_reciprocal, std::move(x)); }
inline void reciprocal_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_reciprocal, out, std::move(x)); }

// The square root, correctly rounded for reals; NaN for negative reals.
inline array sqrt(operand x) { return detail::apply(GPUOPT_OP_sqrt, std::move(x)); }
inline void sqrt_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_sqrt, out, std::move(x)); }

// The real cube root.
inline array cbrt(operand x) { return detail::apply(GPUOPT_OP_cbrt, std::move(x)); }
inline void cbrt_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_cbrt, out, std::move(x)); }

// sqrt(x1*x1 + x2*x2) without undue overflow or underflow.
inline array hypot(operand x1, operand x2) { return detail::apply(GPUOPT_OP_hypot, std::move(x1), std::move(x2)); }
inline void hypot_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_hypot, out, std::move(x1), std::move(x2)); }

// The least integer not below x.
inline array ceil(operand x) { return detail::apply(GPUOPT_OP_ceil, std::move(x)); }
inline void ceil_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_ceil, out, std::move(x)); }

// The greatest integer not above x.
inline array floor(operand x) { return detail::apply(GPUOPT_OP_floor, std::move(x)); }
inline void floor_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_floor, out, std::move(x)); }

// x rounded towards zero.
inline array trunc(operand x) { return detail::apply(GPUOPT_OP_trunc, std::move(x)); }
inline void trunc_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_trunc, out, std::move(x)); }

// The nearest integer, halves to even; each component for complex numbers.
inline array round(operand x) { return detail::apply(GPUOPT_OP_round, std::move(x)); }
inline void round_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_round, out, std::move(x)); }

// The real component.
inline array real(operand x) { return detail::apply(GPUOPT_OP_real, std::move(x)); }
inline void real_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_real, out, std::move(x)); }

// The imaginary component; zero for real numbers.
inline array imag(operand x) { return detail::apply(GPUOPT_OP_imag, std::move(x)); }
inline void imag_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_imag, out, std::move(x)); }

// The complex conjugate.
inline array conj(operand x) { return detail::apply(GPUOPT_OP_conj, std::move(x)); }
inline void conj_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_conj, out, std::move(x)); }

// The magnitude of x1 with the sign bit of x2.
inline array copysign(operand x1, operand x2) { return detail::apply(GPUOPT_OP_copysign, std::move(x1), std::move(x2)); }
inline void copysign_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_copysign, out, std::move(x1), std::move(x2)); }

// The next representable value after x1 in the direction of x2.
inline array nextafter(operand x1, operand x2) { return detail::apply(GPUOPT_OP_nextafter, std::move(x1), std::move(x2)); }
inline void nextafter_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_nextafter, out, std::move(x1), std::move(x2)); }

// e to the power x.
inline array exp(operand x) { return detail::apply(GPUOPT_OP_exp, std::move(x)); }
inline void exp_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_exp, out, std::move(x)); }

// 2 to the power x.
inline array exp2(operand x) { return detail::apply(GPUOPT_OP_exp2, std::move(x)); }
inline void exp2_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_exp2, out, std::move(x)); }

// exp(x) - 1, accurate near zero.
inline array expm1(operand x) { return detail::apply(GPUOPT_OP_expm1, std::move(x)); }
inline void expm1_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_expm1, out, std::move(x)); }

// The natural logarithm.
inline array log(operand x) { return detail::apply(GPUOPT_OP_log, std::move(x)); }
inline void log_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_log, out, std::move(x)); }

// The base-2 logarithm.
inline array log2(operand x) { return detail::apply(GPUOPT_OP_log2, std::move(x)); }
inline void log2_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_log2, out, std::move(x)); }

// The base-10 logarithm.
inline array log10(operand x) { return detail::apply(GPUOPT_OP_log10, std::move(x)); }
inline void log10_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_log10, out, std::move(x)); }

// log(1 + x), accurate near zero.
inline array log1p(operand x) { return detail::apply(GPUOPT_OP_log1p, std::move(x)); }
inline void log1p_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_log1p, out, std::move(x)); }

// log(exp(x1) + exp(x2)) without overflow.
inline array logaddexp(operand x1, operand x2) { return detail::apply(GPUOPT_OP_logaddexp, std::move(x1), std::move(x2)); }
inline void logaddexp_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_logaddexp, out, std::move(x1), std::move(x2)); }

// The sine of x in radians.
inline array sin(operand x) { return detail::apply(GPUOPT_OP_sin, std::move(x)); }
inline void sin_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_sin, out, std::move(x)); }

// The cosine of x in radians.
inline array cos(operand x) { return detail::apply(GPUOPT_OP_cos, std::move(x)); }
inline void cos_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_cos, out, std::move(x)); }

// The tangent of x in radians.
inline array tan(operand x) { return detail::apply(GPUOPT_OP_tan, std::move(x)); }
inline void tan_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_tan, out, std::move(x)); }

// The inverse sine, in [-pi/2, pi/2] for reals.
inline array asin(operand x) { return detail::apply(GPUOPT_OP_asin, std::move(x)); }
inline void asin_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_asin, out, std::move(x)); }

// The inverse cosine, in [0, pi] for reals.
inline array acos(operand x) { return detail::apply(GPUOPT_OP_acos, std::move(x)); }
inline void acos_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_acos, out, std::move(x)); }

// The inverse tangent, in [-pi/2, pi/2] for reals.
inline array atan(operand x) { return detail::apply(GPUOPT_OP_atan, std::move(x)); }
inline void atan_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_atan, out, std::move(x)); }

// The angle of the point (x2, x1), in [-pi, pi].
inline array atan2(operand x1, operand x2) { return detail::apply(GPUOPT_OP_atan2, std::move(x1), std::move(x2)); }
inline void atan2_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_atan2, out, std::move(x1), std::move(x2)); }

// The hyperbolic sine.
inline array sinh(operand x) { return detail::apply(GPUOPT_OP_sinh, std::move(x)); }
inline void sinh_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_sinh, out, std::move(x)); }

// The hyperbolic cosine.
inline array cosh(operand x) { return detail::apply(GPUOPT_OP_cosh, std::move(x)); }
inline void cosh_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_cosh, out, std::move(x)); }

// The hyperbolic tangent.
inline array tanh(operand x) { return detail::apply(GPUOPT_OP_tanh, std::move(x)); }
inline void tanh_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_tanh, out, std::move(x)); }

// The inverse hyperbolic sine.
inline array asinh(operand x) { return detail::apply(GPUOPT_OP_asinh, std::move(x)); }
inline void asinh_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_asinh, out, std::move(x)); }

// The inverse hyperbolic cosine, in [0, inf] for reals.
inline array acosh(operand x) { return detail::apply(GPUOPT_OP_acosh, std::move(x)); }
inline void acosh_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_acosh, out, std::move(x)); }

// The inverse hyperbolic tangent.
inline array atanh(operand x) { return detail::apply(GPUOPT_OP_atanh, std::move(x)); }
inline void atanh_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_atanh, out, std::move(x)); }

// x * pi/180.
inline array deg2rad(operand x) { return detail::apply(GPUOPT_OP_deg2rad, std::move(x)); }
inline void deg2rad_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_deg2rad, out, std::move(x)); }

// x * 180/pi.
inline array rad2deg(operand x) { return detail::apply(GPUOPT_OP_rad2deg, std::move(x)); }
inline void rad2deg_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_rad2deg, out, std::move(x)); }

// sin(pi x) / (pi x), 1 at zero (the normalized sinc, as numpy.sinc).
inline array sinc(operand x) { return detail::apply(GPUOPT_OP_sinc, std::move(x)); }
inline void sinc_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_sinc, out, std::move(x)); }

// The error function.
inline array erf(operand x) { return detail::apply(GPUOPT_OP_erf, std::move(x)); }
inline void erf_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_erf, out, std::move(x)); }

// 1 - erf(x), accurate in the tail.
inline array erfc(operand x) { return detail::apply(GPUOPT_OP_erfc, std::move(x)); }
inline void erfc_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_erfc, out, std::move(x)); }

// The gamma function (C's tgamma).
inline array gamma(operand x) { return detail::apply(GPUOPT_OP_gamma, std::move(x)); }
inline void gamma_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_gamma, out, std::move(x)); }

// The logarithm of the absolute value of the gamma function.
inline array lgamma(operand x) { return detail::apply(GPUOPT_OP_lgamma, std::move(x)); }
inline void lgamma_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_lgamma, out, std::move(x)); }

// 0 where x1 < 0, x2 where x1 == 0, 1 where x1 > 0, NaN where x1 is NaN.
inline array heaviside(operand x1, operand x2) { return detail::apply(GPUOPT_OP_heaviside, std::move(x1), std::move(x2)); }
inline void heaviside_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_heaviside, out, std::move(x1), std::move(x2)); }

// The greater; NaN if either is NaN; +0 over -0.
inline array maximum(operand x1, operand x2) { return detail::apply(GPUOPT_OP_maximum, std::move(x1), std::move(x2)); }
inline void maximum_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_maximum, out, std::move(x1), std::move(x2)); }

// The lesser; NaN if either is NaN; -0 under +0.
inline array minimum(operand x1, operand x2) { return detail::apply(GPUOPT_OP_minimum, std::move(x1), std::move(x2)); }
inline void minimum_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_minimum, out, std::move(x1), std::move(x2)); }

// The greater, ignoring a single NaN; +0 over -0.
inline array fmax(operand x1, operand x2) { return detail::apply(GPUOPT_OP_fmax, std::move(x1), std::move(x2)); }
inline void fmax_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_fmax, out, std::move(x1), std::move(x2)); }

// The lesser, ignoring a single NaN; -0 under +0.
inline array fmin(operand x1, operand x2) { return detail::apply(GPUOPT_OP_fmin, std::move(x1), std::move(x2)); }
inline void fmin_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_fmin, out, std::move(x1), std::move(x2)); }

// minimum(maximum(x1, x2), x3): x1 held between x2 and x3.
inline array clip(operand x1, operand x2, operand x3) { return detail::apply(GPUOPT_OP_clip, std::move(x1), std::move(x2), std::move(x3)); }
inline void clip_into(operand x1, operand x2, operand x3, const array &out) { detail::apply_into(GPUOPT_OP_clip, out, std::move(x1), std::move(x2), std::move(x3)); }

// x1 == x2. NaN equals nothing.
inline array equal(operand x1, operand x2) { return detail::apply(GPUOPT_OP_equal, std::move(x1), std::move(x2)); }
inline void equal_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_equal, out, std::move(x1), std::move(x2)); }

// x1 != x2.
inline array not_equal(operand x1, operand x2) { return detail::apply(GPUOPT_OP_not_equal, std::move(x1), std::move(x2)); }
inline void not_equal_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_not_equal, out, std::move(x1), std::move(x2)); }

// x1 < x2.
inline array less(operand x1, operand x2) { return detail::apply(GPUOPT_OP_less, std::move(x1), std::move(x2)); }
inline void less_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_less, out, std::move(x1), std::move(x2)); }

// x1 <= x2.
inline array less_equal(operand x1, operand x2) { return detail::apply(GPUOPT_OP_less_equal, std::move(x1), std::move(x2)); }
inline void less_equal_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_less_equal, out, std::move(x1), std::move(x2)); }

// x1 > x2.
inline array greater(operand x1, operand x2) { return detail::apply(GPUOPT_OP_greater, std::move(x1), std::move(x2)); }
inline void greater_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_greater, out, std::move(x1), std::move(x2)); }

// x1 >= x2.
inline array greater_equal(operand x1, operand x2) { return detail::apply(GPUOPT_OP_greater_equal, std::move(x1), std::move(x2)); }
inline void greater_equal_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_greater_equal, out, std::move(x1), std::move(x2)); }

// Whether x is NaN; for complex numbers either component.
inline array isnan(operand x) { return detail::apply(GPUOPT_OP_isnan, std::move(x)); }
inline void isnan_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_isnan, out, std::move(x)); }

// Whether x is infinite; for complex numbers either component.
inline array isinf(operand x) { return detail::apply(GPUOPT_OP_isinf, std::move(x)); }
inline void isinf_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_isinf, out, std::move(x)); }

// Whether x is neither NaN nor infinite.
inline array isfinite(operand x) { return detail::apply(GPUOPT_OP_isfinite, std::move(x)); }
inline void isfinite_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_isfinite, out, std::move(x)); }

// Whether the sign bit is set, also of -0 and NaN.
inline array signbit(operand x) { return detail::apply(GPUOPT_OP_signbit, std::move(x)); }
inline void signbit_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_signbit, out, std::move(x)); }

// x1 and x2.
inline array logical_and(operand x1, operand x2) { return detail::apply(GPUOPT_OP_logical_and, std::move(x1), std::move(x2)); }
inline void logical_and_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_logical_and, out, std::move(x1), std::move(x2)); }

// x1 or x2.
inline array logical_or(operand x1, operand x2) { return detail::apply(GPUOPT_OP_logical_or, std::move(x1), std::move(x2)); }
inline void logical_or_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_logical_or, out, std::move(x1), std::move(x2)); }

// Exactly one of x1 and x2.
inline array logical_xor(operand x1, operand x2) { return detail::apply(GPUOPT_OP_logical_xor, std::move(x1), std::move(x2)); }
inline void logical_xor_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_logical_xor, out, std::move(x1), std::move(x2)); }

// not x.
inline array logical_not(operand x) { return detail::apply(GPUOPT_OP_logical_not, std::move(x)); }
inline void logical_not_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_logical_not, out, std::move(x)); }

// x1 & x2.
inline array bitwise_and(operand x1, operand x2) { return detail::apply(GPUOPT_OP_bitwise_and, std::move(x1), std::move(x2)); }
inline void bitwise_and_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_bitwise_and, out, std::move(x1), std::move(x2)); }

// x1 | x2.
inline array bitwise_or(operand x1, operand x2) { return detail::apply(GPUOPT_OP_bitwise_or, std::move(x1), std::move(x2)); }
inline void bitwise_or_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_bitwise_or, out, std::move(x1), std::move(x2)); }

// x1 ^ x2.
inline array bitwise_xor(operand x1, operand x2) { return detail::apply(GPUOPT_OP_bitwise_xor, std::move(x1), std::move(x2)); }
inline void bitwise_xor_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_bitwise_xor, out, std::move(x1), std::move(x2)); }

// ~x; logical not on bool.
inline array bitwise_invert(operand x) { return detail::apply(GPUOPT_OP_bitwise_invert, std::move(x)); }
inline void bitwise_invert_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_bitwise_invert, out, std::move(x)); }

// x1 << x2; 0 where x2 is negative or not below the width.
inline array bitwise_left_shift(operand x1, operand x2) { return detail::apply(GPUOPT_OP_bitwise_left_shift, std::move(x1), std::move(x2)); }
inline void bitwise_left_shift_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_bitwise_left_shift, out, std::move(x1), std::move(x2)); }

// x1 >> x2, arithmetic for signed; where x2 is negative or not below the width 0, or -1 for negative x1.
inline array bitwise_right_shift(operand x1, operand x2) { return detail::apply(GPUOPT_OP_bitwise_right_shift, std::move(x1), std::move(x2)); }
inline void bitwise_right_shift_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_bitwise_right_shift, out, std::move(x1), std::move(x2)); }

// x2 where x1 is true, else x3.
inline array where(operand x1, operand x2, operand x3) { return detail::apply(GPUOPT_OP_where, std::move(x1), std::move(x2), std::move(x3)); }
inline void where_into(operand x1, operand x2, operand x3, const array &out) { detail::apply_into(GPUOPT_OP_where, out, std::move(x1), std::move(x2), std::move(x3)); }

// The logistic function 1 / (1 + exp(-x)), accurate in both tails (as scipy.special.expit).
inline array expit(operand x) { return detail::apply(GPUOPT_OP_expit, std::move(x)); }
inline void expit_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_expit, out, std::move(x)); }

// The greatest common divisor of |x1| and |x2|; 0 for two zeros.
inline array gcd(operand x1, operand x2) { return detail::apply(GPUOPT_OP_gcd, std::move(x1), std::move(x2)); }
inline void gcd_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_gcd, out, std::move(x1), std::move(x2)); }

// The least common multiple of |x1| and |x2|; 0 if one is zero. Integers wrap.
inline array lcm(operand x1, operand x2) { return detail::apply(GPUOPT_OP_lcm, std::move(x1), std::move(x2)); }
inline void lcm_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_lcm, out, std::move(x1), std::move(x2)); }

// log2(exp2(x1) + exp2(x2)) without overflow.
inline array logaddexp2(operand x1, operand x2) { return detail::apply(GPUOPT_OP_logaddexp2, std::move(x1), std::move(x2)); }
inline void logaddexp2_into(operand x1, operand x2, const array &out) { detail::apply_into(GPUOPT_OP_logaddexp2, out, std::move(x1), std::move(x2)); }

// The logarithmic derivative of the gamma function (as scipy.special.digamma).
inline array digamma(operand x) { return detail::apply(GPUOPT_OP_digamma, std::move(x)); }
inline void digamma_into(operand x, const array &out) { detail::apply_into(GPUOPT_OP_digamma, out, std::move(x)); }

// The sum; 0 for no elements.
inline array sum(array x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_sum, std::move(x), over); }

// The product; 1 for no elements.
inline array prod(array x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_prod, std::move(x), over); }

// The least element; NaN if any is NaN. No elements is an error.
inline array min(array x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_min, std::move(x), over); }

// The greatest element; NaN if any is NaN. No elements is an error.
inline array max(array x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_max, std::move(x), over); }

// The least element that is not NaN; NaN if all are. No elements is an error.
inline array nanmin(array x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_nanmin, std::move(x), over); }

// The greatest element that is not NaN; NaN if all are. No elements is an error.
inline array nanmax(array x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_nanmax, std::move(x), over); }

// Whether any element is nonzero; false for no elements.
inline array any(array x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_any, std::move(x), over); }

// The position of the first least element, or of the first NaN. No elements is an error.
inline array argmin(array x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_argmin, std::move(x), over); }

// The position of the first greatest element, or of the first NaN. No elements is an error.
inline array argmax(array x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_argmax, std::move(x), over); }

// The number of nonzero elements (NaN is nonzero).
inline array count_nonzero(array x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_count_nonzero, std::move(x), over); }

// The running sum along an axis. include_initial puts the identity in front.
inline array cumulative_sum(array x, int64_t axis, dtype t = default_dtype, bool include_initial = false) {
  return detail::from_one(gpuopt_cumulative_sum, std::move(x), axis, raw(t), int32_t{include_initial});
}
// Without an axis: of an array of one dimension; others are an error, because every axis would be a guess.
inline array cumulative_sum(array x) {
  const int64_t axis = detail::only_axis(x, "cumulative_sum");
  return cumulative_sum(std::move(x), axis);
}

// The running product along an axis. include_initial puts the identity in front.
inline array cumulative_prod(array x, int64_t axis, dtype t = default_dtype, bool include_initial = false) {
  return detail::from_one(gpuopt_cumulative_prod, std::move(x), axis, raw(t), int32_t{include_initial});
}
// Without an axis: of an array of one dimension; others are an error, because every axis would be a guess.
inline array cumulative_prod(array x) {
  const int64_t axis = detail::only_axis(x, "cumulative_prod");
  return cumulative_prod(std::move(x), axis);
}

}  // namespace v1
}  // namespace gpuopt
#endif
