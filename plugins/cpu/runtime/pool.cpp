// plugins/cpu/runtime/pool.cpp -- the thread pool: persistent workers, each with a range of the tasks.
//
// A worker takes the tasks of its own range from the front, and then those of others from the end. Loops over the same
// data cut it in the same way as a rule, so that a worker finds in its caches what it had there before, and reads
// memory in order; and on a busy machine whoever has the processor does the work of those who wait for one.
//
// The pool is never destroyed and its workers are never joined. At exit they sleep, or, if another thread of the
// program is still computing, work on memory that stays valid. Joining them in a static destructor would deadlock under
// the loader's lock, and the plugin is never unloaded. The child of a fork() has no workers: it abandons the pool and
// builds another when it needs one.
#include "plugins/cpu/runtime/pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include "plugins/cpu/runtime/fpu.h"
#include "plugins/cpu/runtime/host.h"
#include "plugins/cpu/runtime/os.h"
#include "plugins/cpu/runtime/serial_scope.h"
#include "plugins/shared/host/setting_values.h"

namespace gpuopt::cpu {
namespace {

constexpr std::chrono::microseconds kSpin{30};         // about the time to wake a sleeping thread
constexpr std::chrono::microseconds kSpinAwake{1000};  // while a KeepAwake exists

std::atomic<int> kept_awake{0};  // how many KeepAwake exist

void pause_briefly() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

// Spins until ready() is true, for at most about kSpin or kSpinAwake. Returns ready().
template <typename Ready>
bool spin_until(Ready ready) noexcept {
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 32; i++) {
      if (ready()) return true;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() - begin <
           (kept_awake.load(std::memory_order_relaxed) > 0 ? kSpinAwake : kSpin));
  return ready();
}

// The state of the current loop in one word: its number (upper 32 bits), whether workers may still join it (kOpen), and
// how many are inside (kWorkers).
constexpr uint64_t kOpen = uint64_t{1} << 31;
constexpr uint64_t kWorkers = kOpen - 1;
constexpr uint32_t number_of(uint64_t state) { return static_cast<uint32_t>(state >> 32); }

// The items of one thread, which takes the first ones, whereas others take the last ones. Only one of them gets each
// item.
class alignas(64) Share {
 public:
  std::atomic<int64_t> thread{0};  // the system's number of the worker; 0 before it runs

  void set(uint32_t first, uint32_t last) noexcept { range_.store(packed(first, last), std::memory_order_relaxed); }

  // Take an item and return true, or return false if none is left.
  bool take_first(uint32_t &item) noexcept {
    for (uint64_t range = range_.load(std::memory_order_relaxed); first_of(range) != last_of(range);) {
      item = first_of(range);
      if (replace(range, packed(item + 1, last_of(range)))) return true;
    }
    return false;
  }
  bool take_last(uint32_t &item) noexcept {
    for (uint64_t range = range_.load(std::memory_order_relaxed); first_of(range) != last_of(range);) {
      item = last_of(range) - 1;
      if (replace(range, packed(first_of(range), item))) return true;
    }
    return false;
  }

 private:
  static uint64_t packed(uint32_t first, uint32_t last) noexcept { return uint64_t{first} << 32 | last; }
  static uint32_t first_of(uint64_t range) noexcept { return static_cast<uint32_t>(range >> 32); }
  static uint32_t last_of(uint64_t range) noexcept { return static_cast<uint32_t>(range); }
  bool replace(uint64_t &range, uint64_t by) noexcept {
    return range_.compare_exchange_weak(range, by, std::memory_order_relaxed);
  }

  std::atomic<uint64_t> range_{0};
};

class Pool {
 public:
  explicit Pool(int threads) noexcept : shares_(new (std::nothrow) Share[static_cast<size_t>(threads)]) {
    for (int worker = 1; worker < threads && shares_; worker++) {
      if (!start_worker(worker)) break;
      workers_++;
    }
    if (workers_ + 1 < threads) warn_once("cpu.fewer_threads", "", "the system refused to start some worker threads");
  }

  // try_acquire() acquires the right to run a loop, and returns false if another loop has it.
  bool try_acquire() noexcept { return shares_ && !busy_.exchange(true, std::memory_order_acquire); }
  void release() noexcept { busy_.store(false, std::memory_order_release); }

