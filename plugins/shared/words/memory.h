// plugins/shared/words/memory.h -- CUDA C++'s loads and stores with a cache hint, and functions on bytes, for compilers
// that do not have them
//
// Hints say which caches keep what is read or written. They never change values, and processors have none of them.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_MEMORY_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_MEMORY_H_

#include "plugins/shared/words/words.h"

#if defined(GPO_WORDS_ARE_TEXT)

#define GPO_LOAD(name)                   \
  template <class T>                     \
  GPO_WORD_FN T name(const T *address) { \
    return *address;                     \
  }
GPO_LOAD(__ldg)
GPO_LOAD(__ldca)
GPO_LOAD(__ldcg)
GPO_LOAD(__ldcs)
GPO_LOAD(__ldcv)
GPO_LOAD(__ldlu)
#undef GPO_LOAD

namespace gpo::words {
template <class T>
struct stored_ {
  using type = T;
};
template <class T>
using stored = typename stored_<T>::type;  // T is not deduced from this argument
}  // namespace gpo::words

#define GPO_STORE(name)                                            \
  template <class T>                                               \
  GPO_WORD_FN void name(T *address, gpo::words::stored<T> value) { \
    *address = value;                                              \
  }
GPO_STORE(__stcg)
GPO_STORE(__stcs)
GPO_STORE(__stwb)
GPO_STORE(__stwt)
#undef GPO_STORE

GPO_WORD_FN void *memcpy(void *to, const void *from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
GPO_WORD_FN void *memset(void *to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }

#endif

// NVIDIA's compiler has no memmove. The bytes are copied from the end if the parts overlap so.
namespace gpo {
namespace user {
namespace functions {
GPO_WORD_FN void *memmove(void *to, const void *from, size_t bytes) {
  char *const out = static_cast<char *>(to);
  const char *const in = static_cast<const char *>(from);
  if (out < in || out >= in + bytes) {
    for (size_t k = 0; k < bytes; k++) out[k] = in[k];
  } else {
    for (size_t k = bytes; k-- > 0;) out[k] = in[k];
  }
  return to;
}
GPO_WORD_FN int memcmp(const void *a, const void *b, size_t bytes) {
  const unsigned char *const x = static_cast<const unsigned char *>(a), *const y =
                                                                            static_cast<const unsigned char *>(b);
  for (size_t k = 0; k < bytes; k++) {
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  }
  return 0;
}
}  // namespace functions
}  // namespace user
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_MEMORY_H_
