// plugins/jit/text/atomics.h -- CUDA C++'s atomic functions for kernels that run on the host; they are relaxed, as in
// CUDA
#ifndef GPUOPT_PLUGINS_JIT_TEXT_ATOMICS_H_
#define GPUOPT_PLUGINS_JIT_TEXT_ATOMICS_H_

#define GPO_ATOMIC_SCOPES(head, name, arguments, call) \
  head name##_block arguments { return name call; }    \
  head name##_system arguments { return name call; }
#define GPO_ATOMIC(name, builtin)                                \
  template <class T>                                             \
  inline T name(T *address, gpo::same<T> value) {                \
    return __atomic_##builtin(address, value, __ATOMIC_RELAXED); \
  }                                                              \
  GPO_ATOMIC_SCOPES(template <class T> inline T, name, (T * address, gpo::same<T> value), (address, value))
// Updates that the processor has no instruction for are compare-and-swap loops.
#define GPO_ATOMIC_LOOP(name, expression)                                                                            \
  template <class T>                                                                                                 \
  inline T name(T *address, gpo::same<T> value) {                                                                    \
    T old = __atomic_load_n(address, __ATOMIC_RELAXED);                                                              \
    for (;;) {                                                                                                       \
      const T wanted = (expression);                                                                                 \
      if (__atomic_compare_exchange_n(address, &old, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old; \
    }                                                                                                                \
  }                                                                                                                  \
  GPO_ATOMIC_SCOPES(template <class T> inline T, name, (T * address, gpo::same<T> value), (address, value))

namespace gpo {
template <class T>
struct same_ {
  using type = T;
};
template <class T>
using same = typename same_<T>::type;  // T is not deduced from this argument, so that atomicAdd(&counter, 1u) compiles

template <class T, class Bits>
inline T add_floating(T *address, T value) {
  Bits *const bits = reinterpret_cast<Bits *>(address);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    const T sum = __builtin_bit_cast(T, old) + value;
    if (__atomic_compare_exchange_n(bits, &old, __builtin_bit_cast(Bits, sum), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return __builtin_bit_cast(T, old);
  }
}
}  // namespace gpo

GPO_ATOMIC(atomicAdd, fetch_add)
GPO_ATOMIC(atomicSub, fetch_sub)
GPO_ATOMIC(atomicAnd, fetch_and)
GPO_ATOMIC(atomicOr, fetch_or)
GPO_ATOMIC(atomicXor, fetch_xor)
inline float atomicAdd(float *address, float value) { return gpo::add_floating<float, unsigned>(address, value); }
inline double atomicAdd(double *address, double value) {
  return gpo::add_floating<double, unsigned long long>(address, value);
}
GPO_ATOMIC_SCOPES(inline float, atomicAdd, (float *address, float value), (address, value))
GPO_ATOMIC_SCOPES(inline double, atomicAdd, (double *address, double value), (address, value))
template <class T>
inline T atomicExch(T *address, gpo::same<T> value) {
  T old;
  __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
  return old;
}
template <class T>
inline T atomicCAS(T *address, gpo::same<T> compare, gpo::same<T> value) {
  __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return compare;
}
GPO_ATOMIC_SCOPES(template <class T> inline T, atomicExch, (T * address, gpo::same<T> value), (address, value))
GPO_ATOMIC_SCOPES(template <class T> inline T, atomicCAS, (T * address, gpo::same<T> compare, gpo::same<T> value),
                  (address, compare, value))
GPO_ATOMIC_LOOP(atomicMin, value < old ? value : old)
GPO_ATOMIC_LOOP(atomicMax, value > old ? value : old)
GPO_ATOMIC_LOOP(atomicInc, old >= value ? 0 : old + 1)
GPO_ATOMIC_LOOP(atomicDec, old == 0 || old > value ? value : old - 1)

#include "plugins/shared/words/ordered.h"

#endif  // GPUOPT_PLUGINS_JIT_TEXT_ATOMICS_H_
