// tests/fake_cuda/text/shim.h -- CUDA C++'s own words, for kernels compiled by the system's compiler: included before
// every kernel's text.
//
// A thread of the grid is a call of the kernel. Threads that meet (barriers, shuffles, votes) are fibers; a kernel that
// uses none of these does not export fake_cuda_meet, by which the driver knows that a plain loop will do.
#ifndef GPUOPT_TESTS_FAKE_CUDA_TEXT_SHIM_H_
#define GPUOPT_TESTS_FAKE_CUDA_TEXT_SHIM_H_

#include "tests/fake_cuda/kernel_table.h"

// A device has none of the host's instructions, and no header for them.
#undef __x86_64__
#undef __aarch64__
#undef __SSE2__
#undef __SSE4_1__
#undef __AVX__
#undef __AVX2__
#undef __AVX512F__
#undef __FMA__
#undef __F16C__

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static  // blocks run one after the other; what lies in .bss is overwritten before each
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;

// The words that NVIDIA's compiler has built in, and the library gives to other compilers as text.
#define GPO_WORDS_AS_TEXT 1
#if __has_include("plugins/shared/words/words.h")
#include "plugins/shared/words/bits.h"
#include "plugins/shared/words/memory.h"
#include "plugins/shared/words/numbers/vectors.h"
#include "plugins/shared/words/rounded.h"
#include "plugins/shared/words/video.h"
#else
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
};
#endif
extern "C" __attribute__((visibility("hidden"))) const uint3 threadIdx, blockIdx;
extern "C" __attribute__((visibility("hidden"))) const dim3 blockDim, gridDim;
constexpr int warpSize = 32;

namespace fake_cuda {
extern __attribute__((visibility("hidden"))) KernelTable *table;
void bind(KernelTable *table, Indices *indices);
void poison();
unsigned long shared_bytes();
}  // namespace fake_cuda

// Emitted, and so exported, only by kernels that call it.
extern "C" __attribute__((visibility("default"), noinline, no_sanitize("thread"))) inline const unsigned long *
fake_cuda_meet(int kind, unsigned mask, unsigned long word) {
  return fake_cuda::table->meet(kind, mask, word);
}

// What reads the driver's own memory is not checked.
#define FAKE_CUDA_UNCHECKED __attribute__((no_sanitize("thread")))

namespace fake_cuda {

inline unsigned linear_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }

template <class T>
unsigned long to_word(T value) {
  unsigned long word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  return word;
}
template <class T>
T from_word(unsigned long word) {
  T value;
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}

// The value of lane `source`; of the own lane where that lies outside the segment of `width` lanes.
template <class T>
FAKE_CUDA_UNCHECKED T shuffle(unsigned mask, T value, int source, bool inside) {
  const unsigned long *words = fake_cuda_meet(kShuffle, mask, to_word(value));
  return from_word<T>(words[inside ? source & 31 : int(linear_thread() & 31)]);
}

FAKE_CUDA_UNCHECKED inline unsigned vote(unsigned mask, int predicate) {
  const unsigned long *words = fake_cuda_meet(kVote, mask, predicate != 0);
  unsigned bits = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1 && words[lane]) bits |= 1u << lane;
  return bits;
}

FAKE_CUDA_UNCHECKED inline int count_block(int predicate) {
  const unsigned long *words = fake_cuda_meet(kBlockBarrier, 0, predicate != 0);
  int sum = 0;
  for (unsigned t = 0; t < block_threads(); ++t) sum += int(words[t]);
  return sum;
}

}  // namespace fake_cuda

inline void __syncthreads() { fake_cuda_meet(fake_cuda::kBlockBarrier, 0, 0); }
inline int __syncthreads_count(int predicate) { return fake_cuda::count_block(predicate); }
inline int __syncthreads_or(int predicate) { return fake_cuda::count_block(predicate) != 0; }
inline int __syncthreads_and(int predicate) {
  return fake_cuda::count_block(predicate) == int(fake_cuda::block_threads());
}
inline void __syncwarp(unsigned mask = 0xffffffffu) { fake_cuda_meet(fake_cuda::kWarpBarrier, mask, 0); }
inline unsigned __activemask() { return 0xffffffffu; }
inline unsigned __ballot_sync(unsigned mask, int predicate) { return fake_cuda::vote(mask, predicate); }
inline int __any_sync(unsigned mask, int predicate) { return fake_cuda::vote(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return fake_cuda::vote(mask, predicate) == mask; }

// The types the real ones take: others are ambiguous there and here.
#define FAKE_CUDA_SHUFFLES(T)                                                              \
  inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {                 \
    const int own = int(fake_cuda::linear_thread() & 31), first = own & ~(width - 1);      \
    return fake_cuda::shuffle(mask, value, first + (lane & (width - 1)), true);            \
  }                                                                                        \
  inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {        \
    const int own = int(fake_cuda::linear_thread() & 31), source = own - int(delta);       \
    return fake_cuda::shuffle(mask, value, source, source >= (own & ~(width - 1)));        \
  }                                                                                        \
  inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {      \
    const int own = int(fake_cuda::linear_thread() & 31), source = own + int(delta);       \
    return fake_cuda::shuffle(mask, value, source, source < (own & ~(width - 1)) + width); \
  }                                                                                        \
  inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {            \
    const int own = int(fake_cuda::linear_thread() & 31), source = own ^ lanes;            \
    return fake_cuda::shuffle(mask, value, source, source < (own & ~(width - 1)) + width); \
  }
FAKE_CUDA_SHUFFLES(int)
FAKE_CUDA_SHUFFLES(unsigned)
FAKE_CUDA_SHUFFLES(long)
FAKE_CUDA_SHUFFLES(unsigned long)
FAKE_CUDA_SHUFFLES(long long)
FAKE_CUDA_SHUFFLES(unsigned long long)
FAKE_CUDA_SHUFFLES(float)
FAKE_CUDA_SHUFFLES(double)
#undef FAKE_CUDA_SHUFFLES

// Asks each lane of the mask for its value, one after the other.
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
  unsigned equal = 0;
  for (int lane = 0; lane < 32; lane++) {
    if (mask >> lane & 1 && __shfl_sync(mask, value, lane) == value) equal |= 1u << lane;
  }
  return equal;
}

