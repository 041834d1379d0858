// core/base/recursive_lock.cpp -- see recursive_lock.h.
#include "core/base/recursive_lock.h"

namespace gpuopt {

GPUOPT_IN_EVERY_THREAD constinit thread_local char RecursiveLock::t_self = 0;

void RecursiveLock::wait() noexcept {
  while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree)
    state_.wait(kAwaited, std::memory_order_relaxed);
}

}  // namespace gpuopt
