// tests/unit/core_lost_test.cpp -- devices that work later and devices that fail: what waits for what, what is lost,
// and what goes on.
#include <gtest/gtest.h>

#include "core/base/log.h"
#include "core/engine/expression.h"
#include "core/engine/transfer.h"
#include "tests/unit/core_array_support.h"
#include "tests/unit/core_async_device.h"
#include "tests/unit/core_failure.h"

namespace gpuopt::test {
namespace {

using Numbers = std::vector<double>;

Numbers read(const Value &x) {
  Numbers out(static_cast<size_t>(x.get()->size));
  copy_to_host(x.get(), out.data());
  return out;
}

class Async : public testing::Test {
 protected:
  ~Async() override { EXPECT_EQ(fake.violation, ""); }
  Value array(const Numbers &values, gpuopt_device device) {
    const auto n = static_cast<int64_t>(values.size());
    ArrayRef x = make_array(device->default_stream, GPUOPT_FLOAT64, 1, &n);
    copy_from_host(x.get(), values.data());
    return x;
  }
  Value array(const Numbers &values) { return array(values, fake.get()); }
  static Value on(const Ref<gpuopt_stream_s> &stream, const Value &x) {
    return make_view(x.get()->storage.get(), stream, x.get()->dtype, x.get()->ndim, x.get()->shape, x.get()->strides,
                     x.get()->offset, false);
  }

  AsyncDevice fake;
};

TEST_F(Async, MemoryIsFreedAfterItsLastReaderOnWhicheverStream) {
  const Ref<gpuopt_stream_s> second = make_stream(fake.get());
  Value y = [&] {
    const Value x = array({1, 2, 3});
    Value sum = on(second, x) + Value(1.0);
    evaluate(sum.get());
    return sum;
  }();  // x is freed here, on the first stream, which the read of y does not wait for
  call_stream(fake.get()->default_stream, "synchronize", fake.get()->api().stream_synchronize);
  EXPECT_EQ(read(y), (Numbers{2, 3, 4}));
}

TEST_F(Async, ForeignMemoryIsReleasedAfterItsLastUse) {
  static double memory[3];
  std::fill_n(memory, 3, 1.0);
  Value y = [&] {
    const int64_t n = 3;
    auto storage = make_storage(fake.get()->default_stream, sizeof memory);
    storage->external = true;
    storage->memory = memory;
    storage->release_external = [](void *) { std::fill_n(memory, 3, -1.0); };
    auto stream = storage->stream;
    const Value x = make_view(storage.get(), std::move(stream), GPUOPT_FLOAT64, 1, &n, nullptr, 0, false);
    return x + Value(1.0);
  }();
  EXPECT_EQ(memory[0], -1.0);
  EXPECT_EQ(read(y), (Numbers{2, 2, 2}));
}

TEST_F(Async, HostReadsWait) {
  const Value x = array({1, 4, 9}), y = sqrt(x);
  gpuopt_scalar value{};
  const int64_t last = 2;
  ASSERT_EQ(gpuopt_array_item(y.get(), &last, &value, nullptr), GPUOPT_OK);
  EXPECT_EQ(value.value.f, 3.0);
}

TEST_F(Async, ReadsThroughAnotherStreamWaitForTheWriter) {
  const Ref<gpuopt_stream_s> second = make_stream(fake.get());
  const Value x = array({1, 4, 9});
  gpuopt_array there = nullptr;
  ASSERT_EQ(gpuopt_to_device(on(second, x).get(), support::cpu(), GPUOPT_COPY_IF_NEEDED, &there, nullptr), GPUOPT_OK);
  EXPECT_EQ(read(Value(ArrayRef::adopt(there))), (Numbers{1, 4, 9}));
}

// ---- Faults

TEST_F(Async, AFaultIsReportedWhereItIsNoticedAndNamesWhatRan) {
  const Value x = array({1, 4, 9}), y = sqrt(x);
  evaluate(y.get());
  fake.fail_work = 2;  // the copy to x, then the program
  const Failure failure = failure_of([&] { read(y); });
  EXPECT_EQ(failure.code, GPUOPT_ERR_DEVICE_LOST);
  EXPECT_EQ(failure.reason, GPUOPT_REASON_DEVICE_LOST);
  EXPECT_NE(failure.message.find("launched before: program of 3 steps"), std::string::npos) << failure.message;
}

class Lost : public Async {
 protected:
  Lost() {
    evaluate(computed.get());
    fake.fail_work = 1;
    EXPECT_EQ(failure_of([&] { wait_for(fake.get()->default_stream); }).code, GPUOPT_ERR_DEVICE_LOST);
    EXPECT_TRUE(fake.get()->lost);
  }
  template <class Body>
  static void expect_lost(const char *what, Body body) {
    const Failure failure = failure_of(body);
    EXPECT_EQ(failure.code, GPUOPT_ERR_DEVICE_LOST) << what;
    EXPECT_NE(failure.message.find("fake:0 was lost"), std::string::npos) << what << ": " << failure.message;
    EXPECT_NE(failure.message.find("a kernel faulted"), std::string::npos) << what << ": " << failure.message;
  }
  static void expect_lost(const char *what, gpuopt_status status) { EXPECT_EQ(status, GPUOPT_ERR_DEVICE_LOST) << what; }

