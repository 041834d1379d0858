/* abi/gpuopt/gpuopt_shard.h -- sharded arrays: arrays of which each rank of a group has some rows; part of gpuopt.h,
 * which includes it.
 *
 * A shard is an array of one dtype, of at least one dimension, that is cut along axis 0 over the ranks of a group
 * (gpuopt_comm.h): rank r has the rows from bounds[r] to bounds[r + 1], as an ordinary array, its part. A part may
 * have no rows. What is computed for each row by itself is computed on the parts, recorded and fused as ever, and
 * gpuopt_shard_with() makes a shard of the result.
 *
 * A shard may also be cut along another axis (gpuopt_shard_from_parts_along, gpuopt_shard_along). What is said of rows
 * and of axis 0 below is then said of that axis, except of matrix products and of files. For sums and products of
 * elements over an axis before it the array is first cut along the first axis that is reduced (gpuopt_shard_along).
 *
 * Where the library cuts, it cuts as evenly as it can at multiples of 1024 rows (GPUOPT_CHUNK, the leaf of a sum);
 * an array with fewer rows than 1024 for each rank is cut as numpy.array_split does. A caller may cut anywhere.
 *
 * Same bits. No result depends on the number of ranks, on where the array is cut, on what carries the messages, or
 * on the device that each rank has. A reduction has the bits that the function of the same name gives for the whole
 * array on one device: partial results of the tree that gpuopt_plugin.h describes travel, not totals. Rows of a
 * chunk that several ranks share go to the rank that has its first one.
 *
 * Functions are collective, unless they say otherwise, and have the errors of gpuopt_comm.h: every rank of the group
 * calls the same functions in the same order, on shards that were made together (GPUOPT_ERR_COMM names the rank and
 * the reason, and the group stays usable). They run at once. Shards never change; a shard keeps its group and its
 * part. Results on several ranks are on the device of each rank's part. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_SHARD_H)
#define GPUOPT_SHARD_H

/* An array that is cut over a group, as one rank sees it. Reference-counted. */
typedef struct gpuopt_shard_s *gpuopt_shard;

/* ---- Making shards ----------------------------------------------------------------------------------------------- */

/* The ranks' arrays, one behind the other along axis 0. They have one dtype and, behind axis 0, one shape, and may
 * have different numbers of rows. x stays this rank's part: it is not copied, and must not be written to afterwards. */
GPUOPT_CALL gpuopt_shard_from_parts(gpuopt_comm comm, gpuopt_array x, gpuopt_shard *result, gpuopt_error *error);
/* The same along any axis, which counts from the end if it is negative (GPUOPT_ERR_INDEX), the same on all ranks. */
GPUOPT_CALL gpuopt_shard_from_parts_along(gpuopt_comm comm, gpuopt_array x, int64_t axis, gpuopt_shard *result,
                                          gpuopt_error *error);
/* The array x of rank `root`, cut, each part sent to its rank. On the others x may be NULL; where it is not, its
 * device is that of the part, else the group's. */
GPUOPT_CALL gpuopt_shard_from_array(gpuopt_comm comm, gpuopt_array x, int32_t root, gpuopt_shard *result,
                                    gpuopt_error *error);
/* An array that all ranks have as a whole, cut: parts are views, and nothing is sent. That all have the same numbers
 * is the caller's affair; that they have one dtype and shape is checked. */
GPUOPT_CALL gpuopt_shard_from_whole(gpuopt_comm comm, gpuopt_array x, gpuopt_shard *result, gpuopt_error *error);
/* A shard that is cut as `shard` is, with x for its part: as many rows, else GPUOPT_ERR_SHAPE. dtype and the sizes
 * behind axis 0 may be others, the same on all ranks. Not collective, and sends nothing. */
