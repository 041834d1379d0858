/* abi/gpuopt/random_call.h -- what the plugin slot `random` is asked for: generator states and distributions.
 *
 * The host owns a generator's state and passes it with each call (gpuopt_call.state, state_bytes = its sizeof, host
 * memory). The plugin draws as many numbers as the output has elements, in C order of the output, and leaves the
 * advanced state behind before it returns, also where the drawing itself goes on in stream order. If it fails, the host
 * forgets the state it left: nothing was drawn.
 *
 * Tensors: t[0] is the output, C-contiguous, of any number of dimensions, possibly empty (then the state does not
 * change). Further tensors are inputs, 1-d and C-contiguous, in device memory. i[0] is the distribution. What a plugin
 * does not offer is ERR_UNSUPPORTED; the host then draws on the CPU backend, and the numbers are the same. C99, also
 * valid C++. */
#ifndef GPUOPT_RANDOM_CALL_H
#define GPUOPT_RANDOM_CALL_H

#include "distributions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Distributions, i[0] of the call. i and f are the call's integers and doubles. "Legacy" is what
 * numpy.random.RandomState does, bit for bit, and holds for GPUOPT_CALL_RANDOM_MT19937; PCG64 draws as
 * numpy.random.Generator does, real numbers as float64 or float32; Philox draws as plugins/shared documents, with a
 * number of blocks per element that is fixed, so that every split of the output gives the same numbers. */
enum {
  /* f = low, span: low + span * u, u in [0, 1) with as many random bits as the output's significand has. Output
   * floating; MT19937: float64 (random_sample is low 0, span 1). */
  GPUOPT_RANDOM_UNIFORM = 1,
  /* f = loc, scale: loc + scale * standard normal. Output floating (float16 and bfloat16 rounded from float32);
   * MT19937: float64, by the legacy polar method with its cached second number. */
  GPUOPT_RANDOM_NORMAL = 2,
  /* f = scale: scale * standard exponential. Output floating; MT19937: float64. */
  GPUOPT_RANDOM_EXPONENTIAL = 3,
  /* i[1] = low, i[2] = span (the bits of a uint64): integers in [low, low + span], both ends possible. Output bool or
   * integer, and low and low + span fit its dtype (low as the bits of a uint64 for uint64). MT19937: masked rejection,
   * each dtype as the legacy randint draws it. */
  GPUOPT_RANDOM_INTEGERS = 4,
  /* t[1] = table of n >= 1 elements of the output's dtype (any): table[k], k as INTEGERS draws it for int64 with low 0,
   * span n - 1. */
  GPUOPT_RANDOM_CHOICE = 5,
  /* t[1] = table as above, t[2] = cdf: n float64, not decreasing, the last one 1: table[k], k = the number of entries
   * of cdf that are <= u, u as UNIFORM draws it for float64 with low 0, span 1. */
  GPUOPT_RANDOM_CHOICE_CDF = 6,
  /* Output int64 of one dimension, n: 0 .. n-1 shuffled. MT19937: for i = n-1 .. 1 swap i with the legacy
   * random_interval(i). */
  GPUOPT_RANDOM_PERMUTATION = 7,

  /* The rest the CPU backend alone draws, each element or row in sequence (MT19937, PCG64) or from blocks of its own
   * (Philox, element or row i from block counter + i, as gpuopt_random.h says). Parameters have been checked.
   *
   * i[1] = a gpuopt_distribution, i[2] = a mask of the parameters that are tensors, i[3], i[4], i[5] = integer
   * parameters, f = three real ones (uniform: low, high - low), of which those not used are 0. Further tensors are the
   * parameters of the mask, in order: float64 or int64, C-contiguous and of the output's shape. Output float64, float32
   * or int64. */
  GPUOPT_RANDOM_DISTRIBUTION = 8,
  /* i[1] = population: output int64 of one dimension, different numbers of 0 .. population - 1, as
   * Generator.choice(replace=False) draws them. PCG64. */
  GPUOPT_RANDOM_SAMPLE = 9,
  /* Output int64 (rows, k); t[1] = n, int64 of rows elements; t[2] = pvals, float64 (rows, k). */
  GPUOPT_RANDOM_MULTINOMIAL = 10,
  /* Output float64 (rows, k); t[1] = alpha, float64 of k elements. */
  GPUOPT_RANDOM_DIRICHLET = 11,
  /* i[1] = nsample, i[2] = 1: by counting; output int64 (rows, k); t[1] = colors, int64 of k elements. */
  GPUOPT_RANDOM_HYPERGEOMETRIC = 12,
  /* Output int64 (rows, n): 0 .. n-1 shuffled in each row. PCG64. */
  GPUOPT_RANDOM_ROWS = 13,
  /* t[1] = low, int64, t[2] = span, uint64, both of as many elements as the output: integers in [low, low + span], both
   * ends possible, as INTEGERS draws them, but for Philox. Output bool or integer, and low and low + span fit its dtype
   * (low as the bits of a uint64 for uint64). What is left of a word that short integers are taken from goes to the
   * next element, whose bounds may be others, and is dropped with the last. */
  GPUOPT_RANDOM_BETWEEN = 14
};

/* GPUOPT_CALL_RANDOM_MT19937: what RandomState.get_state() shows. */
typedef struct gpuopt_mt19937_state {
  uint32_t key[624];
  int32_t pos;       /* the next word of key to temper; 624: generate a new block first */
  int32_t has_gauss; /* 1: gauss is the next standard normal */
  double gauss;
} gpuopt_mt19937_state;

/* GPUOPT_CALL_RANDOM_PHILOX, Philox4x32-10: block number `counter` of stream `stream` is the bijection with the key
 * words (low, high half of key) applied to the counter words (low, high half of counter, low, high half of stream).
 * Drawing advances `counter`. */
typedef struct gpuopt_philox_state {
  uint64_t key;
  uint64_t counter;
  uint64_t stream;
} gpuopt_philox_state;

/* GPUOPT_CALL_RANDOM_PCG64: PCG XSL-RR 128/64; 128-bit numbers with their low half first. */
typedef struct gpuopt_pcg64_state {
  uint64_t state[2];
  uint64_t increment[2];
  int32_t has_uint32; /* 1: uinteger is the unused half of the last word */
  uint32_t uinteger;
} gpuopt_pcg64_state;

#ifdef __cplusplus
}
#endif
#endif
