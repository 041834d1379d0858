// core/base/fork_posix.cpp -- the handlers of fork, and the counters of threads that are inside the library.
#if !defined(_WIN32)
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <thread>

#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/base/log.h"

namespace gpuopt {

GPUOPT_IN_EVERY_THREAD constinit thread_local int InLibrary::depth = 0;
constinit std::atomic<bool> InLibrary::is_unusable{false};

namespace {

// How long a fork waits for the calls of other threads to return, and how often it looks whether they have.
constexpr std::chrono::seconds kLongestWait{30};
constexpr std::chrono::microseconds kShortestPause{20}, kLongestPause{1000};

// The number of threads that are inside, as the sum of counters in separate cache lines, which avoids contention.
constexpr size_t kCounters = 64;
struct alignas(64) Counter {
  std::atomic<int64_t> inside{0};
};
constinit Counter counters[kCounters];

constinit std::atomic<bool> forking{false};  // no thread may enter
constinit std::atomic<int> forks{0};         // fork_generation()
constinit std::mutex forks_one_by_one;       // held from before() to the end of in_parent() or in_child()

// Whether the fork in progress found no other thread inside, and whether it holds the log's locks. Guarded by
// forks_one_by_one.
constinit bool nobody_inside = false, log_is_free = false;

std::atomic<int64_t> &counter_of_thread() noexcept {
  static constinit std::atomic<size_t> threads{0};
  GPUOPT_IN_EVERY_THREAD static constinit thread_local std::atomic<int64_t> *own = nullptr;
  if (!own) own = &counters[threads.fetch_add(1, std::memory_order_relaxed) % kCounters].inside;
  return *own;
}

int64_t threads_inside() noexcept {
  int64_t sum = 0;
  for (const Counter &counter : counters) sum += counter.inside.load();
  return sum;
}

// Polls `condition`, at least once, until it holds or the time is `end`. Returns whether it holds.
template <class Condition>
bool comes_true(std::chrono::steady_clock::time_point end, Condition &&condition) noexcept {
  for (auto pause = kShortestPause; !condition(); pause = std::min(2 * pause, kLongestPause)) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace

// The three handlers of pthread_atfork. A thread that forks while it is inside, as a user's callback may, does not wait
// for other threads: they may be waiting for a lock that it holds.
struct ForkHandlers {
  static void before() noexcept {
    forks_one_by_one.lock();
    forking.store(true);
    const bool inside = InLibrary::depth > 0;
    const auto end = std::chrono::steady_clock::now() + (inside ? std::chrono::seconds{0} : kLongestWait);
    nobody_inside = comes_true(end, [inside] { return threads_inside() == (inside ? 1 : 0); });
    log_is_free = comes_true(end, [] { return try_lock_log(); });
    InLibrary::depth++;  // fork handlers of other libraries may call this one, which must not block
  }

  static void in_parent() noexcept {
    InLibrary::depth--;
    if (log_is_free) unlock_log();
    let_in();
  }

  static void in_child() noexcept {
    InLibrary::depth--;
    for (Counter &counter : counters) counter.inside.store(0);
    if (InLibrary::depth > 0) counter_of_thread().store(1);
    log_is_free ? unlock_log() : renew_log_locks();
    if (!nobody_inside) InLibrary::is_unusable.store(true);
    forks.fetch_add(1);
    let_in();
  }

 private:
  static void let_in() noexcept {
    forking.store(false);
    forks_one_by_one.unlock();
  }
};

namespace {

// Installs the handlers when the library is loaded, before any thread can be inside.
[[maybe_unused]] const bool kWatched =
    pthread_atfork(ForkHandlers::before, ForkHandlers::in_parent, ForkHandlers::in_child) == 0;

}  // namespace

// All accesses here and in the handlers are sequentially consistent: either this thread sees `forking`, or the handler
// sees this thread's count (Dekker's pattern).
void InLibrary::enter() noexcept {
  std::atomic<int64_t> &own = counter_of_thread();
  own.fetch_add(1);
  while (forking.load()) {
    own.fetch_sub(1);
    forks_one_by_one.lock();  // blocks until the fork is over
    forks_one_by_one.unlock();
    own.fetch_add(1);
  }
}

void InLibrary::leave() noexcept { counter_of_thread().fetch_sub(1, std::memory_order_release); }

void InLibrary::check() const {
  if (usable()) [[likely]]
    return;
  throw Failure{GPUOPT_ERR_FORKED, GPUOPT_REASON_FORKED, 0,
                "this process was forked while other threads were inside gpuopt, by a callback of gpuopt's or beside "
                "calls that did not return for 30 seconds; it can only start another program (exec) or end"};
}

int fork_generation() { return forks.load(std::memory_order_relaxed); }

}  // namespace gpuopt
#endif
