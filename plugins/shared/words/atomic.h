// plugins/shared/words/atomic.h -- std::atomic, std::atomic_ref, and those of namespace cuda with a scope, for kernels
//
// They are made of CUDA's atomic functions, which are relaxed, and of fences, which are stronger than C++'s orders ask
// for. Every scope is that of the whole device.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_ATOMIC_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_ATOMIC_H_

#include "plugins/shared/words/standard.h"

namespace std {
enum class memory_order { relaxed, consume, acquire, release, acq_rel, seq_cst };
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed,
                              memory_order_consume = memory_order::consume,
                              memory_order_acquire = memory_order::acquire,
                              memory_order_release = memory_order::release,
                              memory_order_acq_rel = memory_order::acq_rel,
                              memory_order_seq_cst = memory_order::seq_cst;
}  // namespace std

namespace gpo {
namespace words {

GPO_WORD_FN void fence(std::memory_order order) {
  if (order == std::memory_order::relaxed) return;
#if defined(__CUDACC_RTC__)
  __threadfence();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

template <class T>
struct atomic_place {
  using value_type = T;
  T *place;

  GPO_WORD_FN T load(std::memory_order order = std::memory_order::seq_cst) const {
    fence(order == std::memory_order::seq_cst ? order : std::memory_order::relaxed);
    const T value = *const_cast<const volatile T *>(place);
    fence(order);
    return value;
  }
  GPO_WORD_FN void store(T value, std::memory_order order = std::memory_order::seq_cst) const {
    fence(order);
    *const_cast<volatile T *>(place) = value;
    fence(order == std::memory_order::seq_cst ? order : std::memory_order::relaxed);
  }
  GPO_WORD_FN operator T() const { return load(); }
  GPO_WORD_FN T operator=(T value) const {
    store(value);
    return value;
  }
#define GPO_UPDATE(name, expression)                                                        \
  GPO_WORD_FN T name(T value, std::memory_order order = std::memory_order::seq_cst) const { \
    fence(order);                                                                           \
    const T old = expression;                                                               \
    fence(order);                                                                           \
    return old;                                                                             \
  }
  GPO_UPDATE(exchange, ::atomicExch(place, value))
  GPO_UPDATE(fetch_add, ::atomicAdd(place, value))
  GPO_UPDATE(fetch_sub, ::atomicAdd(place, T(T(0) - value)))
  GPO_UPDATE(fetch_and, ::atomicAnd(place, value))
  GPO_UPDATE(fetch_or, ::atomicOr(place, value))
  GPO_UPDATE(fetch_xor, ::atomicXor(place, value))
  GPO_UPDATE(fetch_min, ::atomicMin(place, value))
  GPO_UPDATE(fetch_max, ::atomicMax(place, value))
#undef GPO_UPDATE
  GPO_WORD_FN bool compare_exchange_strong(T &expected, T wanted,
                                           std::memory_order order = std::memory_order::seq_cst) const {
    fence(order);
    const T old = ::atomicCAS(place, expected, wanted);
    fence(order);
    const bool done = old == expected;
    expected = old;
    return done;
  }
  GPO_WORD_FN bool compare_exchange_strong(T &expected, T wanted, std::memory_order order, std::memory_order) const {
    return compare_exchange_strong(expected, wanted, order);
  }
  GPO_WORD_FN bool compare_exchange_weak(T &expected, T wanted,
                                         std::memory_order order = std::memory_order::seq_cst) const {
    return compare_exchange_strong(expected, wanted, order);
  }
  GPO_WORD_FN bool compare_exchange_weak(T &expected, T wanted, std::memory_order order, std::memory_order) const {
    return compare_exchange_strong(expected, wanted, order);
  }
  GPO_WORD_FN T operator++() const { return fetch_add(T(1)) + T(1); }
  GPO_WORD_FN T operator++(int) const { return fetch_add(T(1)); }
  GPO_WORD_FN T operator--() const { return fetch_sub(T(1)) - T(1); }
  GPO_WORD_FN T operator--(int) const { return fetch_sub(T(1)); }
  GPO_WORD_FN T operator+=(T value) const { return fetch_add(value) + value; }
  GPO_WORD_FN T operator-=(T value) const { return fetch_sub(value) - value; }
  GPO_WORD_FN bool is_lock_free() const { return true; }
};

}  // namespace words
}  // namespace gpo

namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

template <class T, thread_scope scope = thread_scope_system>
struct atomic_ref : gpo::words::atomic_place<T> {
  GPO_WORD_FN explicit atomic_ref(T &x) : gpo::words::atomic_place<T>{&x} {}
  using gpo::words::atomic_place<T>::operator=;
};
// Has the size of T. Its functions are those of atomic_ref.
template <class T, thread_scope scope = thread_scope_system>
struct atomic {
  T gpo_value;
  atomic() = default;
  GPO_WORD_FN constexpr atomic(T value) : gpo_value(value) {}
  atomic(const atomic &) = delete;
  atomic &operator=(const atomic &) = delete;
  GPO_WORD_FN gpo::words::atomic_place<T> gpo_place() const { return {const_cast<T *>(&gpo_value)}; }
  GPO_WORD_FN operator T() const { return gpo_place().load(); }
  GPO_WORD_FN T operator=(T value) { return gpo_place() = value; }
#define GPO_FORWARD(name)                      \
  template <class... A>                        \
  GPO_WORD_FN auto name(A &&...values) const { \
    return gpo_place().name(values...);        \
  }
  GPO_FORWARD(load)
  GPO_FORWARD(store)
  GPO_FORWARD(exchange)
  GPO_FORWARD(fetch_add)
  GPO_FORWARD(fetch_sub)
  GPO_FORWARD(fetch_and)
  GPO_FORWARD(fetch_or)
  GPO_FORWARD(fetch_xor)
  GPO_FORWARD(fetch_min)
  GPO_FORWARD(fetch_max)
  GPO_FORWARD(compare_exchange_strong)
  GPO_FORWARD(compare_exchange_weak)
  GPO_FORWARD(is_lock_free)
#undef GPO_FORWARD
  GPO_WORD_FN T operator++() const { return ++gpo_place(); }
  GPO_WORD_FN T operator++(int) const { return gpo_place()++; }
  GPO_WORD_FN T operator--() const { return --gpo_place(); }
  GPO_WORD_FN T operator--(int) const { return gpo_place()--; }
  GPO_WORD_FN T operator+=(T value) const { return gpo_place() += value; }
  GPO_WORD_FN T operator-=(T value) const { return gpo_place() -= value; }
};
GPO_WORD_FN void atomic_thread_fence(memory_order order, thread_scope = thread_scope_system) {
  gpo::words::fence(order);
}
}  // namespace cuda

namespace std {
template <class T>
using atomic = cuda::atomic<T>;
template <class T>
using atomic_ref = cuda::atomic_ref<T>;
using cuda::atomic_thread_fence;
}  // namespace std

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_ATOMIC_H_
