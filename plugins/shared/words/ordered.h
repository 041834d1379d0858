// plugins/shared/words/ordered.h -- atomic loads, stores and updates with an order (CUDA C++ Programming Guide, "Atomic
// Functions"): __nv_atomic_load_n() and its like, which NVIDIA's compiler has built in from CUDA 12.8 on
//
// They are made of CUDA's older atomic functions, which are relaxed, and of fences, which are stronger than the orders
// ask for. Every scope is that of the whole device. To be included behind the atomic functions.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_ORDERED_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_ORDERED_H_

#include "plugins/shared/words/words.h"

#if !defined(__CUDACC_RTC__) || defined(__clang__)

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

namespace gpo {
namespace words {
template <class T>
struct of_place {
  using type = T;
};
template <class T>
using value_of_place = typename of_place<T>::type;  // not deduced, so that a store of 1 to an unsigned compiles
GPO_WORD_FN void fence_unless_relaxed(int order) {
  if (order == __NV_ATOMIC_RELAXED) return;
#if defined(__CUDACC_RTC__)
  __threadfence();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
}  // namespace words
}  // namespace gpo

template <class T>
GPO_WORD_FN T __nv_atomic_load_n(const T *address, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  gpo::words::fence_unless_relaxed(order);
  const T value = *const_cast<const volatile T *>(address);
  gpo::words::fence_unless_relaxed(order);
  return value;
}
template <class T>
GPO_WORD_FN void __nv_atomic_store_n(T *address, gpo::words::value_of_place<T> value, int order,
                                     int = __NV_THREAD_SCOPE_SYSTEM) {
  gpo::words::fence_unless_relaxed(order);
  *const_cast<volatile T *>(address) = value;
  gpo::words::fence_unless_relaxed(order);
}
#define GPO_ORDERED(name, atomic)                                                                                  \
  template <class T>                                                                                               \
  GPO_WORD_FN T name(T *address, gpo::words::value_of_place<T> value, int order, int = __NV_THREAD_SCOPE_SYSTEM) { \
    gpo::words::fence_unless_relaxed(order);                                                                       \
    const T old = atomic(address, value);                                                                          \
    gpo::words::fence_unless_relaxed(order);                                                                       \
    return old;                                                                                                    \
  }
GPO_ORDERED(__nv_atomic_exchange_n, atomicExch)
GPO_ORDERED(__nv_atomic_fetch_add, atomicAdd)
GPO_ORDERED(__nv_atomic_fetch_sub, atomicSub)
GPO_ORDERED(__nv_atomic_fetch_and, atomicAnd)
GPO_ORDERED(__nv_atomic_fetch_or, atomicOr)
GPO_ORDERED(__nv_atomic_fetch_xor, atomicXor)
GPO_ORDERED(__nv_atomic_fetch_min, atomicMin)
GPO_ORDERED(__nv_atomic_fetch_max, atomicMax)
#undef GPO_ORDERED

#endif

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_ORDERED_H_
