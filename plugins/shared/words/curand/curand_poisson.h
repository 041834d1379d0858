// plugins/shared/words/curand/curand_poisson.h -- curand_poisson() of curand_kernel.h: numbers of a Poisson
// distribution
//
// The numbers are not cuRAND's, which come from a table of the incomplete gamma function, but have the same bits on
// every device. Means below 10: the number of uniform ones whose product stays above exp(-mean) (Knuth, "Seminumerical
// Algorithms"). Others: PTRS of W. Hoermann, "The transformed rejection method for generating Poisson random
// variables", Insurance: Mathematics and Economics 12, 1993.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_CURAND_POISSON_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_CURAND_POISSON_H_

#include "plugins/shared/ops/special.h"
#include "plugins/shared/words/curand/curand.h"

namespace gpo {
namespace curand_words {

template <class State>
GPO_CURAND_LONG unsigned poisson_below_10(State *state, double mean) {
  const double least = ops::exp::apply(-mean);
  double product = curand_uniform_double(state);
  unsigned k = 0;
  for (; product > least; k++) product *= curand_uniform_double(state);
  return k;
}

template <class State>
GPO_CURAND_LONG unsigned poisson_from_10(State *state, double mean) {
  const double log_mean = ops::log::apply(mean), b = 0.931 + 2.53 * gpo::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), limit = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state);
    const double side = 0.5 - (u < 0 ? -u : u), k = gpo::floor((2 * a / side + b) * u + mean + 0.43);
    if (!(k >= 0 && k < 4294967296.0)) continue;
    if (side >= 0.07 && v <= limit) return unsigned(k);
    if (side < 0.013 && v > side) continue;
    const double bound = -mean + k * log_mean - ops::lgamma::apply(k + 1);
    if (ops::log::apply(v * inverse_alpha / (a / (side * side) + b)) <= bound) return unsigned(k);
  }
}

}  // namespace curand_words
}  // namespace gpo

// The mean should be at most 2^31. That of a mean that is not positive is 0.
template <class State>
GPO_WORD_FN unsigned curand_poisson(State *state, double mean) {
  if (!(mean > 0)) return 0;
  return mean < 10 ? gpo::curand_words::poisson_below_10(state, mean)
                   : gpo::curand_words::poisson_from_10(state, mean < 2147483648.0 ? mean : 2147483648.0);
}
GPO_WORD_FN uint4 curand_poisson4(curandStatePhilox4_32_10 *state, double mean) {
  const unsigned x = curand_poisson(state, mean), y = curand_poisson(state, mean), z = curand_poisson(state, mean);
  return make_uint4(x, y, z, curand_poisson(state, mean));
}

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_CURAND_POISSON_H_
