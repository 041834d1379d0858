/* abi/gpuopt/gpuopt_ops.hpp -- generated from ops.def by abi/generate.py; do not edit. Included by gpuopt.hpp; dtypes and results are documented in gpuopt_ops.h. */
#ifndef GPUOPT_OPS_HPP
#define GPUOPT_OPS_HPP

#include "hpp/array.hpp"

namespace gpuopt {
inline namespace v1 {

// x1 + x2. Integers wrap; on bool it is logical or.
inline array add(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_add, x1, x2); }
inline void add_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_add, out, x1, x2); }

// x1 - x2. Integers wrap.
inline array subtract(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_subtract, x1, x2); }
inline void subtract_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_subtract, out, x1, x2); }

// x1 * x2. Integers wrap; on bool it is logical and.
inline array multiply(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_multiply, x1, x2); }
inline void multiply_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_multiply, out, x1, x2); }

// x1 / x2, true division: integers are divided in float64.
inline array divide(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_divide, x1, x2); }
inline void divide_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_divide, out, x1, x2); }

// The quotient rounded towards negative infinity. Integer division by zero gives 0.
inline array floor_divide(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_floor_divide, x1, x2); }
inline void floor_divide_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_floor_divide, out, x1, x2); }

// The remainder with the sign of the divisor (Python's %). An integer divisor of zero gives 0.
inline array remainder(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_remainder, x1, x2); }
inline void remainder_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_remainder, out, x1, x2); }

// The remainder with the sign of the dividend (C's fmod). An integer divisor of zero gives 0.
inline array fmod(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_fmod, x1, x2); }
inline void fmod_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_fmod, out, x1, x2); }

// x1 to the power x2. A negative integer exponent gives the exact result truncated towards zero, 0 for base 0.
inline array pow(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_pow, x1, x2); }
inline void pow_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_pow, out, x1, x2); }

// -x. Integers wrap.
inline array negative(const operand &x) { return detail::apply(GPUOPT_OP_negative, x); }
inline void negative_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_negative, out, x); }

// +x, a copy.
inline array positive(const operand &x) { return detail::apply(GPUOPT_OP_positive, x); }
inline void positive_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_positive, out, x); }

// The absolute value, for complex numbers the magnitude without undue overflow. The most negative integer is its own.
inline array abs(const operand &x) { return detail::apply(GPUOPT_OP_abs, x); }
inline void abs_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_abs, out, x); }

// -1, 0 or 1 by sign; x / abs(x) for complex numbers; NaN for NaN.
inline array sign(const operand &x) { return detail::apply(GPUOPT_OP_sign, x); }
inline void sign_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_sign, out, x); }

// x * x.
inline array square(const operand &x) { return detail::apply(GPUOPT_OP_square, x); }
inline void square_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_square, out, x); }

// 1 / x.
inline array reciprocal(const operand &x) { return detail::apply(GPUOPT_OP_reciprocal, x); }
inline void reciprocal_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_reciprocal, out, x); }

// The square root, correctly rounded for reals; NaN for negative reals.
inline array sqrt(const operand &x) { return detail::apply(GPUOPT_OP_sqrt, x); }
inline void sqrt_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_sqrt, out, x); }

// The real cube root.
inline array cbrt(const operand &x) { return detail::apply(GPUOPT_OP_cbrt, x); }
inline void cbrt_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_cbrt, out, x); }

// sqrt(x1*x1 + x2*x2) without undue overflow or underflow.
inline array hypot(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_hypot, x1, x2); }
inline void hypot_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_hypot, out, x1, x2); }

// The least integer not below x.
inline array ceil(const operand &x) { return detail::apply(GPUOPT_OP_ceil, x); }
inline void ceil_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_ceil, out, x); }

// The greatest integer not above x.
inline array floor(const operand &x) { return detail::apply(GPUOPT_OP_floor, x); }
inline void floor_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_floor, out, x); }

// x rounded towards zero.
inline array trunc(const operand &x) { return detail::apply(GPUOPT_OP_trunc, x); }
inline void trunc_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_trunc, out, x); }

// The nearest integer, halves to even; each component for complex numbers.
inline array round(const operand &x) { return detail::apply(GPUOPT_OP_round, x); }
inline void round_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_round, out, x); }

// The real component.
inline array real(const operand &x) { return detail::apply(GPUOPT_OP_real, x); }
inline void real_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_real, out, x); }

// The imaginary component; zero for real numbers.
inline array imag(const operand &x) { return detail::apply(GPUOPT_OP_imag, x); }
inline void imag_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_imag, out, x); }

