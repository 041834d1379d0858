// tests/fake_cuda/faults_test.cpp -- the n-th call of the driver fails, for every n of a short program: each run ends
// in a documented status, nothing leaks, what existed is intact or gone for good, and the next program works.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "tests/fake_cuda/on_fake.h"

namespace {

using on_fake::counters;
using on_fake::Handle;

constexpr int64_t kSize[2] = {40, 50};
constexpr uint64_t kMostCalls = 2000;  // of the driver, in a program: several times what there are

Handle make_base(gpuopt_device device) {
  std::vector<float> values(2000);
  std::iota(values.begin(), values.end(), 0.0f);
  Handle base;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_array_from(device, values.data(), GPUOPT_FLOAT32, 2, kSize, base.out(), &error), GPUOPT_OK)
      << error.message;
  return base;
}

bool intact(gpuopt_array base) {
  const std::vector<float> now = on_fake::values_of<float>(base);
  for (size_t i = 0; i < now.size(); ++i)
    if (now[i] != float(i)) return false;
  return now.size() == 2000;
}

// Up to the first call that fails; gives its status. Checks the result if none did.
gpuopt_status run_program(gpuopt_device device, gpuopt_array base, gpuopt_error *error) {
  Handle x, y, sum, scan, there, back, drawn;
  gpuopt_generator generator = nullptr;
  gpuopt_stream stream = nullptr;
  gpuopt_event event = nullptr;
  std::vector<float> values(2000), result(2000);
  const int64_t axis = 1;
  gpuopt_reduce_options rows = {};
  rows.struct_size = sizeof rows, rows.axes = &axis, rows.naxes = 1, rows.keepdims = 1;
  const std::vector<std::function<gpuopt_status()>> steps = {
      [&] { return gpuopt_array_from(device, values.data(), GPUOPT_FLOAT32, 2, kSize, x.out(), error); },
      [&] { return gpuopt_add_into(x, base, x, error); },
      [&] { return gpuopt_sum(x, &rows, sum.out(), error); },
      [&] { return gpuopt_subtract(x, sum, y.out(), error); },
      [&] { return gpuopt_cumulative_sum(y, 1, 0, 0, scan.out(), error); },
      [&] { return gpuopt_stream_create(device, &stream, error); },
      [&] { return gpuopt_array_on_stream(scan, stream, there.out(), error); },
      [&] { return gpuopt_negative(there, back.out(), error); },
      [&] { return gpuopt_event_record(stream, &event, error); },
      [&] { return gpuopt_event_synchronize(event, error); },
      [&] { return gpuopt_to_host(back, result.data(), 8000, error); },
      [&] { return gpuopt_generator_create(device, 7, &generator, error); },
      [&] { return gpuopt_generator_uniform(generator, 1, 2, GPUOPT_FLOAT32, 2, kSize, drawn.out(), error); },
      [&] { return gpuopt_to_host(drawn, values.data(), 8000, error); },
      [&] { return gpuopt_device_synchronize(device, error); },
      [&] { return gpuopt_memory_trim(device, error); },
  };
  gpuopt_status status = GPUOPT_OK;
  for (size_t i = 0; i < steps.size() && status == GPUOPT_OK; ++i) status = steps[i]();
  // Row 0: 0, 1, ... 49 less their sum 1225, added up and negated.
  if (status == GPUOPT_OK) {
    EXPECT_EQ(result[0], 1225.0f);
    EXPECT_EQ(result[49], 49 * 1225.0f);
    EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](float v) { return v >= 1 && v < 2; }));
  }
  gpuopt_generator_release(generator);
  gpuopt_event_release(event);
  gpuopt_stream_release(stream);
  return status;
}

// The one operation of several dozen launches.
gpuopt_status run_permutation(gpuopt_device device, gpuopt_array, gpuopt_error *error) {
  gpuopt_generator generator = nullptr;
  Handle order;
  std::vector<int64_t> places(50);
  gpuopt_status status = gpuopt_generator_create(device, 7, &generator, error);
  if (status == GPUOPT_OK) status = gpuopt_generator_permutation(generator, 50, nullptr, order.out(), error);
  if (status == GPUOPT_OK) status = gpuopt_to_host(order, places.data(), 400, error);
  std::sort(places.begin(), places.end());
  for (int64_t i = 0; status == GPUOPT_OK && i < 50; ++i) EXPECT_EQ(places[size_t(i)], i);
  gpuopt_generator_release(generator);
  return status;
}

bool documented(gpuopt_status status, int code) {
  if (status == GPUOPT_OK) return true;
  return code == 2     ? status == GPUOPT_ERR_OUT_OF_MEMORY
         : code == 801 ? status == GPUOPT_ERR_UNSUPPORTED || status == GPUOPT_ERR_INTERNAL
                       : status == GPUOPT_ERR_INTERNAL;
}

struct Faulty {
  int code;
  gpuopt_status (*run)(gpuopt_device device, gpuopt_array base, gpuopt_error *error);
};
class Faults : public testing::TestWithParam<Faulty> {};

