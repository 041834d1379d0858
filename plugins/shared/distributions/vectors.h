// plugins/shared/distributions/vectors.h -- distributions of vectors; host only
//
// Parameters have been checked, as in continuous.h, and draws are in NumPy's order. A vector has k >= 1 elements.
#ifndef GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_VECTORS_H_
#define GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_VECTORS_H_

#include "plugins/shared/distributions/discrete.h"

namespace gpo {

// How often each of k outcomes of probabilities p comes in n trials. The last outcome gets the trials that are left.
template <class Source>
void draw_multinomial(Source &s, BinomialSetup &setup, i64 n, const double *p, i64 k, i64 *out) {
  for (i64 j = 0; j < k; ++j) out[j] = 0;
  double rest = 1.0;
  for (i64 j = 0; j < k - 1; ++j) {
    out[j] = draw_binomial(s, setup, n, p[j] / rest);
    n -= out[j];
    if (n <= 0) return;
    rest -= p[j];
  }
  out[k - 1] = n;
}

// Parameters below 0.1, for which gamma numbers might all be 0: breaks a stick of length 1, by beta numbers. `above`
// has the sums of the parameters from each on.
template <class Source>
void break_stick(Source &s, const double *alpha, const double *above, i64 k, double *out) {
  for (i64 j = 0; j < k; ++j) out[j] = 0;
  if (!(above[0] > 0)) return;
  double left = 1.;
  for (i64 j = 0; j < k - 1; ++j) {
    const double part = draw_beta(s, alpha[j], above[j + 1]);
    out[j] = left * part;
    left *= 1. - part;
    if (above[j + 1] == 0) break;
  }
  out[k - 1] = left;
}

// Gamma numbers divided by their sum.
template <class Source>
void draw_dirichlet_of_gammas(Source &s, const double *alpha, i64 k, double *out) {
  double sum = 0.;
  for (i64 j = 0; j < k; ++j) sum += out[j] = draw_standard_gamma(s, alpha[j]);
  const double inverse = 1. / sum;
  for (i64 j = 0; j < k; ++j) out[j] *= inverse;
}

// How many of each of k colours are in a sample, by the distributions of each colour among those that are left.
// `total` is the sum of `colors`; the sample is at most half of it.
template <class Source>
void draw_colors_by_marginals(Source &s, i64 total, const i64 *colors, i64 k, i64 sample, i64 *out) {
  for (i64 j = 0; j < k; ++j) out[j] = 0;
  for (i64 j = 0; sample > 0 && j < k - 1; ++j) {
    total -= colors[j];
    out[j] = draw_hypergeometric(s, colors[j], total, sample);
    sample -= out[j];
  }
  if (sample > 0) out[k - 1] = sample;
}

// The same by drawing the sample from `items`, which has each colour's number as often as there are such items, and is
// left in another order.
template <class Source>
void draw_colors_by_counting(Source &s, i64 total, i64 *items, i64 k, i64 sample, i64 *out) {
  for (i64 j = 0; j < k; ++j) out[j] = 0;
  for (i64 j = 0; j < sample; ++j) {
    const i64 from = j + i64(draw_masked(s, u64(total - j - 1))), color = items[from];
    items[from] = items[j];
    items[j] = color;
  }
  for (i64 j = 0; j < sample; ++j) ++out[items[j]];
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_VECTORS_H_
