// tests/unit/core_round_trip_test.cpp -- what a backend does not offer: done by the CPU backend with the same bits and
// one warning, or an error that says what is missing where the device was required.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/log.h"
#include "core/engine/expression.h"
#include "core/engine/transfer.h"
#include "tests/unit/core_bare_device.h"
#include "tests/unit/core_failure.h"

namespace gpuopt::test {
namespace {

using support::BareDevice;

template <class T>
Value array(gpuopt_device device, std::vector<T> values, std::vector<int64_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<int64_t>(values.size())};
  ArrayRef x = make_array(device->default_stream, support::dtype_of<T>(), static_cast<int>(shape.size()), shape.data());
  copy_from_host(x.get(), values.data());
  return x;
}

template <class T>
std::vector<T> read(const Value &x) {
  std::vector<T> out(static_cast<size_t>(x.get()->size));
  copy_to_host(x.get(), out.data());
  return out;
}

Value exp(const Value &x) { return apply_op(GPUOPT_OP_exp, x); }
Value log1p(const Value &x) { return apply_op(GPUOPT_OP_log1p, x); }

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

// The lines logged while it lives.
class Log {
 public:
  Log() {
    gpuopt_log_set_callback(
        [](const gpuopt_log_record *record, void *user) { static_cast<Log *>(user)->lines.push_back(record->line); },
        this);
  }
  ~Log() { gpuopt_log_set_callback(nullptr, nullptr); }
  std::vector<std::string> lines;
};

// A far device without library operations, under a name of its own: warnings come once per backend in a process.
class RoundTrip : public testing::Test {
 protected:
  RoundTrip() {
    static int count = 0;
    fake.backend().name = "far" + std::to_string(++count);
  }
  ~RoundTrip() override { EXPECT_EQ(fake.violation, ""); }

  // Softplus by hand on some awkward numbers, as bits.
  static std::vector<uint32_t> softplus_bits(gpuopt_device device) {
    const float inf = INFINITY;
    const Value x = array<float>(device, {-1e-40f, 0.5f, -0.0f, 88.7f, -inf, inf, NAN, 1e-3f, 17.25f});
    const Value y = log1p(exp(x)) + x * Value(0.125);
    std::vector<uint32_t> bits(9);
    copy_to_host(y.get(), bits.data());
    bits[6] = 0;  // any NaN is as good as another
    return bits;
  }

