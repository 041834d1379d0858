// bindings/python/src/compiled_random.cpp -- random numbers of functions compiled from Python: a Mersenne twister for
// each thread, and the distributions that NumPy's RandomState has, with its bits where both use the same C library.
#include <gpuopt/distributions.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "compiled_runtime.h"

namespace gpuopt_python {
namespace {

using i64 = int64_t;
using u64 = uint64_t;

#include "distributions.inc"

// What random_state() says, which compiled functions read and write, too.
struct RandomState {
  uint32_t index, seeded, has_normal, unused;
  double normal;
  uint32_t words[624];
};

RandomState &state() { return *static_cast<RandomState *>(random_state()); }

// M. Matsumoto, T. Nishimura, "Mersenne twister", ACM TOMACS 8(1), 1998.
void refill(RandomState &s) {
  for (int k = 0; k < 624; ++k) {
    const uint32_t y = (s.words[k] & 0x80000000u) | (s.words[(k + 1) % 624] & 0x7fffffffu);
    s.words[k] = s.words[(k + 397) % 624] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0u);
  }
  s.index = 0;
}

uint32_t next_word(RandomState &s) {
  if (s.index >= 624) refill(s);
  uint32_t y = s.words[s.index++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

// What the distributions draw from: see plugins/shared/distributions/sources.h.
struct Source {
  static constexpr bool legacy = true;
  RandomState &s;

  double unit() {
    const uint32_t high = next_word(s) >> 5, low = next_word(s) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }
  double exponential() { return -std::log(1.0 - unit()); }
  // The polar method makes two at a time: G. Marsaglia, T. A. Bray, SIAM Review 6(3), 1964.
  double normal() {
    if (s.has_normal) {
      s.has_normal = 0;
      return s.normal;
    }
    for (;;) {
      const double x = 2.0 * unit() - 1.0, y = 2.0 * unit() - 1.0, r = x * x + y * y;
      if (r >= 1.0 || r == 0.0) continue;
      const double factor = std::sqrt(-2.0 * std::log(r) / r);
      s.normal = factor * x;
      s.has_normal = 1;
      return factor * y;
    }
  }
};

// Those with up to one parameter.
double draw_simple(Source &s, int64_t which, double a) {
  switch (which) {
    case GPUOPT_DISTRIBUTION_CHISQUARE:
      return draw_chisquare(s, a);
    case GPUOPT_DISTRIBUTION_EXPONENTIAL:
      return a * s.exponential();
    case GPUOPT_DISTRIBUTION_PARETO:
      return draw_pareto(s, a);
    case GPUOPT_DISTRIBUTION_POWER:
      return draw_power(s, a);
    case GPUOPT_DISTRIBUTION_RAYLEIGH:
      return draw_rayleigh(s, a);
    case GPUOPT_DISTRIBUTION_STANDARD_CAUCHY:
      return draw_standard_cauchy(s);
    case GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL:
      return s.exponential();
    case GPUOPT_DISTRIBUTION_STANDARD_GAMMA:
      return draw_standard_gamma(s, a);
    case GPUOPT_DISTRIBUTION_STANDARD_NORMAL:
      return s.normal();
    case GPUOPT_DISTRIBUTION_STANDARD_T:
      return draw_standard_t(s, a);
    default:
      return draw_weibull(s, a);
  }
}

}  // namespace

void *random_state() {
  thread_local RandomState state;
  if (!state.seeded) {
    std::random_device system;
    for (uint32_t &word : state.words) word = system();
    state.words[0] |= 0x80000000u;  // never all zero
    state.index = 624;
    state.seeded = 1;
  }
  return &state;
}

double draw_real(int64_t which, double a, double b, double c) {
  Source s{state()};
  switch (which) {
    case GPUOPT_DISTRIBUTION_BETA:
      return draw_beta(s, a, b);
    case GPUOPT_DISTRIBUTION_F:
      return draw_f(s, a, b);
    case GPUOPT_DISTRIBUTION_GAMMA:
      return b * draw_standard_gamma(s, a);
    case GPUOPT_DISTRIBUTION_GUMBEL:
      return draw_gumbel(s, a, b);
    case GPUOPT_DISTRIBUTION_LAPLACE:
      return draw_laplace(s, a, b);
    case GPUOPT_DISTRIBUTION_LOGISTIC:
      return draw_logistic(s, a, b);
    case GPUOPT_DISTRIBUTION_LOGNORMAL:
      return std::exp(a + b * s.normal());
    case GPUOPT_DISTRIBUTION_NONCENTRAL_CHISQUARE:
      return draw_noncentral_chisquare(s, a, b);
    case GPUOPT_DISTRIBUTION_NONCENTRAL_F:
      return draw_noncentral_f(s, a, b, c);
    case GPUOPT_DISTRIBUTION_NORMAL:
      return a + b * s.normal();
    case GPUOPT_DISTRIBUTION_TRIANGULAR:
      return draw_triangular(s, a, b, c);
    case GPUOPT_DISTRIBUTION_VONMISES:
      return draw_vonmises(s, a, b);
    case GPUOPT_DISTRIBUTION_WALD:
      return draw_wald(s, a, b);
    default:
      return draw_simple(s, which, a);
  }
}

int64_t draw_integer(int64_t which, double a, double b, int64_t i, int64_t j, int64_t k) {
  Source s{state()};
  thread_local BinomialSetup setup;
  switch (which) {
    case GPUOPT_DISTRIBUTION_BINOMIAL:
      return draw_binomial(s, setup, i, b);
    case GPUOPT_DISTRIBUTION_GEOMETRIC:
      return draw_geometric(s, a);
    case GPUOPT_DISTRIBUTION_HYPERGEOMETRIC:
      return draw_hypergeometric(s, i, j, k);
    case GPUOPT_DISTRIBUTION_LOGSERIES:
      return draw_logseries(s, a);
    case GPUOPT_DISTRIBUTION_NEGATIVE_BINOMIAL:
      return draw_negative_binomial(s, a, b);
    case GPUOPT_DISTRIBUTION_POISSON:
      return draw_poisson(s, a);
    default:
      return draw_zipf(s, a);
  }
}

}  // namespace gpuopt_python
