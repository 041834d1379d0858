// tests/unit/cpu_pool_test.cpp -- the thread pool: every task once, any thread count, nesting, concurrency, fork,
// signals.
#include <gtest/gtest.h>
#if !defined(_WIN32)
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "plugins/cpu/runtime/fpu.h"
#include "plugins/cpu/runtime/os.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/serial_scope.h"
#include "tests/float_mode.h"
#include "tests/not_here.h"
#include "tests/unit/cpu_test_host.h"

#if defined(__SANITIZE_THREAD__)
#define GPUOPT_UNDER_TSAN 1
#endif

namespace gpuopt::cpu {
namespace {

#if !defined(_WIN32)
// Runs `check` in a fresh process image of this test with its own settings: the pool's size is fixed once per process.
int exit_status_of(const std::function<bool()> &check) {
  const pid_t child = fork();
  if (child == 0) _exit(check() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
#endif

bool runs_every_task_once(int64_t ntasks) {
  std::vector<std::atomic<int>> runs(ntasks);
  std::atomic<bool> worker_in_range{true};
  parallel_for(ntasks, [&](int64_t task, int worker) {
    runs[task]++;
    if (worker < 0 || worker >= pool_size()) worker_in_range = false;
  });
  for (const auto &count : runs) {
    if (count != 1) return false;
  }
  return worker_in_range;
}

class PoolTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    test::TestHost::install();
    test::TestHost::set("GPUOPT_NUM_THREADS", "4");
  }
};

#if defined(_WIN32)
NOT_HERE(PoolInChildren, "each thread count needs a forked process, as do what a fork leaves and signals")
#else
// Children that start threads come first: this process has no threads yet, so they work under ThreadSanitizer too.
TEST_F(PoolTest, AnyThreadCountRunsEveryTaskOnce) {
  for (const char *threads : {"1", "2", "7"}) {
    EXPECT_EQ(exit_status_of([&] {
                test::TestHost::set("GPUOPT_NUM_THREADS", threads);
                if (pool_size() != std::stoi(threads)) return false;
                for (int64_t ntasks : {0, 1, 2, 3, 7, 64, 1000}) {
                  for (int repeat = 0; repeat < 20; repeat++) {
                    if (!runs_every_task_once(ntasks)) return false;
                  }
                }
                return true;
              }),
              0)
        << threads << " threads";
  }
}

TEST_F(PoolTest, BadThreadCountsAreIgnoredWithAWarning) {
  for (const char *text : {"0", "-3", "two", "2x", "99999999999"}) {
    EXPECT_EQ(exit_status_of([&] {
                test::TestHost::set("GPUOPT_NUM_THREADS", text);
                return pool_size() >= 1 && pool_size() <= 1 << 16 && test::TestHost::get().logged("setting.ignored");
              }),
              0)
        << text;
  }
}

#if defined(GPUOPT_TEST_EMULATOR)
NOT_HERE(PoolRefusedThreads, "qemu lets no program limit its address space")
#elif !defined(GPUOPT_UNDER_TSAN) && !defined(__SANITIZE_ADDRESS__)  // their shadow memory needs the address space
TEST_F(PoolTest, RefusedThreadsLeaveFewerWorkers) {
  EXPECT_EQ(exit_status_of([] {
              test::TestHost::set("GPUOPT_NUM_THREADS", "7");
              rlim_t pages = 0;
              std::ifstream("/proc/self/statm") >> pages;
              const rlim_t space =
                  pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (12 << 20);  // one stack, not six
              const rlimit limit{space, space};
              return setrlimit(RLIMIT_AS, &limit) == 0 && runs_every_task_once(100) &&
                     test::TestHost::get().logged("cpu.fewer_threads");
            }),
            0);
}
#endif

#if defined(GPUOPT_HAS_FLOAT_MODE)
TEST_F(PoolTest, WorkersHaveTheDefaultControlWord) {
  EXPECT_EQ(exit_status_of([] {
              test::TestHost::set("GPUOPT_NUM_THREADS", "3");
              float_mode::flush_denormals();
              std::atomic<int> flushing{0};
              parallel_for(64, [&](int64_t, int worker) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                if (worker != 0 && (float_mode::read() & float_mode::kFlushesDenormals)) flushing++;
              });
              return flushing == 0;
            }),
            0);
}
#endif
#endif

TEST_F(PoolTest, RunsEveryTaskOnce) {
  EXPECT_EQ(pool_size(), 4);
  for (int repeat = 0; repeat < 200; repeat++) ASSERT_TRUE(runs_every_task_once(repeat));
}

// How many threads run the tasks of a loop that take long enough for all workers to join in.
size_t threads_of_a_loop() {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(200, [&](int64_t, int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  return threads.size();
}

TEST_F(PoolTest, UsesSeveralThreads) { EXPECT_EQ(threads_of_a_loop(), 4u); }

// The tasks wait for each other, so that each needs a thread of its own. Tasks that wait in vain give up and fail.
bool all_run_at_once(int64_t ntasks) {
  std::atomic<int64_t> started{0};
  std::atomic<bool> in_time{true};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  parallel_for(ntasks, [&](int64_t, int) {
    for (started++; started < ntasks && in_time; std::this_thread::yield()) {
      if (std::chrono::steady_clock::now() > end) in_time = false;
    }
  });
  return in_time;
}

TEST_F(PoolTest, SleepingWorkersAreWoken) {
  for (const int64_t ntasks : {2, 4, 3, 4}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the workers fall asleep
    EXPECT_TRUE(all_run_at_once(ntasks)) << ntasks;
  }
}

// They sleep all the same after a while, and are woken as others are.
TEST_F(PoolTest, WorkersThatAreKeptAwakeTakePart) {
  const KeepAwake awake;
  for (const int64_t ntasks : {4, 2, 4, 3, 4}) {
    EXPECT_TRUE(all_run_at_once(ntasks)) << ntasks;
    EXPECT_TRUE(all_run_at_once(ntasks)) << ntasks;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST_F(PoolTest, WorkersOfOneCallAreDistinct) {
  std::vector<std::atomic<int>> inside(pool_size());
  std::atomic<bool> shared{false};
  parallel_for(200, [&](int64_t, int worker) {
    if (inside[worker]++ != 0) shared = true;
    std::this_thread::yield();
    inside[worker]--;
  });
  EXPECT_FALSE(shared);
}

TEST_F(PoolTest, WritesAreSeenByTheCaller) {
  std::vector<int64_t> values(10000, 0);  // plain memory on purpose: ThreadSanitizer checks the ordering
  for (int round = 1; round <= 50; round++) {
    parallel_for(100, [&](int64_t task, int) {
      for (int64_t i = 0; i < 100; i++) values[task * 100 + i] += task;
    });
    for (int64_t i = 0; i < 10000; i++) ASSERT_EQ(values[i], i / 100 * round);
  }
}

TEST_F(PoolTest, NestedCallsRunSerially) {
  std::atomic<int> runs{0};
  parallel_for(8, [&](int64_t, int) {
    const std::thread::id outer = std::this_thread::get_id();
    parallel_for(8, [&](int64_t, int worker) {
      if (std::this_thread::get_id() == outer && worker == 0) runs++;
    });
  });
  EXPECT_EQ(runs, 64);
}

TEST_F(PoolTest, LoopsInASerialScopeRunInTheirCallerAlone) {
  {
    const SerialScope outer;
    {
      const SerialScope inner;
      EXPECT_EQ(threads_of_a_loop(), 1u);
    }
    EXPECT_EQ(threads_of_a_loop(), 1u);
    size_t elsewhere = 0;
    std::thread([&] { elsewhere = threads_of_a_loop(); }).join();
    EXPECT_GT(elsewhere, 1u);  // the scope is this thread's
  }
  EXPECT_GT(threads_of_a_loop(), 1u);
}

TEST_F(PoolTest, EightThreadsMayCallAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> failures{0};
  for (int caller = 0; caller < 8; caller++) {
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 200; repeat++) {
        if (!runs_every_task_once(1 + repeat % 50)) failures++;
      }
    });
  }
  for (std::thread &caller : callers) caller.join();
  EXPECT_EQ(failures, 0);
}

#if !defined(_WIN32)
TEST_F(PoolTest, WorkersTakeNoSignals) {
  std::atomic<int> open_masks{0};
  parallel_for(64, [&](int64_t, int worker) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    if (worker != 0 && !(sigismember(&mask, SIGINT) && sigismember(&mask, SIGUSR1))) open_masks++;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_EQ(open_masks, 0);
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_FALSE(sigismember(&own, SIGINT));
}

#if !defined(GPUOPT_UNDER_TSAN)  // ThreadSanitizer refuses threads in the child of a multi-threaded process
TEST_F(PoolTest, SurvivesFork) {
  ASSERT_TRUE(runs_every_task_once(100));
  EXPECT_EQ(exit_status_of([] {
              if (!runs_every_task_once(100)) return false;
              return exit_status_of([] { return runs_every_task_once(100); }) == 0;
            }),
            0);
  EXPECT_TRUE(runs_every_task_once(100));
}

TEST_F(PoolTest, SurvivesForkDuringALoopOfAnotherThread) {
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) runs_every_task_once(64);
  });
  for (int repeat = 0; repeat < 50; repeat++) {
    ASSERT_EQ(exit_status_of([] {
                std::atomic<int> runs{0};
                parallel_for(64, [&](int64_t, int) { runs++; });
                return runs == 64;
              }),
              0);
  }
  stop = true;
  busy.join();
}
#endif
#endif

