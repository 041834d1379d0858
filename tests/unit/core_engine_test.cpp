// tests/unit/core_engine_test.cpp -- failures, lifetimes, bounds, streams and threads of the recorder.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "core/array/view.h"
#include "core/engine/expression.h"
#include "core/engine/node.h"
#include "core/engine/transfer.h"
#include "tests/unit/core_fake_device.h"

namespace gpuopt::test {
namespace {

class EngineTest : public testing::Test {
 protected:
  static Value array(FakeDevice &on, std::vector<double> values) {
    const auto n = static_cast<int64_t>(values.size());
    ArrayRef x = make_array(on.get()->default_stream, GPUOPT_FLOAT64, 1, &n);
    copy_from_host(x.get(), values.data());
    return x;
  }
  Value array(std::vector<double> values) { return array(fake, std::move(values)); }
  static std::vector<double> read(const Value &x) {
    std::vector<double> out(static_cast<size_t>(x.get()->size));
    copy_to_host(x.get(), out.data());
    return out;
  }
  // What the call throws; an empty Failure with code OK if nothing.
  template <class Body>
  static Failure failure_of(Body body) {
    try {
      body();
    } catch (const Failure &failure) {
      return failure;
    }
    return {GPUOPT_OK, GPUOPT_REASON_NONE, 0, {}};
  }
  static void add_to(const Value &x, double number) {
    const Value weak(number);
    const gpuopt_array inputs[] = {x.get(), weak.get()};
    record_op(GPUOPT_OP_add, inputs, x.get());
  }
  uint64_t pending() {
    gpuopt_engine_stats stats{};
    stats.struct_size = sizeof stats;
    EXPECT_EQ(gpuopt_engine_get_stats(fake.get(), &stats, nullptr), GPUOPT_OK);
    return stats.pending;
  }

