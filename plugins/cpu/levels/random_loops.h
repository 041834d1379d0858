// plugins/cpu/levels/random_loops.h -- the random loops of an instruction set level; a part of LoopTable.
#pragma once

#include <gpuopt/random_call.h>
#include <gpuopt/types.h>

#include "plugins/shared/host/random_check.h"

namespace gpo {
struct Mt19937;
struct Pcg64;
struct RandomState;
}  // namespace gpo

namespace gpuopt::cpu {

// The parameters of a distribution, named as in random_call.h.
struct RandomDraw {
  double f[2];
  int64_t low;
  uint64_t span;      // of integers; for a choice the size of the table - 1
  const void *table;  // aligned to its elements, like all memory here
  const double *cdf;
};

// Makes elements first .. first + n - 1 of a call that began with `state`, which stays as it is. Fastest if `first` is
// a multiple of 1024.
using PhiloxFill = void (*)(const RandomDraw &draw, const gpuopt_philox_state &state, int64_t first, int64_t n,
                            void *out);

struct LegacyLoops {
  // Draws the next n elements and advances the state.
  void (*fill)(const RandomDraw &draw, gpo::RandomState &state, int64_t n, void *out);
  // Makes the elements that fill() would make of `nwords` words, given untempered, and returns how many there are.
  // nwords is a multiple of 1024. NULL if the distribution gains nothing by it.
  int64_t (*map)(const RandomDraw &draw, const uint32_t *words, int64_t nwords, void *out);
};

// Draws the next n elements and advances the state.
using Pcg64Fill = void (*)(const RandomDraw &draw, gpo::Pcg64 &state, int64_t n, void *out);

using plugin::kRandomDistributions;

// Indexed by distribution and dtype of the output; NULL if there is no loop.
struct RandomLoops {
  PhiloxFill philox[kRandomDistributions][GPUOPT_DTYPE_COUNT];
  PhiloxFill philox_words;  // makes uint64 words
  LegacyLoops legacy[kRandomDistributions][GPUOPT_DTYPE_COUNT];
  void (*untempered)(gpo::Mt19937 &state, int64_t nwords, uint32_t *out);  // makes the next words
  Pcg64Fill pcg64[kRandomDistributions][GPUOPT_DTYPE_COUNT];
};

}  // namespace gpuopt::cpu
