/* abi/gpuopt/gpuopt_apply.h -- elementwise operations with the options of NumPy's ufuncs; part of gpuopt.h, which
 * includes it. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_APPLY_H)
#define GPUOPT_APPLY_H

/* Which casts are allowed, as numpy.can_cast names them. */
enum {
  GPUOPT_CASTING_DEFAULT = 0,   /* SAME_KIND */
  GPUOPT_CASTING_NO = 1,        /* none */
  GPUOPT_CASTING_SAFE = 2,      /* those that lose no value */
  GPUOPT_CASTING_SAME_KIND = 3, /* these, and those within a kind: float64 to float32 */
  GPUOPT_CASTING_UNSAFE = 4     /* all */
};
typedef int32_t gpuopt_casting;

/* A flag of gpuopt_apply_options. Special cases of which the array API standard 2025.12 says something else than NumPy
 * and C's Annex G, whom the operations follow without it, are as the standard has them: floor_divide of an infinity by
 * a finite number is infinite, and of a finite number by an infinity a zero, with the sign of the quotient; the zero
 * imaginary part of tanh of an infinite real part has the sign of x's; expm1 of a zero real part has no -0 there. */
#define GPUOPT_APPLY_STANDARD 1u

typedef struct gpuopt_apply_options {
  uint32_t struct_size;
  uint32_t flags; /* GPUOPT_APPLY_STANDARD, or 0 */
  const void *next;
  gpuopt_array out;       /* the result broadcasts to it and is cast to its dtype; NULL: a new array */
  gpuopt_array where;     /* bool, broadcasts with the inputs: elements of `out` where it is false stay as they are, and
                           * are 0 in a new array; NULL: all are written */
  gpuopt_casting casting; /* of the inputs to `dtype`, and of the result to that of `out` */
  int32_t dtype;          /* that inputs are cast to before the operation; 0: they are promoted. The condition of
                           * `where`, the operation, stays bool. */
} gpuopt_apply_options;
#define GPUOPT_APPLY_OPTIONS_INIT {sizeof(gpuopt_apply_options), 0, NULL, NULL, NULL, GPUOPT_CASTING_DEFAULT, 0}

/* gpuopt_apply() with options; NULL: none. *result is `out` where there is one; then `result` may be NULL. Recorded.
 * A cast that is not allowed is GPUOPT_ERR_TYPE, as is a `where` that is not bool; shapes that do not fit are
 * GPUOPT_ERR_SHAPE, an unknown flag or casting GPUOPT_ERR_INVALID_ARGUMENT. As numpy.ufunc. */
GPUOPT_CALL gpuopt_apply_with(gpuopt_op op, int32_t count, const gpuopt_array *inputs,
                              const gpuopt_apply_options *options, gpuopt_array *result, gpuopt_error *error);

#endif
