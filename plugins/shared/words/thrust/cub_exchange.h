// plugins/shared/words/thrust/cub_exchange.h -- cub::BlockExchange, BlockHistogram and BlockDiscontinuity, a part of
// cub.h, with all other parts
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_CUB_EXCHANGE_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_CUB_EXCHANGE_H_

#include "plugins/shared/words/thrust/cub.h"
#include "plugins/shared/words/thrust/cub_values.h"

namespace cub {

// Moves items between threads: blocked, thread t has the items t * items + k, striped, k * threads + t.
template <class T, int x, int items, bool = false, int y = 1, int z = 1, int = 0>
class BlockExchange {
  using Group = gpo_detail::BlockOf<x, y, z>;
  static constexpr int threads = Group::size;

 public:
  using TempStorage = gpo_detail::Values<T, threads * items>;
  GPO_WORD_FN explicit BlockExchange(TempStorage &storage) : storage_(storage) {}

  template <class U>
  GPO_WORD_FN void BlockedToStriped(const T (&in)[items], U (&out)[items]) {
    put(in, [](int k) { return blocked(k); });
    take(out, [](int k) { return striped(k); });
  }
  template <class U>
  GPO_WORD_FN void StripedToBlocked(const T (&in)[items], U (&out)[items]) {
    put(in, [](int k) { return striped(k); });
    take(out, [](int k) { return blocked(k); });
  }
  // Item k goes to place ranks[k] of the block.
  template <class U, class Rank>
  GPO_WORD_FN void ScatterToBlocked(const T (&in)[items], U (&out)[items], const Rank (&ranks)[items]) {
    put(in, [&](int k) { return int(ranks[k]); });
    take(out, [](int k) { return blocked(k); });
  }
  template <class U, class Rank>
  GPO_WORD_FN void ScatterToStriped(const T (&in)[items], U (&out)[items], const Rank (&ranks)[items]) {
    put(in, [&](int k) { return int(ranks[k]); });
    take(out, [](int k) { return striped(k); });
  }

 private:
  static GPO_WORD_FN int blocked(int k) { return Group::rank() * items + k; }
  static GPO_WORD_FN int striped(int k) { return k * threads + Group::rank(); }
  template <class Place>
  GPO_WORD_FN void put(const T (&in)[items], Place place) {
    for (int k = 0; k < items; k++) storage_[place(k)] = in[k];
    Group::sync();
  }
  template <class U, class Place>
  GPO_WORD_FN void take(U (&out)[items], Place place) {
    for (int k = 0; k < items; k++) out[k] = storage_[place(k)];
  }

  TempStorage &storage_;
};

enum BlockHistogramAlgorithm { BLOCK_HISTO_ATOMIC, BLOCK_HISTO_SORT };

// Counts items, whose values are numbers of bins. The counters lie in __shared__ or global memory.
template <class T, int x, int items, int bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int y = 1, int z = 1,
          int = 0>
class BlockHistogram {
  using Group = gpo_detail::BlockOf<x, y, z>;

 public:
  struct TempStorage {
    unsigned char none;
  };
  GPO_WORD_FN explicit BlockHistogram(TempStorage &) {}

  template <class Counter>
  GPO_WORD_FN void InitHistogram(Counter *counts) {
    for (int bin = Group::rank(); bin < bins; bin += Group::size) counts[bin] = Counter(0);
  }
  template <class Counter>
  GPO_WORD_FN void Composite(T (&in)[items], Counter *counts) {
    for (int k = 0; k < items; k++) atomicAdd(&counts[in[k]], Counter(1));
  }
  template <class Counter>
  GPO_WORD_FN void Histogram(T (&in)[items], Counter *counts) {
    InitHistogram(counts);
    Group::sync();
    Composite(in, counts);
  }
};

// Marks items that differ from the one before or behind: op(one, the next) says so.
template <class T, int x, int y = 1, int z = 1, int = 0>
class BlockDiscontinuity {
  using Group = gpo_detail::BlockOf<x, y, z>;

 public:
  using TempStorage = gpo_detail::Values<T, Group::size>;
  GPO_WORD_FN explicit BlockDiscontinuity(TempStorage &storage) : storage_(storage) {}

  // The first item of the block is marked.
  template <int items, class Flag, class Op>
  GPO_WORD_FN void FlagHeads(Flag (&flags)[items], T (&in)[items], Op op) {
    const int rank = Group::rank();
    storage_[rank] = in[items - 1];
    Group::sync();
    flags[0] = Flag(rank == 0 || op(storage_[rank ? rank - 1 : 0], in[0]));
    for (int k = 1; k < items; k++) flags[k] = Flag(op(in[k - 1], in[k]));
  }
  // The last item of the block is marked.
  template <int items, class Flag, class Op>
  GPO_WORD_FN void FlagTails(Flag (&flags)[items], T (&in)[items], Op op) {
    const int rank = Group::rank();
    storage_[rank] = in[0];
    Group::sync();
    for (int k = 0; k + 1 < items; k++) flags[k] = Flag(op(in[k], in[k + 1]));
    flags[items - 1] = Flag(rank == Group::size - 1 || op(in[items - 1], storage_[(rank + 1) % Group::size]));
  }

 private:
  TempStorage &storage_;
};

}  // namespace cub

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_CUB_EXCHANGE_H_
