// plugins/jit/text/device.h -- what NVIDIA's compiler has built in, for Clang when it compiles for NVIDIA's GPUs: CUDA
// C++'s keywords, variables and functions (CUDA C++ Programming Guide, "C++ Language Extensions"), on top of PTX
//
// Every text that is compiled to PTX includes it first. None of it needs a header of CUDA's, nor its device library.
#ifndef GPUOPT_PLUGINS_JIT_TEXT_DEVICE_H_
#define GPUOPT_PLUGINS_JIT_TEXT_DEVICE_H_

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
// A kernel is a function that is visible to the driver. CUDA's own attribute would exclude those by which functions
// need no __device__, so that a kernel could not be declared twice.
#define __global__ __attribute__((__nvptx_kernel__))
#define __device__ __attribute__((__device__))
#define __host__ __attribute__((__host__))
#define __shared__ __attribute__((__shared__))
#define __constant__ __attribute__((__constant__))
#define __managed__ __device__
#define __launch_bounds__(...) __attribute__((__launch_bounds__(__VA_ARGS__)))
#include "plugins/jit/text/keywords.h"

// ---- What takes the host: the driver defines these functions ("CUDA C++ Programming Guide", "Formatted Output",
// "Assertion", "Dynamic Global Memory Allocation"); Clang makes calls of vprintf() of those of printf() ----

extern "C" {
__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t bytes);
__device__ void free(void *memory);
__device__ void __assertfail(const char *expression, const char *file, unsigned line, const char *function,
                             size_t bytes_of_a_character);
}
#define GPO_ASSERT(condition, text) \
  (static_cast<bool>(condition) ? (void)0 : __assertfail(text, __FILE__, __LINE__, __PRETTY_FUNCTION__, 1))
#define assert(...) GPO_ASSERT((__VA_ARGS__), #__VA_ARGS__)

#define GPO_HEAP __device__ __attribute__((__weak__, __always_inline__))
GPO_HEAP void *operator new(size_t bytes) { return malloc(bytes); }
GPO_HEAP void *operator new[](size_t bytes) { return malloc(bytes); }
GPO_HEAP void *operator new(size_t, void *place) noexcept { return place; }
GPO_HEAP void *operator new[](size_t, void *place) noexcept { return place; }
GPO_HEAP void operator delete(void *memory) noexcept { free(memory); }
GPO_HEAP void operator delete[](void *memory) noexcept { free(memory); }
GPO_HEAP void operator delete(void *memory, size_t) noexcept { free(memory); }
GPO_HEAP void operator delete[](void *memory, size_t) noexcept { free(memory); }
GPO_HEAP void operator delete(void *, void *) noexcept {}
GPO_HEAP void operator delete[](void *, void *) noexcept {}

#undef GPO_HEAP

// From here on functions need no __device__ (NVIDIA's option -default-device).
#pragma clang force_cuda_host_device begin

// The words that are text for every compiler but NVIDIA's (plugins/shared/words/words.h).
#define GPO_WORDS_AS_TEXT 1
#include "plugins/shared/words/bits.h"
#include "plugins/shared/words/memory.h"
#include "plugins/shared/words/numbers/vectors.h"
#include "plugins/shared/words/rounded.h"
#include "plugins/shared/words/video.h"
#undef GPO_WORDS_AS_TEXT

#define GPO_DEVICE_FN static __device__ inline __attribute__((__always_inline__))

// ---- The built-in variables ----

#define GPO_DIMENSIONS(name, type, registers)                                             \
  struct name##_type {                                                                    \
    __declspec(property(get = get_x)) unsigned x;                                         \
    __declspec(property(get = get_y)) unsigned y;                                         \
    __declspec(property(get = get_z)) unsigned z;                                         \
    __device__ static unsigned get_x() { return __nvvm_read_ptx_sreg_##registers##_x(); } \
    __device__ static unsigned get_y() { return __nvvm_read_ptx_sreg_##registers##_y(); } \
    __device__ static unsigned get_z() { return __nvvm_read_ptx_sreg_##registers##_z(); } \
    __device__ operator type() const { return {get_x(), get_y(), get_z()}; }              \
  };                                                                                      \
  static constexpr name##_type name = {};
GPO_DIMENSIONS(threadIdx, uint3, tid)
GPO_DIMENSIONS(blockIdx, uint3, ctaid)
GPO_DIMENSIONS(blockDim, dim3, ntid)
GPO_DIMENSIONS(gridDim, dim3, nctaid)
#undef GPO_DIMENSIONS
static constexpr int warpSize = 32;

// ---- Address spaces ----

#define GPO_ADDRESS_SPACE(name, number)                                     \
  GPO_DEVICE_FN void *__cvta_##name##_to_generic(size_t at) {               \
    return (void *)(__attribute__((address_space(number))) void *)at;       \
  }                                                                         \
  GPO_DEVICE_FN size_t __cvta_generic_to_##name(const void *at) {           \
    return (size_t)(__attribute__((address_space(number))) const void *)at; \
  }