  void run(int64_t ntasks, FunctionRef<void(int64_t, int)> body) noexcept {
    body_ = &body;
    ntasks_ = ntasks;
    deal();
    state_.store((uint64_t{number_of(state_.load()) + 1} << 32) | kOpen);
    if (wake(ntasks - 1) || caller_slept_) separate_workers();
    run_tasks(0);
    state_.fetch_and(~kOpen);
    wait_for_workers();
  }

  // In a forked child, the pool of the parent. It stays reachable, so that leak checkers do not report it.
  Pool *abandoned = nullptr;

 private:
  struct WorkerStart {
    Pool *pool;
    int worker;
  };

  bool start_worker(int worker) noexcept {
    auto *const start = new (std::nothrow) WorkerStart{this, worker};
    if (start && start_thread(&Pool::worker_main, start)) return true;
    delete start;
    return false;
  }

  static void worker_main(void *raw) {
    const WorkerStart start = *static_cast<WorkerStart *>(raw);
    delete static_cast<WorkerStart *>(raw);
    const FpuScope fpu;  // a new thread inherits the control word of the thread that started it
    start.pool->shares_[static_cast<size_t>(start.worker)].thread.store(thread_number());
    start.pool->work_forever(start.worker);
  }

  [[noreturn]] void work_forever(int worker) noexcept {
    for (uint32_t seen = 0;;) {
      wait_for_loop(seen);
      if (join(seen)) {
        run_tasks(worker);
        leave();
      }
    }
  }

  bool is_new(uint32_t seen) const noexcept {
    const uint64_t state = state_.load();
    return (state & kOpen) && number_of(state) != seen;
  }

  void wait_for_loop(uint32_t seen) noexcept {
    if (spin_until([&] { return is_new(seen); })) return;
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1);
    wake_.wait(lock, [&] { return is_new(seen); });
    sleepers_.fetch_sub(1);
  }

  // Enters the current loop and returns true, unless it is closed. A loop ends only when all workers that joined it
  // have left. `seen` becomes the loop's number.
  bool join(uint32_t &seen) noexcept {
    uint64_t state = state_.load();
    do {
      seen = number_of(state);
      if (!(state & kOpen)) return false;
    } while (!state_.compare_exchange_weak(state, state + 1));
    return true;
  }

  void leave() noexcept {
    const uint64_t after = state_.fetch_sub(1) - 1;
    if ((after & (kOpen | kWorkers)) || !caller_sleeps_.load()) return;
    const std::lock_guard lock(mutex_);
    done_.notify_one();
  }

  // Gives each worker its share of the tasks: items of as many tasks as it takes for 32 bits to number them.
  void deal() noexcept {
    per_item_ = (ntasks_ >> 31) + 1;
    const int64_t items = (ntasks_ + per_item_ - 1) / per_item_;
    const int64_t workers = workers_ + 1, base = items / workers, more = items % workers;
    int64_t first = 0;
    for (int64_t worker = 0; worker < workers; worker++) {
      const int64_t last = first + base + (worker < more);
      shares_[static_cast<size_t>(worker)].set(static_cast<uint32_t>(first), static_cast<uint32_t>(last));
      first = last;
    }
  }

  void run_item(uint32_t item, int worker) noexcept {
    const int64_t end = std::min((item + int64_t{1}) * per_item_, ntasks_);
    for (int64_t task = item * per_item_; task < end; task++) (*body_)(task, worker);
  }

  void run_tasks(int worker) noexcept {
    uint32_t item;
    while (shares_[static_cast<size_t>(worker)].take_first(item)) run_item(item, worker);
    for (int next = 1; next <= workers_; next++) {
      Share &other = shares_[static_cast<size_t>((worker + next) % (workers_ + 1))];
      while (other.take_last(item)) run_item(item, worker);
    }
  }

  // Wakes up to `wanted` sleeping workers, and returns whether there was one. A worker counts itself in sleepers_
  // before it looks at the state for the last time, and the state has changed before sleepers_ is read here; so the
  // worker sees the loop, or it is seen here. Locking the mutex waits for a worker that has looked and does not sleep
  // yet.
  bool wake(int64_t wanted) noexcept {
    const int sleeping = sleepers_.load();
    if (sleeping == 0) return false;
    { const std::lock_guard lock(mutex_); }
    if (wanted >= sleeping) {
      wake_.notify_all();
    } else {
      for (int64_t i = 0; i < wanted; i++) wake_.notify_one();
    }
    return true;
  }