// The complex conjugate.
inline array conj(const operand &x) { return detail::apply(GPUOPT_OP_conj, x); }
inline void conj_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_conj, out, x); }

// The magnitude of x1 with the sign bit of x2.
inline array copysign(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_copysign, x1, x2); }
inline void copysign_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_copysign, out, x1, x2); }

// The next representable value after x1 in the direction of x2.
inline array nextafter(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_nextafter, x1, x2); }
inline void nextafter_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_nextafter, out, x1, x2); }

// e to the power x.
inline array exp(const operand &x) { return detail::apply(GPUOPT_OP_exp, x); }
inline void exp_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_exp, out, x); }

// 2 to the power x.
inline array exp2(const operand &x) { return detail::apply(GPUOPT_OP_exp2, x); }
inline void exp2_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_exp2, out, x); }

// exp(x) - 1, accurate near zero.
inline array expm1(const operand &x) { return detail::apply(GPUOPT_OP_expm1, x); }
inline void expm1_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_expm1, out, x); }

// The natural logarithm.
inline array log(const operand &x) { return detail::apply(GPUOPT_OP_log, x); }
inline void log_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_log, out, x); }

// The base-2 logarithm.
inline array log2(const operand &x) { return detail::apply(GPUOPT_OP_log2, x); }
inline void log2_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_log2, out, x); }

// The base-10 logarithm.
inline array log10(const operand &x) { return detail::apply(GPUOPT_OP_log10, x); }
inline void log10_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_log10, out, x); }

// log(1 + x), accurate near zero.
inline array log1p(const operand &x) { return detail::apply(GPUOPT_OP_log1p, x); }
inline void log1p_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_log1p, out, x); }

// log(exp(x1) + exp(x2)) without overflow.
inline array logaddexp(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_logaddexp, x1, x2); }
inline void logaddexp_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_logaddexp, out, x1, x2); }

// The sine of x in radians.
inline array sin(const operand &x) { return detail::apply(GPUOPT_OP_sin, x); }
inline void sin_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_sin, out, x); }

// The cosine of x in radians.
inline array cos(const operand &x) { return detail::apply(GPUOPT_OP_cos, x); }
inline void cos_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_cos, out, x); }

// The tangent of x in radians.
inline array tan(const operand &x) { return detail::apply(GPUOPT_OP_tan, x); }
inline void tan_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_tan, out, x); }

// The inverse sine, in [-pi/2, pi/2] for reals.
inline array asin(const operand &x) { return detail::apply(GPUOPT_OP_asin, x); }
inline void asin_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_asin, out, x); }

// The inverse cosine, in [0, pi] for reals.
inline array acos(const operand &x) { return detail::apply(GPUOPT_OP_acos, x); }
inline void acos_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_acos, out, x); }

// The inverse tangent, in [-pi/2, pi/2] for reals.
inline array atan(const operand &x) { return detail::apply(GPUOPT_OP_atan, x); }
inline void atan_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_atan, out, x); }

// The angle of the point (x2, x1), in [-pi, pi].
inline array atan2(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_atan2, x1, x2); }
inline void atan2_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_atan2, out, x1, x2); }

// The hyperbolic sine.
inline array sinh(const operand &x) { return detail::apply(GPUOPT_OP_sinh, x); }
inline void sinh_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_sinh, out, x); }

// The hyperbolic cosine.
inline array cosh(const operand &x) { return detail::apply(GPUOPT_OP_cosh, x); }
inline void cosh_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_cosh, out, x); }

// The hyperbolic tangent.
inline array tanh(const operand &x) { return detail::apply(GPUOPT_OP_tanh, x); }
inline void tanh_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_tanh, out, x); }

// The inverse hyperbolic sine.
inline array asinh(const operand &x) { return detail::apply(GPUOPT_OP_asinh, x); }
inline void asinh_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_asinh, out, x); }

// The inverse hyperbolic cosine, in [0, inf] for reals.
inline array acosh(const operand &x) { return detail::apply(GPUOPT_OP_acosh, x); }
inline void acosh_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_acosh, out, x); }

// The inverse hyperbolic tangent.
inline array atanh(const operand &x) { return detail::apply(GPUOPT_OP_atanh, x); }
inline void atanh_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_atanh, out, x); }

// x * pi/180.
inline array deg2rad(const operand &x) { return detail::apply(GPUOPT_OP_deg2rad, x); }
inline void deg2rad_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_deg2rad, out, x); }

