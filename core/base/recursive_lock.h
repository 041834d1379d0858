// core/base/recursive_lock.h -- a lock that the thread which holds it may take again. Taking a free one is an atomic
// operation and no call, of which a std::recursive_mutex makes several.
#pragma once

#include <atomic>

#include "plugins/shared/host/every_thread.h"

namespace gpuopt {

// Has the functions of std::recursive_mutex. It is one of the mutexes of U. Drepper, "Futexes Are Tricky" (2011),
// section 5: the state says whether threads may be waiting, so that only then the kernel is called.
class RecursiveLock {
 public:
  RecursiveLock() = default;
  RecursiveLock(const RecursiveLock &) = delete;
  RecursiveLock &operator=(const RecursiveLock &) = delete;

  void lock() noexcept {
    if (is_own()) return void(++depth_);
    int state = kFree;
    if (!state_.compare_exchange_strong(state, kHeld, std::memory_order_acquire, std::memory_order_relaxed)) wait();
    owner_.store(&t_self, std::memory_order_relaxed);
  }
  bool try_lock() noexcept {
    if (is_own()) return ++depth_, true;
    int state = kFree;
    if (!state_.compare_exchange_strong(state, kHeld, std::memory_order_acquire, std::memory_order_relaxed))
      return false;
    owner_.store(&t_self, std::memory_order_relaxed);
    return true;
  }
  void unlock() noexcept {
    if (depth_ > 0) return void(--depth_);
    owner_.store(nullptr, std::memory_order_relaxed);
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) state_.notify_one();
  }

 private:
  static constexpr int kFree = 0, kHeld = 1, kAwaited = 2;

  // Only the thread itself stores its own address, so that a thread that reads it holds the lock.
  bool is_own() const noexcept { return owner_.load(std::memory_order_relaxed) == &t_self; }
  void wait() noexcept;

  GPUOPT_IN_EVERY_THREAD static constinit thread_local char t_self;  // its address stands for the thread

  std::atomic<int> state_{kFree};
  std::atomic<const char *> owner_{nullptr};
  int depth_ = 0;  // how often the owner has taken it beyond the first time
};

}  // namespace gpuopt
