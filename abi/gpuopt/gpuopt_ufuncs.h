/* abi/gpuopt/gpuopt_ufuncs.h -- universal functions, generalized ones and stencils, given as CUDA C++ text; part of
 * gpuopt.h, which includes it.
 *
 * All of them are kernels (gpuopt_kernels.h): called by gpuopt_kernel_call with their inputs, or inputs and outputs,
 * compiled for a device in the first call there that needs it, safe from any threads. `types` lists what they are
 * defined for, as "float32,float32->float32; float64,float64->float64": a call takes the first whose inputs its own can
 * be cast to safely (numpy.can_cast; numbers are weak scalars), and casts them; none is GPUOPT_ERR_TYPE. Given outputs
 * of these may have another dtype of the same kind. Functions of math.h are the library's own. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_UFUNCS_H)
#define GPUOPT_UFUNCS_H

/* numba.vectorize, numpy.frompyfunc. `code` has a function NAME (one, overloads, or a template) of one element of each
 * input, which returns that of the output. `identity`, an expression, may be NULL: see gpuopt_ufunc_reduce. */
GPUOPT_CALL gpuopt_vectorize(const char *code, const char *name, const char *types, const char *identity,
                             gpuopt_kernel *kernel, gpuopt_error *error);
/* numba.guvectorize. `signature` names the core dimensions, "(m,n),(n,p)->(m,p)"; a number fixes one. All other
 * dimensions, in front of them, are the loop's, and broadcast. NAME(inputs..., outputs...) is called for each place of
 * the loop with `array<const T, k>` for inputs of k core dimensions (T itself for none) and `array<T, k>` for outputs:
 * a(i, j), a[i] of one dimension, out[0] or out() of none, a.shape(d), a.size(). New outputs have no values before the
 * function writes them. Core dimensions that do not fit are GPUOPT_ERR_SHAPE; an output's that no input has is
 * GPUOPT_ERR_INVALID_ARGUMENT here. */
GPUOPT_CALL gpuopt_guvectorize(const char *code, const char *name, const char *types, const char *signature,
                               gpuopt_kernel *kernel, gpuopt_error *error);

/* numpy.ufunc's methods, for kernels of gpuopt_vectorize with two inputs (gpuopt_ufunc_at: also with one); others are
 * GPUOPT_ERR_INVALID_ARGUMENT. For reduce and accumulate the type of x must give itself, T,T->T (GPUOPT_ERR_TYPE).
 * With an identity a ufunc counts as associative and commutative: elements are combined in the fixed shape of
 * gpuopt_sum, over any axes (axes NULL: all); without one in order, as f(f(x0, x1), x2), along one axis, and reducing
 * nothing is GPUOPT_ERR_INVALID_ARGUMENT. */
GPUOPT_CALL gpuopt_ufunc_reduce(gpuopt_kernel kernel, gpuopt_array x, int32_t naxes, const int64_t *axes,
                                int32_t keepdims, gpuopt_array *result, gpuopt_error *error);
/* result[0] = x[0], result[k] = f(result[k - 1], x[k]) along the axis, in order. */
GPUOPT_CALL gpuopt_ufunc_accumulate(gpuopt_kernel kernel, gpuopt_array x, int64_t axis, gpuopt_array *result,
                                    gpuopt_error *error);
/* result[i..., j...] = f(a[i...], b[j...]). */
GPUOPT_CALL gpuopt_ufunc_outer(gpuopt_kernel kernel, gpuopt_array a, gpuopt_array b, gpuopt_array *result,
                               gpuopt_error *error);
/* x[indices[k]] = f(x[indices[k]], values[k]) for each k in order, in place, along x's first axis, so that an index
 * that comes twice counts twice. `indices` are integers of any shape, negative ones counted from the end (out of range:
 * GPUOPT_ERR_INDEX, and nothing is written); `values` broadcast to indices.shape + x.shape[1:], and are NULL for one
 * input. Waits for the indices. */
GPUOPT_CALL gpuopt_ufunc_at(gpuopt_kernel kernel, gpuopt_array x, gpuopt_array indices, gpuopt_array values,
                            gpuopt_error *error);

/* What an index means that leaves an array: GPUOPT_STENCIL_CONSTANT: no element is read, and where the neighborhood
 * leaves the array the result is `cval`; others as of scipy.ndimage: REFLECT (b a | a b c | c b), NEAREST (a a | a b
 * c | c c), WRAP (b c | a b c | a b). */
#define GPUOPT_STENCIL_CONSTANT 0
#define GPUOPT_STENCIL_REFLECT 1
#define GPUOPT_STENCIL_NEAREST 2
#define GPUOPT_STENCIL_WRAP 3
typedef struct gpuopt_stencil_options {
  uint32_t struct_size, flags;
  const void *next;
  int32_t mode;      /* GPUOPT_STENCIL_*; 0 is CONSTANT */
  int32_t ndim;      /* of the neighborhood */
  const int64_t *neighborhood; /* the least and greatest offset along each axis, 2 * ndim numbers; NULL: those of the
                                * text */
  gpuopt_scalar cval;          /* kind 0: zero; cast to the output's dtype, if that is possible (GPUOPT_ERR_TYPE) */
  const char *preamble;
} gpuopt_stencil_options;
#define GPUOPT_STENCIL_OPTIONS_INIT {sizeof(gpuopt_stencil_options), 0, NULL, 0, 0, NULL, {0, 0, {0}, 0.0}, NULL}

/* numba.stencil. Parameters as of gpuopt_elementwise_kernel. `body` is that of a function: it returns what the one
 * output becomes at a place, and reads the inputs it indexes relative to it, a(-1, 0), or a[-1] of one dimension; raw
 * ones, numba's standard_indexing, as given, w[index]; others are numbers.
 * The first input is a relative one; it gives the output's shape, and other relative ones have as many dimensions and
 * no smaller extents (GPUOPT_ERR_SHAPE). Relative indices are integer literals, of which the neighborhood is taken; or
 * a neighborhood is given: an index beyond it that leaves the array reads 0, if the mode is CONSTANT.
 * Every element of the output is written, also a given one's. */
GPUOPT_CALL gpuopt_stencil(const char *in_params, const char *out_params, const char *body, const char *name,
                           const gpuopt_stencil_options *options, gpuopt_kernel *kernel, gpuopt_error *error);

#endif