#if defined(__linux__)
// A thread that runs until it is destroyed.
class RunningThread {
 public:
  RunningThread() {
    while (number_.load() == 0) std::this_thread::yield();
  }
  ~RunningThread() {
    over_.store(true);
    thread_.join();
  }
  int64_t number() const { return number_.load(); }

 private:
  void run() {
    number_.store(thread_number());
    while (!over_.load()) {
    }
  }
  std::atomic<int64_t> number_{0};
  std::atomic<bool> over_{false};
  std::thread thread_{[this] { run(); }};
};

// Returns the processor on which a thread of this process runs or waits; see proc_pid_stat(5).
int processor_of(int64_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string word;
  constexpr int kProcessor = 39;
  while (file >> word && word.back() != ')') {
  }
  for (int field = 3; field <= kProcessor; field++) file >> word;
  return std::stoi(word);
}

cpu_set_t processors_of(int64_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(static_cast<pid_t>(thread), sizeof set, &set), 0);
  return set;
}

TEST(SeparateThread, MovesAThreadAndKeepsItsProcessors) {
  const cpu_set_t all = processors_of(0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "This process may use one processor only.";
  const RunningThread other;
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &own);
  ASSERT_EQ(sched_setaffinity(0, sizeof own, &own), 0);
  const int here = sched_getcpu();
  int moved = 0;
  for (int round = 0; round < 50; round++) {
    ASSERT_EQ(sched_setaffinity(static_cast<pid_t>(other.number()), sizeof own, &own), 0);
    ASSERT_EQ(sched_setaffinity(static_cast<pid_t>(other.number()), sizeof all, &all), 0);
    errno = 17;
    separate_thread(other.number());
    EXPECT_EQ(errno, 17);
    const cpu_set_t after = processors_of(other.number());
    ASSERT_TRUE(CPU_EQUAL(&after, &all));
    moved += processor_of(other.number()) != here;
  }
  EXPECT_GE(moved, 40);  // the system may have moved it back meanwhile
  // A thread that may run here only stays, with the processor that it has.
  ASSERT_EQ(sched_setaffinity(static_cast<pid_t>(other.number()), sizeof own, &own), 0);
  separate_thread(other.number());
  const cpu_set_t after = processors_of(other.number());
  EXPECT_TRUE(CPU_EQUAL(&after, &own));
  separate_thread(0);
  const cpu_set_t mine = processors_of(0);
  EXPECT_TRUE(CPU_EQUAL(&mine, &own));
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}
#endif

}  // namespace
}  // namespace gpuopt::cpu
