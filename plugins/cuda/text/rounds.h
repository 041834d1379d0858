// plugins/cuda/text/rounds.h -- partial results merged in rounds of neighbouring pairs as they come
//
// The fixed shape combines chunk results pairwise in rounds: neighbours, then pairs of neighbours, and so on. Rounds
// does the same as the results come. 2^j consecutive results are merged into one result of level j. At most one result
// of each level waits for its neighbour, and the levels that have one are the digits 1 in the binary form of the number
// of results so far. For example, after r0 .. r4 (five, 101 in binary) level 2 has (r0 r1)(r2 r3), and level 0 has r4;
// r5 would be merged with r4 to level 1.
//
// Results wait with a keeper, which spreads them over threads, because an array of one thread that is indexed at run
// time would be in memory:
//   Partial take(int level)          returns the result that waits at a level
//   void keep(int level, Partial)    lets a result wait there
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_ROUNDS_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_ROUNDS_H_

#include "plugins/cuda/text/words.h"
#include "plugins/shared/reduce_shape.h"

namespace gpo {

inline constexpr int round_levels = 8;
inline constexpr i64 most_in_rounds = 128;  // the most chunks of a group (plugins/cuda/program/layout.cpp)
static_assert(most_in_rounds >> round_levels == 0, "the number of results is a binary one of round_levels digits");

template <class Body, class Keeper>
struct Rounds {
  Keeper &keeper;
  u32 count = 0;

  GPO_FN void add(typename Body::Partial x) {
    int level = 0;
    GPO_NO_UNROLL
    for (; count >> level & 1; level++) x = Body::combine(keeper.take(level), x);
    keeper.keep(level, x);
    count++;
  }
  // Merges the results that wait, from the lowest level up, so that an odd last one passes through the rounds: ((r0
  // r1)(r2 r3)) r4. Returns the identity if there are none.
  GPO_FN typename Body::Partial result() {
    typename Body::Partial x = Body::identity();
    bool any = false;
    GPO_NO_UNROLL
    for (int level = 0; level < round_levels; level++) {
      if (!(count >> level & 1)) continue;
      const typename Body::Partial waiting = keeper.take(level);
      x = any ? Body::combine(waiting, x) : waiting;
      any = true;
    }
    return x;
  }
};

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_ROUNDS_H_
