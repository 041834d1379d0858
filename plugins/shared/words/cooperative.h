// plugins/shared/words/cooperative.h -- namespace cooperative_groups (CUDA C++ Programming Guide, "Cooperative
// Groups"): the groups of a block, of tiles of 1 to 32 threads and of coalesced threads, their shuffles and votes,
// reduce, scans, invoke_one, and memcpy_async as a copy that is done when wait() returns
//
// reduce() of a tile combines lanes whose numbers differ in one bit, from the highest bit to the lowest, and scans
// combine each lane with the one 1, 2, 4, ... before it, so that sums of floats have the same bits on every device.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_COOPERATIVE_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_COOPERATIVE_H_

#include "plugins/shared/words/bits.h"
#include "plugins/shared/words/numbers/vectors.h"
#include "plugins/shared/words/words.h"

namespace gpo {
namespace groups {

GPO_WORD_FN unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
GPO_WORD_FN unsigned rank_in_block() {
#if defined(GPO_HOST_KERNELS)
  return gpuopt_thread()->number;
#else
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
#endif
}
GPO_WORD_FN unsigned lane() { return rank_in_block() % 32; }
GPO_WORD_FN unsigned lowest(unsigned lanes) { return lanes >= 32 ? ~0u : (1u << lanes) - 1; }

// The lane of bit number `rank` among the set bits of a mask.
GPO_WORD_FN unsigned lane_of_rank(unsigned mask, unsigned rank) {
  for (unsigned k = 0; k < rank; k++) mask &= mask - 1;
  return unsigned(__ffs(int(mask)) - 1);
}

// Calls shuffle(word) for each word of 4 bytes of a value.
template <class T, class Shuffle>
GPO_WORD_FN T by_words(const T &value, Shuffle shuffle) {
  constexpr int count = (sizeof(T) + 3) / 4;
  unsigned words[count] = {};
  memcpy(words, &value, sizeof(T));
  for (int k = 0; k < count; k++) words[k] = shuffle(words[k]);
  T out;
  memcpy(&out, words, sizeof(T));
  return out;
}

// ---- Waiting for all blocks of the grid ----

#if defined(__CUDACC_RTC__)
// The backend launches the kernels of a module that has this variable (grid_waits<0>) cooperatively, so that all blocks
// are on the GPU at a time. The driver then gives a launch a structure of two words, the second of which is for a
// barrier, and its address in the registers %envreg1 and %envreg2 (CUDA's cooperative_groups/details/driver_abi.h); to
// others it gives NULL.
template <int unused>
__device__ unsigned grid_waits = 0;

GPO_WORD_FN unsigned *grid_barrier() {
  unsigned high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  unsigned *const words = reinterpret_cast<unsigned *>((unsigned long long)high << 32 | low);
  return words ? words + 1 : nullptr;
}
GPO_WORD_FN bool grid_may_wait() { return grid_barrier() != nullptr; }

// Each block counts its arrival. The first block adds what makes the highest bit change once all have come, so that the
// counter needs no one to reset it.
template <int unused>
GPO_WORD_FN void wait_for_grid() {
  unsigned *const barrier = grid_barrier();
  if (!barrier) {
    *(volatile unsigned *)&grid_waits<unused> = 1;
    __trap();  // the grid is too large to be on the GPU at a time
  }
  __syncthreads();
  if (rank_in_block() == 0) {
    const unsigned others = gridDim.x * gridDim.y * gridDim.z - 1;
    const bool is_first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
    __threadfence();
    const unsigned before = atomicAdd(barrier, is_first ? 0x80000000u - others : 1u);
    while (((before ^ *(volatile unsigned *)barrier) & 0x80000000u) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}
#else
GPO_WORD_FN bool grid_may_wait() { return true; }
template <int unused>
GPO_WORD_FN void wait_for_grid() {
  gpo::wait_for_grid();
}
#endif

template <class A>
struct plain_ {
  using type = A;
};
template <class A>
struct plain_<const A> : plain_<A> {};
template <class A>
struct plain_<A &> : plain_<A> {};
template <class A>
struct plain_<A &&> : plain_<A> {};
template <class A>
using plain = typename plain_<A>::type;

}  // namespace groups
}  // namespace gpo

namespace cooperative_groups {

// ---- The block and the grid ----

class thread_block {
 public:
  // For tiles of several warps (cooperative_tiles.h).
  void *gpo_memory = nullptr;
  bool gpo_has_memory = false;  // Clang compares addresses of __shared__ variables with NULL in a way that may fail
  static GPO_WORD_FN void sync() { __syncthreads(); }
  static GPO_WORD_FN unsigned thread_rank() { return gpo::groups::rank_in_block(); }
  static GPO_WORD_FN unsigned num_threads() { return gpo::groups::block_size(); }
  static GPO_WORD_FN unsigned size() { return gpo::groups::block_size(); }
  static GPO_WORD_FN dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static GPO_WORD_FN dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static GPO_WORD_FN dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static GPO_WORD_FN dim3 dim_threads() { return group_dim(); }
};
GPO_WORD_FN thread_block this_thread_block() { return {}; }

// A launch of a kernel that calls sync() is a cooperative one.
class grid_group {
 public:
  template <int gpo_unused = 0>  // only what is called makes launches cooperative
  GPO_WORD_FN void sync() const {
    gpo::groups::wait_for_grid<gpo_unused>();
  }
  struct arrival_token {};
  template <int gpo_unused = 0>
  GPO_WORD_FN arrival_token barrier_arrive() const {  // no thread needs the others before it waits: they meet there
    return {};
  }
  template <int gpo_unused = 0>
  GPO_WORD_FN void barrier_wait(arrival_token &&) const {
    sync<gpo_unused>();
  }
  static GPO_WORD_FN bool is_valid() { return gpo::groups::grid_may_wait(); }
  static GPO_WORD_FN unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  static GPO_WORD_FN unsigned long long block_rank() {
    return blockIdx.x + 1ull * gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
  }
  static GPO_WORD_FN unsigned long long num_threads() { return num_blocks() * gpo::groups::block_size(); }
  static GPO_WORD_FN unsigned long long size() { return num_threads(); }
  static GPO_WORD_FN unsigned long long thread_rank() {
    return block_rank() * gpo::groups::block_size() + gpo::groups::rank_in_block();
  }
  static GPO_WORD_FN dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static GPO_WORD_FN dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static GPO_WORD_FN dim3 group_dim() { return dim_blocks(); }
};
GPO_WORD_FN grid_group this_grid() { return {}; }

// ---- Groups of lanes of one warp ----

// Lanes of a warp, which have ranks in their order.
class coalesced_group {
 public:
  GPO_WORD_FN explicit coalesced_group(unsigned mask, unsigned of_group = 0, unsigned groups = 1)
      : mask_(mask), of_group_(of_group), groups_(groups) {}