  const Value x = array({1, 4, 9}), computed = sqrt(x), recorded = x + Value(1.0);
};

// After the loss the fake notes every slot that is called but those that free: see ~Async.
TEST_F(Lost, EveryUseOfItsArraysSaysSoAtOnce) {
  double host[3];
  void *data;
  gpuopt_array out = nullptr;
  gpuopt_stream stream = nullptr;
  gpuopt_event event = nullptr;
  for (const Value *array : {&x, &computed, &recorded}) {
    const gpuopt_array a = array->get();
    expect_lost("eval", [&] { evaluate(a); });
    expect_lost("to_host", gpuopt_to_host(a, host, sizeof host, nullptr));
    expect_lost("array_data", gpuopt_array_data(a, &data, nullptr));
    expect_lost("matmul", gpuopt_matmul(a, a, &out, nullptr));
    expect_lost("add", [&] { *array + *array; });
    expect_lost("assign", [&] { record_assign(a, x.get()); });
    expect_lost("to_device", gpuopt_to_device(a, support::cpu(), GPUOPT_COPY_IF_NEEDED, &out, nullptr));
    expect_lost("save", gpuopt_save_npy(a, "never-written.npy", nullptr));
  }
  expect_lost("new array", [&] { array({1}); });
  expect_lost("synchronize", gpuopt_device_synchronize(fake.get(), nullptr));
  expect_lost("new stream", gpuopt_stream_create(fake.get(), &stream, nullptr));
  expect_lost("event", gpuopt_event_record(fake.get()->default_stream, &event, nullptr));
  expect_lost("trim", gpuopt_memory_trim(fake.get(), nullptr));
}

TEST_F(Lost, OtherDevicesGoOn) { EXPECT_EQ(read(sqrt(array({1, 4}, support::cpu()))), (Numbers{1, 2})); }

TEST_F(Lost, ViewsAndReleasesWork) {
  gpuopt_array flipped = nullptr;
  EXPECT_EQ(gpuopt_flip(computed.get(), 0, nullptr, &flipped, nullptr), GPUOPT_OK);
  gpuopt_array_release(flipped);
}  // ~FakeDevice checks that no memory is left

TEST_F(Async, EveryArrayIsFreedIfTheDeviceIsLostWhileAProgramRuns) {
  for (int n = 1; n < 12; ++n) {
    AsyncDevice device;
    const Value a = array({1, 2}, device.get()), b = a * Value(2.0), c = b - a;
    const Value total = record_reduction(GPUOPT_REDUCTION_sum, c.get(), 1, false, 0);
    device.fail_work = n;
    const Failure failure = failure_of([&] { EXPECT_EQ(read(total), Numbers{3}); });
    if (device.lost) {
      EXPECT_EQ(failure.code, GPUOPT_ERR_DEVICE_LOST);
    }
    EXPECT_EQ(device.violation, "");
  }
}

// ---- Memory

TEST_F(Async, MemoryThatOnlyRecordedOperationsKeepIsFreedBeforeGivingUp) {
  const int64_t n = 100;
  Value sum = [&] {
    const Value x = array(Numbers(100, 1.0));
    return Value(record_reduction(GPUOPT_REDUCTION_sum, x.get(), 1, false, 0));
  }();
  fake.capacity = 1000;  // x has 800 bytes
  const Value other = make_array(fake.get()->default_stream, GPUOPT_FLOAT64, 1, &n);
  EXPECT_EQ(read(sum), Numbers{100});
  EXPECT_EQ(failure_of([&] { make_array(fake.get()->default_stream, GPUOPT_FLOAT64, 1, &n); }).code,
            GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(read(sum), Numbers{100});
}

// ---- Fork

TEST_F(Async, AChildThatInheritsADeviceIsToldSo) {
  fake.get()->info.flags |= GPUOPT_DEVICE_LOST_IN_FORK;
  Value x = array({1, 2}), y = sqrt(x);
  fake.get()->generation = fork_generation() + 1;  // as it is in a child
  EXPECT_EQ(failure_of([&] { read(y); }).code, GPUOPT_ERR_FORKED);
  EXPECT_EQ(failure_of([&] { x + y; }).code, GPUOPT_ERR_FORKED);
  fake.get()->generation = fork_generation();
}

}  // namespace
}  // namespace gpuopt::test
