// plugins/shared/words/cooperative_tiles.h -- tiles of 64 to 1024 threads, whose threads are of several warps, for
// kernels (CUDA C++ Programming Guide, "Cooperative Groups": thread_block_tile, block_tile_memory)
//
// Their threads meet at counters in the shared memory that the text gives to this_thread_block(), and exchange values
// there: one word of 8 bytes for each warp.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_COOPERATIVE_TILES_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_COOPERATIVE_TILES_H_

#include "plugins/shared/words/async.h"
#include "plugins/shared/words/cooperative.h"

namespace gpo {
namespace groups {

struct TileMemory {
  unsigned come[32], phase[32];  // of the barrier of each tile: first of all that have 64 threads, then of larger ones
  unsigned long long word[32];   // of each warp
};

template <unsigned count>
class LargeTile {
  static constexpr unsigned warps = count / 32;

 public:
  GPO_WORD_FN explicit LargeTile(const cooperative_groups::thread_block &block)
      : memory_(static_cast<TileMemory *>(block.gpo_memory)) {
    if (!block.gpo_has_memory) __trap();  // tiles of several warps need block_tile_memory, given to this_thread_block()
  }
  template <unsigned of_parent>
  GPO_WORD_FN explicit LargeTile(const LargeTile<of_parent> &parent) : memory_(parent.gpo_memory()) {
    static_assert(of_parent >= count, "a tile is no larger than what it is a part of");
  }
  GPO_WORD_FN TileMemory *gpo_memory() const { return memory_; }
  static GPO_WORD_FN constexpr unsigned num_threads() { return count; }
  static GPO_WORD_FN constexpr unsigned size() { return count; }
  static GPO_WORD_FN unsigned thread_rank() { return rank_in_block() % count; }
  static GPO_WORD_FN unsigned meta_group_rank() { return rank_in_block() / count; }
  static GPO_WORD_FN unsigned meta_group_size() { return (block_size() + count - 1) / count; }

  GPO_WORD_FN void sync() const {
    const unsigned tile = rank_in_block() / count, left = block_size() - tile * count;
    const unsigned at = 32 - 2048 / count + tile, expected = left < count ? left : count;
    const unsigned before = words::current(memory_->phase[at]);
    __threadfence_block();
    if (atomicAdd(&memory_->come[at], 1u) == expected - 1) {
      memory_->come[at] = 0;
      __threadfence_block();
      atomicAdd(&memory_->phase[at], 1u);
    } else {
      while (words::current(memory_->phase[at]) == before) words::let_others_run();
    }
    __threadfence_block();
  }
  template <class T>
  GPO_WORD_FN T shfl(T value, unsigned rank) const {
    const unsigned at = first_warp();
    return by_long_words(value, [&](unsigned long long own) {
      if (thread_rank() == rank % count) memory_->word[at] = own;
      sync();
      const unsigned long long read = words_of(at);
      sync();
      return read;
    });
  }
  GPO_WORD_FN int any(int predicate) const { return reduced(predicate != 0, cooperative_groups::bit_or<int>()); }
  GPO_WORD_FN int all(int predicate) const { return reduced(predicate != 0, cooperative_groups::bit_and<int>()); }
  // The values of each warp are combined as those of a tile of 32 threads, and then those of the warps in their order.
  template <class T, class Combine>
  GPO_WORD_FN T reduced(T value, Combine combine) const {
    const T of_warp = cooperative_groups::reduce(cooperative_groups::thread_block_tile<32>(), value, combine);
    T all[warps];
    from_warps(of_warp, all);
    T total = all[0];
    for (unsigned k = 1; k < warps; k++) total = combine(total, all[k]);
    return total;
  }

 private:
  static GPO_WORD_FN unsigned first_warp() { return rank_in_block() / count * warps; }
  GPO_WORD_FN unsigned long long words_of(unsigned warp) const {
    return *const_cast<const volatile unsigned long long *>(&memory_->word[warp]);
  }
  // Calls exchange(word) for each word of 8 bytes of a value.
  template <class T, class Exchange>
  static GPO_WORD_FN T by_long_words(const T &value, Exchange exchange) {
    constexpr int n = int((sizeof(T) + 7) / 8);
    unsigned long long all[n] = {};
    memcpy(all, &value, sizeof(T));
    for (int k = 0; k < n; k++) all[k] = exchange(all[k]);
    T out;
    memcpy(&out, all, sizeof(T));
    return out;
  }
  // What the first lanes of all warps bring.
  template <class T>
  GPO_WORD_FN void from_warps(const T &value, T (&all)[warps]) const {
    constexpr int n = int((sizeof(T) + 7) / 8);
    const unsigned at = first_warp();
    unsigned long long own[n] = {}, read[warps][n];
    memcpy(own, &value, sizeof(T));
    for (int k = 0; k < n; k++) {
      if (lane() == 0) memory_->word[rank_in_block() / 32] = own[k];
      sync();
      for (unsigned warp = 0; warp < warps; warp++) read[warp][k] = words_of(at + warp);
      sync();
    }
    for (unsigned warp = 0; warp < warps; warp++) memcpy(&all[warp], read[warp], sizeof(T));
  }

  TileMemory *memory_;
};

}  // namespace groups
}  // namespace gpo

namespace cooperative_groups {

template <unsigned most_threads = 1024>
struct block_tile_memory {
  static_assert(most_threads <= 1024, "a block has at most 1024 threads");
  gpo::groups::TileMemory gpo_memory;
};

// All threads of the block make this call, and wait in it.
template <unsigned most_threads>
GPO_WORD_FN thread_block this_thread_block(block_tile_memory<most_threads> &memory) {
  for (unsigned k = gpo::groups::rank_in_block(); k < 32; k += gpo::groups::block_size())
    memory.gpo_memory.come[k] = memory.gpo_memory.phase[k] = 0;
  __syncthreads();
  thread_block block;
  block.gpo_memory = &memory.gpo_memory;
  block.gpo_has_memory = true;
  return block;
}

#define GPO_LARGE_TILE(count)                                                     \
  template <class Parent>                                                         \
  class thread_block_tile<count, Parent> : public gpo::groups::LargeTile<count> { \
   public:                                                                        \
    using gpo::groups::LargeTile<count>::LargeTile;                               \
    GPO_WORD_FN thread_block_tile(const gpo::groups::LargeTile<count> &other)     \
        : gpo::groups::LargeTile<count>(other) {}                                 \
  };
GPO_LARGE_TILE(64)
GPO_LARGE_TILE(128)
GPO_LARGE_TILE(256)
GPO_LARGE_TILE(512)
GPO_LARGE_TILE(1024)
#undef GPO_LARGE_TILE

}  // namespace cooperative_groups

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_COOPERATIVE_TILES_H_
