// plugins/jit/text/thread.h -- gpo::Thread, which describes one thread of a launch for kernels that run on the host,
// and CUDA C++'s built-in variables and functions on top of it (CUDA C++ Programming Guide, "C++ Language Extensions").
//
// Threads of a block are iterations of loops, or coroutines, in one thread of the host (plugins/jit/lower/threads.h).
// They never run at the same time, so that accesses to what only threads of one block share need not be atomic.
// Accesses to what blocks of other host threads share do.
#ifndef GPUOPT_PLUGINS_JIT_TEXT_THREAD_H_
#define GPUOPT_PLUGINS_JIT_TEXT_THREAD_H_

#include "plugins/shared/words/numbers/vectors.h"

#define __shared__ \
  thread_local __attribute__((__annotate__("gpuopt_shared")))  // the compiler moves it to the block's shared memory

namespace gpo {

// The backend knows this layout (plugins/cpu/kernel/block_run.h), and so does the compiler
// (plugins/jit/analysis/fields.h). The threads of a block are consecutive in memory, in the order of their numbers.
struct Thread {
  unsigned index[3], block[3], block_size[3], grid_size[3];
  char *shared;
  unsigned long long exchange;  // the exchange slot: what other lanes of the warp may read
  unsigned mask;                // of the lanes that the thread waits for
  unsigned number;              // in the block
  int waits_for;                // wait_block, wait_warp, wait_grid or wait_converged
  int polls;                    // 1: it waits for others by looking again and again, and lets them run in between
  void *frame;
};
enum { wait_block = 1, wait_warp = 2, wait_grid = 3, wait_converged = 4 };

}  // namespace gpo

extern "C" gpo::Thread *gpuopt_thread() __attribute__((const, nothrow));  // the compiler replaces it by the thread
extern "C" void gpuopt_suspend() __attribute__((nothrow, convergent));    // and this by a suspension
// The exchange slot of thread `number` of the block.
extern "C" unsigned long long *gpuopt_slot(gpo::Thread *self, unsigned number) __attribute__((const, nothrow));
// The lanes of the warp that are at this call (plugins/jit/lower/converge.h). The compiler numbers the calls.
extern "C" unsigned gpuopt_converge(gpo::Thread *self, unsigned place) __attribute__((nothrow, convergent));

// ---- The built-in variables ----

#define GPO_DIMENSIONS(name, type, member)                         \
  struct name##_type {                                             \
    __declspec(property(get = get_x)) unsigned x;                  \
    __declspec(property(get = get_y)) unsigned y;                  \
    __declspec(property(get = get_z)) unsigned z;                  \
    static unsigned get_x() { return gpuopt_thread()->member[0]; } \
    static unsigned get_y() { return gpuopt_thread()->member[1]; } \
    static unsigned get_z() { return gpuopt_thread()->member[2]; } \
    operator type() const { return {get_x(), get_y(), get_z()}; }  \
  };                                                               \
  static constexpr name##_type name = {};
GPO_DIMENSIONS(threadIdx, uint3, index)
GPO_DIMENSIONS(blockIdx, uint3, block)
GPO_DIMENSIONS(blockDim, dim3, block_size)
GPO_DIMENSIONS(gridDim, dim3, grid_size)
static constexpr int warpSize = 32;

// ---- Waiting ----

namespace gpo {

inline void wait_for_block() {
  gpuopt_thread()->waits_for = wait_block;
  gpuopt_suspend();
}
inline void wait_for_grid() {  // for all threads of all blocks
  gpuopt_thread()->waits_for = wait_grid;
  gpuopt_suspend();
}
inline void wait_for_warp(unsigned mask) {
  Thread *const self = gpuopt_thread();
  self->mask = mask;
  self->waits_for = wait_warp;
  gpuopt_suspend();
}

// Writes `value` to the thread's exchange slot, waits until all lanes of `mask` have done so, and calls read(Lanes).
struct Lanes {
  Thread *self;
  unsigned long long operator[](unsigned lane) const { return *gpuopt_slot(self, self->number / 32 * 32 + lane); }
  unsigned long long after(int lanes) const { return *gpuopt_slot(self, self->number + unsigned(lanes)); }
};
template <class Read>
inline auto exchange(unsigned mask, unsigned long long value, Read read) {
  Thread *const self = gpuopt_thread();
  *gpuopt_slot(self, self->number) = value;
  wait_for_warp(mask);
  const auto result = read(Lanes{self});
  wait_for_warp(mask);  // no lane writes again before all have read
  return result;
}

template <class T>
inline unsigned long long to_word(const T &value) {
  static_assert(sizeof(T) <= 8, "shuffles take up to 8 bytes");
  unsigned long long word = 0;
  __builtin_memcpy(&word, &value, sizeof(T));
  return word;
}

// A bit that marks the slots of lanes that take part, beside a value of at most 32 bits. The slots of lanes that have
// returned are 0.
inline constexpr unsigned long long is_active = 1ull << 32;

template <class T>
inline T from_word(unsigned long long word) {
  T value;
  __builtin_memcpy(&value, &word, sizeof(T));
  return value;
}

inline unsigned warp_size_of(const Thread *self) {
  const unsigned threads = self->block_size[0] * self->block_size[1] * self->block_size[2],
                 begin = self->number / 32 * 32;
  return threads - begin < 32 ? threads - begin : 32;
}

// The value of lane source(lane) within the group of `width` lanes that the thread belongs to; the thread's own value
// if the group or the warp has no such lane.
template <class T, class Source>
inline T shuffle(unsigned mask, T value, int width, Source source) {
  const unsigned lane = gpuopt_thread()->number % 32, lanes = warp_size_of(gpuopt_thread());
  const unsigned part = lane / unsigned(width) * unsigned(width);
  return exchange(mask, to_word(value), [&](const Lanes &warp) {
    const int own = int(lane - part), from = source(own);
    const bool none = from < 0 || from >= width || part + unsigned(from) >= lanes;
    return none ? value : from_word<T>(warp.after(from - own));
  });
}

// A word whose bit is set for each lane of the mask whose slot `keep` accepts.
template <class Keep>
inline unsigned ballot(unsigned mask, unsigned long long value, Keep keep) {
  const unsigned lanes = warp_size_of(gpuopt_thread());
  return exchange(mask, value, [&](const Lanes &warp) {
    unsigned bits = 0;
    for (unsigned lane = 0; lane < lanes; lane++)
      if (mask >> lane & 1 && keep(warp[lane])) bits |= 1u << lane;
    return bits;
  });
}

}  // namespace gpo

