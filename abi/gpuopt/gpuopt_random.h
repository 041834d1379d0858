/* abi/gpuopt/gpuopt_random.h -- random distributions, PCG64, and states of generators; part of gpuopt.h, which includes
 * it.
 *
 * gpuopt_random_state_* draw the numbers of numpy.random.RandomState (NumPy 2.4), bit for bit, and
 * gpuopt_generator_* of a generator that gpuopt_generator_create_pcg64() made those of numpy.random.Generator with
 * PCG64; both where log(), exp(), pow() and the like of the C library are those that NumPy was built with. These
 * numbers are drawn in sequence, by the host, and moved to the device. A generator of gpuopt_generator_create() draws
 * by Philox with the algorithms of numpy.random.Generator, each element from blocks of its own: element i of a call
 * from block c + i of the streams 0, 2^32, 2 * 2^32 ..., where c is the number of blocks that were taken before; a call
 * for n elements takes n blocks. So the numbers depend neither on the device nor on the number of threads.
 *
 * `shape` is that of the result, or, with ndim = -1, the shape of the parameters broadcast together (NumPy's
 * size=None). Results are new arrays on the generator's device, and exist when the call returns. If a call fails,
 * nothing was drawn. A generator must not be used from two threads at once. */
#ifndef GPUOPT_H
#include "gpuopt.h"
#elif !defined(GPUOPT_RANDOM_H)
#define GPUOPT_RANDOM_H

#include "distributions.h"

/* Draws from a distribution with `count` parameters, arrays on the generator's device or weak scalars. They are read by
 * the host, and broadcast to the shape (GPUOPT_ERR_SHAPE); real ones are computed in float64, and integers must be of
 * bool or an integer dtype but uint64 (GPUOPT_ERR_TYPE). A parameter out of its range is GPUOPT_ERR_INVALID_ARGUMENT,
 * in NumPy's words. A shape of a gamma distribution that is NaN gives NaN, where NumPy's loops would not end. The
 * method of RandomState that has the distribution's name. */
GPUOPT_CALL gpuopt_random_state_draw(gpuopt_random_state state, gpuopt_distribution distribution, int32_t count,
                                     const gpuopt_array *parameters, int32_t ndim, const int64_t *shape,
                                     gpuopt_array *result, gpuopt_error *error);
/* The same of a generator. `dtype` is 0 or that of the distribution; standard normal, exponential and gamma numbers may
 * be float32 instead, which NumPy draws by other algorithms. The method of Generator that has the distribution's
 * name. */
GPUOPT_CALL gpuopt_generator_draw(gpuopt_generator generator, gpuopt_distribution distribution, int32_t count,
                                  const gpuopt_array *parameters, gpuopt_dtype dtype, int32_t ndim,
                                  const int64_t *shape, gpuopt_array *result, gpuopt_error *error);

/* Integers in [low, high), or with `endpoint` in [low, high], whose bounds are arrays of bool or integers on the
 * generator's device, or weak scalars, and broadcast to the shape (GPUOPT_ERR_SHAPE; ndim = -1: to their own). dtype is
 * bool or an integer dtype, 0 int64. Bounds that leave no integer, or are out of those of the dtype, are
 * GPUOPT_ERR_INVALID_ARGUMENT, others than integers GPUOPT_ERR_TYPE. Generator.integers() and RandomState.randint() of
 * arrays, with NumPy's numbers for PCG64 and MT19937. */