  GPO_WORD_FN void sync() const { __syncwarp(mask_); }
  GPO_WORD_FN unsigned num_threads() const { return unsigned(__popc(mask_)); }
  GPO_WORD_FN unsigned size() const { return num_threads(); }
  GPO_WORD_FN unsigned thread_rank() const {
    return unsigned(__popc(mask_ & gpo::groups::lowest(gpo::groups::lane())));
  }
  GPO_WORD_FN unsigned meta_group_rank() const { return of_group_; }
  GPO_WORD_FN unsigned meta_group_size() const { return groups_; }

  template <class T>
  GPO_WORD_FN T shfl(T value, unsigned rank) const {
    const int from = int(gpo::groups::lane_of_rank(mask_, rank % num_threads()));
    const unsigned mask = mask_;
    return gpo::groups::by_words(value, [=](unsigned word) { return ::__shfl_sync(mask, word, from); });
  }
  // The own value where the group has no such thread.
  template <class T>
  GPO_WORD_FN T shfl_down(T value, unsigned by) const {
    const unsigned rank = thread_rank() + by;
    return shfl(value, rank < num_threads() ? rank : thread_rank());
  }
  template <class T>
  GPO_WORD_FN T shfl_up(T value, unsigned by) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank >= by ? rank - by : rank);
  }
  GPO_WORD_FN int any(int predicate) const { return ::__any_sync(mask_, predicate); }
  GPO_WORD_FN int all(int predicate) const { return ::__ballot_sync(mask_, !predicate) == 0; }
  GPO_WORD_FN unsigned ballot(int predicate) const { return packed(::__ballot_sync(mask_, predicate)); }
  template <class T>
  GPO_WORD_FN unsigned match_any(T value) const {
    return packed(::__match_any_sync(mask_, value));
  }
  template <class T>
  GPO_WORD_FN unsigned match_all(T value, int &is_same) const {
    const unsigned same = ::__match_any_sync(mask_, value), others = ::__ballot_sync(mask_, same != mask_);
    is_same = others == 0;
    return is_same ? packed(mask_) : 0;
  }
  GPO_WORD_FN unsigned lanes() const { return mask_; }

