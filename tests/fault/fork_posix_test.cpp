// tests/fault/fork_posix_test.cpp -- a process forks while its other threads are in the library: the child works as any
// process does, with the arrays of its parent and with its own.
//
// POSIX only: fork, alarm
#include <gpuopt/gpuopt.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/fault/work.h"
#include "tests/not_here.h"

namespace {

// With several threads, the child of a fork finds the allocators of GCC 12's sanitizers locked.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
NOT_HERE(Fork, "the allocators of the sanitizers do not survive a fork beside other threads")
#else

constexpr int kDeadline = 60;  // seconds, for a child

// GPUOPT_TEST_FORKS: how many per test, instead of the gate's.
int forks_wanted(int gate) {
  const char *const given = std::getenv("GPUOPT_TEST_FORKS");
  return given ? std::atoi(given) : gate;
}

// What a child comes to: 0, a number of its own, or minus the signal that ended it (14: it hung).
int status_of_child(const std::function<int()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kDeadline);
    _exit(body());
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1000;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

void ignore(const gpuopt_log_record *, void *) {}

// What the other threads do meanwhile, each its own part and all a little of the rest.
void keep_busy(gpuopt_device device, int thread, std::atomic<bool> &stop, std::atomic<int> &wrong) {
  for (int turn = 0; !stop; turn++) {
    bool available = true, right = true;
    switch (thread % 6) {
      case 0:  // records and runs
        right = work::adds(device, 100 + turn % 50);
        break;
      case 1:  // on all threads of the backend
        right = work::adds(device, 300000);
        break;
      case 2:  // compiles a kernel that nobody knows
        right = work::multiplies_in_a_kernel(device, 1000000 + thread * 100000 + turn, available);
        break;
      case 3: {  // allocates and frees
        work::Array x;
        const int64_t shape[] = {1 + turn % 100000};
        right =
            gpuopt_empty(device, GPUOPT_FLOAT64, 1, shape, x.out(), nullptr) == GPUOPT_OK && work::everything(device);
        break;
      }
      case 4: {  // opens devices that are not there, and logs it
        gpuopt_device other = nullptr;
        right = gpuopt_device_open("cuda", nullptr, &other, nullptr) == GPUOPT_OK;
        gpuopt_log_set_callback(turn % 2 ? ignore : nullptr, nullptr);
        char *report = nullptr;
        if (turn % 8 == 0 && gpuopt_discovery_report(nullptr, 0, &report, nullptr) == GPUOPT_OK)
          gpuopt_string_free(report);
        break;
      }
      default: {  // streams and events
        gpuopt_stream stream = nullptr;
        gpuopt_event event = nullptr;
        right = gpuopt_stream_create(device, &stream, nullptr) == GPUOPT_OK &&
                gpuopt_event_record(stream, &event, nullptr) == GPUOPT_OK &&
                gpuopt_stream_synchronize(stream, nullptr) == GPUOPT_OK;
        gpuopt_event_release(event);
        gpuopt_stream_release(stream);
        gpuopt_memory_stats stats{};
        stats.struct_size = sizeof stats;
        right = right && gpuopt_memory_get_stats(device, &stats, nullptr) == GPUOPT_OK &&
                gpuopt_memory_trim(device, nullptr) == GPUOPT_OK;
      }
    }
    if (!right) wrong++;
  }
}

class Busy {
 public:
  explicit Busy(gpuopt_device device, int threads = 6) {
    for (int t = 0; t < threads; t++) threads_.emplace_back([=, this] { keep_busy(device, t, stop_, wrong_); });
  }
  ~Busy() {
    stop_ = true;
    for (std::thread &thread : threads_) thread.join();
    EXPECT_EQ(wrong_, 0) << "in the threads beside";
  }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<int> wrong_{0};
  std::vector<std::thread> threads_;
};

// All that a child may do, one after the other: a number says what went wrong.
int child_works(gpuopt_device device, gpuopt_array recorded, gpuopt_array in_memory, int64_t n, int number) {
  if (!work::holds(in_memory, n, 4, 6)) return 1;
  if (!work::holds(recorded, n, 5, 6)) return 2;
  if (!work::everything(device)) return 3;
  gpuopt_device again = nullptr;
  if (gpuopt_device_open("cpu", nullptr, &again, nullptr) != GPUOPT_OK || again != device) return 4;
  if (!work::everything(again)) return 5;
  bool available = true;
  if (number % 4 == 0 && !work::multiplies_in_a_kernel(device, 77 + number, available)) return 6;
  if (gpuopt_device_open("cuda", nullptr, &again, nullptr) != GPUOPT_OK) return 7;
  gpuopt_log_set_callback(ignore, nullptr);
  std::atomic<bool> right{true};
  std::thread other([&] { right = work::adds(device, 300000); });
  if (!work::adds(device, 300000)) return 8;
  other.join();
  if (!right) return 9;
  if (gpuopt_memory_trim(device, nullptr) != GPUOPT_OK) return 10;
  return gpuopt_device_synchronize(device, nullptr) == GPUOPT_OK ? 0 : 11;
}

// What was recorded before the fork is of the parent's memory, and the child computes it for itself.
void forks_beside_threads(int forks) {
  gpuopt_device device = nullptr;
  ASSERT_EQ(gpuopt_device_open("cpu", nullptr, &device, nullptr), GPUOPT_OK);
  constexpr int64_t n = 1000;
  work::Array x, one, recorded;
  ASSERT_TRUE(work::counting(device, n, 4, 6, x) && work::holds(x, n, 4, 6));
  const Busy busy(device);
  ASSERT_EQ(gpuopt_weak(gpuopt_scalar_int(1), one.out(), nullptr), GPUOPT_OK);
  for (int k = 0; k < forks; k++) {
    work::Array later;
    ASSERT_EQ(gpuopt_add(x, one, later.out(), nullptr), GPUOPT_OK);
    ASSERT_EQ(status_of_child([&] { return child_works(device, later, x, n, k); }), 0) << "fork " << k;
    ASSERT_TRUE(work::holds(later, n, 5, 6));
  }
}

// In a process of its own, for settings are read once.
int in_new_process(const char *name, const char *value, const std::function<void()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("GPUOPT_LOG", "error", 1);
    setenv(name, value, 1);
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(Fork, AChildWorksLazily) {
  EXPECT_EQ(in_new_process("GPUOPT_EAGER", "0", [] { forks_beside_threads(forks_wanted(16)); }), 0);
}
TEST(Fork, AChildWorksEagerly) {
  EXPECT_EQ(in_new_process("GPUOPT_EAGER", "1", [] { forks_beside_threads(forks_wanted(16)); }), 0);
}
TEST(Fork, AChildWorksWithCompiledPrograms) {
  const auto body = [] {
    setenv("GPUOPT_CACHE_MAX_BYTES", "0", 1);
    forks_beside_threads(forks_wanted(12));
  };
  EXPECT_EQ(in_new_process("GPUOPT_CPU_TIER_UP", "on", body), 0);
  EXPECT_EQ(in_new_process("GPUOPT_CPU_TIER_UP", "now", body), 0);
}
TEST(Fork, AChildWorksWhereTheCompilerIsInTheProcess) {
  const auto body = [] {
    setenv("GPUOPT_CPU_TIER_UP", "on", 1);
    setenv("GPUOPT_CACHE_MAX_BYTES", "0", 1);
    forks_beside_threads(forks_wanted(12));
  };
  EXPECT_EQ(in_new_process("GPUOPT_JIT_ISOLATION", "off", body), 0);
}

// Several threads fork at a time, and the children fork, too.
TEST(Fork, ManyForkAtOnce) {
  const auto body = [] {
    gpuopt_device device = nullptr;
    ASSERT_EQ(gpuopt_device_open("cpu", nullptr, &device, nullptr), GPUOPT_OK);
    const Busy busy(device, 3);
    std::vector<std::thread> threads;
    std::atomic<int> bad{0};
    for (int t = 0; t < 4; t++) {
      threads.emplace_back([&] {
        for (int k = 0; k < forks_wanted(4); k++) {
          const int status = status_of_child([&] {
            if (!work::everything(device)) return 1;
            const Busy others(device, 2);
            return status_of_child([&] { return work::everything(device) ? 0 : 1; });
          });
          if (status != 0) bad++;
        }
      });
    }
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(bad, 0);
  };
  EXPECT_EQ(in_new_process("GPUOPT_EAGER", "0", body), 0);
}

// The first opening of the device, in the parent and in the child.
TEST(Fork, WhileTheDeviceIsOpened) {
  const auto body = [] {
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; t++) {
      threads.emplace_back([&] {
        while (!go) {
        }
        gpuopt_device device = nullptr;
        EXPECT_EQ(gpuopt_device_open("cpu", nullptr, &device, nullptr), GPUOPT_OK);
        EXPECT_TRUE(work::everything(device));
      });
    }
    go = true;
    EXPECT_EQ(
        status_of_child([] {
          gpuopt_device device = nullptr;
          return gpuopt_device_open("cpu", nullptr, &device, nullptr) == GPUOPT_OK && work::everything(device) ? 0 : 1;
        }),
        0);
    for (std::thread &thread : threads) thread.join();
  };
  for (int k = 0; k < forks_wanted(10); k++) EXPECT_EQ(in_new_process("GPUOPT_EAGER", "0", body), 0) << k;
}

// ---- A fork from inside: by a callback of the library's, while another thread is inside, too, and waits for the first

struct Inside {
  std::atomic<bool> other_is_inside{false}, may_return{false};
  int status = -1000;
};
Inside *inside = nullptr;

void holds_on(void *) {
  inside->other_is_inside = true;
  while (!inside->may_return) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// In the child everything answers at once that it cannot be done; releases do nothing.
int child_is_told(gpuopt_device device, gpuopt_array x) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  double values[10];
  if (gpuopt_to_host(x, values, sizeof values, &error) != GPUOPT_ERR_FORKED) return 1;
  if (error.reason != GPUOPT_REASON_FORKED || !std::strstr(error.message, "exec")) return 2;
  work::Array y;
  if (gpuopt_add(x, x, y.out(), nullptr) != GPUOPT_ERR_FORKED || y) return 3;
  if (gpuopt_device_synchronize(device, nullptr) != GPUOPT_ERR_FORKED) return 4;
  gpuopt_device again = nullptr;
  if (gpuopt_device_open("cpu", nullptr, &again, nullptr) != GPUOPT_ERR_FORKED || again) return 5;
  gpuopt_log_set_callback(nullptr, nullptr);
  if (gpuopt_array_ndim(x) != 1 || gpuopt_array_size(x) != 10) return 6;
  gpuopt_array_release(x);
  return 0;
}

gpuopt_device device_of_test = nullptr;
gpuopt_array array_of_test = nullptr;

void forks_inside(void *) {
  inside->status = status_of_child([] { return child_is_told(device_of_test, array_of_test); });
}

gpuopt_array wraps(gpuopt_device device, double *memory, void (*release)(void *)) {
  gpuopt_array x = nullptr;
  const int64_t shape[] = {10};
  EXPECT_EQ(gpuopt_from_host(device, memory, GPUOPT_FLOAT64, 1, shape, nullptr, GPUOPT_COPY_NEVER, release, nullptr, &x,
                             nullptr),
            GPUOPT_OK);
  return x;
}

TEST(Fork, FromInsideBesideOthersThatAreInside) {
  const auto body = [] {
    Inside state;
    inside = &state;
    ASSERT_EQ(gpuopt_device_open("cpu", nullptr, &device_of_test, nullptr), GPUOPT_OK);
    alignas(64) double one[10] = {}, two[10] = {}, three[10] = {};
    array_of_test = wraps(device_of_test, three, [](void *) {});
    gpuopt_array first = wraps(device_of_test, one, holds_on), second = wraps(device_of_test, two, forks_inside);
    std::thread other([&] { gpuopt_array_release(first); });
    while (!state.other_is_inside) std::this_thread::yield();
    gpuopt_array_release(second);
    state.may_return = true;
    other.join();
    EXPECT_EQ(state.status, 0);
    EXPECT_TRUE(work::everything(device_of_test)) << "in the parent nothing has changed";
    gpuopt_array_release(array_of_test);
  };
  EXPECT_EQ(in_new_process("GPUOPT_EAGER", "0", body), 0);
}

// Alone, a thread that forks from inside finds everything whole.
TEST(Fork, FromInsideAlone) {
  const auto body = [] {
    Inside state;
    inside = &state;
    ASSERT_EQ(gpuopt_device_open("cpu", nullptr, &device_of_test, nullptr), GPUOPT_OK);
    double one[10] = {};
    gpuopt_array first = wraps(device_of_test, one, [](void *) {
      inside->status = status_of_child([] { return work::everything(device_of_test) ? 0 : 1; });
    });
    gpuopt_array_release(first);
    EXPECT_EQ(state.status, 0);
  };
  EXPECT_EQ(in_new_process("GPUOPT_EAGER", "0", body), 0);
}
#endif

}  // namespace