  // Moves workers away from the caller's processor, when one of them or the caller has been woken: Linux on a virtual
  // machine, whose idle processors the host has taken away, wakes a thread where the thread runs that wakes it, and
  // the two would wait for each other for time slices of milliseconds. Among many workers others do the work of one
  // that waits.
  void separate_workers() noexcept {
    constexpr int kMany = 16;
    caller_slept_ = false;
    if (workers_ > kMany) return;
    for (int worker = 1; worker <= workers_; worker++)
      separate_thread(shares_[static_cast<size_t>(worker)].thread.load());
  }

  void wait_for_workers() noexcept {
    const auto finished = [&] { return !(state_.load() & kWorkers); };
    if (spin_until(finished)) return;
    std::unique_lock lock(mutex_);
    caller_sleeps_.store(true);
    done_.wait(lock, finished);
    caller_sleeps_.store(false);
    caller_slept_ = true;
  }

  std::atomic<bool> busy_{false};
  int workers_ = 0;
  FunctionRef<void(int64_t, int)> *body_ = nullptr;
  int64_t ntasks_ = 0, per_item_ = 1;
  const std::unique_ptr<Share[]> shares_;  // one for each worker; NULL if there was no memory for them
  bool caller_slept_ = false;              // since workers were separated
  alignas(64) std::atomic<uint64_t> state_{0};
  alignas(64) std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::atomic<int> sleepers_{0};
  std::atomic<bool> caller_sleeps_{false};
};

std::atomic<Pool *> g_pool{nullptr};
std::atomic<Pool *> g_abandoned{nullptr};
std::atomic<bool> g_building{false};

void forget_pool() noexcept {
  Pool *const parents = g_pool.exchange(nullptr);
  if (parents) {
    parents->abandoned = g_abandoned.load();
    g_abandoned.store(parents);
  }
  g_building.store(false);
  kept_awake.store(0);  // the threads that keep others awake are the parent's
}

// Returns the pool, building it at the first call; NULL while another thread builds it, or if there is no memory for
// it.
Pool *pool() noexcept {
  if (Pool *const ready = g_pool.load(std::memory_order_acquire)) return ready;
  if (g_building.exchange(true)) return nullptr;
  static std::atomic<bool> watching{false};
  if (!watching.exchange(true)) on_fork(nullptr, nullptr, forget_pool);
  Pool *built = g_pool.load();
  if (!built) {
    built = new (std::nothrow) Pool(pool_size());
    g_pool.store(built, std::memory_order_release);
  }
  g_building.store(false);
  return built;
}

int choose_size() noexcept {
  const auto asked = plugin::setting_number(Setting::GPUOPT_NUM_THREADS);
  return asked ? static_cast<int>(*asked) : usable_processors();
}

void run_serially(int64_t ntasks, FunctionRef<void(int64_t, int)> body) noexcept {
  for (int64_t task = 0; task < ntasks; task++) body(task, 0);
}

}  // namespace

int pool_size() noexcept {
  static std::atomic<int> cached{0};
  int size = cached.load(std::memory_order_relaxed);
  if (size == 0) cached.store(size = choose_size(), std::memory_order_relaxed);
  return size;
}

void parallel_for(int64_t ntasks, FunctionRef<void(int64_t task, int worker)> body) noexcept {
  Pool *const threads = ntasks > 1 && !SerialScope::lives() && pool_size() > 1 ? pool() : nullptr;
  if (!threads || !threads->try_acquire()) return run_serially(ntasks, body);
  threads->run(ntasks, body);
  threads->release();
}

bool threads_have_processors() noexcept {
  static const bool each = pool_size() <= usable_processors();
  return each;
}

KeepAwake::KeepAwake() noexcept {
  if (pool_size() > 1) pool();  // which makes sure that a forked child begins anew
  kept_awake.fetch_add(1, std::memory_order_relaxed);
}
KeepAwake::~KeepAwake() { kept_awake.fetch_sub(1, std::memory_order_relaxed); }

}  // namespace gpuopt::cpu