inline void __syncthreads() { gpo::wait_for_block(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { gpo::wait_for_warp(mask); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#if defined(GPO_CHECKED_KERNEL)
inline void __threadfence_block() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}  // the check sees it; it emits no instruction
#else
inline void __threadfence_block() {}
#endif
inline void __threadfence_system() { __threadfence(); }
inline void __trap() { __builtin_trap(); }
inline void __nanosleep(unsigned) {}

// The lanes of the warp that come to this call together.
inline unsigned __activemask() { return gpuopt_converge(gpuopt_thread(), 0); }
// Ticks of the processor's counter.
inline long long clock64() { return (long long)__builtin_readcyclecounter(); }
inline long clock() { return long(clock64()); }

// The host has one address space, in which all addresses have 64 bits.
#define GPO_ADDRESS_SPACE(to, from)                                     \
  inline unsigned long to(const void *at) { return (unsigned long)at; } \
  inline void *from(unsigned long at) { return (void *)at; }
GPO_ADDRESS_SPACE(__cvta_generic_to_global, __cvta_global_to_generic)
GPO_ADDRESS_SPACE(__cvta_generic_to_shared, __cvta_shared_to_generic)
GPO_ADDRESS_SPACE(__cvta_generic_to_constant, __cvta_constant_to_generic)
GPO_ADDRESS_SPACE(__cvta_generic_to_local, __cvta_local_to_generic)
#undef GPO_ADDRESS_SPACE

template <class T>
inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  return gpo::shuffle(mask, value, width, [&](int) { return lane & (width - 1); });
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  return gpo::shuffle(mask, value, width, [&](int lane) { return lane - int(by); });
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  return gpo::shuffle(mask, value, width, [&](int lane) { return lane + int(by); });
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  return gpo::shuffle(mask, value, width, [&](int lane) { return lane ^ bits; });
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return gpo::ballot(mask, predicate != 0, [](unsigned long long x) { return x != 0; });
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
  const unsigned long long own = gpo::to_word(value);
  if constexpr (sizeof(T) == 8) {
    const unsigned active = __ballot_sync(mask, 1);
    return gpo::ballot(mask, own, [own](unsigned long long x) { return x == own; }) & active;
  } else {
    return gpo::ballot(mask, own | gpo::is_active, [own](unsigned long long x) { return x == (own | gpo::is_active); });
  }
}
// The lanes of the mask if all have the same value, and else 0.
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int *is_same) {
  const unsigned same = __match_any_sync(mask, value), active = __ballot_sync(mask, 1);
  *is_same = same == active;
  return *is_same ? active : 0;
}
#define GPO_WARP_REDUCE(name, type, expression)                                                    \
  inline type name(unsigned mask, type value) {                                                    \
    const unsigned lanes = gpo::warp_size_of(gpuopt_thread());                                     \
    return gpo::exchange(mask, gpo::to_word(value) | gpo::is_active, [&](const gpo::Lanes &warp) { \
      bool first = true;                                                                           \
      type a = value;                                                                              \
      for (unsigned lane = 0; lane < lanes; lane++) {                                              \
        if (!(mask >> lane & 1 && warp[lane] & gpo::is_active)) continue;                          \
        const type b = gpo::from_word<type>(warp[lane]);                                           \
        a = first ? b : (expression);                                                              \
        first = false;                                                                             \
      }                                                                                            \
      return a;                                                                                    \
    });                                                                                            \
  }
GPO_WARP_REDUCE(__reduce_add_sync, unsigned, a + b)
GPO_WARP_REDUCE(__reduce_add_sync, int, int(unsigned(a) + unsigned(b)))
GPO_WARP_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
GPO_WARP_REDUCE(__reduce_min_sync, int, a < b ? a : b)
GPO_WARP_REDUCE(__reduce_max_sync, unsigned, a > b ? a : b)
GPO_WARP_REDUCE(__reduce_max_sync, int, a > b ? a : b)
GPO_WARP_REDUCE(__reduce_and_sync, unsigned, a &b)
GPO_WARP_REDUCE(__reduce_or_sync, unsigned, a | b)
GPO_WARP_REDUCE(__reduce_xor_sync, unsigned, a ^ b)

namespace gpo {
// The sum of `value` over all threads of the block.
inline int sum_in_block(int value) {
  __shared__ int total;
  wait_for_block();  // until all have read the previous total
  total = 0;
  wait_for_block();
  __atomic_fetch_add(&total, value, __ATOMIC_RELAXED);
  wait_for_block();
  return total;
}
}  // namespace gpo
inline int __syncthreads_count(int predicate) { return gpo::sum_in_block(predicate != 0); }
inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
inline int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }

#endif  // GPUOPT_PLUGINS_JIT_TEXT_THREAD_H_