 private:
  // The bits of a word that belong to lanes of the group, at the places of their ranks.
  GPO_WORD_FN unsigned packed(unsigned bits) const {
    unsigned out = 0, rank = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, rank++) {
      if (bits & rest & (0u - rest)) out |= 1u << rank;
    }
    return out;
  }
  unsigned mask_, of_group_, groups_;
};
// The lanes of the warp that run the call.
GPO_WORD_FN coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned count, class Parent = void>
class thread_block_tile {
  static_assert(count != 0 && (count & (count - 1)) == 0 && count <= 32,
                "a tile has 1, 2, 4, 8, 16 or 32 threads, or 64 to 1024 where the text has "
                "cooperative_groups::block_tile_memory, which this_thread_block() takes");

 public:
  thread_block_tile() = default;
  template <class Other>
  GPO_WORD_FN thread_block_tile(const thread_block_tile<count, Other> &) {}

  static GPO_WORD_FN void sync() { __syncwarp(mask()); }
  static GPO_WORD_FN constexpr unsigned num_threads() { return count; }
  static GPO_WORD_FN constexpr unsigned size() { return count; }
  static GPO_WORD_FN unsigned thread_rank() { return gpo::groups::rank_in_block() % count; }
  static GPO_WORD_FN unsigned meta_group_rank() { return gpo::groups::rank_in_block() % parent_size() / count; }
  static GPO_WORD_FN unsigned meta_group_size() { return (parent_size() + count - 1) / count; }

  template <class T>
  GPO_WORD_FN T shfl(T value, int rank) const {
    const unsigned lanes = mask();
    return gpo::groups::by_words(value, [=](unsigned word) { return ::__shfl_sync(lanes, word, rank, int(count)); });
  }
  template <class T>
  GPO_WORD_FN T shfl_up(T value, unsigned by) const {
    const unsigned lanes = mask();
    return gpo::groups::by_words(value, [=](unsigned word) { return ::__shfl_up_sync(lanes, word, by, int(count)); });
  }
  template <class T>
  GPO_WORD_FN T shfl_down(T value, unsigned by) const {
    const unsigned lanes = mask();
    return gpo::groups::by_words(value, [=](unsigned word) { return ::__shfl_down_sync(lanes, word, by, int(count)); });
  }
  template <class T>
  GPO_WORD_FN T shfl_xor(T value, unsigned bits) const {
    const unsigned lanes = mask();
    return gpo::groups::by_words(value,
                                 [=](unsigned word) { return ::__shfl_xor_sync(lanes, word, int(bits), int(count)); });
  }
  GPO_WORD_FN int any(int predicate) const { return ballot(predicate) != 0; }
  GPO_WORD_FN int all(int predicate) const { return ballot(!predicate) == 0; }
  GPO_WORD_FN unsigned ballot(int predicate) const { return packed(::__ballot_sync(mask(), predicate)); }
  template <class T>
  GPO_WORD_FN unsigned match_any(T value) const {
    return packed(::__match_any_sync(mask(), value));
  }
  template <class T>
  GPO_WORD_FN unsigned match_all(T value, int &is_same) const {
    const unsigned same = match_any(value);
    is_same = all(same == gpo::groups::lowest(count));
    return is_same ? same : 0;
  }
  static GPO_WORD_FN unsigned lanes() { return mask(); }