  BareDevice fake;
  Log log;
};

TEST_F(RoundTrip, OneMissingOperationOfAProgramGivesTheSameBitsAndOneWarning) {
  const std::vector<uint32_t> expected = softplus_bits(support::cpu());
  fake.lacking_op = GPUOPT_OP_log1p;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(softplus_bits(fake.get()), expected);
  EXPECT_EQ(fake.programs, 2 * 3);  // exp, * and + ran where the data is
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_TRUE(has(log.lines[0], "gpuopt[W] backend.cpu_round_trip requested=far")) << log.lines[0];
  EXPECT_TRUE(has(log.lines[0], "using=cpu")) << log.lines[0];
  EXPECT_TRUE(has(log.lines[0], "fake:0 does not offer log1p of float32")) << log.lines[0];
  EXPECT_TRUE(has(log.lines[0], "no such loop, says the fake")) << log.lines[0];
}

TEST_F(RoundTrip, EachOperationHasItsWarning) {
  fake.refuse_more_steps_than = 2;
  EXPECT_EQ(softplus_bits(fake.get()), softplus_bits(support::cpu()));
  EXPECT_EQ(fake.programs, 0);
  EXPECT_EQ(log.lines.size(), 4u);  // exp, log1p, multiply, add
}

TEST_F(RoundTrip, OperationsNewerThanThePluginAreNotAskedOfIt) {
  fake.backend().op_count = GPUOPT_OP_exp;
  fake.backend().reduction_count = fake.backend().scan_count = 0;
  fake.backend().version = "0.1";
  const Value x = array<double>(fake.get(), {0, 1, 2});
  EXPECT_EQ(read<double>(exp(x)), read<double>(exp(array<double>(support::cpu(), {0, 1, 2}))));
  EXPECT_EQ(fake.programs, 0);
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_TRUE(has(log.lines[0], "the plugin (version 0.1) is older than the operation")) << log.lines[0];
  const Value sum = record_reduction(GPUOPT_REDUCTION_sum, x.get(), 1, false, 0);
  EXPECT_EQ(read<double>(sum), std::vector<double>{3});
  EXPECT_EQ(read<double>(record_scan(GPUOPT_SCAN_cumulative_sum, x.get(), 0, 0)), (std::vector<double>{0, 1, 3}));
  EXPECT_EQ(fake.programs, 0);
}

TEST_F(RoundTrip, ReductionsAndEmptyArrays) {
  fake.refuse_more_steps_than = 2;
  const Value x = array<double>(fake.get(), {1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(read<double>(record_reduction(GPUOPT_REDUCTION_sum, x.get(), 2, false, 0)), (std::vector<double>{6, 15}));
  EXPECT_EQ(read<double>(record_reduction(GPUOPT_REDUCTION_sum, x.get(), 1, true, 0)), (std::vector<double>{5, 7, 9}));
  const Value none = array<double>(fake.get(), {}, {0, 3});
  EXPECT_EQ(read<double>(record_reduction(GPUOPT_REDUCTION_sum, none.get(), 1, false, 0)),
            (std::vector<double>{0, 0, 0}));
}

TEST_F(RoundTrip, OnlyTheElementsOfAViewAreWritten) {
  fake.refuse_more_steps_than = 2;
  const Value x = array<int32_t>(fake.get(), {0, 1, 2, 3, 4, 5, 6, 7});
  const int64_t four = 4, backwards = -8;
  const Value odd = make_view(x.get()->storage.get(), x.get()->stream, GPUOPT_INT32, 1, &four, &backwards, 28, false);
  const gpuopt_array inputs[] = {odd.get(), odd.get()};
  record_op(GPUOPT_OP_multiply, inputs, odd.get());
  EXPECT_EQ(read<int32_t>(x), (std::vector<int32_t>{0, 1, 2, 9, 4, 25, 6, 49}));
}

// The inputs are other memory: nothing but the output brings what lies between its elements.
TEST_F(RoundTrip, WhatLiesBetweenTheElementsOfAnOutputStays) {
  fake.refuse_more_steps_than = 2;
  const Value x = array<int32_t>(fake.get(), {1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007});
  const Value factors = array<int32_t>(fake.get(), {1, 2, 3, 4});
  const int64_t four = 4, stride = 8;
  const Value odd = make_view(x.get()->storage.get(), x.get()->stream, GPUOPT_INT32, 1, &four, &stride, 4, false);
  const gpuopt_array inputs[] = {factors.get(), factors.get()};
  record_op(GPUOPT_OP_multiply, inputs, odd.get());
  EXPECT_EQ(read<int32_t>(x), (std::vector<int32_t>{1000, 1, 1002, 4, 1004, 9, 1006, 16}));
}

TEST_F(RoundTrip, LibraryOperations) {
  const Value a = array<float>(fake.get(), {1, 2, 3, 4}, {2, 2});
  gpuopt_array product = nullptr;
  ASSERT_EQ(gpuopt_matmul(a.get(), a.get(), &product, nullptr), GPUOPT_OK);
  EXPECT_EQ(read<float>(Value(ArrayRef::adopt(product))), (std::vector<float>{7, 10, 15, 22}));
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_TRUE(has(log.lines[0], "fake:0 does not offer matmul of float32, float32")) << log.lines[0];
}

// ---- Where the device was required

class Required : public RoundTrip {
 protected:
  Required() { fake.get()->required = true; }
};

TEST_F(Required, AMissingOperationIsAnErrorThatNamesIt) {
  fake.lacking_op = GPUOPT_OP_sqrt;
  const Value x = array<float>(fake.get(), {1, 4, 9}), y = sqrt(x) + Value(1.0);
  const Failure failure = failure_of([&] { read<float>(y); });
  EXPECT_EQ(failure.code, GPUOPT_ERR_UNSUPPORTED);
  for (const char *part : {"sqrt", "float32", "fake:0", "required", "no such loop, says the fake"})
    EXPECT_TRUE(has(failure.message, part)) << part << ": " << failure.message;
  EXPECT_EQ(read<float>(x + Value(1.0)), (std::vector<float>{2, 5, 10}));  // what it does offer goes on
  EXPECT_TRUE(log.lines.empty());
}

TEST_F(Required, SoIsAMissingSlot) {
  const Value a = array<float>(fake.get(), {1, 2, 3, 4}, {2, 2});
  gpuopt_array product = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_matmul(a.get(), a.get(), &product, &error), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_TRUE(has(error.message, "fake:0 does not offer matmul of float32, float32")) << error.message;
  EXPECT_TRUE(log.lines.empty());
}

TEST_F(Required, SequencesOfRandomNumbersAreDrawnOnTheCpuByDesign) {
  const auto draw = [](gpuopt_device device) {
    gpuopt_random_state state = nullptr;
    gpuopt_array x = nullptr;
    const int64_t n = 5;
    EXPECT_EQ(gpuopt_random_state_create(device, 1, &state, nullptr), GPUOPT_OK);
    EXPECT_EQ(gpuopt_random_state_random_sample(state, 1, &n, &x, nullptr), GPUOPT_OK);
    gpuopt_random_state_release(state);
    return read<double>(Value(ArrayRef::adopt(x)));
  };
  EXPECT_EQ(draw(fake.get()), draw(support::cpu()));
  EXPECT_TRUE(log.lines.empty());
}

TEST_F(Required, AnOperationThatNeedsNoPlanningFailsLikewise) {
  fake.refuse_more_steps_than = 2;
  const Value x = array<double>(fake.get(), {1, 4});
  const Value y = sqrt(x);
  EXPECT_EQ(failure_of([&] { evaluate(y.get()); }).code, GPUOPT_ERR_UNSUPPORTED);
}

}  // namespace
}  // namespace gpuopt::test
