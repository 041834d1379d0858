// plugins/shared/words/curand/curand_sobol.h -- the quasi-random numbers of curand_kernel.h: Sobol's, of 32 and 64
// bits, plain and scrambled, as integers and uniform numbers
//
// Number n is the sum modulo 2 of the direction vectors at the bits of the Gray code of n, and of the scrambling
// constant (Bratley and Fox, "Algorithm 659: Implementing Sobol's Quasirandom Sequence Generator", 1988; cuRAND
// Library, "Quasirandom Sequences"). The host passes the direction vectors, which cuRAND's host library has, too.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_CURAND_SOBOL_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_CURAND_SOBOL_H_

#include "plugins/shared/words/bits.h"
#include "plugins/shared/words/curand/curand.h"
#include "plugins/shared/words/words.h"

typedef unsigned curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

namespace gpo {
namespace curand_words {

// `i` is the number of the next one, which is `x`; it began with `c`.
template <class U>
struct Sobol {
  U i, x, c;
  U direction_vectors[8 * sizeof(U)];
};

// Goes on by n numbers.
template <class U>
GPO_WORD_FN void skip(Sobol<U> *state, U n) {
  state->i += n;
  const U gray = state->i ^ state->i >> 1;
  U x = state->c;
  for (unsigned k = 0; k < 8 * sizeof(U); k++)
    if (gray >> k & 1) x ^= state->direction_vectors[k];
  state->x = x;
}
template <class U>
GPO_WORD_FN void begin(const U *vectors, U scramble, U offset, Sobol<U> *state) {
  for (unsigned k = 0; k < 8 * sizeof(U); k++) state->direction_vectors[k] = vectors[k];
  state->i = 0;
  state->c = scramble;
  skip(state, offset);
}
// Gray codes of neighbors differ at the lowest bit that the number does not have; the last one differs at the highest.
template <class U>
GPO_WORD_FN U taken(Sobol<U> *state) {
  const U x = state->x, zeros = ~state->i;
  const int place = zeros == 0 ? int(8 * sizeof(U)) - 1 : __ffsll((long long)zeros) - 1;
  state->x ^= state->direction_vectors[place];
  state->i++;
  return x;
}

}  // namespace curand_words
}  // namespace gpo

struct curandStateSobol32 : gpo::curand_words::Sobol<unsigned> {};
struct curandStateScrambledSobol32 : gpo::curand_words::Sobol<unsigned> {};
struct curandStateSobol64 : gpo::curand_words::Sobol<unsigned long long> {};
struct curandStateScrambledSobol64 : gpo::curand_words::Sobol<unsigned long long> {};
using curandStateSobol32_t = curandStateSobol32;
using curandStateScrambledSobol32_t = curandStateScrambledSobol32;
using curandStateSobol64_t = curandStateSobol64;
using curandStateScrambledSobol64_t = curandStateScrambledSobol64;

#define GPO_CURAND_SOBOL(State, U)                                                        \
  GPO_WORD_FN void skipahead(U n, State *state) { gpo::curand_words::skip<U>(state, n); } \
  GPO_WORD_FN U curand(State *state) { return gpo::curand_words::taken<U>(state); }
#define GPO_CURAND_SOBOL_PLAIN(State, U)                                   \
  GPO_CURAND_SOBOL(State, U)                                               \
  GPO_WORD_FN void curand_init(const U *vectors, U offset, State *state) { \
    gpo::curand_words::begin<U>(vectors, 0, offset, state);                \
  }
#define GPO_CURAND_SOBOL_SCRAMBLED(State, U)                                           \
  GPO_CURAND_SOBOL(State, U)                                                           \
  GPO_WORD_FN void curand_init(const U *vectors, U scramble, U offset, State *state) { \
    gpo::curand_words::begin<U>(vectors, scramble, offset, state);                     \
  }
GPO_CURAND_SOBOL_PLAIN(curandStateSobol32, unsigned)
GPO_CURAND_SOBOL_SCRAMBLED(curandStateScrambledSobol32, unsigned)
GPO_CURAND_SOBOL_PLAIN(curandStateSobol64, unsigned long long)
GPO_CURAND_SOBOL_SCRAMBLED(curandStateScrambledSobol64, unsigned long long)
#undef GPO_CURAND_SOBOL_SCRAMBLED
#undef GPO_CURAND_SOBOL_PLAIN
#undef GPO_CURAND_SOBOL

#define GPO_CURAND_SOBOL_UNIFORM(State, single, twice)     \
  GPO_WORD_FN float curand_uniform(State *state) {         \
    const auto x = curand(state);                          \
    return single;                                         \
  }                                                        \
  GPO_WORD_FN double curand_uniform_double(State *state) { \
    const auto x = curand(state);                          \
    return twice;                                          \
  }
GPO_CURAND_SOBOL_UNIFORM(curandStateSobol32, gpo::curand_words::uniform_of(x), double(x) * 0x1p-32 + 0x1p-32)
GPO_CURAND_SOBOL_UNIFORM(curandStateScrambledSobol32, gpo::curand_words::uniform_of(x), double(x) * 0x1p-32 + 0x1p-32)
GPO_CURAND_SOBOL_UNIFORM(curandStateSobol64, gpo::curand_words::uniform_of(unsigned(x >> 32)),
                         double(x >> 11) * 0x1p-53 + 0x1p-54)
GPO_CURAND_SOBOL_UNIFORM(curandStateScrambledSobol64, gpo::curand_words::uniform_of(unsigned(x >> 32)),
                         double(x >> 11) * 0x1p-53 + 0x1p-54)
#undef GPO_CURAND_SOBOL_UNIFORM

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_CURAND_SOBOL_H_