GPUOPT_CALL gpuopt_shard_with(gpuopt_shard shard, gpuopt_array x, gpuopt_shard *result, gpuopt_error *error);
/* Random numbers of a distribution (gpuopt_generator_draw), an array of `ndim` >= 1 sizes that is cut: each rank
 * draws its part of the one stream, and the generator is behind the whole of it afterwards. All ranks give
 * generators of gpuopt_generator_create() with one seed at one place, and the same arguments; one of PCG64, whose
 * numbers cannot be drawn from the middle, is GPUOPT_ERR_UNSUPPORTED. Parameters are weak scalars, or broadcast to
 * the sizes behind axis 0. Not collective, and sends nothing; parts are on the generator's device. */
GPUOPT_CALL gpuopt_shard_draw(gpuopt_comm comm, gpuopt_generator generator, gpuopt_distribution distribution,
                              int32_t count, const gpuopt_array *parameters, gpuopt_dtype dtype, int32_t ndim,
                              const int64_t *shape, gpuopt_shard *result, gpuopt_error *error);
/* The array of a .npy file (gpuopt_load_npy), cut: each rank reads its own rows, so that all must see the file.
 * Parts are on `device`, or with NULL on the group's. A file that ranks find different is GPUOPT_ERR_COMM. */
GPUOPT_CALL gpuopt_shard_load_npy(gpuopt_comm comm, gpuopt_device device, const char *path, gpuopt_shard *result,
                                  gpuopt_error *error);
/* Writes a .npy file, in C order, of which each rank writes its own rows, into one directory that all of them see. Its
 * bytes do not depend on the axis along which the array is cut: where that is not axis 0, the array is first cut along
 * the first axis that has a place for each rank (gpuopt_shard_along; no axis behind the one along which it is cut), so
 * that each rank writes few pieces, which takes as much memory again as the part has.
 * It is written beside `path`, and rank 0 renames it when all of it is there: if a rank cannot write (a full disk),
 * it gets GPUOPT_ERR_IO, the others GPUOPT_ERR_COMM with its reason, and what was at `path` before is there still. A
 * path that is no regular file is GPUOPT_ERR_IO. */
GPUOPT_CALL gpuopt_shard_save_npy(gpuopt_shard shard, const char *path, gpuopt_error *error);

/* ---- What a shard is: not collective
 * ------------------------------------------------------------------------------ */

GPUOPT_API void gpuopt_shard_retain(gpuopt_shard shard);
/* NULL is allowed. */
GPUOPT_API void gpuopt_shard_release(gpuopt_shard shard);
/* A new reference to this rank's part. */
GPUOPT_CALL gpuopt_shard_part(gpuopt_shard shard, gpuopt_array *result, gpuopt_error *error);
/* A new reference to the group. */
GPUOPT_CALL gpuopt_shard_comm(gpuopt_shard shard, gpuopt_comm *result, gpuopt_error *error);
/* The number of rows of the whole array; 0 for NULL. */
GPUOPT_API int64_t gpuopt_shard_rows(gpuopt_shard shard);
/* The axis along which the array is cut; 0 for NULL. */
GPUOPT_API int32_t gpuopt_shard_axis(gpuopt_shard shard);
/* The boundaries of the ranks' rows: size + 1 numbers, from 0 to the number of rows. They live as long as the shard.
 * NULL for NULL. */
GPUOPT_API const int64_t *gpuopt_shard_bounds(gpuopt_shard shard);

/* ---- What ranks compute together
 * ---------------------------------------------------------------------------------- */

/* The whole array reduced over options->axes, which contain axis 0 (NULL: all axes), on every rank: sum, prod, min,
 * max, nanmin, nanmax, any, all, count_nonzero, argmin and argmax, with the dtypes, errors and bits of
 * gpuopt_reduce(). options->keepdims and, for sum and prod, ->dtype are as there. Axes without axis 0 are
 * GPUOPT_ERR_INVALID_ARGUMENT: such a reduction is one of the parts. where, initial and out are
 * GPUOPT_ERR_UNSUPPORTED. argmin and argmax reduce axis 0 alone, or all axes of one dimension (else
 * GPUOPT_ERR_UNSUPPORTED). Each rank sends at most 2 log2(chunks) partial results. */