GPO_ADDRESS_SPACE(global, 1)
GPO_ADDRESS_SPACE(shared, 3)
GPO_ADDRESS_SPACE(constant, 4)
GPO_ADDRESS_SPACE(local, 5)
#undef GPO_ADDRESS_SPACE
GPO_DEVICE_FN unsigned __isGlobal(const void *at) { return __nvvm_isspacep_global(at); }
GPO_DEVICE_FN unsigned __isShared(const void *at) { return __nvvm_isspacep_shared(at); }
GPO_DEVICE_FN unsigned __isConstant(const void *at) { return __nvvm_isspacep_const(at); }
GPO_DEVICE_FN unsigned __isLocal(const void *at) { return __nvvm_isspacep_local(at); }

// ---- Waiting, fences and clocks; __syncthreads() is Clang's own ----

GPO_DEVICE_FN int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
GPO_DEVICE_FN int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
GPO_DEVICE_FN int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
GPO_DEVICE_FN void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
GPO_DEVICE_FN void __threadfence() { __nvvm_membar_gl(); }
GPO_DEVICE_FN void __threadfence_block() { __nvvm_membar_cta(); }
GPO_DEVICE_FN void __threadfence_system() { __nvvm_membar_sys(); }
GPO_DEVICE_FN void __trap() { asm volatile("trap;"); }
GPO_DEVICE_FN void __brkpt() { asm volatile("brkpt;"); }
GPO_DEVICE_FN void __nanosleep(unsigned time) { asm volatile("nanosleep.u32 %0;" ::"r"(time)); }
GPO_DEVICE_FN long long clock64() { return (long long)__nvvm_read_ptx_sreg_clock64(); }
GPO_DEVICE_FN clock_t clock() { return (clock_t)__nvvm_read_ptx_sreg_clock(); }

// ---- Warps ----

GPO_DEVICE_FN unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
GPO_DEVICE_FN unsigned __ballot_sync(unsigned mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
GPO_DEVICE_FN int __any_sync(unsigned mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate != 0); }
GPO_DEVICE_FN int __all_sync(unsigned mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate != 0); }

namespace gpo {
template <class To, class From>
GPO_DEVICE_FN To same_bits(From x) {
  return __builtin_bit_cast(To, x);
}
}  // namespace gpo

// A shuffle of 32 bits, and those of other types made of it. `lanes` is the first lane or the last one of the segment
// that is read, and the mask of the bits of a lane's number that the lanes of a segment have in common.
#define GPO_SHUFFLE(name, mode, by, lanes)                                                             \
  GPO_DEVICE_FN int name(unsigned mask, int value, by, int width = 32) {                               \
    return __nvvm_shfl_sync_##mode##_i32(int(mask), value, int(from), ((32 - width) << 8) | (lanes));  \
  }                                                                                                    \
  GPO_DEVICE_FN unsigned name(unsigned mask, unsigned value, by, int width = 32) {                     \
    return unsigned(name(mask, int(value), from, width));                                              \
  }                                                                                                    \
  GPO_DEVICE_FN float name(unsigned mask, float value, by, int width = 32) {                           \
    return gpo::same_bits<float>(name(mask, gpo::same_bits<int>(value), from, width));                 \
  }                                                                                                    \
  GPO_DEVICE_FN unsigned long long name(unsigned mask, unsigned long long value, by, int width = 32) { \
    const unsigned low = name(mask, unsigned(value), from, width),                                     \
                   high = name(mask, unsigned(value >> 32), from, width);                              \
    return (unsigned long long)high << 32 | low;                                                       \
  }                                                                                                    \
  GPO_DEVICE_FN long long name(unsigned mask, long long value, by, int width = 32) {                   \
    return (long long)name(mask, (unsigned long long)value, from, width);                              \
  }                                                                                                    \
  GPO_DEVICE_FN unsigned long name(unsigned mask, unsigned long value, by, int width = 32) {           \
    return (unsigned long)name(mask, (unsigned long long)value, from, width);                          \
  }                                                                                                    \
  GPO_DEVICE_FN long name(unsigned mask, long value, by, int width = 32) {                             \
    return (long)name(mask, (unsigned long long)value, from, width);                                   \
  }                                                                                                    \
  GPO_DEVICE_FN double name(unsigned mask, double value, by, int width = 32) {                         \
    return gpo::same_bits<double>(name(mask, gpo::same_bits<unsigned long long>(value), from, width)); \
  }