// What does not take the device with it.
TEST_P(Faults, EveryCallMayFailAndTheNextProgramWorks) {
  gpuopt_device device = on_fake::open("cuda");
  Handle base = make_base(device);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const auto [code, run] = GetParam();
  for (int i = 0; i < 2; ++i) ASSERT_EQ(run(device, base, &error), GPUOPT_OK) << error.message;
  const fake_cuda_counters before = counters();
  int failed = 0;
  uint64_t n = 1;
  for (; n <= kMostCalls; ++n) {
    const uint64_t calls = counters().calls;
    on_fake::fail_at(n, code);
    const gpuopt_status status = run(device, base, &error);
    on_fake::fail_at(0, 0);
    failed += status != GPUOPT_OK;
    ASSERT_TRUE(documented(status, code))
        << "call " << n << ": " << gpuopt_status_name(status) << ": " << error.message;
    if (counters().calls - calls < n) break;  // the program ended before its n-th call
    ASSERT_TRUE(intact(base)) << "call " << n;
    ASSERT_EQ(run(device, base, &error), GPUOPT_OK) << "after call " << n << " failed: " << error.message;
    const fake_cuda_counters now = counters();
    ASSERT_EQ(now.blocks, before.blocks) << "call " << n;
    ASSERT_EQ(now.streams, before.streams) << "call " << n;
    ASSERT_LE(now.events, before.events + 4) << "call " << n;
    ASSERT_LE(now.pinned, before.pinned + 1) << "call " << n;
    ASSERT_EQ(now.violations, 0u) << "call " << n;
  }
  ASSERT_LE(n, kMostCalls) << "the program still calls the driver: it does not come to its end";
  EXPECT_GT(n, 30u) << "the faults did not reach the driver";
  EXPECT_GT(failed, 10);
  std::printf("%lu calls failed one after another with %d: %d programs ended in a status\n", n - 1, code, failed);
  gpuopt_array_release(base.a), base.a = nullptr;
  gpuopt_device_release(device);
}
INSTANTIATE_TEST_SUITE_P(Code, Faults,
                         testing::Values(Faulty{2, run_program}, Faulty{1, run_program}, Faulty{801, run_program}));
INSTANTIATE_TEST_SUITE_P(Permutation, Faults, testing::Values(Faulty{2, run_permutation}));

// In a child process: the device is lost, which every call says from then on, and the CPU goes on.
int lose(uint64_t n, int code, bool while_opening) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  if (while_opening) on_fake::fail_at(n, code);
  gpuopt_device device = nullptr;
  gpuopt_status status = gpuopt_device_open("cuda!", nullptr, &device, &error);
  bool ended = while_opening && counters().calls < n;
  if (status != GPUOPT_OK && status != GPUOPT_ERR_UNAVAILABLE && status != GPUOPT_ERR_DEVICE_LOST) return 1;
  if (status == GPUOPT_OK && !while_opening) {
    Handle base = make_base(device);
    if (run_program(device, base, &error) != GPUOPT_OK) return 2;
    const uint64_t calls = counters().calls;
    on_fake::fail_at(n, code);
    status = run_program(device, base, &error);
    ended = counters().calls - calls < n;
    if (status != GPUOPT_OK && status != GPUOPT_ERR_DEVICE_LOST) return 3;
    if (!ended) {
      // A call whose failure nobody was told of (a free) shows at the next.
      status = gpuopt_device_synchronize(device, &error);
      std::vector<float> values(2000);
      const gpuopt_status read = gpuopt_to_host(base, values.data(), 8000, &error);
      if (read != GPUOPT_ERR_DEVICE_LOST && !(read == GPUOPT_OK && code == 999 && values[1999] == 1999.0f)) return 4;
    }
  }
  gpuopt_device_release(device);
  gpuopt_device cpu = nullptr;
  if (gpuopt_device_open("cpu", nullptr, &cpu, &error) != GPUOPT_OK) return 5;
  Handle there = make_base(cpu);
  if (run_program(cpu, there, &error) != GPUOPT_OK) return 6;
  if (counters().violations != 0) return 7;
  return ended ? 100 : 0;
}

void lose_at_every_call(int code, bool while_opening, uint64_t least) {
  uint64_t n = 1;
  for (; n <= kMostCalls; n += n > 20 ? GPUOPT_TEST_SHARE : 1) {
    const pid_t child = fork();
    if (child == 0) _exit(lose(n, code, while_opening));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "call " << n << " ended by signal " << WTERMSIG(status);
    if (WEXITSTATUS(status) == 100) break;
    ASSERT_EQ(WEXITSTATUS(status), 0) << "call " << n;
  }
  ASSERT_LE(n, kMostCalls) << "no program came to its end";
  EXPECT_GT(n, least);
}

TEST(Lost, AnIllegalAddressAtEveryCall) { lose_at_every_call(700, false, 30); }
TEST(Lost, AnUnknownErrorAtEveryCall) { lose_at_every_call(999, false, 30); }
TEST(Lost, AnIllegalAddressWhileOpening) { lose_at_every_call(700, true, 10); }
TEST(Lost, OutOfMemoryWhileOpening) { lose_at_every_call(2, true, 10); }

}  // namespace