// x * 180/pi.
inline array rad2deg(const operand &x) { return detail::apply(GPUOPT_OP_rad2deg, x); }
inline void rad2deg_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_rad2deg, out, x); }

// sin(pi x) / (pi x), 1 at zero (the normalized sinc, as numpy.sinc).
inline array sinc(const operand &x) { return detail::apply(GPUOPT_OP_sinc, x); }
inline void sinc_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_sinc, out, x); }

// The error function.
inline array erf(const operand &x) { return detail::apply(GPUOPT_OP_erf, x); }
inline void erf_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_erf, out, x); }

// 1 - erf(x), accurate in the tail.
inline array erfc(const operand &x) { return detail::apply(GPUOPT_OP_erfc, x); }
inline void erfc_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_erfc, out, x); }

// The gamma function (C's tgamma).
inline array gamma(const operand &x) { return detail::apply(GPUOPT_OP_gamma, x); }
inline void gamma_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_gamma, out, x); }

// The logarithm of the absolute value of the gamma function.
inline array lgamma(const operand &x) { return detail::apply(GPUOPT_OP_lgamma, x); }
inline void lgamma_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_lgamma, out, x); }

// 0 where x1 < 0, x2 where x1 == 0, 1 where x1 > 0, NaN where x1 is NaN.
inline array heaviside(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_heaviside, x1, x2); }
inline void heaviside_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_heaviside, out, x1, x2); }

// The greater; NaN if either is NaN; +0 over -0.
inline array maximum(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_maximum, x1, x2); }
inline void maximum_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_maximum, out, x1, x2); }

// The lesser; NaN if either is NaN; -0 under +0.
inline array minimum(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_minimum, x1, x2); }
inline void minimum_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_minimum, out, x1, x2); }

// The greater, ignoring a single NaN; +0 over -0.
inline array fmax(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_fmax, x1, x2); }
inline void fmax_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_fmax, out, x1, x2); }

// The lesser, ignoring a single NaN; -0 under +0.
inline array fmin(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_fmin, x1, x2); }
inline void fmin_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_fmin, out, x1, x2); }

// minimum(maximum(x1, x2), x3): x1 held between x2 and x3.
inline array clip(const operand &x1, const operand &x2, const operand &x3) { return detail::apply(GPUOPT_OP_clip, x1, x2, x3); }
inline void clip_into(const operand &x1, const operand &x2, const operand &x3, const array &out) { detail::apply_into(GPUOPT_OP_clip, out, x1, x2, x3); }

// x1 == x2. NaN equals nothing.
inline array equal(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_equal, x1, x2); }
inline void equal_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_equal, out, x1, x2); }

// x1 != x2.
inline array not_equal(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_not_equal, x1, x2); }
inline void not_equal_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_not_equal, out, x1, x2); }

// x1 < x2.
inline array less(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_less, x1, x2); }
inline void less_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_less, out, x1, x2); }

// x1 <= x2.
inline array less_equal(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_less_equal, x1, x2); }
inline void less_equal_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_less_equal, out, x1, x2); }

// x1 > x2.
inline array greater(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_greater, x1, x2); }
inline void greater_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_greater, out, x1, x2); }

// x1 >= x2.
inline array greater_equal(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_greater_equal, x1, x2); }
inline void greater_equal_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_greater_equal, out, x1, x2); }

// Whether x is NaN; for complex numbers either component.
inline array isnan(const operand &x) { return detail::apply(GPUOPT_OP_isnan, x); }
inline void isnan_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_isnan, out, x); }

// Whether x is infinite; for complex numbers either component.
inline array isinf(const operand &x) { return detail::apply(GPUOPT_OP_isinf, x); }
inline void isinf_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_isinf, out, x); }

// Whether x is neither NaN nor infinite.
inline array isfinite(const operand &x) { return detail::apply(GPUOPT_OP_isfinite, x); }
inline void isfinite_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_isfinite, out, x); }

// Whether the sign bit is set, also of -0 and NaN.
inline array signbit(const operand &x) { return detail::apply(GPUOPT_OP_signbit, x); }
inline void signbit_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_signbit, out, x); }

// x1 and x2.
inline array logical_and(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_logical_and, x1, x2); }
inline void logical_and_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_logical_and, out, x1, x2); }

// x1 or x2.
inline array logical_or(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_logical_or, x1, x2); }
inline void logical_or_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_logical_or, out, x1, x2); }

// Exactly one of x1 and x2.
inline array logical_xor(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_logical_xor, x1, x2); }
inline void logical_xor_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_logical_xor, out, x1, x2); }

