// tests/cuda/stream_test.cpp -- streams, events, copies, lost devices, forks and faults, on the fake driver.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "tests/cuda/device_support.h"

namespace gpuopt::cuda {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

class StreamTest : public DeviceTest {
 protected:
  gpuopt_plugin_event *make_event() {
    gpuopt_plugin_event *event = nullptr;
    EXPECT_EQ(SLOT(event_create)(device, 0, &event, &error), GPUOPT_OK) << error.message;
    return event;
  }
};

// The host's side is free when the call returns, so it is overwritten at once.
TEST_F(StreamTest, CopiesOfAnySizeComeBack) {
  for (uint64_t bytes : {uint64_t{1}, uint64_t{4096}, kMiB - 1, kMiB, kMiB + 1, 4 * kMiB, 5 * kMiB + 3, 9 * kMiB + 7}) {
    void *const memory = allocate(bytes);
    const std::vector<unsigned char> values = pattern(bytes);
    std::vector<unsigned char> host = values, back(bytes + 1, 0xEE);
    ASSERT_EQ(upload(memory, host.data(), bytes), GPUOPT_OK) << error.message;
    std::fill(host.begin(), host.end(), static_cast<unsigned char>(0));
    ASSERT_EQ(download(back.data(), memory, bytes), GPUOPT_OK) << error.message;
    EXPECT_EQ(back.back(), 0xEE) << "a byte too many";
    back.pop_back();
    EXPECT_EQ(back, values) << bytes;
    free_last();
  }
}

TEST_F(StreamTest, ManyCopiesInARowKeepTheirOrder) {
  void *const memory = allocate(100 * 1000);
  for (unsigned i = 0; i < 100; i++) {
    std::vector<unsigned char> values = pattern(1000, i);
    ASSERT_EQ(upload(static_cast<char *>(memory) + i * 1000, values.data(), 1000), GPUOPT_OK);
  }
  for (unsigned i = 0; i < 100; i++) {
    std::vector<unsigned char> back(1000);
    ASSERT_EQ(download(back.data(), static_cast<char *>(memory) + i * 1000, 1000), GPUOPT_OK);
    EXPECT_EQ(back, pattern(1000, i)) << i;
  }
}

TEST_F(StreamTest, PinnedMemoryIsCopiedStraight) {
  constexpr uint64_t kBytes = 3 * kMiB;
  void *host = nullptr;
  ASSERT_EQ(SLOT(host_allocate)(device, kBytes, &host, &error), GPUOPT_OK);
  auto *const bytes = static_cast<unsigned char *>(host);
  const std::vector<unsigned char> values = pattern(kBytes);
  void *const memory = allocate(kBytes);
  std::copy(values.begin(), values.end(), bytes);
  ASSERT_EQ(upload(memory, host, kBytes), GPUOPT_OK);
  std::fill(bytes, bytes + kBytes, static_cast<unsigned char>(0));
  ASSERT_EQ(download(bytes + 1000, static_cast<char *>(memory) + 1000, kBytes - 1000), GPUOPT_OK);
  EXPECT_TRUE(std::equal(values.begin() + 1000, values.end(), bytes + 1000));
  EXPECT_EQ(Fake::counters().pinned, 1u) << "no buffers were made";
  SLOT(host_free)(device, host, kBytes);
}

TEST_F(StreamTest, CopiesOnTheDevice) {
  const std::vector<unsigned char> values = pattern(5000);
  void *const from = allocate(5000), *const to = allocate(5000);
  std::vector<unsigned char> back(5000);
  ASSERT_EQ(upload(from, values.data(), 5000), GPUOPT_OK);
  ASSERT_EQ(SLOT(copy_on_device)(device, stream, to, from, 5000, &error), GPUOPT_OK);
  ASSERT_EQ(download(back.data(), to, 5000), GPUOPT_OK);
  EXPECT_EQ(back, values);
}

TEST_F(StreamTest, NoBytesAreNoCopy) {
  EXPECT_EQ(upload(nullptr, nullptr, 0), GPUOPT_OK);
  EXPECT_EQ(download(nullptr, nullptr, 0), GPUOPT_OK);
  EXPECT_EQ(SLOT(copy_on_device)(device, stream, nullptr, nullptr, 0, &error), GPUOPT_OK);
  EXPECT_EQ(SLOT(copy_peer)(device, stream, nullptr, device, nullptr, 0, &error), GPUOPT_OK);
}

TEST_F(StreamTest, WithoutPinnedMemoryCopiesStillWork) {
  void *const memory = allocate(5000);
  const std::vector<unsigned char> values = pattern(5000);
  std::vector<unsigned char> back(5000);
  Fake::fail_at(2);  // the context, then the buffers
  ASSERT_EQ(upload(memory, values.data(), 5000), GPUOPT_OK) << error.message;
  EXPECT_TRUE(test::TestHost::get().logged("cuda.no_pinned_memory"));
  ASSERT_EQ(download(back.data(), memory, 5000), GPUOPT_OK) << error.message;
  EXPECT_EQ(back, values);
}

TEST_F(StreamTest, EventsOrderStreams) {
  gpuopt_plugin_stream *other = nullptr;
  ASSERT_EQ(SLOT(stream_create)(device, 0, &other, &error), GPUOPT_OK);
  const std::vector<unsigned char> values = pattern(5000);
  void *const first = allocate(5000), *const second = allocate(5000);
  gpuopt_plugin_event *const written = make_event();
  ASSERT_EQ(upload(first, values.data(), 5000), GPUOPT_OK);
  ASSERT_EQ(SLOT(event_record)(device, written, stream, &error), GPUOPT_OK);
  ASSERT_EQ(SLOT(event_wait)(device, written, other, &error), GPUOPT_OK);
  ASSERT_EQ(SLOT(copy_on_device)(device, other, second, first, 5000, &error), GPUOPT_OK);
  std::vector<unsigned char> back(5000);
  ASSERT_EQ(SLOT(copy_to_host)(device, other, back.data(), second, 5000, &error), GPUOPT_OK);
  EXPECT_EQ(back, values);
  SLOT(event_destroy)(device, written);
  SLOT(stream_destroy)(device, other);
}

TEST_F(StreamTest, TimeBetweenEvents) {
  gpuopt_plugin_event *const start = make_event(), *const end = make_event();
  double milliseconds = -1;
  EXPECT_EQ(SLOT(event_elapsed)(device, start, end, &milliseconds, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.message).find("the first is not"), std::string::npos) << error.message;
  void *const memory = allocate(5000);
  ASSERT_EQ(SLOT(event_record)(device, start, stream, &error), GPUOPT_OK);
  EXPECT_EQ(SLOT(event_elapsed)(device, start, end, &milliseconds, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.message).find("the second is not"), std::string::npos) << error.message;
  ASSERT_EQ(SLOT(copy_on_device)(device, stream, memory, memory, 5000, &error), GPUOPT_OK);
  ASSERT_EQ(SLOT(event_record)(device, end, stream, &error), GPUOPT_OK);
  EXPECT_EQ(SLOT(event_elapsed)(device, start, end, &milliseconds, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.message).find("both to be complete"), std::string::npos) << error.message;
  ASSERT_EQ(SLOT(event_synchronize)(device, end, &error), GPUOPT_OK);
  ASSERT_EQ(SLOT(event_elapsed)(device, start, end, &milliseconds, &error), GPUOPT_OK) << error.message;
  EXPECT_GE(milliseconds, 0);
  SLOT(event_destroy)(device, start);
  SLOT(event_destroy)(device, end);
}

TEST_F(StreamTest, QueriesTellWhenWorkIsDone) {
  int32_t done = -1;
  gpuopt_plugin_event *const event = make_event();
  ASSERT_EQ(SLOT(event_query)(device, event, &done, &error), GPUOPT_OK) << error.message;
  EXPECT_EQ(done, 1) << "it was never recorded";
  ASSERT_EQ(SLOT(event_record)(device, event, stream, &error), GPUOPT_OK);
  ASSERT_EQ(SLOT(stream_synchronize)(device, stream, &error), GPUOPT_OK);
  for (const auto &query : {std::function([&] { return SLOT(event_query)(device, event, &done, &error); }),
                            std::function([&] { return SLOT(stream_query)(device, stream, &done, &error); })}) {
    done = -1;
    ASSERT_EQ(query(), GPUOPT_OK) << error.message;
    EXPECT_EQ(done, 1);
  }
  void *handle = nullptr;
  ASSERT_EQ(SLOT(stream_native)(device, stream, &handle, &error), GPUOPT_OK);
  EXPECT_NE(handle, nullptr);
  int64_t value = 0;
  ASSERT_EQ(SLOT(device_attribute)(device, GPUOPT_ATTRIBUTE_WARP_SIZE, &value, &error), GPUOPT_OK);
  EXPECT_EQ(value, 32);
  EXPECT_EQ(SLOT(device_attribute)(device, 1000, &value, &error), GPUOPT_ERR_UNSUPPORTED);
  SLOT(event_destroy)(device, event);
}

// Each on a stream of its own, all on one device, with somebody who trims and looks at the figures meanwhile.
TEST_F(StreamTest, ThreadsWorkAtOnce) {
  std::atomic<bool> done{false};
  std::atomic<int> good{0};
  const auto work = [&](unsigned seed) {
    gpuopt_error problem = GPUOPT_ERROR_INIT;
    gpuopt_plugin_stream *own = nullptr;
    if (SLOT(stream_create)(device, 0, &own, &problem) != GPUOPT_OK) return;
    for (unsigned i = 0; i < 30; i += GPUOPT_TEST_SHARE) {
      const std::vector<unsigned char> values = pattern(1000 + 37000 * i, seed + i);
      std::vector<unsigned char> back(values.size());
      void *memory = nullptr, *pinned = nullptr;
      if (SLOT(memory_allocate)(device, own, values.size(), &memory, &problem) == GPUOPT_OK &&
          SLOT(host_allocate)(device, 100, &pinned, &problem) == GPUOPT_OK &&
          SLOT(copy_from_host)(device, own, memory, values.data(), values.size(), &problem) == GPUOPT_OK &&
          SLOT(copy_to_host)(device, own, pinned, memory, 100, &problem) == GPUOPT_OK &&
          SLOT(copy_to_host)(device, own, back.data(), memory, values.size(), &problem) == GPUOPT_OK)
        good +=
            back == values && std::equal(values.begin(), values.begin() + 100, static_cast<unsigned char *>(pinned));
      SLOT(host_free)(device, pinned, 100);
      SLOT(memory_free)(device, own, memory, values.size());
    }
    SLOT(stream_destroy)(device, own);
  };
  std::thread observer([&] {
    gpuopt_error problem = GPUOPT_ERROR_INIT;
    gpuopt_memory_stats now{};
    now.struct_size = sizeof now;
    while (!done) {
      EXPECT_EQ(SLOT(memory_stats)(device, &now, &problem), GPUOPT_OK);
      EXPECT_EQ(SLOT(memory_trim)(device, &problem), GPUOPT_OK);
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> workers;
  for (unsigned seed : {1u, 2u, 3u, 4u}) workers.emplace_back(work, seed);
  for (std::thread &worker : workers) worker.join();
  done = true;
  observer.join();
  EXPECT_EQ(good, 4 * 30 / GPUOPT_TEST_SHARE);
  EXPECT_EQ(stats().in_use, 0u);
}

TEST_F(StreamTest, NullIsNothing) {
  SLOT(memory_free)(device, stream, nullptr, 100);
  SLOT(host_free)(device, nullptr, 100);
  SLOT(event_destroy)(device, nullptr);
  SLOT(stream_destroy)(device, nullptr);
}

// ---- Faults

class LostTest : public StreamTest {
  int32_t index() const override { return 2; }
};

TEST_F(LostTest, AStickyErrorLosesTheDeviceAndNamesWhatWasLaunched) {
  void *host = nullptr, *const memory = allocate(5000);
  gpuopt_plugin_event *const event = make_event();
  ASSERT_EQ(SLOT(host_allocate)(device, 100, &host, &error), GPUOPT_OK);
  for (const char *name : {"a", "b", "c", "d", "e", "f", "g", "h", "exp, add", "sum"}) stream->launches.note(name);
  Fake::fail_at(2, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(synchronize(), GPUOPT_ERR_DEVICE_LOST);
  EXPECT_EQ(error.backend_code, 700);
  const std::string message = error.message;
  EXPECT_NE(message.find("cuda:2 is lost: stream_synchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)"), std::string::npos)
      << message;
  EXPECT_NE(message.find("launched since the last synchronisation: c, d, e, f, g, h, exp, add, sum and 2 before them"),
            std::string::npos)
      << message;
  // Everything says so from now on, and everything can be freed.
  char byte = 0;
  EXPECT_EQ(upload(memory, &byte, 1), GPUOPT_ERR_DEVICE_LOST);
  EXPECT_NE(std::string(error.message).find("CUDA_ERROR_ILLEGAL_ADDRESS (700)"), std::string::npos) << error.message;
  EXPECT_EQ(download(&byte, memory, 1), GPUOPT_ERR_DEVICE_LOST);
  EXPECT_EQ(SLOT(event_record)(device, event, stream, &error), GPUOPT_ERR_DEVICE_LOST);
  EXPECT_EQ(try_allocate(10), nullptr);
  EXPECT_EQ(error.code, GPUOPT_ERR_DEVICE_LOST);
  SLOT(event_destroy)(device, event);
  SLOT(host_free)(device, host, 100);
  free_last();
  EXPECT_FALSE(test::TestHost::get().logged("plugin.internal"));
}

// All that the manual says a process cannot go on after, and what a GPU gives that has left the bus.
TEST_F(StreamTest, EveryStickyErrorLosesItsDevice) {
  constexpr int kSticky[] = {4, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911, 999};
  int32_t number = 4;  // each takes a device of its own: one that is lost stays so
  for (const int code : kSticky) {
    SCOPED_TRACE(code);
    gpuopt_plugin_device *other = nullptr;
    gpuopt_plugin_stream *its = nullptr;
    ASSERT_EQ(SLOT(device_open)(number++, &other, &error), GPUOPT_OK) << error.message;
    ASSERT_EQ(SLOT(stream_create)(other, 0, &its, &error), GPUOPT_OK) << error.message;
    Fake::fail_at(2, static_cast<CUresult>(code));
    for (int call = 0; call < 2; call++) {  // the second one reaches no driver
      // An assertion that failed is said at first to be the kernel's fault.
      const gpuopt_status said = code == 710 && call == 0 ? GPUOPT_ERR_KERNEL_FAULT : GPUOPT_ERR_DEVICE_LOST;
      EXPECT_EQ(SLOT(stream_synchronize)(other, its, &error), said) << error.message;
      EXPECT_EQ(error.backend_code, code);
    }
    SLOT(stream_destroy)(other, its);
    SLOT(device_close)(other);
  }
  EXPECT_EQ(synchronize(), GPUOPT_OK) << "the others go on: " << error.message;
  // The driver frees a lost context's things with the process.
  for (uint64_t *const count : {&before.pools, &before.contexts, &before.streams}) *count += std::size(kSticky);
}

TEST_F(StreamTest, ASynchronisationForgetsWhatWasLaunched) {
  stream->launches.note("exp");
  ASSERT_EQ(synchronize(), GPUOPT_OK);
  Fake::fail_at(2, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(synchronize(), GPUOPT_ERR_INTERNAL);
  EXPECT_EQ(std::string(error.message).find("launched"), std::string::npos) << error.message;
  EXPECT_FALSE(device->lost);
  EXPECT_EQ(synchronize(), GPUOPT_OK);
}

TEST_F(StreamTest, CodesBecomeStatuses) {
  const std::pair<CUresult, gpuopt_status> expected[] = {{CUDA_ERROR_OUT_OF_MEMORY, GPUOPT_ERR_OUT_OF_MEMORY},
                                                         {CUDA_ERROR_NOT_SUPPORTED, GPUOPT_ERR_UNSUPPORTED},
                                                         {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, GPUOPT_ERR_UNSUPPORTED},
                                                         {CUDA_ERROR_INVALID_VALUE, GPUOPT_ERR_INTERNAL},
                                                         {CUDA_ERROR_INVALID_HANDLE, GPUOPT_ERR_INTERNAL}};
  for (const auto &[code, status] : expected) {
    Fake::fail_at(2, code);
    EXPECT_EQ(synchronize(), status) << code;
    EXPECT_FALSE(device->lost);
  }
}

// The driver calls of a program of copies fail one after the other: each time a status, nothing lost but what must be,
// and the next round works.
TEST_F(StreamTest, EveryCallMayFail) {
  const std::vector<unsigned char> values = pattern(5 * kMiB);
  const auto round = [&] {
    std::vector<unsigned char> back(values.size());
    gpuopt_plugin_stream *other = nullptr;
    gpuopt_plugin_event *event = nullptr;
    void *memory = nullptr, *copy = nullptr, *host = nullptr;
    gpuopt_status status = SLOT(stream_create)(device, 0, &other, &error);
    const auto then = [&](auto &&call) {
      if (status == GPUOPT_OK) status = call();
    };
    then([&] { return SLOT(event_create)(device, 0, &event, &error); });
    then([&] { return SLOT(memory_allocate)(device, other, values.size(), &memory, &error); });
    then([&] { return SLOT(memory_allocate)(device, other, values.size(), &copy, &error); });
    then([&] { return SLOT(host_allocate)(device, 1000, &host, &error); });
    then([&] { return SLOT(copy_from_host)(device, other, memory, values.data(), values.size(), &error); });
    then([&] { return SLOT(event_record)(device, event, other, &error); });
    then([&] { return SLOT(event_wait)(device, event, stream, &error); });
    then([&] { return SLOT(copy_on_device)(device, other, copy, memory, values.size(), &error); });
    then([&] { return SLOT(copy_to_host)(device, other, back.data(), copy, values.size(), &error); });
    then([&] { return SLOT(copy_to_host)(device, other, host, copy, 1000, &error); });
    then([&] { return SLOT(memory_trim)(device, &error); });
    if (status == GPUOPT_OK) {
      EXPECT_EQ(back, values);
    }
    if (memory) SLOT(memory_free)(device, other, memory, values.size());
    if (copy) SLOT(memory_free)(device, other, copy, values.size());
    SLOT(host_free)(device, host, 1000);
    SLOT(event_destroy)(device, event);
    SLOT(stream_destroy)(device, other);
    return status;
  };
  ASSERT_EQ(round(), GPUOPT_OK) << error.message;
  const fake_cuda_counters idle = Fake::counters();
  ASSERT_EQ(round(), GPUOPT_OK) << error.message;
  const uint64_t calls = Fake::counters().calls - idle.calls;
  ASSERT_GT(calls, 50u);
  for (CUresult code : {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_VALUE}) {
    for (uint64_t n = 1; n <= calls; n += GPUOPT_TEST_SHARE) {
      Fake::fail_at(n, code);
      const gpuopt_status status = round();
      Fake::fail_at(0);
      EXPECT_TRUE(status == GPUOPT_OK || status == GPUOPT_ERR_OUT_OF_MEMORY || status == GPUOPT_ERR_INTERNAL)
          << "call " << n << ": " << error.message;
      const fake_cuda_counters now = Fake::counters();
      EXPECT_EQ(now.blocks, idle.blocks) << "call " << n;
      EXPECT_EQ(now.pinned, idle.pinned) << "call " << n;
      EXPECT_EQ(now.streams, idle.streams) << "call " << n;
      EXPECT_EQ(now.events, idle.events) << "call " << n;
      ASSERT_EQ(stats().in_use, 0u) << "call " << n;
    }
  }
  EXPECT_EQ(round(), GPUOPT_OK) << error.message;
  EXPECT_FALSE(test::TestHost::get().logged("plugin.internal"));
}

TEST_F(StreamTest, EveryCallOfAnOpeningMayFail) {
  const fake_cuda_counters idle = Fake::counters();
  const auto round = [&] {
    gpuopt_plugin_device *other = nullptr;
    const gpuopt_status status = SLOT(device_open)(1, &other, &error);
    EXPECT_EQ(status == GPUOPT_OK, other != nullptr);
    if (other) SLOT(device_close)(other);
    return status;
  };
  ASSERT_EQ(round(), GPUOPT_OK) << error.message;
  const uint64_t calls = Fake::counters().calls - idle.calls;
  ASSERT_GT(calls, 10u);
  for (uint64_t n = 1; n <= calls; n++) {
    Fake::fail_at(n);
    const gpuopt_status status = round();
    Fake::fail_at(0);
    EXPECT_TRUE(status == GPUOPT_OK || status == GPUOPT_ERR_UNAVAILABLE || status == GPUOPT_ERR_OUT_OF_MEMORY)
        << "call " << n << ": " << error.message;
    const fake_cuda_counters now = Fake::counters();
    EXPECT_EQ(now.pools, idle.pools) << "call " << n;
    EXPECT_EQ(now.contexts, idle.contexts) << "call " << n;
    EXPECT_EQ(now.violations, idle.violations) << "call " << n;
  }
  EXPECT_EQ(round(), GPUOPT_OK) << error.message;
}

// Where a device takes one process at a time, the others learn it when they want a context.
TEST_F(StreamTest, ADeviceThatAnotherProcessHasIsBusy) {
  int busy = 0;
  for (uint64_t n = 1; n <= 20; n++) {
    gpuopt_plugin_device *other = nullptr;
    Fake::fail_at(n, CUDA_ERROR_DEVICE_UNAVAILABLE);
    const gpuopt_status status = SLOT(device_open)(1, &other, &error);
    Fake::fail_at(0);
    if (other) SLOT(device_close)(other);
    if (status == GPUOPT_OK || !std::strstr(error.message, "cuDevicePrimaryCtxRetain")) continue;
    busy++;
    EXPECT_EQ(status, GPUOPT_ERR_UNAVAILABLE);
    EXPECT_EQ(error.reason, GPUOPT_REASON_DEVICE_BUSY);
    EXPECT_EQ(error.backend_code, CUDA_ERROR_DEVICE_UNAVAILABLE);
    EXPECT_NE(std::strstr(error.message, "another process has the device"), nullptr) << error.message;
  }
  EXPECT_EQ(busy, 1);
}

// A buffer whose copy is under way when the call fails is not used for the next.
TEST_F(StreamTest, ACopyCutShortDoesNotReachIntoTheNext) {
  void *const first = allocate(5000), *const second = allocate(5000);
  const std::vector<unsigned char> values = pattern(5000, 1), others = pattern(5000, 2);
  std::vector<unsigned char> back(5000);
  ASSERT_EQ(upload(first, values.data(), 5000), GPUOPT_OK);
  ASSERT_EQ(synchronize(), GPUOPT_OK);
  Fake::fail_at(4, CUDA_ERROR_INVALID_VALUE);  // context, buffer awaited, copy, event
  ASSERT_EQ(download(back.data(), first, 5000), GPUOPT_ERR_INTERNAL);
  ASSERT_NE(std::string(error.message).find("cuEventRecord"), std::string::npos) << error.message;
  ASSERT_EQ(upload(second, others.data(), 5000), GPUOPT_OK);
  ASSERT_EQ(download(back.data(), second, 5000), GPUOPT_OK);
  EXPECT_EQ(back, others);
}

// ---- Fork

TEST_F(StreamTest, AForkedChildIsTold) {
  void *const memory = allocate(5000);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    char byte = 0;
    const bool told = upload(memory, &byte, 1) == GPUOPT_ERR_FORKED && error.reason == GPUOPT_REASON_FORKED &&
                      synchronize() == GPUOPT_ERR_FORKED;
    gpuopt_plugin_device *again = nullptr;
    const bool refused = SLOT(device_open)(0, &again, &error) != GPUOPT_OK && error.reason == GPUOPT_REASON_FORKED;
    SLOT(memory_free)(device, stream, memory, 5000);
    _exit(told && refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  char byte = 1;
  EXPECT_EQ(upload(memory, &byte, 1), GPUOPT_OK) << error.message;
}

// ---- Two devices

class Peers : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(SLOT(device_open)(1, &second, &error), GPUOPT_OK) << error.message;
    ASSERT_EQ(SLOT(stream_create)(second, 0, &second_stream, &error), GPUOPT_OK) << error.message;
  }
  void TearDown() override {
    SLOT(stream_destroy)(second, second_stream);
    SLOT(device_close)(second);
    DeviceTest::TearDown();
  }
  gpuopt_plugin_device *second = nullptr;
  gpuopt_plugin_stream *second_stream = nullptr;
};

// Device 1 reaches device 0, not the other way round (FAKE_CUDA_PEERS).
TEST_F(Peers, CopiesGoBothWaysAndTheSlowOneIsSaidOnce) {
  const std::vector<unsigned char> values = pattern(5000);
  void *const here = allocate(5000);
  void *there = nullptr;
  ASSERT_EQ(SLOT(memory_allocate)(second, second_stream, 5000, &there, &error), GPUOPT_OK);
  ASSERT_EQ(upload(here, values.data(), 5000), GPUOPT_OK);
  ASSERT_EQ(synchronize(), GPUOPT_OK);
  ASSERT_EQ(SLOT(copy_peer)(second, second_stream, there, device, here, 5000, &error), GPUOPT_OK) << error.message;
  std::vector<unsigned char> back(5000);
  ASSERT_EQ(SLOT(copy_to_host)(second, second_stream, back.data(), there, 5000, &error), GPUOPT_OK);
  EXPECT_EQ(back, values);
  EXPECT_FALSE(test::TestHost::get().logged("cuda.peer_staged"));
  void *const returned = allocate(5000);
  for (int i = 0; i < 2; i++) {
    ASSERT_EQ(SLOT(copy_peer)(device, stream, returned, second, there, 5000, &error), GPUOPT_OK) << error.message;
  }
  std::fill(back.begin(), back.end(), static_cast<unsigned char>(0));
  ASSERT_EQ(download(back.data(), returned, 5000), GPUOPT_OK);
  EXPECT_EQ(back, values);
  EXPECT_TRUE(test::TestHost::get().logged("cuda.peer_staged"));
  SLOT(memory_free)(second, second_stream, there, 5000);
}

// The source is written again as soon as an event of the other device says that the copy has read it.
TEST_F(Peers, TheSourceIsReadBeforeItIsWrittenAgain) {
  for (const bool forth : {true, false}) {
    gpuopt_plugin_device *const from = forth ? device : second, *const to = forth ? second : device;
    gpuopt_plugin_stream *const source = forth ? stream : second_stream, *const target = forth ? second_stream : stream;
    const std::vector<unsigned char> values = pattern(5000, 1), later = pattern(5000, 2);
    std::vector<unsigned char> back(5000);
    void *here = nullptr, *other = nullptr, *there = nullptr;
    gpuopt_plugin_event *written = nullptr, *read = nullptr;
    ASSERT_EQ(SLOT(memory_allocate)(from, source, 5000, &here, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(memory_allocate)(from, source, 5000, &other, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(memory_allocate)(to, target, 5000, &there, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(event_create)(from, 0, &written, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(event_create)(to, 0, &read, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(copy_from_host)(from, source, here, values.data(), 5000, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(copy_from_host)(from, source, other, later.data(), 5000, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(event_record)(from, written, source, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(event_wait)(to, written, target, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(copy_peer)(to, target, there, from, here, 5000, &error), GPUOPT_OK) << error.message;
    ASSERT_EQ(SLOT(event_record)(to, read, target, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(event_wait)(from, read, source, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(copy_on_device)(from, source, here, other, 5000, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(stream_synchronize)(from, source, &error), GPUOPT_OK);
    ASSERT_EQ(SLOT(copy_to_host)(to, target, back.data(), there, 5000, &error), GPUOPT_OK);
    EXPECT_EQ(back, values) << forth;
    ASSERT_EQ(SLOT(copy_to_host)(from, source, back.data(), here, 5000, &error), GPUOPT_OK);
    EXPECT_EQ(back, later) << forth;
    SLOT(event_destroy)(from, written);
    SLOT(event_destroy)(to, read);
    SLOT(memory_free)(from, source, here, 5000);
    SLOT(memory_free)(from, source, other, 5000);
    SLOT(memory_free)(to, target, there, 5000);
  }
}

class LostPeer : public Peers {
  int32_t index() const override { return 3; }
};

TEST_F(LostPeer, DoesNotTakeTheOtherDeviceWithIt) {
  Fake::fail_at(2, CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(synchronize(), GPUOPT_ERR_DEVICE_LOST);
  EXPECT_EQ(SLOT(stream_synchronize)(second, second_stream, &error), GPUOPT_OK) << error.message;
  void *there = nullptr;
  ASSERT_EQ(SLOT(memory_allocate)(second, second_stream, 5000, &there, &error), GPUOPT_OK);
  EXPECT_EQ(SLOT(copy_peer)(second, second_stream, there, device, there, 5000, &error), GPUOPT_ERR_DEVICE_LOST);
  EXPECT_NE(std::string(error.message).find("cuda:3 is lost"), std::string::npos) << error.message;
  SLOT(memory_free)(second, second_stream, there, 5000);
}

}  // namespace
}  // namespace gpuopt::cuda