  FakeDevice fake;
};

using Numbers = std::vector<double>;

TEST_F(EngineTest, AFailureStaysWithTheValuesItConcerns) {
  const Value x = array({1, 2, 3}), other = array({4, 5, 6, 7});
  const Value bad = sqrt(x), dependent = bad + Value(1.0), independent = other * Value(2.0);
  fake.fail_run = 1;
  EXPECT_EQ(failure_of([&] { evaluate(bad.get()); }).code, GPUOPT_ERR_INTERNAL);
  for (int look = 0; look < 2; ++look) {
    const Failure failure = failure_of([&] { read(bad); });
    EXPECT_EQ(failure.code, GPUOPT_ERR_INTERNAL);
    EXPECT_NE(failure.message.find("sqrt"), std::string::npos) << failure.message;
    EXPECT_NE(failure.message.find("no run, says the fake"), std::string::npos) << failure.message;
    EXPECT_NE(failure_of([&] { read(dependent); }).message.find("sqrt"), std::string::npos);
  }
  EXPECT_EQ(read(independent), (Numbers{8, 10, 12, 14}));
  EXPECT_EQ(read(x), (Numbers{1, 2, 3}));
  EXPECT_EQ(read(sqrt(square(x))), (Numbers{1, 2, 3}));
}

TEST_F(EngineTest, AFailureOfSeveralOperationsStaysWithAllThatTheirProgramStores) {
  const Value x = array({1, 4, 7}), doubled = x * Value(2.0), root = sqrt(doubled + Value(2.0));
  fake.fail_run = 1;
  const Failure failure = failure_of([&] { evaluate(root.get()); });
  EXPECT_EQ(failure.code, GPUOPT_ERR_INTERNAL);
  EXPECT_NE(failure.message.find("sqrt (recorded, with 2 other operations; float64, shape (3,))"), std::string::npos)
      << failure.message;
  EXPECT_EQ(failure_of([&] { read(root); }).message, failure.message);
  EXPECT_EQ(failure_of([&] { read(doubled); }).message, failure.message);
  EXPECT_EQ(read(sqrt(x * Value(2.0) + Value(2.0))), (Numbers{2, std::sqrt(10.0), 4}));
}

TEST_F(EngineTest, AFailedWriteInPlaceLeavesTheContentsAndCanBeOverwritten) {
  const Value x = array({1, 2, 3});
  const ArrayRef tail = [&] {
    const gpuopt_index item{GPUOPT_INDEX_SLICE, 0, 1, GPUOPT_SLICE_ALL, 1};
    return sliced_view(x.get(), 1, &item);
  }();
  add_to(x, 1.0);
  fake.fail_run = 1;
  EXPECT_EQ(failure_of([&] { read(x); }).code, GPUOPT_ERR_INTERNAL);
  EXPECT_EQ(failure_of([&] { read(tail); }).code, GPUOPT_ERR_INTERNAL);
  const double *memory = reinterpret_cast<const double *>(address(*x.get()));
  EXPECT_EQ(Numbers(memory, memory + 3), (Numbers{1, 2, 3}));
  const Value seven(7.0);
  record_assign(x.get(), seven.get());
  EXPECT_EQ(read(x), (Numbers{7, 7, 7}));
}

TEST_F(EngineTest, WithoutMemoryNothingIsLost) {
  const Value x = array({1, 2, 3}), y = x + Value(1.0), s = sqrt(y * y);
  add_to(x, 10.0);
  for (int n = 1; n <= 3; ++n) {
    const auto blocks = fake.blocks.size();
    fake.fail_allocation = 1;
    const Failure failure = failure_of([&] { read(s); });
    EXPECT_EQ(failure.code, GPUOPT_ERR_OUT_OF_MEMORY) << failure.message;
    EXPECT_EQ(fake.blocks.size(), blocks);
    EXPECT_GT(pending(), 0u);
  }
  EXPECT_EQ(read(s), (Numbers{2, 3, 4}));
  EXPECT_EQ(read(y), (Numbers{2, 3, 4}));
  EXPECT_EQ(read(x), (Numbers{11, 12, 13}));
  EXPECT_EQ(pending(), 0u);
}

// A program with in-place writes, overlaps and several groups, evaluated while the n-th allocation or run fails.
TEST_F(EngineTest, EveryAllocationMayFail) {
  for (int n = 1; n < 40; ++n) {
    FakeDevice device;
    const Value x = array(device, {1, 2, 3, 4, 5, 6});
    const gpuopt_index low{GPUOPT_INDEX_SLICE, 0, 0, 5, 1}, high{GPUOPT_INDEX_SLICE, 0, 1, 6, 1};
    const Value head = sliced_view(x.get(), 1, &low), tail = sliced_view(x.get(), 1, &high);
    auto step = [&](auto body) {
      device.fail_allocation = 0;
      Failure failure{GPUOPT_OK, GPUOPT_REASON_NONE, 0, {}};
      device.fail_allocation = n;
      failure = failure_of(body);
      device.fail_allocation = 0;
      if (failure.code) {
        EXPECT_EQ(failure.code, GPUOPT_ERR_OUT_OF_MEMORY) << failure.message;
        body();  // the same call again, now with memory
      }
    };
    const gpuopt_array overlap[] = {tail.get(), head.get()};
    step([&] { record_op(GPUOPT_OP_add, overlap, tail.get()); });  // x[1:] += x[:-1]
    Value scan = x, total = x;
    step([&] { scan = record_scan(GPUOPT_SCAN_cumulative_sum, x.get(), 0, 0); });
    step([&] { total = record_reduction(GPUOPT_REDUCTION_sum, scan.get(), 1, false, 0); });
    step([&] { add_to(x, 1.0); });
    const gpuopt_array all[] = {x.get(), total.get()};
    step([&] { evaluate(all); });
    EXPECT_EQ(read(x), (Numbers{2, 4, 6, 8, 10, 12}));
    EXPECT_EQ(read(total), (Numbers{1 + 4 + 9 + 16 + 25 + 36}));
    EXPECT_EQ(device.violation, "");
  }
}

TEST_F(EngineTest, ARefusedProgramIsRunInSmallerOnes) {
  const Value x = array({1, 4, 9}), root = sqrt(x), y = root * Value(2.0) + x - Value(1.0);
  const Value s = record_reduction(GPUOPT_REDUCTION_sum, y.get(), 1, false, 0);
  fake.refuse_more_steps_than = 4;
  EXPECT_EQ(read(s), (Numbers{2 + 7 + 14}));
  EXPECT_EQ(read(y), (Numbers{2, 7, 14}));
  EXPECT_EQ(fake.programs, 5);
}

TEST_F(EngineTest, AMillionChainedOperations) {
  Value x = array({0});
  for (int i = 0; i < 1000000; ++i) x = x + Value(1.0);
  EXPECT_LE(pending(), 4096u);
  EXPECT_EQ(read(x), (Numbers{1000000}));
}

TEST_F(EngineTest, AChainThatIsDroppedIsNeverRun) {
  {
    Value x = array({0});
    for (int i = 0; i < 4000; ++i) x = x + Value(1.0);
    EXPECT_EQ(pending(), 4000u);
  }
  EXPECT_EQ(pending(), 0u);
  EXPECT_EQ(fake.programs, 0);
}

TEST_F(EngineTest, RecordedOperationsDoNotPinMuchMemory) {
  FakeDevice device(false, 4096);
  Value sum = array(device, Numbers(16, 0.0));
  for (int i = 0; i < 100; ++i) {
    const Value x = array(device, Numbers(16, 1.0));  // 128 bytes that only the recorded sum keeps
    sum = sum + x;
  }
  uint64_t bytes = 0;
  for (auto &block : device.blocks) bytes += block.second;
  EXPECT_LE(bytes, 4096u / 4 + 4 * 128);
  EXPECT_GE(device.programs, 10);
  EXPECT_EQ(read(sum)[0], 100);
}

TEST_F(EngineTest, LargeArraysInUseDoNotStopFusion) {
  FakeDevice device(false, 4096);
  const Value x = array(device, Numbers(256, 1.0));  // half of the device's memory
  Value y = x;
  for (int i = 0; i < 50; ++i) y = y + x;
  EXPECT_EQ(device.programs, 0);
  EXPECT_EQ(read(y)[0], 51);
  EXPECT_EQ(device.programs, 1);
}

TEST_F(EngineTest, EagerRunsEachOperationAtOnce) {
  FakeDevice device(true);
  const Value x = array(device, {1, 2}), y = x + Value(1.0);
  EXPECT_EQ(device.programs, 1);
  const Value z = y * y;
  EXPECT_EQ(device.programs, 2);
  EXPECT_EQ(read(z), (Numbers{4, 9}));
  device.fail_run = 1;
  EXPECT_EQ(failure_of([&] { add_to(x, 1.0); }).code, GPUOPT_ERR_INTERNAL);
  EXPECT_EQ(read(x), (Numbers{1, 2}));
}

// Memory of the caller's: what is recorded on it has run when the call returns.
class ForeignMemory : public EngineTest {
 protected:
  ArrayRef wrap(double *memory, int64_t n) {
    auto storage = make_storage(fake.get()->default_stream, static_cast<uint64_t>(n) * sizeof(double));
    storage->external = true;
    storage->memory = memory;
    storage->context = &released;
    storage->release_external = [](void *context) { ++*static_cast<int *>(context); };
    auto stream = storage->stream;
    return make_view(storage.get(), std::move(stream), GPUOPT_FLOAT64, 1, &n, nullptr, 0, false);
  }
  int released = 0;
};

TEST_F(ForeignMemory, WorkIsSubmittedBeforeTheCallReturns) {
  double memory[] = {1, 2, 3};
  {
    const Value x = wrap(memory, 3), y = x + Value(1.0);
    memory[0] = 100;
    EXPECT_EQ(read(y), (Numbers{2, 3, 4}));
    add_to(x, 0.5);
    EXPECT_EQ(memory[0], 100.5);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST_F(ForeignMemory, OverlappingArraysOfTheSameMemory) {
  double memory[] = {1, 2, 3, 4};
  const Value head = wrap(memory, 3), tail = wrap(memory + 1, 3);
  const gpuopt_array inputs[] = {tail.get(), head.get()};
  record_op(GPUOPT_OP_add, inputs, tail.get());
  EXPECT_EQ(Numbers(memory, memory + 4), (Numbers{1, 3, 5, 7}));
  EXPECT_EQ(fake.violation, "");
}

TEST_F(ForeignMemory, AFailedWriteIsForgotten) {
  double memory[] = {1, 2, 3};
  const Value x = wrap(memory, 3);
  fake.fail_run = 1;
  EXPECT_EQ(failure_of([&] { add_to(x, 1.0); }).code, GPUOPT_ERR_INTERNAL);
  EXPECT_EQ(read(x), (Numbers{1, 2, 3}));
}

// What was recorded for x before the write that fails is still to come.
TEST_F(ForeignMemory, AFailedWriteLeavesThePendingValue) {
  double memory[] = {10, 20, 30};
  const Value foreign = wrap(memory, 3), x = array({1, 2, 3}) + Value(1.0);
  ASSERT_EQ(fake.programs, 0) << "x has not run";
  const gpuopt_array product[] = {foreign.get(), foreign.get()}, sum[] = {x.get(), foreign.get()};
  fake.fail_run = 1;
  EXPECT_EQ(failure_of([&] { record_op(GPUOPT_OP_multiply, product, x.get()); }).code, GPUOPT_ERR_INTERNAL);
  fake.fail_run = 1;
  EXPECT_EQ(failure_of([&] { record_op(GPUOPT_OP_add, sum, x.get()); }).code, GPUOPT_ERR_INTERNAL);
  EXPECT_EQ(read(x), (Numbers{2, 3, 4}));
  record_op(GPUOPT_OP_add, sum, x.get());
  EXPECT_EQ(read(x), (Numbers{12, 23, 34}));
}

TEST_F(EngineTest, StreamsAreOrderedByEvents) {
  const Ref<gpuopt_stream_s> second = make_stream(fake.get());
  const Value x = array({1, 2});
  const Value there = make_view(x.get()->storage.get(), second, GPUOPT_FLOAT64, 1, x.get()->shape, nullptr, 0, false);
  const Value y = there + Value(1.0);
  EXPECT_EQ(y.get()->stream.get(), second.get());
  evaluate(y.get());
  EXPECT_EQ(fake.waits, 1);
  add_to(x, 1.0);  // on the first stream, after the second has read
  evaluate(x.get());
  EXPECT_EQ(fake.waits, 2);
  EXPECT_EQ(read(y), (Numbers{2, 3}));
}

// A write waits for every stream that reads, not only for the first of them.
TEST_F(EngineTest, AWriteComesAfterTheReadsOfSeveralStreams) {
  const Value x = array({1, 2});
  const auto read_on = [&](const Ref<gpuopt_stream_s> &stream) {
    Value y =
        Value(make_view(x.get()->storage.get(), stream, GPUOPT_FLOAT64, 1, x.get()->shape, nullptr, 0, false)) + x;
    evaluate(y.get());
    return y;
  };
  std::vector<Ref<gpuopt_stream_s>> streams;
  std::vector<Value> sums;
  for (int i = 0; i < 3; ++i) {
    streams.push_back(make_stream(fake.get()));
    sums.push_back(read_on(streams.back()));
    EXPECT_EQ(fake.waits, i + 1) << "each reader waits for the write before it";
  }
  add_to(x, 1.0);
  evaluate(x.get());
  EXPECT_EQ(fake.waits, 6) << "the write waits for each of the three readers";
  for (const Value &sum : sums) EXPECT_EQ(read(sum), (Numbers{2, 4}));
  EXPECT_EQ(read(x), (Numbers{2, 3}));
}

TEST_F(EngineTest, StreamsAreOrderedWithoutEventsToo) {
  FakeDevice device(false, uint64_t{1} << 40, false);
  const Ref<gpuopt_stream_s> second = make_stream(device.get());
  const Value x = array(device, {1, 2});
  const Value y =
      Value(make_view(x.get()->storage.get(), second, GPUOPT_FLOAT64, 1, x.get()->shape, nullptr, 0, false)) + x;
  const int before = device.synchronizations;
  evaluate(y.get());
  EXPECT_EQ(device.synchronizations, before + 1);
}

// copy_from_host stands for everything that writes to memory outside the recorder.
TEST_F(EngineTest, WhatIsRecordedReadsTheContentsOfItsTime) {
  const Value x = array({1, 2, 3}), y = x + Value(1.0), z = y * Value(2.0), w = x * Value(3.0);
  const Numbers sevens(3, 7.0);
  copy_from_host(y.get(), sevens.data());
  copy_from_host(x.get(), sevens.data());
  EXPECT_EQ(read(z), (Numbers{4, 6, 8}));
  EXPECT_EQ(read(w), (Numbers{3, 6, 9}));
  EXPECT_EQ(read(y), sevens);
}

TEST_F(EngineTest, ResultsAreDroppedWhileAnotherThreadRunsThem) {
  const Value x = array(Numbers(4, 1.0));
  std::atomic<bool> done{false};
  std::thread runner([&] {
    while (!done) flush(fake.get());
  });
  for (int i = 0; i < 20000; ++i) Value(x + Value(1.0));
  done = true;
  runner.join();
  EXPECT_EQ(pending(), 0u);
}

TEST_F(EngineTest, OneOperationOverwritesOnlyWhatNobodyStillReads) {
  const Value x = array({1, 2, 3, 4});
  const gpuopt_index low{GPUOPT_INDEX_SLICE, 0, 0, 3, 1}, high{GPUOPT_INDEX_SLICE, 0, 1, 4, 1};
  const Value head = sliced_view(x.get(), 1, &low), tail = sliced_view(x.get(), 1, &high);
  add_to(x, 1.0);
  EXPECT_EQ(read(x), (Numbers{2, 3, 4, 5}));
  EXPECT_EQ(fake.in_place, 1);
  const gpuopt_array overlap[] = {head.get(), tail.get()};
  record_op(GPUOPT_OP_add, overlap, tail.get());
  EXPECT_EQ(read(x), (Numbers{2, 5, 7, 9}));
  const Value before = x * Value(10.0);
  add_to(x, 1.0);
  EXPECT_EQ(read(x), (Numbers{3, 6, 8, 10}));
  EXPECT_EQ(read(before), (Numbers{20, 50, 70, 90}));
  EXPECT_EQ(fake.violation, "");
}

TEST_F(EngineTest, DevicesDoNotMix) {
  FakeDevice device;
  const Value x = array({1, 2}), y = array(device, {3, 4});
  EXPECT_EQ(failure_of([&] { x + y; }).code, GPUOPT_ERR_DEVICE_MISMATCH);
  const gpuopt_array both[] = {x.get(), y.get()};
  EXPECT_EQ(failure_of([&] { evaluate(both); }).code, GPUOPT_ERR_DEVICE_MISMATCH);
  gpuopt_array moved = nullptr;
  const Value odd = flipped_view((y + Value(1.0)).get(), 0, nullptr);
  ASSERT_EQ(gpuopt_to_device(odd.get(), fake.get(), GPUOPT_COPY_IF_NEEDED, &moved, nullptr), GPUOPT_OK);
  const Value here = ArrayRef::adopt(moved);
  EXPECT_EQ(here.get()->device(), fake.get());
  EXPECT_EQ(read(x + here), (Numbers{6, 6}));
  EXPECT_EQ(gpuopt_to_device(y.get(), fake.get(), GPUOPT_COPY_NEVER, &moved, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST_F(EngineTest, ErrorsComeFromTheCallThatMakesThem) {
  const Value x = array({1, 2, 3}), y = array({1, 2});
  const Failure shapes = failure_of([&] { x + y; });
  EXPECT_EQ(shapes.code, GPUOPT_ERR_SHAPE);
  EXPECT_EQ(shapes.message, "add: operands could not be broadcast together with shapes (3,) (2,)");
  EXPECT_EQ(failure_of([&] { apply_op(GPUOPT_OP_bitwise_and, x, x); }).code, GPUOPT_ERR_TYPE);
  EXPECT_EQ(failure_of([&] { Value(1.0) + Value(2.0); }).code, GPUOPT_ERR_INVALID_ARGUMENT);
  const Value bytes = cast(x, GPUOPT_UINT8);
  EXPECT_EQ(failure_of([&] { bytes + Value(int64_t{256}); }).code, GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(failure_of([&] { record_assign(bytes.get(), Value(int64_t{-1}).get()); }).code, GPUOPT_ERR_OVERFLOW);
  const gpuopt_array inputs[] = {bytes.get(), x.get()};
  EXPECT_EQ(failure_of([&] { record_op(GPUOPT_OP_add, inputs, bytes.get()); }).code, GPUOPT_ERR_TYPE);
  const gpuopt_array ok[] = {y.get(), y.get()};
  EXPECT_EQ(failure_of([&] { record_op(GPUOPT_OP_add, ok, x.get()); }).code, GPUOPT_ERR_SHAPE);
  EXPECT_EQ(failure_of([&] { record_op(GPUOPT_OP_COUNT, ok); }).code, GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(failure_of([&] { record_op(GPUOPT_OP_sqrt, ok); }).code, GPUOPT_ERR_INVALID_ARGUMENT);
  gpuopt_array result = x.get();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_add(x.get(), nullptr, &result, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(result, nullptr);
  EXPECT_EQ(gpuopt_add(x.get(), x.get(), nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST_F(EngineTest, OneArrayIsReadByManyThreads) {
  const Value x = array(Numbers(100, 2.0)), y = x * x + Value(1.0);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const Value z = y + Value(static_cast<double>(t));
        const Numbers got = read(z), same = read(y);
        wrong += got[99] != 5.0 + t || same[0] != 5.0;
      }
    });
  }
  for (auto &thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(pending(), 0u);
}

TEST_F(EngineTest, StatsCountWhatIsRecordedAndRun) {
  gpuopt_engine_stats stats{};
  EXPECT_EQ(gpuopt_engine_get_stats(fake.get(), &stats, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  const Value x = array({1, 2}), y = x + Value(1.0), z = sqrt(y);
  EXPECT_EQ(pending(), 2u);
  read(z);
  stats.struct_size = sizeof stats;
  ASSERT_EQ(gpuopt_engine_get_stats(fake.get(), &stats, nullptr), GPUOPT_OK);
  EXPECT_EQ(stats.operations, 2u);
  EXPECT_EQ(stats.programs, 1u);
  EXPECT_EQ(stats.steps, 6u);
  EXPECT_EQ(stats.pending, 0u);
}

}  // namespace
}  // namespace gpuopt::test
