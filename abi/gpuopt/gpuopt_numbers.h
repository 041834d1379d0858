/* abi/gpuopt/gpuopt_numbers.h -- parts, scales and neighbours of numbers, and functions composed of operations; part of
 * gpuopt.h, which includes it.
 *
 * Elementwise, as the operations of gpuopt_ops.h: the operands are real (else GPUOPT_ERR_TYPE) unless a function says
 * otherwise, floating dtypes are kept, bool and integers become float64, and shapes are broadcast (GPUOPT_ERR_SHAPE).
 * Results are new and recorded. A first operand that is a weak scalar is GPUOPT_ERR_INVALID_ARGUMENT unless a function
 * says otherwise; others may be. They are safe from any threads. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_NUMBERS_H)
#define GPUOPT_NUMBERS_H

/* x as mantissa * 2^exponent: |mantissa| in [0.5, 1), exponent int32. 0, infinities and NaN are their own mantissa, and
 * have the exponent 0. Exact. numpy.frexp. */
GPUOPT_CALL gpuopt_frexp(gpuopt_array x, gpuopt_array *mantissa, gpuopt_array *exponent, gpuopt_error *error);
/* x * 2^exponent, rounded once where it becomes subnormal, in x's dtype. The exponent is bool or an integer
 * (GPUOPT_ERR_TYPE). numpy.ldexp. */
GPUOPT_CALL gpuopt_ldexp(gpuopt_array x, gpuopt_array exponent, gpuopt_array *result, gpuopt_error *error);
/* The parts of x behind and in front of the point, both with x's sign; those of an infinity are 0 and itself. Exact.
 * numpy.modf. */
GPUOPT_CALL gpuopt_modf(gpuopt_array x, gpuopt_array *fraction, gpuopt_array *whole, gpuopt_error *error);
/* gpuopt_floor_divide and gpuopt_remainder, in the dtype that those give: integers stay integers. One of the two
 * operands may be a weak scalar. numpy.divmod. */
GPUOPT_CALL gpuopt_divmod(gpuopt_array x1, gpuopt_array x2, gpuopt_array *quotient, gpuopt_array *remainder,
                          gpuopt_error *error);
/* The distance to the next number away from 0, with x's sign; that of 0 is the least positive number, that of the
 * greatest number infinity, and that of an infinity NaN. numpy.spacing (whose float16 has exceptions at negative powers
 * of two). */
GPUOPT_CALL gpuopt_spacing(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* gpuopt_pow in float64 or, if one of them is complex, in complex128. One of the two operands may be a weak scalar.
 * numpy.float_power. */
GPUOPT_CALL gpuopt_float_power(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error);
/* x * log(y), and 0 where x is 0 and y is not NaN. Both may be complex, and one of them a weak scalar.
 * scipy.special.xlogy. */
GPUOPT_CALL gpuopt_xlogy(gpuopt_array x, gpuopt_array y, gpuopt_array *result, gpuopt_error *error);
/* -x * log(x) where x is positive, 0 where it is 0, and -infinity below. scipy.special.entr. */
GPUOPT_CALL gpuopt_entr(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);

#endif
