/* abi/gpuopt/gpuopt_selection.h -- choosing, editing and joining by conditions and indices; part of gpuopt.h, which
 * includes it.
 *
 * The functions of NumPy 2 of these names. Results are new arrays, and recorded unless a function says that it is a
 * view or that it runs, which means that it reads elements first. Axes may be negative; one out of range is
 * GPUOPT_ERR_INDEX. Where an array is written, the write is complete or, if the call fails, the array is as before.
 * All functions are safe from any threads, as far as they do not write to an array that another thread uses. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_SELECTION_H)
#define GPUOPT_SELECTION_H

/* What is done with an index outside of [0, n): it is GPUOPT_ERR_INVALID_ARGUMENT; counts modulo n; is the nearest
 * index. */
enum { GPUOPT_MODE_RAISE = 0, GPUOPT_MODE_WRAP = 1, GPUOPT_MODE_CLIP = 2 };
typedef int32_t gpuopt_index_mode;

/* ---- Choosing elements --------------------------------------------------------------------------------------------*/

/* choices[index] for each element: all of them broadcast together, in the dtype that the choices promote to. The index
 * has an integer dtype (GPUOPT_ERR_TYPE); `mode` says what an index is that is not in [0, count), and with
 * GPUOPT_MODE_RAISE the call reads the index. Choices may be weak scalars. numpy.choose. */
GPUOPT_CALL gpuopt_choose(gpuopt_array index, int32_t count, const gpuopt_array *choices, gpuopt_index_mode mode,
                          gpuopt_array *result, gpuopt_error *error);
/* For each element the choice of the first condition that is true there, or `otherwise` (NULL: 0). Conditions are bool
 * (GPUOPT_ERR_TYPE), `count` of them and at least one; everything broadcasts together; the dtype is what choices and
 * `otherwise` promote to. Choices may be weak scalars. numpy.select. */
GPUOPT_CALL gpuopt_select(int32_t count, const gpuopt_array *conditions, const gpuopt_array *choices,
                          gpuopt_array otherwise, gpuopt_array *result, gpuopt_error *error);
/* An array of x's shape and dtype: values[i] where condition i is true, of several the last one; where none is, 0 or,
 * if there is one value more than conditions, that value. Conditions are bool and broadcast to x; values are cast to
 * x's dtype as by gpuopt_assign(). numpy.piecewise, whose functions are computed before here. */
GPUOPT_CALL gpuopt_piecewise(gpuopt_array x, int32_t count, const gpuopt_array *conditions, int32_t nvalues,
                             const gpuopt_array *values, gpuopt_array *result, gpuopt_error *error);
/* The slices of x along an axis (NULL: of the flattened x) whose condition is not 0. The condition has one dimension
 * (GPUOPT_ERR_SHAPE) and may be shorter than the axis; a true element behind the axis' end is GPUOPT_ERR_INDEX. Runs.
 * numpy.compress. */
GPUOPT_CALL gpuopt_compress(gpuopt_array condition, gpuopt_array x, const int64_t *axis, gpuopt_array *result,
                            gpuopt_error *error);
