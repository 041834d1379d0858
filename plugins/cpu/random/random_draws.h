// plugins/cpu/random/random_draws.h -- one number of a gpuopt_distribution, from a source of
// plugins/shared/distributions.
#pragma once

#include <gpuopt/distributions.h>

#include "plugins/shared/distributions/vectors.h"

namespace gpuopt::cpu {

// The parameters of one number, each as a real number or an integer, whichever the distribution has.
struct RandomParameters {
  double real[3];
  int64_t integer[3];
};

// Whether a distribution is drawn as `dtype`.
inline bool has_draw(gpuopt_distribution which, int32_t dtype) noexcept {
  switch (which) {
    case GPUOPT_DISTRIBUTION_BINOMIAL:
    case GPUOPT_DISTRIBUTION_GEOMETRIC:
    case GPUOPT_DISTRIBUTION_HYPERGEOMETRIC:
    case GPUOPT_DISTRIBUTION_LOGSERIES:
    case GPUOPT_DISTRIBUTION_NEGATIVE_BINOMIAL:
    case GPUOPT_DISTRIBUTION_POISSON:
    case GPUOPT_DISTRIBUTION_ZIPF:
    case GPUOPT_DISTRIBUTION_TOMAXINT:
      return dtype == GPUOPT_INT64;
    case GPUOPT_DISTRIBUTION_STANDARD_NORMAL:
    case GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL:
    case GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL_INVERSE:
    case GPUOPT_DISTRIBUTION_STANDARD_GAMMA:
      return dtype == GPUOPT_FLOAT64 || dtype == GPUOPT_FLOAT32;
    default:
      return which >= GPUOPT_DISTRIBUTION_BETA && which <= GPUOPT_DISTRIBUTION_WEIBULL && dtype == GPUOPT_FLOAT64;
  }
}

// Standard numbers in single precision.
template <class Source>
float draw_single(Source &s, gpuopt_distribution which, const RandomParameters &p) {
  switch (which) {
    case GPUOPT_DISTRIBUTION_STANDARD_NORMAL:
      return s.normal32();
    case GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL:
      return s.exponential32();
    case GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL_INVERSE:
      return static_cast<float>(-std::log1p(-static_cast<double>(s.unit32())));
    default:
      return gpo::draw_standard_gamma_32(s, static_cast<float>(p.real[0]));
  }
}

template <class Source>
int64_t draw_integer(Source &s, gpo::BinomialSetup &setup, gpuopt_distribution which, const RandomParameters &p) {
  switch (which) {
    case GPUOPT_DISTRIBUTION_BINOMIAL:
      return gpo::draw_binomial(s, setup, p.integer[0], p.real[1]);
    case GPUOPT_DISTRIBUTION_GEOMETRIC:
      return gpo::draw_geometric(s, p.real[0]);
    case GPUOPT_DISTRIBUTION_HYPERGEOMETRIC:
      return gpo::draw_hypergeometric(s, p.integer[0], p.integer[1], p.integer[2]);
    case GPUOPT_DISTRIBUTION_LOGSERIES:
      return gpo::draw_logseries(s, p.real[0]);
    case GPUOPT_DISTRIBUTION_NEGATIVE_BINOMIAL:
      return gpo::draw_negative_binomial(s, p.real[0], p.real[1]);
    case GPUOPT_DISTRIBUTION_POISSON:
      return gpo::draw_poisson(s, p.real[0]);
    case GPUOPT_DISTRIBUTION_ZIPF:
      return gpo::draw_zipf(s, p.real[0]);
    default:
      return static_cast<int64_t>(s.next64() >> 1);
  }
}

// Real numbers with up to one parameter.
template <class Source>
double draw_simple_real(Source &s, gpuopt_distribution which, double a) {
  switch (which) {
    case GPUOPT_DISTRIBUTION_CHISQUARE:
      return gpo::draw_chisquare(s, a);
    case GPUOPT_DISTRIBUTION_EXPONENTIAL:
      return a * s.exponential();
    case GPUOPT_DISTRIBUTION_PARETO:
      return gpo::draw_pareto(s, a);
    case GPUOPT_DISTRIBUTION_POWER:
      return gpo::draw_power(s, a);
    case GPUOPT_DISTRIBUTION_RAYLEIGH:
      return gpo::draw_rayleigh(s, a);
    case GPUOPT_DISTRIBUTION_STANDARD_CAUCHY:
      return gpo::draw_standard_cauchy(s);
    case GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL:
      return s.exponential();
    case GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL_INVERSE:
      return -std::log1p(-s.unit());
    case GPUOPT_DISTRIBUTION_STANDARD_GAMMA:
      return gpo::draw_standard_gamma(s, a);
    case GPUOPT_DISTRIBUTION_STANDARD_NORMAL:
      return s.normal();
    case GPUOPT_DISTRIBUTION_STANDARD_T:
      return gpo::draw_standard_t(s, a);
    default:
      return gpo::draw_weibull(s, a);
  }
}

template <class Source>
double draw_real(Source &s, gpuopt_distribution which, const RandomParameters &p) {
  const double a = p.real[0], b = p.real[1], c = p.real[2];
  switch (which) {
    case GPUOPT_DISTRIBUTION_BETA:
      return gpo::draw_beta(s, a, b);
    case GPUOPT_DISTRIBUTION_F:
      return gpo::draw_f(s, a, b);
    case GPUOPT_DISTRIBUTION_GAMMA:
      return b * gpo::draw_standard_gamma(s, a);
    case GPUOPT_DISTRIBUTION_GUMBEL:
      return gpo::draw_gumbel(s, a, b);
    case GPUOPT_DISTRIBUTION_LAPLACE:
      return gpo::draw_laplace(s, a, b);
    case GPUOPT_DISTRIBUTION_LOGISTIC:
      return gpo::draw_logistic(s, a, b);
    case GPUOPT_DISTRIBUTION_LOGNORMAL:
      return std::exp(a + b * s.normal());
    case GPUOPT_DISTRIBUTION_NONCENTRAL_CHISQUARE:
      return gpo::draw_noncentral_chisquare(s, a, b);
    case GPUOPT_DISTRIBUTION_NONCENTRAL_F:
      return gpo::draw_noncentral_f(s, a, b, c);
    case GPUOPT_DISTRIBUTION_NORMAL:
      return a + b * s.normal();
    case GPUOPT_DISTRIBUTION_TRIANGULAR:
      return gpo::draw_triangular(s, a, b, c);
    case GPUOPT_DISTRIBUTION_UNIFORM:
      return a + b * s.unit();
    case GPUOPT_DISTRIBUTION_VONMISES:
      return gpo::draw_vonmises(s, a, b);
    case GPUOPT_DISTRIBUTION_WALD:
      return gpo::draw_wald(s, a, b);
    default:
      return draw_simple_real(s, which, a);
  }
}

}  // namespace gpuopt::cpu
