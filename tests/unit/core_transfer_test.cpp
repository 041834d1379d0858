// tests/unit/core_transfer_test.cpp -- a thread that waits for a copy to or from a device keeps no other from recording
// and evaluating; only who writes the memory being read waits.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <type_traits>

#include "core/engine/record.h"
#include "core/engine/transfer.h"
#include "core/exchange/host.h"
#include "tests/unit/core_async_device.h"

namespace gpuopt::test {
namespace {

using Values = std::vector<float>;

// Opened once. A test that would wait for ever gives up and fails.
class Latch {
 public:
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  [[nodiscard]] bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

template <auto value>
struct Constant {};
template <auto a, auto b>
constexpr bool same = std::is_same_v<Constant<a>, Constant<b>>;

// Its slots may be called from several threads. The first copy to or from it, once armed, stops inside of the plugin
// until it is let go.
class StoppingDevice : public AsyncDevice {
 public:
  StoppingDevice() : plain_(backend().api) {
#define GPUOPT_SLOT(need, result, name, args) wrap<&gpuopt_plugin_api::name>(&gpuopt_plugin_api::name);
#include <gpuopt/plugin_slots.def>
  }
  std::atomic<bool> armed{false};
  std::atomic<bool> armed_for_waits{false};  // likewise, of the waits for a stream
  std::atomic<bool> ran_while_stopped{false};
  Latch stopped, go_on;

 private:
  template <auto slot, class R, class... Arguments>
  void wrap(R (*gpuopt_plugin_api::*)(gpuopt_plugin_device *, Arguments...)) {
    if (plain_.*slot) backend().api.*slot = locked<slot, R, Arguments...>;
  }
  template <auto slot>
  void wrap(...) {}  // probe has no device