 private:
  static GPO_WORD_FN unsigned first() { return gpo::groups::lane() / count * count; }
  static GPO_WORD_FN unsigned mask() { return gpo::groups::lowest(count) << first(); }
  static GPO_WORD_FN unsigned packed(unsigned bits) { return bits >> first() & gpo::groups::lowest(count); }
  template <unsigned of_parent, class Grandparent>
  static GPO_WORD_FN unsigned size_of(const thread_block_tile<of_parent, Grandparent> *) {
    return of_parent;
  }
  static GPO_WORD_FN unsigned size_of(const thread_block *) { return gpo::groups::block_size(); }
  static GPO_WORD_FN unsigned size_of(const void *) { return gpo::groups::block_size(); }
  static GPO_WORD_FN unsigned parent_size() { return size_of(static_cast<const Parent *>(nullptr)); }
};

template <unsigned count, class Parent>
GPO_WORD_FN thread_block_tile<count, Parent> tiled_partition(const Parent &parent) {
  if constexpr (count > 32) {
    return thread_block_tile<count, Parent>(parent);
  } else {
    return {};
  }
}

// A group of any of the kinds above.
class thread_group {
 public:
  GPO_WORD_FN thread_group(const thread_block &) : lanes_(0) {}
  GPO_WORD_FN thread_group(const coalesced_group &group) : lanes_(group.lanes()) {}
  template <unsigned count, class Parent>
  GPO_WORD_FN thread_group(const thread_block_tile<count, Parent> &tile) : lanes_(tile.lanes()) {}

  GPO_WORD_FN void sync() const {
    if (lanes_ == 0) {
      __syncthreads();
    } else {
      __syncwarp(lanes_);
    }
  }
  GPO_WORD_FN unsigned num_threads() const {
    return lanes_ == 0 ? gpo::groups::block_size() : unsigned(__popc(lanes_));
  }
  GPO_WORD_FN unsigned size() const { return num_threads(); }
  GPO_WORD_FN unsigned thread_rank() const {
    return lanes_ == 0 ? gpo::groups::rank_in_block() : coalesced_group(lanes_).thread_rank();
  }

 private:
  unsigned lanes_;  // of the warp; 0 for the whole block
};
// Tiles whose size, of 1 to 32, is known when the kernel runs.
GPO_WORD_FN thread_group tiled_partition(const thread_block &, unsigned count) {
  return coalesced_group(gpo::groups::lowest(count) << gpo::groups::lane() / count * count);
}

// The threads of a group whose predicate is the same, or whose label is.
template <class Group>
GPO_WORD_FN coalesced_group binary_partition(const Group &group, bool predicate) {
  const unsigned lanes = group.lanes(), set = ::__ballot_sync(lanes, predicate) & lanes;
  return coalesced_group(predicate ? set : lanes & ~set, predicate ? 1 : 0, 2);
}
template <class Group, class Label>
GPO_WORD_FN coalesced_group labeled_partition(const Group &group, Label label) {
  const unsigned same = ::__match_any_sync(group.lanes(), label) & group.lanes();
  const unsigned begins = ::__ballot_sync(group.lanes(), (same & gpo::groups::lowest(gpo::groups::lane())) == 0);
  return coalesced_group(same, unsigned(__popc(begins & (same & (0u - same)) - 1)), unsigned(__popc(begins)));
}

template <class Group>
GPO_WORD_FN void sync(const Group &group) {
  group.sync();
}
template <class Group>
GPO_WORD_FN auto thread_rank(const Group &group) {
  return group.thread_rank();
}
template <class Group>
GPO_WORD_FN auto group_size(const Group &group) {
  return group.num_threads();
}

// ---- cooperative_groups/reduce.h and scan.h ----

#define GPO_COMBINE(name, expression)                                  \
  template <class T>                                                   \
  struct name {                                                        \
    GPO_WORD_FN T operator()(T a, T b) const { return T(expression); } \
  };
GPO_COMBINE(plus, a + b)
GPO_COMBINE(less, b < a ? b : a)
GPO_COMBINE(greater, a < b ? b : a)
GPO_COMBINE(bit_and, a &b)
GPO_COMBINE(bit_or, a | b)
GPO_COMBINE(bit_xor, a ^ b)
#undef GPO_COMBINE