GPUOPT_CALL gpuopt_generator_integers_between(gpuopt_generator generator, gpuopt_array low, gpuopt_array high,
                                              int32_t endpoint, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                                              gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_random_state_randint_between(gpuopt_random_state state, gpuopt_array low, gpuopt_array high,
                                                gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                                                gpuopt_array *result, gpuopt_error *error);

/* How often each of k outcomes comes in n trials: int64 of the shape with an axis of k behind it. `pvals` are k
 * probabilities along its last axis, of which all but the last add up to at most 1. RandomState: n is one number, pvals
 * has one axis, and ndim = -1 stands for no axes. Else n and the other axes of pvals are broadcast. multinomial(). */
GPUOPT_CALL gpuopt_random_state_multinomial(gpuopt_random_state state, int64_t n, gpuopt_array pvals, int32_t ndim,
                                            const int64_t *shape, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_generator_multinomial(gpuopt_generator generator, gpuopt_array n, gpuopt_array pvals, int32_t ndim,
                                         const int64_t *shape, gpuopt_array *result, gpuopt_error *error);
/* Vectors of k positive numbers that add up to 1: float64 of the shape with an axis of k behind it. `alpha` has one
 * axis, of k numbers > 0 (Generator: >= 0). ndim = -1 stands for no axes. dirichlet(). */
GPUOPT_CALL gpuopt_random_state_dirichlet(gpuopt_random_state state, gpuopt_array alpha, int32_t ndim,
                                          const int64_t *shape, gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_generator_dirichlet(gpuopt_generator generator, gpuopt_array alpha, int32_t ndim,
                                       const int64_t *shape, gpuopt_array *result, gpuopt_error *error);
/* The matrix by which gpuopt_generator_multivariate_normal() multiplies: from the singular values or the eigenvalues of
 * the covariances, or Cholesky's factor, which is the fastest and wants a positive definite matrix. */
enum { GPUOPT_NORMAL_SVD = 0, GPUOPT_NORMAL_EIGH = 1, GPUOPT_NORMAL_CHOLESKY = 2 };
typedef int32_t gpuopt_normal_method;
/* Normal vectors of n numbers with the means `mean` (n) and the covariances `cov` (n, n), both real: float64 of the
 * shape followed by n. With `check` not 0 a cov that is not symmetric and positive semidefinite by the tolerance `tol`
 * (NumPy's is 1e-8) is GPUOPT_ERR_INVALID_ARGUMENT, before anything is drawn; CHOLESKY does not look. Other dimensions
 * are GPUOPT_ERR_SHAPE. GPUOPT_ERR_LINALG: there is no such factor. The independent numbers are NumPy's, bit for bit;
 * the vectors are as near to NumPy's as the factor is: to a few ULP for CHOLESKY, while singular vectors and
 * eigenvectors have a sign each that depends on the algorithm, in NumPy on its LAPACK. */
GPUOPT_CALL gpuopt_random_state_multivariate_normal(gpuopt_random_state state, gpuopt_array mean, gpuopt_array cov,
                                                    int32_t check, double tol, int32_t ndim, const int64_t *shape,
                                                    gpuopt_array *result, gpuopt_error *error);
GPUOPT_CALL gpuopt_generator_multivariate_normal(gpuopt_generator generator, gpuopt_array mean, gpuopt_array cov,
                                                 gpuopt_normal_method method, int32_t check, double tol, int32_t ndim,
                                                 const int64_t *shape, gpuopt_array *result, gpuopt_error *error);
/* How many of each of k colours are among `nsample` items drawn from colors[0] + ... + colors[k - 1] ones: int64 of the
 * shape with an axis of k behind it. `colors` has one axis, of integers >= 0. With `by_counting` items are drawn one by
 * one (method="count"), from at most 10^6; else colour by colour, with a sum below 10^9. ndim = -1 stands for no axes.
 * multivariate_hypergeometric(). */
GPUOPT_CALL gpuopt_generator_multivariate_hypergeometric(gpuopt_generator generator, gpuopt_array colors,
                                                         int64_t nsample, int32_t by_counting, int32_t ndim,
                                                         const int64_t *shape, gpuopt_array *result,
                                                         gpuopt_error *error);
/* A copy of x whose elements along an axis are in random order, in each row another one. Generator.permuted(x, axis);
 * without an axis it is gpuopt_generator_permutation() of the flattened x. Generators of PCG64 alone, else
 * GPUOPT_ERR_UNSUPPORTED. */
GPUOPT_CALL gpuopt_generator_permuted(gpuopt_generator generator, gpuopt_array x, int64_t axis, gpuopt_array *result,
                                      gpuopt_error *error);
/* `length` random bytes, written to host memory. bytes(). */
GPUOPT_CALL gpuopt_random_state_bytes(gpuopt_random_state state, int64_t length, void *bytes, gpuopt_error *error);
GPUOPT_CALL gpuopt_generator_bytes(gpuopt_generator generator, int64_t length, void *bytes, gpuopt_error *error);

/* What RandomState.get_state() shows. The caller sets struct_size. */
typedef struct gpuopt_mt19937_words {
  uint32_t struct_size, flags;
  const void *next;
  uint32_t key[624];
  int32_t position;  /* the next word of key, 0 to 624 */
  int32_t has_gauss; /* 1: gauss is the next standard normal number */
  double gauss;
} gpuopt_mt19937_words;
GPUOPT_CALL gpuopt_random_state_get_words(gpuopt_random_state state, gpuopt_mt19937_words *words, gpuopt_error *error);
/* A position that is out of range is GPUOPT_ERR_INVALID_ARGUMENT. */
GPUOPT_CALL gpuopt_random_state_set_words(gpuopt_random_state state, const gpuopt_mt19937_words *words,
                                          gpuopt_error *error);

/* A generator of the numbers of numpy.random.default_rng(): PCG64 seeded by SeedSequence with `count` 32-bit words of
 * entropy, those of one integer least significant first, one integer behind another, and `spawn_count` words of a
 * spawn_key (NULL and 0: none), at most 2^20 of each. All gpuopt_generator_* draw from it as numpy.random.Generator
 * does; of the functions without a distribution's name, gpuopt_generator_uniform() to gpuopt_generator_exponential()
 * draw float64 and float32 (else GPUOPT_ERR_UNSUPPORTED), and gpuopt_generator_choice() shuffles what it chooses.
 * Release it as the others. */
GPUOPT_CALL gpuopt_generator_create_pcg64(gpuopt_device device, int32_t count, const uint32_t *entropy,
                                          int32_t spawn_count, const uint32_t *spawn_key, gpuopt_generator *generator,
                                          gpuopt_error *error);
/* A new, independent generator with the seeds of SeedSequence.spawn(): the k-th call gives the k-th child. The four
 * functions below are for generators of PCG64, else GPUOPT_ERR_UNSUPPORTED. */
GPUOPT_CALL gpuopt_generator_spawn(gpuopt_generator generator, gpuopt_generator *child, gpuopt_error *error);
/* Moves a generator as if it had drawn `low` + 2^64 * `high` 64-bit words, and drops a half of a word that is left.
 * PCG64.advance(). PCG64.jumped() is a copy advanced by 0x9e3779b97f4a7c15f39cc0605cedc835 words. */
GPUOPT_CALL gpuopt_generator_advance(gpuopt_generator generator, uint64_t low, uint64_t high, gpuopt_error *error);

/* What PCG64.state shows; 128-bit numbers with their low half first. The caller sets struct_size. */
typedef struct gpuopt_pcg64_words {
  uint32_t struct_size, flags;
  const void *next;
  uint64_t state[2], increment[2];
  int32_t has_uint32; /* 1: uinteger is the unused half of the last word */
  uint32_t uinteger;
} gpuopt_pcg64_words;
GPUOPT_CALL gpuopt_generator_get_words(gpuopt_generator generator, gpuopt_pcg64_words *words, gpuopt_error *error);
/* Any words are taken; those of a seed have an odd increment, without which the period is short. */
GPUOPT_CALL gpuopt_generator_set_words(gpuopt_generator generator, const gpuopt_pcg64_words *words,
                                       gpuopt_error *error);

#endif
