// plugins/jit/text/entry.h -- what the backend calls; stands after the text of every kernel.
//
// A GPUOPT_ENTRY(kernel) makes of void kernel(A, B...): gpuopt_entry(arguments), which calls it with the values its
// arguments point to, and the numbers gpuopt_parameters: how many they are, and their sizes.
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

// Variadic, as the name may have commas.
#define GPO_PARAMETERS(...)                                                                                   \
  extern "C" {                                                                                                \
  extern const gpo::Entry<&__VA_ARGS__>::Parameters gpuopt_parameters = gpo::Entry<&__VA_ARGS__>::parameters; \
  }

#if defined(GPO_RAW_KERNEL)
// Of a kernel that says what each thread does: that, and all threads of a block if none waits (plugins/jit/threads.h).
// `first` is the block's thread 0.
#define GPUOPT_ENTRY(kernel)                                                                 \
  GPO_PARAMETERS(kernel)                                                                     \
  extern "C" void gpuopt_run_thread(const void *const *arguments, gpo::Thread *) {           \
    gpo::Entry<&kernel>::call(arguments);                                                    \
  }                                                                                          \
  extern "C" void gpuopt_run_block(const void *const *arguments, const gpo::Thread *first) { \
    for (unsigned z = 0; z < first->block_size[2]; z++)                                      \
      for (unsigned y = 0; y < first->block_size[1]; y++)                                    \
        for (unsigned x = 0; x < first->block_size[0]; x++) {                                \
          gpo::Thread thread = *first;                                                       \
          thread.index[0] = x;                                                               \
          thread.index[1] = y;                                                               \
          thread.index[2] = z;                                                               \
          gpuopt_run_thread(arguments, &thread);                                             \
        }                                                                                    \
  }
#else
#define GPUOPT_ENTRY(kernel) \
  GPO_PARAMETERS(kernel)     \
  extern "C" void gpuopt_entry(const void *const *arguments) { gpo::Entry<&kernel>::call(arguments); }
#endif

#endif  // GPUOPT_PLUGINS_JIT_TEXT_ENTRY_H_
