// tests/unit/core_recorders_test.cpp -- what threads with recorders of their own (access.h) must not change: an array
// can be used from any thread, and settings hold for a device, not for each of its recorders.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

#include "core/array/dtype.h"
#include "core/engine/access.h"
#include "core/engine/plan.h"
#include "core/engine/record.h"
#include "core/engine/transfer.h"
#include "tests/set_variable.h"
#include "tests/unit/core_fake_device.h"

namespace gpuopt::test {
namespace {

// A device whose threads have recorders of their own.
struct SynchronousDevice : FakeDevice {
  SynchronousDevice() { get()->info.flags |= GPUOPT_DEVICE_SYNCHRONOUS; }
  ArrayRef ones(int64_t length) {
    const double one[2] = {1, 0};
    ArrayRef x = record_constant(get()->default_stream, GPUOPT_FLOAT64, 1, &length, one);
    evaluate(x.get());
    return x;
  }
  uint64_t pending() {
    gpuopt_engine_stats stats{};
    stats.struct_size = sizeof stats;
    EXPECT_EQ(gpuopt_engine_get_stats(get(), &stats, nullptr), GPUOPT_OK);
    return stats.pending;
  }
};

template <class Body>
void in_another_thread(Body body) {
  std::thread(body).join();
}

ArrayRef square_root(gpuopt_array x) {
  const gpuopt_array inputs[] = {x};
  return record_op(GPUOPT_OP_sqrt, inputs);
}

double first_element(gpuopt_array x) {
  std::vector<double> elements(static_cast<size_t>(x->size));
  copy_to_host(x, elements.data());
  return elements[0];
}

// Each thread takes the lock again while it holds it, so that the count would be wrong if it held it with another one.
TEST(Recorders, TheirLockIsOneThreadsAtATime) {
  RecursiveLock lock;
  int64_t count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20000; ++k) {
        const std::lock_guard outer(lock);
        const int64_t before = count;
        EXPECT_TRUE(lock.try_lock());
        count = before + 1;
        lock.unlock();
        EXPECT_EQ(count, before + 1);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(count, 80000);
  lock.lock();
  in_another_thread([&] { EXPECT_FALSE(lock.try_lock()); });
  std::thread waiting([&] {
    const std::lock_guard held(lock);
    count = 0;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that it most often has to wait
  EXPECT_EQ(count, 80000);
  lock.unlock();
  waiting.join();
  EXPECT_EQ(count, 0);
}

TEST(Recorders, AnyThreadCanOverwriteWhatCouldNotBeComputed) {
  SynchronousDevice device;
  const ArrayRef x = device.ones(4);
  ArrayRef y;
  in_another_thread([&] {
    y = square_root(x.get());
    device.fail_run = 1;
    EXPECT_THROW(evaluate(y.get()), Failure);
  });
  EXPECT_THROW(first_element(y.get()), Failure);
  record_assign(y.get(), make_weak(gpuopt_scalar_int(3)).get());
  EXPECT_EQ(first_element(y.get()), 3);
}

TEST(Recorders, AFailureComesFromTheCallThatLooks) {
  SynchronousDevice device;
  const ArrayRef x = device.ones(4);
  ArrayRef y;
  in_another_thread([&] { y = square_root(x.get()); });
  device.fail_run = 1;
  const ArrayRef z = square_root(y.get());  // runs what the other thread recorded
  EXPECT_THROW(first_element(z.get()), Failure);
  EXPECT_THROW(first_element(y.get()), Failure);
  in_another_thread([&] { EXPECT_THROW(first_element(y.get()), Failure); });
}

TEST(Recorders, WaitingForMemoryRunsNothingThatReadsIt) {
  SynchronousDevice device;
  const ArrayRef x = device.ones(4);
  ArrayRef y;
  in_another_thread([&] { y = square_root(x.get()); });
  await_memory(*x);
  EXPECT_EQ(device.pending(), 1u);
}

TEST(Recorders, SettingsAreReadWhenTheDeviceIsOpened) {
  SynchronousDevice device;
  const ArrayRef x = device.ones(4);
  setenv("GPUOPT_EAGER", "1", 1);  // a FakeDevice sets it anew
  in_another_thread([&] {
    const ArrayRef y = square_root(x.get());
    EXPECT_EQ(device.pending(), 1u);
  });
}

TEST(Recorders, ShareTheLimitOfPinnedMemory) {
  SynchronousDevice device;
  const uint64_t all = device.get()->engines->pinned_limit();
  EXPECT_EQ(all, (uint64_t{1} << 40) / 4);
  const ArrayRef x = device.ones(4);
  in_another_thread([&] { square_root(x.get()); });
  EXPECT_EQ(device.get()->engines->pinned_limit(), all / 2);
}

TEST(Recorders, WhatPinsMemoryRunsWhenItsRecorderIsFree) {
  SynchronousDevice device;
  std::promise<void> locked;
  ArrayRef y;
  std::thread busy([&] {
    y = square_root(device.ones(4).get());
    const EngineLock lock(engine_of(device.get()));
    locked.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  locked.get_future().wait();
  EXPECT_TRUE(run_what_pins(device.get()));
  busy.join();
  EXPECT_EQ(device.pending(), 0u);
}

}  // namespace
}  // namespace gpuopt::test