  template <auto slot, class R, class... Arguments>
  static R locked(gpuopt_plugin_device *device, Arguments... arguments) {
    StoppingDevice &fake = static_cast<StoppingDevice &>(FakeDevice::self(device));
    if (same<slot, &gpuopt_plugin_api::copy_to_host> || same<slot, &gpuopt_plugin_api::copy_from_host>)
      fake.stop(fake.armed);
    if (same<slot, &gpuopt_plugin_api::stream_synchronize>) fake.stop(fake.armed_for_waits);
    if (same<slot, &gpuopt_plugin_api::program_run> && fake.is_stopped_) fake.ran_while_stopped = true;
    std::lock_guard lock(fake.mutex_);
    return (fake.plain_.*slot)(device, arguments...);
  }
  void stop(std::atomic<bool> &when) {
    if (!when.exchange(false)) return;
    is_stopped_ = true;
    stopped.open();
    EXPECT_TRUE(go_on.wait()) << "the others wait for the copy";
    is_stopped_ = false;
  }
  const gpuopt_plugin_api plain_;
  std::mutex mutex_;
  std::atomic<bool> is_stopped_{false};
};

ArrayRef make(gpuopt_device device, const Values &values) {
  const int64_t size = static_cast<int64_t>(values.size());
  ArrayRef x = make_array(device->default_stream, GPUOPT_FLOAT32, 1, &size);
  copy_from_host(x.get(), values.data());
  return x;
}
ArrayRef sum(const ArrayRef &x, const ArrayRef &y, gpuopt_array out = nullptr) {
  const gpuopt_array both[] = {x.get(), y.get()};
  return record_op(GPUOPT_OP_add, both, out);
}
Values read(const ArrayRef &x) {
  Values values(static_cast<size_t>(x->size));
  copy_to_host(x.get(), values.data());
  return values;
}

class Transfer : public testing::Test {
 protected:
  ~Transfer() override { EXPECT_EQ(fake.violation, ""); }
  // Records, allocates, evaluates, copies in and out, on `device`.
  static void work(gpuopt_device device) {
    const ArrayRef a = make(device, {1, 2}), b = sum(a, a), c = sum(b, a);
    evaluate(c.get());
    EXPECT_EQ(read(c), Values({3, 6}));
    EXPECT_EQ(read(b), Values({2, 4}));
  }
  // `copy` in a thread of its own, stopped half-way while `meanwhile` goes on.
  template <class Copy, class Meanwhile>
  void beside(Copy copy, Meanwhile meanwhile) {
    fake.armed = true;
    std::thread copier(copy);
    ASSERT_TRUE(fake.stopped.wait());
    meanwhile();
    fake.go_on.open();
    copier.join();
  }
  StoppingDevice fake;
  FakeDevice other;
};

TEST_F(Transfer, NobodyWaitsForADownload) {
  const ArrayRef x = make(fake.get(), {5, 6}), y = sum(x, x);
  Values got;
  beside([&] { got = read(y); },
         [&] {
           work(fake.get());
           work(other.get());
         });
  EXPECT_EQ(got, Values({10, 12}));
  EXPECT_TRUE(fake.ran_while_stopped);
}

TEST_F(Transfer, NobodyWaitsForAnUpload) {
  const int64_t size = 1 << 19;  // too much to be taken at once
  const Values values(size, 3.0f);
  const ArrayRef x = make_array(fake.get()->default_stream, GPUOPT_FLOAT32, 1, &size);
  beside([&] { copy_from_host(x.get(), values.data()); },
         [&] {
           work(fake.get());
           work(other.get());
         });
  const ArrayRef y = sum(x, x);
  EXPECT_EQ(read(y), Values(size, 6.0f));
  EXPECT_TRUE(fake.ran_while_stopped);
}

TEST_F(Transfer, OfOtherThreadsGoOnToo) {
  const ArrayRef x = make(fake.get(), {5, 6}), z = make(fake.get(), {8});
  Values got;
  beside([&] { got = read(x); },
         [&] {
           EXPECT_EQ(read(z), Values({8}));
           EXPECT_EQ(read(x), Values({5, 6})) << "the same array, read twice at once";
         });
  EXPECT_EQ(got, Values({5, 6}));
}

// The writer gets every chance to be early.
TEST_F(Transfer, WhatIsReadIsWrittenAfterwards) {
  const ArrayRef x = make(fake.get(), {5, 6}), one = make(fake.get(), {1, 1});
  Values got;
  std::thread writer;
  beside([&] { got = read(x); },
         [&] {
           writer = std::thread([&] {
             sum(x, one, x.get());
             evaluate(x.get());
           });
           for (int i = 0; i < 1000 && !fake.ran_while_stopped; ++i)
             std::this_thread::sleep_for(std::chrono::microseconds(100));
         });
  writer.join();
  EXPECT_EQ(got, Values({5, 6}));
  EXPECT_FALSE(fake.ran_while_stopped) << "the write was submitted before the read was done";
  EXPECT_EQ(read(x), Values({6, 7}));
}

// The memory of a value computed apart would change hands: not while somebody reads the old one.
TEST_F(Transfer, WhatIsReadIsNotExchanged) {
  const ArrayRef x = make(fake.get(), {5, 6, 7}), one = make(fake.get(), {1, 1, 1});
  const int64_t back[] = {-4};
  const ArrayRef reversed = make_view(x->storage.get(), x->stream, x->dtype, 1, x->shape, back, 8, false);
  Values got;
  std::thread writer;
  beside([&] { got = read(x); },
         [&] {
           writer = std::thread([&] {
             sum(reversed, one, x.get());
             evaluate(x.get());
             EXPECT_EQ(read(x), Values({8, 7, 6}));
             sum(x, x, x.get());
             evaluate(x.get());
           });
           std::this_thread::sleep_for(std::chrono::milliseconds(20));
         });
  writer.join();
  EXPECT_EQ(got, Values({5, 6, 7}));
}

// The reversed array is computed into memory of its own, which the array then gets in exchange for its old one. That is
// freed after another stream has read it.
TEST_F(Transfer, ExchangedMemoryIsFreedWhenItsReadersAreDone) {
  const auto second = make_stream(fake.get());
  const ArrayRef x = make(fake.get(), {1, 2, 3});
  const int64_t size = 3, back = -4;
  const ArrayRef reversed = make_view(x->storage.get(), x->stream, x->dtype, 1, &size, &back, 8, false);
  const ArrayRef there = make_view(x->storage.get(), second, x->dtype, 1, &size, nullptr, 0, false);
  const ArrayRef twice = sum(there, there);
  evaluate(twice.get());
  sum(reversed, x, x.get());
  EXPECT_EQ(read(x), Values({4, 4, 4}));
  EXPECT_EQ(read(twice), Values({2, 4, 6}));
}

// Two parts of one memory, written by two threads on two streams: whoever reads it afterwards sees both. The moment
// between ordering a write and submitting it is too short to be met here.
class Parts : public Transfer {
 protected:
  void write_beside(int64_t size) {
    const auto second = make_stream(fake.get());
    const ArrayRef x = make(fake.get(), Values(static_cast<size_t>(2 * size), 1.0f));
    const ArrayRef low = make_view(x->storage.get(), x->stream, x->dtype, 1, &size, nullptr, 0, false);
    const ArrayRef high = make_view(x->storage.get(), second, x->dtype, 1, &size, nullptr, 4 * size, false);
    const Values fives(static_cast<size_t>(size), 5.0f), sixes(static_cast<size_t>(size), 6.0f);
    std::thread writer;
    std::atomic<bool> written{false};
    beside([&] { copy_from_host(low.get(), fives.data()); },
           [&] {
             writer = std::thread([&] {
               copy_from_host(high.get(), sixes.data());
               written = true;
             });
             for (int i = 0; i < 2000 && !written; ++i) std::this_thread::sleep_for(std::chrono::microseconds(100));
           });
    writer.join();
    const Values got = read(x);
    EXPECT_EQ(Values(got.begin(), got.begin() + size), fives);
    EXPECT_EQ(Values(got.begin() + size, got.end()), sixes);
  }
};

// A stream that has read any part of a memory since its last write does not wait for that write again. The end of an
// upload therefore has to make it wait.
TEST_F(Parts, AreSeenByAStreamThatReadBesideTheUpload) {
  const int64_t size = 1 << 19;
  const auto third = make_stream(fake.get());
  const ArrayRef x = make(fake.get(), Values(static_cast<size_t>(2 * size), 1.0f));
  const ArrayRef low = make_view(x->storage.get(), x->stream, x->dtype, 1, &size, nullptr, 0, false);
  const ArrayRef low_there = make_view(x->storage.get(), third, x->dtype, 1, &size, nullptr, 0, false);
  const ArrayRef high_there = make_view(x->storage.get(), third, x->dtype, 1, &size, nullptr, 4 * size, false);
  const Values fives(static_cast<size_t>(size), 5.0f);
  ArrayRef twice;
  beside([&] { copy_from_host(low.get(), fives.data()); },
         [&] {
           twice = sum(high_there, high_there);
           evaluate(twice.get());
         });
  const ArrayRef ten = sum(low_there, low_there);
  evaluate(ten.get());
  call_stream(third.get(), "synchronize", fake.get()->api().stream_synchronize);
  EXPECT_EQ(read(ten), Values(static_cast<size_t>(size), 10.0f));
  EXPECT_EQ(read(twice), Values(static_cast<size_t>(size), 2.0f));
}

TEST_F(Parts, AreBothSeenAfterShortUploads) { write_beside(2); }
TEST_F(Parts, AreBothSeenAfterLongOnes) { write_beside(1 << 19); }

// As when the far end of a pipe needs the device before it reads on.
TEST_F(Transfer, WhatIsBeingConsumedPinsNothing) {
  const ArrayRef x = make(fake.get(), {1, 2, 3, 4});
  const int64_t half = 2;
  const ArrayRef low = make_view(x->storage.get(), x->stream, x->dtype, 1, &half, nullptr, 0, false);
  const ArrayRef high = make_view(x->storage.get(), x->stream, x->dtype, 1, &half, nullptr, 8, false);
  Values got;
  Latch done;
  std::thread reader([&] {
    consume_elements(low.get(), [&](const char *piece, size_t bytes) {
      sum(high, high, high.get());
      evaluate(high.get());
      const float *numbers = reinterpret_cast<const float *>(piece);
      got.assign(numbers, numbers + bytes / sizeof(float));
    });
    done.open();
  });
  if (!done.wait()) std::_Exit(1);  // it waits for itself
  reader.join();
  EXPECT_EQ(got, Values({1, 2}));
  EXPECT_EQ(read(x), Values({1, 2, 6, 8}));
}

TEST_F(Transfer, StreamsAreMadeAndReleasedWhileTheDeviceIsWaitedFor) {
  const ArrayRef x = make(fake.get(), {1, 2});
  auto released = make_stream(fake.get());
  fake.armed_for_waits = true;
  std::thread waiter([&] { wait_for_device(*fake.get(), "wait"); });
  ASSERT_TRUE(fake.stopped.wait());
  const auto made = make_stream(fake.get());
  released = {};
  fake.go_on.open();
  waiter.join();
  EXPECT_EQ(fake.get()->streams.size(), 2u) << "the default one and the one made";
}

// A thread that waits for the device holds references to its streams for a moment: whoever releases the last one, the
// user or that thread, destroys the stream.
TEST_F(Transfer, NoStreamOutlivesItsLastReference) {
  std::atomic<bool> over{false};
  std::thread waiter([&] {
    while (!over) living_streams(*fake.get());
  });
  for (int k = 0; k < 20000; ++k) make_stream(fake.get());
  over = true;
  waiter.join();
  EXPECT_EQ(fake.get()->streams.size(), 1u) << "the default one";
}

TEST_F(Transfer, StreamsOfCopiesGoWithTrimming) {
  fake.backend().api.memory_trim = [](gpuopt_plugin_device *, gpuopt_error *) { return gpuopt_status{GPUOPT_OK}; };
  const size_t before = fake.get()->streams.size();
  const ArrayRef x = make(fake.get(), {1, 2});
  read(x);
  EXPECT_EQ(fake.get()->streams.size(), before + 1);
  EXPECT_EQ(gpuopt_memory_trim(fake.get(), nullptr), GPUOPT_OK);
  EXPECT_EQ(fake.get()->streams.size(), before);
  EXPECT_EQ(read(x), Values({1, 2}));
}

TEST_F(Transfer, WithoutAnotherStreamTheArraysOwnWillDo) {
  const ArrayRef x = make(fake.get(), {1, 2});
  fake.backend().api.stream_create = [](gpuopt_plugin_device *, uint32_t, gpuopt_plugin_stream **, gpuopt_error *) {
    return gpuopt_status{GPUOPT_ERR_OUT_OF_MEMORY};
  };
  EXPECT_EQ(read(x), Values({1, 2}));
}

TEST_F(Transfer, AFaultIsToldByTheCopyThatMeetsIt) {
  const ArrayRef x = make(fake.get(), {1, 2}), y = sum(x, x);
  evaluate(y.get());
  fake.fail_work = 2;  // the upload of x is the first
  float got[2];
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_to_host(y.get(), got, sizeof got, &error), GPUOPT_ERR_DEVICE_LOST);
  EXPECT_NE(std::string(error.message).find("launched before: program"), std::string::npos) << error.message;
}

TEST_F(Transfer, StreamsOfCopiesAreKept) {
  const ArrayRef x = make(fake.get(), {1, 2});
  read(x);
  const size_t streams = fake.get()->streams.size();
  for (int i = 0; i < 10; ++i) read(x);
  EXPECT_EQ(fake.get()->streams.size(), streams);
}

}  // namespace
}  // namespace gpuopt::test