GPUOPT_CALL gpuopt_shard_reduce(gpuopt_shard shard, gpuopt_reduction reduction, const gpuopt_reduce_options *options,
                                gpuopt_array *result, gpuopt_error *error);
/* a b: the rows of a times b, which every rank has (gpuopt_matmul; b has one or two dimensions, a two). Not
 * collective, and sends nothing, unless a is cut along axis 1: then it is first cut along axis 0, where the library
 * cuts (gpuopt_shard_along), as the result is. So the bits are those of gpuopt_matmul() of the whole matrix. */
GPUOPT_CALL gpuopt_shard_matmul(gpuopt_shard a, gpuopt_array b, gpuopt_shard *result, gpuopt_error *error);
/* a^T b for two shards of two dimensions that are cut alike (GPUOPT_ERR_SHAPE), on every rank: with a for b the
 * matrix of inner products of columns (crossprod() in R). One that is cut along axis 1 is first cut along axis 0, as
 * the other one is (gpuopt_shard_along): then they need only have as many rows. The sum over rows is that of products
 * of blocks of 1024 rows (gpuopt_matmul), which are combined pairwise in rounds as the chunks of a sum are; 16-bit
 * floats are multiplied in float32 and rounded once. So up to 1024 rows the bits are those of gpuopt_matmul(). */
GPUOPT_CALL gpuopt_shard_crossprod(gpuopt_shard a, gpuopt_shard b, gpuopt_array *result, gpuopt_error *error);
/* A shard of one dimension, sorted in ascending order as gpuopt_sort() does, stable, NaN last, and cut as x is; and,
 * if `positions` is not NULL (on all ranks or on none), where each element was in x, int64: gpuopt_argsort(). Other
 * dimensions are GPUOPT_ERR_SHAPE. Sorts by regular sampling (Shi and Schaeffer, 1992), in which equal elements are
 * told apart by their places, so that no rank ever has much more than twice its share. */
GPUOPT_CALL gpuopt_shard_sort(gpuopt_shard x, gpuopt_shard *values, gpuopt_shard *positions, gpuopt_error *error);
/* The whole array, on rank `root`, or with a negative `root` on every rank; the others get NULL. */
GPUOPT_CALL gpuopt_shard_gather(gpuopt_shard shard, int32_t root, gpuopt_array *result, gpuopt_error *error);
/* This rank's part with the `before` rows before it and the `after` rows behind it in front and at the end,
 * whichever ranks have them: for stencils. At the ends of the array there are fewer, or, if `periodic` is not 0, the
 * array goes on with its other end; then neither number may be greater than that of all rows
 * (GPUOPT_ERR_INVALID_ARGUMENT, as for negative ones). A part without rows gets none. */
GPUOPT_CALL gpuopt_shard_halo(gpuopt_shard shard, int64_t before, int64_t after, int32_t periodic, gpuopt_array *result,
                              gpuopt_error *error);
/* The same array, cut at other places: `bounds` are size + 1 numbers that do not decrease, from 0 to the number of
 * rows (GPUOPT_ERR_INVALID_ARGUMENT), the same on all ranks; NULL: as the library cuts. */
GPUOPT_CALL gpuopt_shard_recut(gpuopt_shard shard, const int64_t *bounds, gpuopt_shard *result, gpuopt_error *error);
/* The same array, cut along another axis, where the library cuts: each rank sends each other one the block that it has
 * of what that one wants. With the axis along which it is cut already, a new reference to the shard. A negative axis
 * counts from the end; one that there is not is GPUOPT_ERR_INDEX. */
GPUOPT_CALL gpuopt_shard_along(gpuopt_shard shard, int64_t axis, gpuopt_shard *result, gpuopt_error *error);

#endif
