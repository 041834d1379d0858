// plugins/jit/text/entry.h -- the functions of a kernel that the backend calls. GPUOPT_ENTRY(kernel), which follows the
// text of every kernel, defines them.
//
// For void kernel(A, B...) it defines gpuopt_entry(arguments), which calls the kernel with the values that `arguments`
// points to, and gpuopt_parameters, which holds the number of the parameters and their sizes.
#ifndef GPUOPT_PLUGINS_JIT_TEXT_ENTRY_H_
#define GPUOPT_PLUGINS_JIT_TEXT_ENTRY_H_

namespace gpo {

template <class T, T... k>
struct Indices {};

template <auto kernel>
struct Entry {
  static_assert(sizeof(kernel) == 0, "a kernel is a function that returns void");
};
template <class... A, void (*kernel)(A...)>
struct Entry<kernel> {
  struct Parameters {
    unsigned long long of[sizeof...(A) + 1];
  };
  static constexpr Parameters parameters = {{sizeof...(A), sizeof(A)...}};
  template <int... k>
  __attribute__((always_inline)) static void spread(const void *const *arguments, Indices<int, k...>) {
    kernel(*static_cast<const A *>(arguments[k])...);
  }
  __attribute__((always_inline)) static void call(const void *const *arguments) {
    spread(arguments, __make_integer_seq<Indices, int, sizeof...(A)>());
  }
};

}  // namespace gpo

// The code that follows the author's text uses only names that begin with gpuopt_, as any other name may be a macro of
// the author's.
template <auto gpuopt_kernel>
using gpuopt_entry_of = gpo::Entry<gpuopt_kernel>;
template <auto gpuopt_kernel>
using gpuopt_parameters_of = typename gpo::Entry<gpuopt_kernel>::Parameters;
template <auto gpuopt_kernel>
inline constexpr gpuopt_parameters_of<gpuopt_kernel> gpuopt_parameters_value = gpo::Entry<gpuopt_kernel>::parameters;
template <auto gpuopt_kernel>
__attribute__((always_inline)) inline void gpuopt_call(const void *const *arguments) {
  gpo::Entry<gpuopt_kernel>::call(arguments);
}

// The macros are variadic because the name of a template's instance may contain commas.
#define GPUOPT_PARAMETERS(...)                                                                               \
  extern "C" {                                                                                               \
  extern const gpuopt_parameters_of<&__VA_ARGS__> gpuopt_parameters = gpuopt_parameters_value<&__VA_ARGS__>; \
  }

#if defined(GPO_RAW_KERNEL)
using gpuopt_thread_type = gpo::Thread;
__attribute__((always_inline)) inline unsigned gpuopt_size_of(const gpo::Thread *first, int d) {
  return first->block_size[d];
}
__attribute__((always_inline)) inline gpo::Thread gpuopt_thread_at(const gpo::Thread *first, unsigned x, unsigned y,
                                                                   unsigned z) {
  gpo::Thread thread = *first;
  thread.index[0] = x;
  thread.index[1] = y;
  thread.index[2] = z;
  return thread;
}

// For kernels that are written for one thread: gpuopt_run_thread() runs one thread, and gpuopt_run_block() all threads
// of a block one after the other, which the compiler replaces if the threads wait for each other
// (plugins/jit/lower/threads.h). `gpuopt_first` is thread 0 of the block.
#define GPUOPT_ENTRY(...)                                                                                         \
  GPUOPT_PARAMETERS(__VA_ARGS__)                                                                                  \
  extern "C" void gpuopt_run_thread(const void *const *gpuopt_arguments, gpuopt_thread_type *) {                  \
    gpuopt_call<&__VA_ARGS__>(gpuopt_arguments);                                                                  \
  }                                                                                                               \
  extern "C" void gpuopt_run_block(const void *const *gpuopt_arguments, const gpuopt_thread_type *gpuopt_first) { \
    for (unsigned gpuopt_z = 0; gpuopt_z < gpuopt_size_of(gpuopt_first, 2); gpuopt_z++)                           \
      for (unsigned gpuopt_y = 0; gpuopt_y < gpuopt_size_of(gpuopt_first, 1); gpuopt_y++)                         \
        for (unsigned gpuopt_x = 0; gpuopt_x < gpuopt_size_of(gpuopt_first, 0); gpuopt_x++) {                     \
          gpuopt_thread_type gpuopt_self = gpuopt_thread_at(gpuopt_first, gpuopt_x, gpuopt_y, gpuopt_z);          \
          gpuopt_run_thread(gpuopt_arguments, &gpuopt_self);                                                      \
        }                                                                                                         \
  }
#else
#define GPUOPT_ENTRY(...)        \
  GPUOPT_PARAMETERS(__VA_ARGS__) \
  extern "C" void gpuopt_entry(const void *const *gpuopt_arguments) { gpuopt_call<&__VA_ARGS__>(gpuopt_arguments); }
#endif

#endif  // GPUOPT_PLUGINS_JIT_TEXT_ENTRY_H_
