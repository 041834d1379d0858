// plugins/cuda/text/rounds.h -- partial results merged in rounds of neighbouring pairs as they come
//
// 2^j results in a row make one of level j. One of each level may be waiting for its neighbour, and which levels have
// one is the binary form of how many results have come. They wait with a keeper, which spreads them over threads: an
// array of a thread's own that is indexed at run time would be in memory.
//   Partial take(int level)
//   void keep(int level, Partial)
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_ROUNDS_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_ROUNDS_H_

#include "plugins/cuda/text/words.h"
#include "plugins/shared/reduce_shape.h"

namespace gpo {

inline constexpr int round_levels = 8;
inline constexpr i64 most_in_rounds = 128;  // chunks of a group (plugins/cuda/program/layout.cpp)
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
  // An odd last one passes through.
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