// `combine` applied to the values of all threads, for each of them.
template <unsigned count, class Parent, class T, class Combine>
GPO_WORD_FN auto reduce(const thread_block_tile<count, Parent> &tile, T value, Combine combine) {
  if constexpr (count > 32) {
    return tile.template reduced<gpo::groups::plain<T>>(value, combine);
  } else {
    gpo::groups::plain<T> total = value;
    for (unsigned bit = count / 2; bit != 0; bit /= 2) total = combine(total, tile.shfl_xor(total, bit));
    return total;
  }
}
template <class T, class Combine>
GPO_WORD_FN auto reduce(const coalesced_group &group, T value, Combine combine) {
  gpo::groups::plain<T> total = value;
  const unsigned rank = group.thread_rank(), count = group.num_threads();
  for (unsigned by = 1; by < count; by *= 2) {
    const T other = group.shfl_down(total, by);
    if (rank % (2 * by) == 0 && rank + by < count) total = combine(total, other);
  }
  return group.shfl(total, 0);
}

// `combine` applied to the values of the threads up to this one.
template <class Group, class T, class Combine>
GPO_WORD_FN auto inclusive_scan(const Group &group, T value, Combine combine) {
  gpo::groups::plain<T> total = value;
  const unsigned rank = group.thread_rank(), count = group.num_threads();
  for (unsigned by = 1; by < count; by *= 2) {
    const T before = group.shfl_up(total, by);
    if (rank >= by) total = combine(before, total);
  }
  return total;
}
template <class Group, class T>
GPO_WORD_FN auto inclusive_scan(const Group &group, T value) {
  return inclusive_scan(group, value, plus<gpo::groups::plain<T>>());
}
// Without its own; T() for the first thread.
template <class Group, class T, class Combine>
GPO_WORD_FN auto exclusive_scan(const Group &group, T value, Combine combine) {
  const T before = group.shfl_up(inclusive_scan(group, value, combine), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
GPO_WORD_FN auto exclusive_scan(const Group &group, T value) {
  return exclusive_scan(group, value, plus<gpo::groups::plain<T>>());
}

// ---- Calls by one thread, and copies ----

template <class Group, class Function, class... A>
GPO_WORD_FN void invoke_one(const Group &group, Function &&function, A &&...arguments) {
  if (group.thread_rank() == 0) function(static_cast<A &&>(arguments)...);
}
// Returns the result to all threads of the group.
template <class Group, class Function, class... A>
GPO_WORD_FN auto invoke_one_broadcast(const Group &group, Function &&function, A &&...arguments) {
  gpo::groups::plain<decltype(function(static_cast<A &&>(arguments)...))> result = {};
  if (group.thread_rank() == 0) result = function(static_cast<A &&>(arguments)...);
  return group.shfl(result, 0);
}

template <size_t alignment>
struct aligned_size_t {
  size_t value;
  GPO_WORD_FN explicit aligned_size_t(size_t bytes) : value(bytes) {}
  GPO_WORD_FN operator size_t() const { return value; }
};
// Copies bytes; each thread copies some of them. They are there after wait().
template <class Group, class To, class From>
GPO_WORD_FN void memcpy_async(const Group &group, To *to, const From *from, size_t bytes) {
  const size_t rank = group.thread_rank(), threads = group.num_threads();
  if ((size_t(to) | size_t(from) | bytes) % 4 == 0) {
    unsigned *const out = reinterpret_cast<unsigned *>(to);
    const unsigned *const in = reinterpret_cast<const unsigned *>(from);
    for (size_t k = rank; k < bytes / 4; k += threads) out[k] = in[k];
  } else {
    char *const out = reinterpret_cast<char *>(to);
    const char *const in = reinterpret_cast<const char *>(from);
    for (size_t k = rank; k < bytes; k += threads) out[k] = in[k];
  }
}
// Copies elements, as many as both sides have.
template <class Group, class T>
GPO_WORD_FN void memcpy_async(const Group &group, T *to, size_t room, const T *from, size_t count) {
  memcpy_async(group, to, from, (room < count ? room : count) * sizeof(T));
}
template <class Group>
GPO_WORD_FN void wait(const Group &group) {
  group.sync();
}
template <unsigned stages, class Group>
GPO_WORD_FN void wait_prior(const Group &group) {
  group.sync();
}

}  // namespace cooperative_groups

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_COOPERATIVE_H_