GPO_SHUFFLE(__shfl_sync, idx, int from, 31)
GPO_SHUFFLE(__shfl_up_sync, up, unsigned from, 0)
GPO_SHUFFLE(__shfl_down_sync, down, unsigned from, 31)
GPO_SHUFFLE(__shfl_xor_sync, bfly, int from, 31)
#undef GPO_SHUFFLE

template <class T>
GPO_DEVICE_FN unsigned __match_any_sync(unsigned mask, T value) {
  if constexpr (sizeof(T) == 8) {
    return __nvvm_match_any_sync_i64(mask, gpo::same_bits<long long>(value));
  } else {
    return __nvvm_match_any_sync_i32(mask, gpo::same_bits<int>(value));
  }
}
template <class T>
GPO_DEVICE_FN unsigned __match_all_sync(unsigned mask, T value, int *is_same) {
  if constexpr (sizeof(T) == 8) {
    return __nvvm_match_all_sync_i64p(mask, gpo::same_bits<long long>(value), is_same);
  } else {
    return __nvvm_match_all_sync_i32p(mask, gpo::same_bits<int>(value), is_same);
  }
}

#if __CUDA_ARCH__ >= 800
#define GPO_WARP_REDUCE(name, type, instruction)                                                   \
  GPO_DEVICE_FN type name(unsigned mask, type value) {                                             \
    type result;                                                                                   \
    asm volatile("redux.sync." instruction " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
    return result;                                                                                 \
  }
GPO_WARP_REDUCE(__reduce_add_sync, unsigned, "add.u32")
GPO_WARP_REDUCE(__reduce_add_sync, int, "add.s32")
GPO_WARP_REDUCE(__reduce_min_sync, unsigned, "min.u32")
GPO_WARP_REDUCE(__reduce_min_sync, int, "min.s32")
GPO_WARP_REDUCE(__reduce_max_sync, unsigned, "max.u32")
GPO_WARP_REDUCE(__reduce_max_sync, int, "max.s32")
GPO_WARP_REDUCE(__reduce_and_sync, unsigned, "and.b32")
GPO_WARP_REDUCE(__reduce_or_sync, unsigned, "or.b32")
GPO_WARP_REDUCE(__reduce_xor_sync, unsigned, "xor.b32")
#undef GPO_WARP_REDUCE
#endif

// ---- Atomics: relaxed. Those of a block are those of the device; those of the system name their scope ----

#define GPO_ATOMIC(T, name, call, instruction, letter)                                                                 \
  GPO_DEVICE_FN T atomic##name(T *address, T value) { return call; }                                                   \
  GPO_DEVICE_FN T atomic##name##_block(T *address, T value) { return call; }                                           \
  GPO_DEVICE_FN T atomic##name##_system(T *address, T value) {                                                         \
    T old;                                                                                                             \
    asm volatile("atom.sys." instruction " %0, [%1], %2;" : "=" letter(old) : "l"(address), letter(value) : "memory"); \
    return old;                                                                                                        \
  }
