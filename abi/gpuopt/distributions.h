/* abi/gpuopt/distributions.h -- the numbers of random distributions, for gpuopt_random.h and random_call.h. C99, also
 * valid C++. */
#ifndef GPUOPT_DISTRIBUTIONS_H
#define GPUOPT_DISTRIBUTIONS_H

#include "types.h"

/* Distributions, with their parameters in the order in which NumPy has them. Results are float64, or int64 where it
 * says so. The binomial n, ngood, nbad and nsample are integers. RandomState wants nsample >= 1, and lets p be 0 for
 * negative binomial numbers. */
typedef int32_t gpuopt_distribution;
enum {
  GPUOPT_DISTRIBUTION_BETA = 1,                /* a, b > 0 */
  GPUOPT_DISTRIBUTION_BINOMIAL = 2,            /* n >= 0, p in [0, 1]; int64 */
  GPUOPT_DISTRIBUTION_CHISQUARE = 3,           /* df > 0 */
  GPUOPT_DISTRIBUTION_EXPONENTIAL = 4,         /* scale >= 0 */
  GPUOPT_DISTRIBUTION_F = 5,                   /* dfnum, dfden > 0 */
  GPUOPT_DISTRIBUTION_GAMMA = 6,               /* shape, scale >= 0 */
  GPUOPT_DISTRIBUTION_GEOMETRIC = 7,           /* p in (0, 1]; int64 */
  GPUOPT_DISTRIBUTION_GUMBEL = 8,              /* loc, scale >= 0 */
  GPUOPT_DISTRIBUTION_HYPERGEOMETRIC = 9,      /* ngood, nbad >= 0, nsample at most their sum; int64 */
  GPUOPT_DISTRIBUTION_LAPLACE = 10,            /* loc, scale >= 0 */
  GPUOPT_DISTRIBUTION_LOGISTIC = 11,           /* loc, scale >= 0 */
  GPUOPT_DISTRIBUTION_LOGNORMAL = 12,          /* mean, sigma >= 0 */
  GPUOPT_DISTRIBUTION_LOGSERIES = 13,          /* p in [0, 1); int64 */
  GPUOPT_DISTRIBUTION_NEGATIVE_BINOMIAL = 14,  /* n > 0, real, p in (0, 1]; int64 */
  GPUOPT_DISTRIBUTION_NONCENTRAL_CHISQUARE = 15, /* df > 0, nonc >= 0 */
  GPUOPT_DISTRIBUTION_NONCENTRAL_F = 16,       /* dfnum, dfden > 0, nonc >= 0 */
  GPUOPT_DISTRIBUTION_NORMAL = 17,             /* loc, scale >= 0 */
  GPUOPT_DISTRIBUTION_PARETO = 18,             /* a > 0 */
  GPUOPT_DISTRIBUTION_POISSON = 19,            /* lam >= 0; int64 */
  GPUOPT_DISTRIBUTION_POWER = 20,              /* a > 0 */
  GPUOPT_DISTRIBUTION_RAYLEIGH = 21,           /* scale >= 0 */
  GPUOPT_DISTRIBUTION_STANDARD_CAUCHY = 22,    /* no parameters */
  GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL = 23, /* no parameters */
  GPUOPT_DISTRIBUTION_STANDARD_GAMMA = 24,     /* shape >= 0 */
  GPUOPT_DISTRIBUTION_STANDARD_NORMAL = 25,    /* no parameters */
  GPUOPT_DISTRIBUTION_STANDARD_T = 26,         /* df > 0 */
  GPUOPT_DISTRIBUTION_TRIANGULAR = 27,         /* left <= mode <= right, left < right */
  GPUOPT_DISTRIBUTION_UNIFORM = 28,            /* low, high; low <= high but for RandomState */
  GPUOPT_DISTRIBUTION_VONMISES = 29,           /* mu, kappa >= 0 */
  GPUOPT_DISTRIBUTION_WALD = 30,               /* mean, scale > 0 */
  GPUOPT_DISTRIBUTION_WEIBULL = 31,            /* a >= 0 */
  GPUOPT_DISTRIBUTION_ZIPF = 32,               /* a > 1; int64 */
  GPUOPT_DISTRIBUTION_TOMAXINT = 33,           /* no parameters: 0 to 2^63 - 1; int64 */
  GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL_INVERSE = 34 /* the same as 23 by inversion: method="inv" */
};

#endif