// not x.
inline array logical_not(const operand &x) { return detail::apply(GPUOPT_OP_logical_not, x); }
inline void logical_not_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_logical_not, out, x); }

// x1 & x2.
inline array bitwise_and(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_bitwise_and, x1, x2); }
inline void bitwise_and_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_bitwise_and, out, x1, x2); }

// x1 | x2.
inline array bitwise_or(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_bitwise_or, x1, x2); }
inline void bitwise_or_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_bitwise_or, out, x1, x2); }

// x1 ^ x2.
inline array bitwise_xor(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_bitwise_xor, x1, x2); }
inline void bitwise_xor_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_bitwise_xor, out, x1, x2); }

// ~x; logical not on bool.
inline array bitwise_invert(const operand &x) { return detail::apply(GPUOPT_OP_bitwise_invert, x); }
inline void bitwise_invert_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_bitwise_invert, out, x); }

// x1 << x2; 0 where x2 is negative or not below the width.
inline array bitwise_left_shift(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_bitwise_left_shift, x1, x2); }
inline void bitwise_left_shift_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_bitwise_left_shift, out, x1, x2); }

// x1 >> x2, arithmetic for signed; where x2 is negative or not below the width 0, or -1 for negative x1.
inline array bitwise_right_shift(const operand &x1, const operand &x2) { return detail::apply(GPUOPT_OP_bitwise_right_shift, x1, x2); }
inline void bitwise_right_shift_into(const operand &x1, const operand &x2, const array &out) { detail::apply_into(GPUOPT_OP_bitwise_right_shift, out, x1, x2); }

// x2 where x1 is true, else x3.
inline array where(const operand &x1, const operand &x2, const operand &x3) { return detail::apply(GPUOPT_OP_where, x1, x2, x3); }
inline void where_into(const operand &x1, const operand &x2, const operand &x3, const array &out) { detail::apply_into(GPUOPT_OP_where, out, x1, x2, x3); }

// The logistic function 1 / (1 + exp(-x)), accurate in both tails (as scipy.special.expit).
inline array expit(const operand &x) { return detail::apply(GPUOPT_OP_expit, x); }
inline void expit_into(const operand &x, const array &out) { detail::apply_into(GPUOPT_OP_expit, out, x); }

// The sum; 0 for no elements.
inline array sum(const array &x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_sum, x, over); }

// The product; 1 for no elements.
inline array prod(const array &x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_prod, x, over); }

// The least element; NaN if any is NaN. No elements is an error.
inline array min(const array &x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_min, x, over); }

// The greatest element; NaN if any is NaN. No elements is an error.
inline array max(const array &x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_max, x, over); }

// The least element that is not NaN; NaN if all are. No elements is an error.
inline array nanmin(const array &x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_nanmin, x, over); }

// The greatest element that is not NaN; NaN if all are. No elements is an error.
inline array nanmax(const array &x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_nanmax, x, over); }

// Whether any element is nonzero; false for no elements.
inline array any(const array &x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_any, x, over); }

// The position of the first least element, or of the first NaN. No elements is an error.
inline array argmin(const array &x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_argmin, x, over); }

// The position of the first greatest element, or of the first NaN. No elements is an error.
inline array argmax(const array &x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_argmax, x, over); }

// The number of nonzero elements (NaN is nonzero).
inline array count_nonzero(const array &x, const axes &over = {}) { return detail::reduce(GPUOPT_REDUCTION_count_nonzero, x, over); }

// The running sum along an axis. include_initial puts the identity in front.
inline array cumulative_sum(const array &x, int64_t axis, dtype t = default_dtype, bool include_initial = false) {
  return detail::make<array>(gpuopt_cumulative_sum, x.get(), axis, raw(t), int32_t{include_initial});
}
// Without an axis: of an array of one dimension; others are an error, because every axis would be a guess.
inline array cumulative_sum(const array &x) { return cumulative_sum(x, detail::only_axis(x, "cumulative_sum")); }

// The running product along an axis. include_initial puts the identity in front.
inline array cumulative_prod(const array &x, int64_t axis, dtype t = default_dtype, bool include_initial = false) {
  return detail::make<array>(gpuopt_cumulative_prod, x.get(), axis, raw(t), int32_t{include_initial});
}
// Without an axis: of an array of one dimension; others are an error, because every axis would be a guess.
inline array cumulative_prod(const array &x) { return cumulative_prod(x, detail::only_axis(x, "cumulative_prod")); }

}  // namespace v1
}  // namespace gpuopt
#endif