#define GPO_ATOMIC_FETCH(T, name, operation, instruction, letter) \
  GPO_ATOMIC(T, name, __atomic_fetch_##operation(address, value, __ATOMIC_RELAXED), instruction, letter)
#define GPO_ATOMICS(T, bits, type, letter)                                                         \
  GPO_ATOMIC(T, Exch, __atomic_exchange_n(address, value, __ATOMIC_RELAXED), "exch." bits, letter) \
  GPO_ATOMIC_FETCH(T, Min, min, "min." type, letter)                                               \
  GPO_ATOMIC_FETCH(T, Max, max, "max." type, letter)                                               \
  GPO_ATOMIC_FETCH(T, And, and, "and." bits, letter)                                               \
  GPO_ATOMIC_FETCH(T, Or, or, "or." bits, letter)                                                  \
  GPO_ATOMIC_FETCH(T, Xor, xor, "xor." bits, letter)
GPO_ATOMICS(int, "b32", "s32", "r")
GPO_ATOMICS(unsigned, "b32", "u32", "r")
GPO_ATOMICS(unsigned long long, "b64", "u64", "l")
GPO_ATOMIC_FETCH(long long, Min, min, "min.s64", "l")
GPO_ATOMIC_FETCH(long long, Max, max, "max.s64", "l")
GPO_ATOMIC_FETCH(int, Add, add, "add.s32", "r")
GPO_ATOMIC_FETCH(unsigned, Add, add, "add.u32", "r")
GPO_ATOMIC_FETCH(unsigned long long, Add, add, "add.u64", "l")
GPO_ATOMIC(float, Add, __nvvm_atom_add_gen_f(address, value), "add.f32", "f")
GPO_ATOMIC(double, Add, __nvvm_atom_add_gen_d(address, value), "add.f64", "d")
GPO_ATOMIC(unsigned, Inc, __nvvm_atom_inc_gen_ui(address, value), "inc.u32", "r")
GPO_ATOMIC(unsigned, Dec, __nvvm_atom_dec_gen_ui(address, value), "dec.u32", "r")
#undef GPO_ATOMICS
#undef GPO_ATOMIC_FETCH
#undef GPO_ATOMIC

// These are made of the ones above, in each scope.
#define GPO_ATOMIC_SCOPE(scope)                                                                  \
  GPO_DEVICE_FN int atomicSub##scope(int *address, int value) {                                  \
    return atomicAdd##scope(address, int(0u - unsigned(value)));                                 \
  }                                                                                              \
  GPO_DEVICE_FN unsigned atomicSub##scope(unsigned *address, unsigned value) {                   \
    return atomicAdd##scope(address, 0u - value);                                                \
  }                                                                                              \
  GPO_DEVICE_FN float atomicExch##scope(float *address, float value) {                           \
    return gpo::same_bits<float>(atomicExch##scope((int *)address, gpo::same_bits<int>(value))); \
  }
GPO_ATOMIC_SCOPE()
GPO_ATOMIC_SCOPE(_block)
GPO_ATOMIC_SCOPE(_system)
#undef GPO_ATOMIC_SCOPE

#define GPO_CAS(T, name, instruction, letter)                    \
  GPO_DEVICE_FN T name(T *address, T expected, T value) {        \
    T old;                                                       \
    asm volatile("atom." instruction " %0, [%1], %2, %3;"        \
                 : "=" letter(old)                               \
                 : "l"(address), letter(expected), letter(value) \
                 : "memory");                                    \
    return old;                                                  \
  }
#define GPO_CAS_SCOPES(T, bits, letter)            \
  GPO_CAS(T, atomicCAS, "cas." bits, letter)       \
  GPO_CAS(T, atomicCAS_block, "cas." bits, letter) \
  GPO_CAS(T, atomicCAS_system, "sys.cas." bits, letter)
GPO_CAS_SCOPES(int, "b32", "r")
GPO_CAS_SCOPES(unsigned, "b32", "r")
GPO_CAS_SCOPES(unsigned long long, "b64", "l")
GPO_CAS_SCOPES(unsigned short, "b16", "h")
#undef GPO_CAS_SCOPES
#undef GPO_CAS

#include "plugins/shared/words/ordered.h"

// ---- Numbers ----

#define GPO_MIN_MAX(T)                                    \
  GPO_DEVICE_FN T min(T a, T b) { return b < a ? b : a; } \
  GPO_DEVICE_FN T max(T a, T b) { return a < b ? b : a; }
GPO_MIN_MAX(int)
GPO_MIN_MAX(unsigned)
GPO_MIN_MAX(long)
GPO_MIN_MAX(unsigned long)
GPO_MIN_MAX(long long)
GPO_MIN_MAX(unsigned long long)
#undef GPO_MIN_MAX

#undef GPO_DEVICE_FN

#endif  // GPUOPT_PLUGINS_JIT_TEXT_DEVICE_H_
