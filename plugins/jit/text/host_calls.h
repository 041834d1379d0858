// plugins/jit/text/host_calls.h -- CUDA C++'s functions that take the host: printf(), assert(), malloc(), free(), and
// new and delete, for kernels that run on the host. NVIDIA's compiler has all of them built in.
#ifndef GPUOPT_PLUGINS_JIT_TEXT_HOST_CALLS_H_
#define GPUOPT_PLUGINS_JIT_TEXT_HOST_CALLS_H_

// The backend defines these (plugins/cpu/kernel/kernel_launch.cpp). `thread` is the thread's number in its block, or
// the largest number if the kernel is not written for one thread.
extern "C" {
int gpuopt_print(const char *format, int count, const unsigned long long *values) __attribute__((nothrow));
// Does not return. It is not declared so: code behind it would become unreachable, and the threads coroutines.
void gpuopt_assertion(const char *expression, const char *file, int line, unsigned thread) __attribute__((nothrow));
void *gpuopt_allocate(size_t bytes) __attribute__((nothrow));
void gpuopt_free(void *memory, unsigned thread) __attribute__((nothrow));
}

namespace gpo {

#if defined(GPO_RAW_KERNEL)
inline __attribute__((__always_inline__)) unsigned number_of_thread() { return gpuopt_thread()->number; }
#else
inline __attribute__((__always_inline__)) unsigned number_of_thread() { return 0xffffffffu; }
#endif

// ---- printf() ----

inline constexpr int most_printed = 32;  // arguments; CUDA ignores the others

template <class T>
inline __attribute__((__always_inline__)) unsigned long long printed(T x) {
  static_assert(!__is_class(T) && !__is_union(T), "printf takes numbers and pointers");
  if constexpr (__is_same(T, float) || __is_same(T, double)) {
    return __builtin_bit_cast(unsigned long long, double(x));
  } else if constexpr (__is_same(T, decltype(nullptr))) {
    return 0;
  } else {
    return (unsigned long long)(x);  // extends a number as its type says
  }
}

}  // namespace gpo

// Returns the number of arguments, as CUDA's does; -1 if the format is NULL.
template <class... A>
inline __attribute__((__always_inline__)) int printf(const char *format, A... values) {
  constexpr int count = sizeof...(A) < gpo::most_printed ? int(sizeof...(A)) : gpo::most_printed;
  const unsigned long long all[sizeof...(A) + 1] = {gpo::printed(values)..., 0};
  return gpuopt_print(format, count, all);
}

// ---- assert() ----

#define GPO_ASSERT(condition, text) \
  (static_cast<bool>(condition) ? (void)0 : gpuopt_assertion(text, __FILE__, __LINE__, gpo::number_of_thread()))
#define assert(...) GPO_ASSERT((__VA_ARGS__), #__VA_ARGS__)

// ---- The heap ----

inline __attribute__((__always_inline__)) void *malloc(size_t bytes) { return gpuopt_allocate(bytes); }
inline __attribute__((__always_inline__)) void free(void *memory) { gpuopt_free(memory, gpo::number_of_thread()); }

// NULL if the heap has no more memory, as in CUDA.
inline void *operator new(size_t bytes) { return malloc(bytes); }
inline void *operator new[](size_t bytes) { return malloc(bytes); }
inline void *operator new(size_t, void *place) noexcept { return place; }
inline void *operator new[](size_t, void *place) noexcept { return place; }
inline void operator delete(void *memory) noexcept { free(memory); }
inline void operator delete[](void *memory) noexcept { free(memory); }
inline void operator delete(void *memory, size_t) noexcept { free(memory); }
inline void operator delete[](void *memory, size_t) noexcept { free(memory); }
inline void operator delete(void *, void *) noexcept {}
inline void operator delete[](void *, void *) noexcept {}

#endif  // GPUOPT_PLUGINS_JIT_TEXT_HOST_CALLS_H_