// One thread of the grid runs at a time, and gives way only where threads meet.
#define FAKE_CUDA_ATOMIC(T, name, expression)  \
  inline T atomic##name(T *address, T value) { \
    const T old = *address;                    \
    *address = expression;                     \
    return old;                                \
  }
#define FAKE_CUDA_ATOMICS(T)                          \
  FAKE_CUDA_ATOMIC(T, Add, old + value)               \
  FAKE_CUDA_ATOMIC(T, Exch, value)                    \
  FAKE_CUDA_ATOMIC(T, Min, value < old ? value : old) \
  FAKE_CUDA_ATOMIC(T, Max, value > old ? value : old) \
  FAKE_CUDA_ATOMIC(T, And, old &value)                \
  FAKE_CUDA_ATOMIC(T, Or, old | value)                \
  FAKE_CUDA_ATOMIC(T, Xor, old ^ value)
FAKE_CUDA_ATOMICS(int)
FAKE_CUDA_ATOMICS(unsigned)
FAKE_CUDA_ATOMICS(unsigned long long)
FAKE_CUDA_ATOMIC(long long, Min, value < old ? value : old)
FAKE_CUDA_ATOMIC(long long, Max, value > old ? value : old)
FAKE_CUDA_ATOMIC(int, Sub, old - value)
FAKE_CUDA_ATOMIC(unsigned, Sub, old - value)
FAKE_CUDA_ATOMIC(float, Add, old + value)
FAKE_CUDA_ATOMIC(double, Add, old + value)
FAKE_CUDA_ATOMIC(float, Exch, value)
#define FAKE_CUDA_CAS(T)                                \
  inline T atomicCAS(T *address, T expected, T value) { \
    const T old = *address;                             \
    if (old == expected) *address = value;              \
    return old;                                         \
  }
FAKE_CUDA_CAS(int)
FAKE_CUDA_CAS(unsigned)
FAKE_CUDA_CAS(unsigned short)
FAKE_CUDA_CAS(unsigned long long)
#undef FAKE_CUDA_ATOMIC
#undef FAKE_CUDA_ATOMICS
#undef FAKE_CUDA_CAS

inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
#define FAKE_CUDA_MIN_MAX(T)                       \
  inline T min(T a, T b) { return b < a ? b : a; } \
  inline T max(T a, T b) { return a < b ? b : a; }
FAKE_CUDA_MIN_MAX(int)
FAKE_CUDA_MIN_MAX(unsigned)
FAKE_CUDA_MIN_MAX(long)
FAKE_CUDA_MIN_MAX(unsigned long)
FAKE_CUDA_MIN_MAX(long long)
FAKE_CUDA_MIN_MAX(unsigned long long)
#undef FAKE_CUDA_MIN_MAX
inline void __trap() { __builtin_trap(); }
inline void __nanosleep(unsigned) {}
inline long long clock64() {
  static long long ticks;
  return ++ticks;
}
inline long clock() { return long(clock64()); }

// The compiler appends FAKE_CUDA_LIBRARY(FAKE_CUDA_KERNEL(name, function, limit) ...) to a kernel's text.
namespace fake_cuda {
template <auto function>
struct Kernel;
template <class... A, void (*function)(A...)>
struct Kernel<function> {
  static constexpr int parameters = sizeof...(A);
  static constexpr unsigned long sizes[parameters + 1] = {sizeof(A)..., 0};
  template <int... i>
  struct Places {};
  template <int n, int... i>
  struct Make : Make<n - 1, n - 1, i...> {};
  template <int... i>
  struct Make<0, i...> {
    using Type = Places<i...>;
  };
  template <int... i>
  FAKE_CUDA_UNCHECKED static void call(void *const *arguments, Places<i...>) {
    function(*static_cast<A *>(arguments[i])...);
  }
  FAKE_CUDA_UNCHECKED static void call(void *const *arguments) { call(arguments, typename Make<parameters>::Type()); }
};
constexpr int first(int limit = 1024, int = 0, int = 0) { return limit; }
}  // namespace fake_cuda

#define FAKE_CUDA_KERNEL(name, limit, ...)                                            \
  {name, fake_cuda::Kernel<__VA_ARGS__>::call, fake_cuda::Kernel<__VA_ARGS__>::sizes, \
   fake_cuda::Kernel<__VA_ARGS__>::parameters, fake_cuda::first limit},
#define FAKE_CUDA_LIBRARY(...)                                                                                     \
  static const fake_cuda::KernelEntry fake_cuda_entries[] = {__VA_ARGS__};                                         \
  extern "C" __attribute__((visibility("default"))) const fake_cuda::KernelLibrary fake_cuda_library = {           \
      fake_cuda_entries, sizeof fake_cuda_entries / sizeof *fake_cuda_entries, fake_cuda::bind, fake_cuda::poison, \
      fake_cuda::shared_bytes};

#endif  // GPUOPT_TESTS_FAKE_CUDA_TEXT_SHIM_H_
