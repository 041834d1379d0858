// plugins/jit/text/entry.h -- what the backend calls; stands after the text of every kernel.
//
// A GPUOPT_ENTRY(kernel) makes of void kernel(A, B...): gpuopt_entry(arguments), which calls it with the values its
// arguments point to, and gpuopt_parameters: how many they are, and their sizes.
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

#define GPUOPT_ENTRY(kernel)                                                                              \
  extern "C" const unsigned long long *gpuopt_parameters() { return gpo::Entry<&kernel>::parameters.of; } \
  extern "C" void gpuopt_entry(const void *const *arguments) { gpo::Entry<&kernel>::call(arguments); }

#endif  // GPUOPT_PLUGINS_JIT_TEXT_ENTRY_H_
