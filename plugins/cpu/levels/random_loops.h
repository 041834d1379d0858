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

// The parameters of a distribution, as random_call.h names them.
struct RandomDraw {
  double f[2];
  int64_t low;
  uint64_t span;      // of the integers; for a choice the table's size - 1
  const void *table;  // aligned to its elements, as all memory here
  const double *cdf;
};

// Elements first .. first + n - 1 of the call that `state` is the state before. Fastest where first is a multiple of
// 1024.
using PhiloxFill = void (*)(const RandomDraw &draw, const gpuopt_philox_state &state, int64_t first, int64_t n,
                            void *out);

struct LegacyLoops {
  // The next n elements.
  void (*fill)(const RandomDraw &draw, gpo::RandomState &state, int64_t n, void *out);
  // The elements that `nwords` untempered words give, as fill would make them; returns how many. nwords is a multiple
  // of 1024. NULL where nothing is gained by it.
  int64_t (*map)(const RandomDraw &draw, const uint32_t *words, int64_t nwords, void *out);
};

// The next n elements.
using Pcg64Fill = void (*)(const RandomDraw &draw, gpo::Pcg64 &state, int64_t n, void *out);

using plugin::kRandomDistributions;

// By distribution and the output's dtype; NULL where there is none.
struct RandomLoops {
  PhiloxFill philox[kRandomDistributions][GPUOPT_DTYPE_COUNT];
  PhiloxFill philox_words;  // uint64 words
  LegacyLoops legacy[kRandomDistributions][GPUOPT_DTYPE_COUNT];
  void (*untempered)(gpo::Mt19937 &state, int64_t nwords, uint32_t *out);  // the next words
  Pcg64Fill pcg64[kRandomDistributions][GPUOPT_DTYPE_COUNT];
};

}  // namespace gpuopt::cpu