/* The elements of the flattened x at which the flattened condition is not 0: one dimension. Runs. numpy.extract. */
GPUOPT_CALL gpuopt_extract(gpuopt_array condition, gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* The places of the elements of the flattened x that are not 0: int64, one dimension. Runs. numpy.flatnonzero. */
GPUOPT_CALL gpuopt_flatnonzero(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* A view without the slices at the ends of each axis that are all 0. `sides` is the sum of GPUOPT_TRIM_FRONT and
 * GPUOPT_TRIM_BACK; 0 is both. `axis` NULL: along all axes. Of zeros alone nothing is left. Runs. numpy.trim_zeros. */
enum { GPUOPT_TRIM_FRONT = 1, GPUOPT_TRIM_BACK = 2 };
GPUOPT_CALL gpuopt_trim_zeros(gpuopt_array x, int32_t sides, const int64_t *axis, gpuopt_array *result,
                              gpuopt_error *error);

/* ---- Writing ------------------------------------------------------------------------------------------------------*/

/* x[mask] = value[mask], all broadcast to x's shape; the mask is bool, NULL: everywhere. A value whose dtype is not of
 * x's kind, so that NumPy's same_kind forbids the cast, is GPUOPT_ERR_TYPE. numpy.copyto. */
GPUOPT_CALL gpuopt_copyto(gpuopt_array x, gpuopt_array value, gpuopt_array mask, gpuopt_error *error);
/* x.flat[i] = values.flat[i mod n] where mask.flat[i] is not 0. The mask has x's size (GPUOPT_ERR_SHAPE), values have n
 * elements, are cast as by gpuopt_assign(), and nothing is written if n is 0. numpy.putmask. */
GPUOPT_CALL gpuopt_putmask(gpuopt_array x, gpuopt_array mask, gpuopt_array values, gpuopt_error *error);
/* The k-th element of x at which the mask is not 0 becomes values.flat[k mod n]. As above, but n = 0 is
 * GPUOPT_ERR_INVALID_ARGUMENT if there is such an element. Runs. numpy.place. */
GPUOPT_CALL gpuopt_place(gpuopt_array x, gpuopt_array mask, gpuopt_array values, gpuopt_error *error);
/* The diagonal of x, which has at least 2 dimensions and, if more than 2, one size (GPUOPT_ERR_SHAPE), becomes the
 * elements of the flattened values, from the first on again where there are too few. `wrap` not 0: behind a matrix with
 * more rows than columns the diagonal begins anew after a row without. Weak values are allowed. numpy.fill_diagonal. */
GPUOPT_CALL gpuopt_fill_diagonal(gpuopt_array x, gpuopt_array values, int32_t wrap, gpuopt_error *error);
/* x[i0, .., indices[i0, .., k, ..], ..] = values along an axis. Indices have as many dimensions as x
 * (GPUOPT_ERR_SHAPE), broadcast to it along the other axes, and count from the end if negative; out of range is
 * GPUOPT_ERR_INDEX. Values broadcast to the shape of the indices; of indices that are equal the last one wins. Runs.
 * numpy.put_along_axis. */
GPUOPT_CALL gpuopt_put_along_axis(gpuopt_array x, gpuopt_array indices, gpuopt_array values, int64_t axis,
                                  gpuopt_error *error);
/* x[items] = op(x[items], values) one element after the other, in C order of x[items], so that of indices that are
 * equal each counts: numpy.add.at and its like. The order is the same on every device and with any number of threads,
 * and so are the bits. `op` is GPUOPT_OP_add, subtract, multiply, minimum, maximum, fmin or fmax, else
 * GPUOPT_ERR_UNSUPPORTED. Values broadcast to x[items], and are cast to x's dtype first, which has to be a cast of
 * NumPy's same_kind (GPUOPT_ERR_TYPE; NumPy casts the sums instead, and by any cast). Items, arrays and errors are
 * those of gpuopt_set(). Runs. */
GPUOPT_CALL gpuopt_apply_at(gpuopt_op op, gpuopt_array x, int32_t count, const gpuopt_index *items, int32_t narrays,
                            const gpuopt_array *arrays, gpuopt_array values, gpuopt_error *error);

/* ---- Indices ------------------------------------------------------------------------------------------------------*/

/* The functions with `results` write several int64 arrays: all of them or, where the call fails, NULL to all. */

/* The indices of the diagonal of an array of `ndim` axes of size n: `ndim` times 0 .. n-1. numpy.diag_indices. */
GPUOPT_CALL gpuopt_diag_indices(gpuopt_device device, int64_t n, int32_t ndim, gpuopt_array *results,
                                gpuopt_error *error);
/* The same for the diagonal of x, one array for each axis; x has at least 2 dimensions, all of one size
 * (GPUOPT_ERR_SHAPE). numpy.diag_indices_from. */
GPUOPT_CALL gpuopt_diag_indices_from(gpuopt_array x, gpuopt_array *results, gpuopt_error *error);
/* The rows and columns of the elements at and below (tril) or at and above (triu) the k-th diagonal of a matrix of n
 * rows and m columns, in C order; m < 0 stands for n. Runs. numpy.tril_indices, numpy.triu_indices. */
GPUOPT_CALL gpuopt_tril_indices(gpuopt_device device, int64_t n, int64_t k, int64_t m, gpuopt_array *rows,
                                gpuopt_array *columns, gpuopt_error *error);
GPUOPT_CALL gpuopt_triu_indices(gpuopt_device device, int64_t n, int64_t k, int64_t m, gpuopt_array *rows,
                                gpuopt_array *columns, gpuopt_error *error);
/* The same for the shape and the device of a matrix x (GPUOPT_ERR_SHAPE unless it has 2 dimensions). */
GPUOPT_CALL gpuopt_tril_indices_from(gpuopt_array x, int64_t k, gpuopt_array *rows, gpuopt_array *columns,
                                     gpuopt_error *error);
GPUOPT_CALL gpuopt_triu_indices_from(gpuopt_array x, int64_t k, gpuopt_array *rows, gpuopt_array *columns,
                                     gpuopt_error *error);
/* The index into an array of this shape, as one dimension, that `ndim` integer arrays of indices into its axes mean;
 * they broadcast together. `modes` has one for each axis, NULL: GPUOPT_MODE_RAISE, with which a negative index, too,
 * is out of range, and the call reads the indices. `fortran` not 0: the first axis varies fastest.
 * numpy.ravel_multi_index. */
GPUOPT_CALL gpuopt_ravel_multi_index(int32_t ndim, const gpuopt_array *indices, const int64_t *shape,
                                     const gpuopt_index_mode *modes, int32_t fortran, gpuopt_array *result,
                                     gpuopt_error *error);
/* The indices into each of `ndim` axes of this shape that integer indices into the array as one dimension mean, to
 * `results`. Out of range is GPUOPT_ERR_INVALID_ARGUMENT. Reads the indices. numpy.unravel_index. */
GPUOPT_CALL gpuopt_unravel_index(gpuopt_array indices, int32_t ndim, const int64_t *shape, int32_t fortran,
                                 gpuopt_array *results, gpuopt_error *error);
/* Arrays that index the grid of `count` lists: the i-th list along axis i, and size 1 along the others. Lists have one
 * dimension (GPUOPT_ERR_SHAPE) and hold integers; one of bool stands for the places where it is true, and is read.
 * numpy.ix_. */
GPUOPT_CALL gpuopt_ix(int32_t count, const gpuopt_array *lists, gpuopt_array *results, gpuopt_error *error);

/* ---- Shapes and joining -------------------------------------------------------------------------------------------*/

/* A new array of any shape with the elements of the flattened x, from the first on again where there are too few; of an
 * x without elements, zeros. numpy.resize. */
GPUOPT_CALL gpuopt_resize(gpuopt_array x, int32_t ndim, const int64_t *shape, gpuopt_array *result,
                          gpuopt_error *error);
/* A view with `axis` moved before the axis that is `start` now; start = ndim moves it to the end. numpy.rollaxis. */
GPUOPT_CALL gpuopt_rollaxis(gpuopt_array x, int64_t axis, int64_t start, gpuopt_array *result, gpuopt_error *error);
/* Views with the columns, or the rows, in reverse: axis 1, or axis 0, which there has to be (GPUOPT_ERR_SHAPE).
 * numpy.fliplr, numpy.flipud. */
GPUOPT_CALL gpuopt_fliplr(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_flipud(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* The flattened x as the k-th diagonal of a matrix of zeros. numpy.diagflat. */
GPUOPT_CALL gpuopt_diagflat(gpuopt_array x, int64_t k, gpuopt_array *result, gpuopt_error *error);
/* Arrays one beside the other: along axis 1 or, of at most one dimension, axis 0 (hstack); below each other, where
 * arrays of one dimension are rows (vstack); behind each other, along axis 2 (dstack); and as columns, where those of
 * at most one dimension are columns (column_stack). Errors are those of gpuopt_concat(). */
GPUOPT_CALL gpuopt_hstack(int32_t count, const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_vstack(int32_t count, const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_dstack(int32_t count, const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_column_stack(int32_t count, const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error);
/* `sections` views of one size: along axis 1, or 0 if x has one dimension (hsplit), along axis 0 (vsplit), along axis 2
 * (dsplit). Fewer than 1, 2 and 3 dimensions are GPUOPT_ERR_SHAPE; other errors are those of gpuopt_split(). */
GPUOPT_CALL gpuopt_hsplit(gpuopt_array x, int32_t sections, gpuopt_array *results, gpuopt_error *error);
GPUOPT_CALL gpuopt_vsplit(gpuopt_array x, int32_t sections, gpuopt_array *results, gpuopt_error *error);
GPUOPT_CALL gpuopt_dsplit(gpuopt_array x, int32_t sections, gpuopt_array *results, gpuopt_error *error);
/* An array of blocks that stand in nested lists, as numpy.block: the innermost lists are joined along the last axis,
 * those around them along the one before, and so on; all blocks get as many dimensions as the deepest nesting or the
 * largest block has. `depth` (at least 1) says how deep the blocks lie, and `counts` how long each list is, a list
 * before the lists in it: {2, 3, 3} for depth 2 is two rows of three. There are as many arrays as the innermost counts
 * add up to, and `ncounts` counts; anything else, or an empty list, is GPUOPT_ERR_INVALID_ARGUMENT. Sizes that do not
 * fit are GPUOPT_ERR_SHAPE. */
GPUOPT_CALL gpuopt_block(int32_t depth, int32_t ncounts, const int32_t *counts, int32_t narrays,
                         const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error);
/* The differences of neighbours of the flattened x, between the elements of `to_begin` and `to_end` (NULL: none), which
 * can be cast to x's dtype within its kind (GPUOPT_ERR_TYPE). Weak scalars are allowed there. numpy.ediff1d. */
GPUOPT_CALL gpuopt_ediff1d(gpuopt_array x, gpuopt_array to_end, gpuopt_array to_begin, gpuopt_array *result,
                           gpuopt_error *error);

/* ---- Comparing whole arrays: each reads the elements ---- */

/* Whether two arrays have one shape and equal elements (NaN equals NaN if `equal_nan`). numpy.array_equal. */
GPUOPT_CALL gpuopt_array_equal(gpuopt_array x1, gpuopt_array x2, int32_t equal_nan, int32_t *equal,
                               gpuopt_error *error);
/* Whether two arrays broadcast to one shape and are equal there. numpy.array_equiv. */
GPUOPT_CALL gpuopt_array_equiv(gpuopt_array x1, gpuopt_array x2, int32_t *equal, gpuopt_error *error);
/* Whether all elements are close, as gpuopt_isclose() says. numpy.allclose. */
GPUOPT_CALL gpuopt_allclose(gpuopt_array x1, gpuopt_array x2, double rtol, double atol, int32_t equal_nan,
                            int32_t *close, gpuopt_error *error);

/* Where an element is positive, or negative, infinity; complex x is GPUOPT_ERR_TYPE. numpy.isposinf, isneginf. */
GPUOPT_CALL gpuopt_isposinf(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_isneginf(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
/* Where the imaginary part is not 0, or is 0. numpy.iscomplex, numpy.isreal. */
GPUOPT_CALL gpuopt_iscomplex(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_isreal(gpuopt_array x, gpuopt_array *result, gpuopt_error *error);

/* A function of a line: x has one dimension, and is the caller's. It writes a new array to *result, which the library
 * releases, or returns a failure, of which error->message may say more. It may call the library. */
typedef gpuopt_status (*gpuopt_line_function)(gpuopt_array x, void *context, gpuopt_array *result, gpuopt_error *error);
/* What the function makes of each line of x along an axis, one call after the other in C order, in the place of the
 * line: (i, .., k) results of shape (m, ..) become (i, .., m, .., k). All have the shape of the first one
 * (GPUOPT_ERR_SHAPE) and are cast to its dtype. A failure of the function is that of the call. No lines are
 * GPUOPT_ERR_INVALID_ARGUMENT. Runs the function; the rest is recorded. numpy.apply_along_axis. */
GPUOPT_CALL gpuopt_apply_along_axis(gpuopt_array x, int64_t axis, gpuopt_line_function function, void *context,
                                    gpuopt_array *result, gpuopt_error *error);

#endif
