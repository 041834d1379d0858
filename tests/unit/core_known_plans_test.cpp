// tests/unit/core_known_plans_test.cpp -- from the third evaluation of an expression on its plan is not made again, and
// its values are those of the operands at hand. (core_hazard_test.cpp has random programs.)
#include <gtest/gtest.h>

#include <cmath>

#include "core/array/view.h"
#include "core/engine/access.h"
#include "core/engine/expression.h"
#include "core/engine/known_plans.h"
#include "core/engine/transfer.h"
#include "tests/unit/core_fake_device.h"

namespace gpuopt::test {
namespace {

constexpr int64_t kRows = 3, kColumns = 5;

class KnownPlanTest : public testing::Test {
 protected:
  Value array(std::vector<int64_t> shape, const std::vector<double> &elements) {
    ArrayRef x = make_array(fake.get()->default_stream, GPUOPT_FLOAT64, static_cast<int>(shape.size()), shape.data());
    copy_from_host(x.get(), elements.data());
    return x;
  }
  // A matrix whose elements are first, first + 1 and so on.
  Value matrix(double first) { return array({kRows, kColumns}, elements(first)); }
  static std::vector<double> elements(double first) {
    std::vector<double> all(kRows * kColumns);
    for (double &element : all) element = first++;
    return all;
  }
  static std::vector<double> read(const Value &x) {
    std::vector<double> all(static_cast<size_t>(x.get()->size));
    copy_to_host(x.get(), all.data());
    return all;
  }
  static Value sum(const Value &x, uint64_t axes, bool keepdims) {
    return record_reduction(GPUOPT_REDUCTION_sum, x.get(), axes, keepdims, 0);
  }
  // Sums over each row of a matrix of these elements.
  static std::vector<double> row_sums(const std::vector<double> &x) {
    std::vector<double> sums(kRows);
    for (size_t i = 0; i < x.size(); ++i) sums[i / kColumns] += x[i];
    return sums;
  }
  // x * y * factor / (sum(x * y, axis 1) + term), which needs planning, without handles of what is in between.
  static Value shares(const Value &x, const Value &y, double factor = 2, double term = 1) {
    return x * y * Value(factor) / (sum(x * y, 2, true) + Value(term));
  }
  static void expect_shares(const Value &got, const std::vector<double> &x, const std::vector<double> &y,
                            double factor = 2, double term = 1) {
    std::vector<double> product = x;
    for (size_t i = 0; i < x.size(); ++i) product[i] *= y[i];
    const std::vector<double> sums = row_sums(product), all = read(got);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(all[i], product[i] * factor / (sums[i / kColumns] + term)) << i;
  }
  uint64_t uses() const {
    const Engine &engine = engine_of(device);
    return engine.known_plans ? engine.known_plans->uses : 0;
  }
  // Evaluates shares(x, y) until its plan is kept.
  void learn(const Value &x, const Value &y) {
    for (int i = 0; i < 2; ++i) evaluate(shares(x, y).get());
    EXPECT_EQ(uses(), 0u);
  }
  Value zeros() { return array({kRows, kColumns}, std::vector<double>(kRows * kColumns)); }
  void TearDown() override { EXPECT_EQ(fake.violation, ""); }

  FakeDevice fake;
  const gpuopt_device device = fake.get();
};

TEST_F(KnownPlanTest, TheThirdEvaluationUsesThePlan) {
  for (int time = 0; time < 5; ++time) {
    const Value x = matrix(time), y = matrix(time * time), s = shares(x, y);
    const int64_t before = fake.programs;
    evaluate(s.get());
    EXPECT_EQ(fake.programs - before, 1);
    EXPECT_EQ(uses(), time < 2 ? 0u : time - 1u);
    expect_shares(s, elements(time), elements(time * time));
  }
}

TEST_F(KnownPlanTest, EqualOperandsAreAnotherExpression) {
  const Value x = matrix(1), y = matrix(4);
  learn(x, x);
  const Value squares = shares(x, x), products = shares(x, y);
  expect_shares(squares, elements(1), elements(1));
  EXPECT_EQ(uses(), 1u);
  expect_shares(products, elements(1), elements(4));
  EXPECT_EQ(uses(), 1u);
  // Two handles of one view are one operand.
  const Value view =
      make_view(x.get()->storage.get(), x.get()->stream, GPUOPT_FLOAT64, 2, x.get()->shape, x.get()->strides, 0, false);
  expect_shares(shares(x, view), elements(1), elements(1));
  EXPECT_EQ(uses(), 2u);
}

TEST_F(KnownPlanTest, EqualConstantsAreAnotherExpression) {
  const Value x = matrix(1), y = matrix(4);
  for (int time = 0; time < 3; ++time) {
    expect_shares(shares(x, y, time, time), elements(1), elements(4), time, time);
  }
  EXPECT_EQ(uses(), 1u);
  expect_shares(shares(x, y, 3, 5), elements(1), elements(4), 3, 5);
  EXPECT_EQ(uses(), 1u);
}

// The planner releases one of two nodes that compute the same, and with it its constants, before the plan is kept.
// Without AddressSanitizer a plan that still looked for them would mostly find them.
TEST_F(KnownPlanTest, ConstantsOfSharedValuesOutliveThem) {
  for (int time = 0; time < 4; ++time) {
    const double term = time + 4.0;
    const Value x = matrix(time);
    const auto moved = [&] { return x + Value(term); };
    const Value part = moved() * Value(3.0) / sum(moved() * Value(3.0), 2, true);
    std::vector<double> wanted = elements(time);
    for (double &w : wanted) w = (w + term) * 3;
    const std::vector<double> sums = row_sums(wanted), got = read(part);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], wanted[i] / sums[i / kColumns]) << time << ", " << i;
  }
  EXPECT_EQ(uses(), 2u);
}

TEST_F(KnownPlanTest, ShapesBelongToTheKey) {
  learn(matrix(1), matrix(4));
  const Value row = array({1, kColumns}, {1, 2, 3, 4, 5});
  const std::vector<double> all = read(shares(row, row));
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], (i + 1.0) * (i + 1.0) * 2 / (55 + 1)) << i;
  EXPECT_EQ(uses(), 0u);
}

// A constant has extents of its own only where it is reduced.
TEST_F(KnownPlanTest, ExtentsOfConstantsBelongToTheKey) {
  for (const int64_t n : {5000, 5000, 5000, 6000, 6000}) {
    const double two = 2;
    const Value twos = record_constant(device->default_stream, GPUOPT_FLOAT64, 1, &n, &two);
    const Value root = sqrt(sum(twos, 1, false));
    evaluate(root.get());
    EXPECT_EQ(read(root)[0], std::sqrt(2 * static_cast<double>(n))) << n;
  }
  EXPECT_EQ(uses(), 1u);
}

// Sums of equal numbers are not equal if there are more numbers in one of them.
TEST_F(KnownPlanTest, ReducedConstantsOfOtherExtentsAreOtherValues) {
  const double two = 2;
  const auto twos = [&](std::vector<int64_t> shape) {
    return Value(
        record_constant(device->default_stream, GPUOPT_FLOAT64, static_cast<int>(shape.size()), shape.data(), &two));
  };
  for (int time = 0; time < 4; ++time) {
    EXPECT_EQ(read(sum(twos({5000}), 1, false) + sum(twos({6000}), 1, false))[0], 22000);
    const Value rows = sum(twos({3, 5}), 2, false), wide = sum(twos({3, 7}), 2, false),
                same = sum(twos({3, 5}), 2, false);
    const gpuopt_array all[] = {rows.get(), wide.get(), same.get()};
    evaluate(all);
    EXPECT_EQ(read(rows), (std::vector<double>{10, 10, 10}));
    EXPECT_EQ(read(wide), (std::vector<double>{14, 14, 14}));
    EXPECT_EQ(read(same), read(rows));
  }
}

TEST_F(KnownPlanTest, WhatIsHeldIsStored) {
  const Value x = matrix(1), y = matrix(4);
  const auto part_of_sum = [](const Value &product) { return product / sum(product, 2, true); };
  for (int time = 0; time < 3; ++time) {
    const Value part = part_of_sum(x * y);  // of a product that nobody holds
    evaluate(part.get());
  }
  EXPECT_EQ(uses(), 1u);
  const Value product = x * y;
  evaluate(part_of_sum(product).get());
  EXPECT_EQ(uses(), 1u);
  std::vector<double> products = elements(1);
  for (size_t i = 0; i < products.size(); ++i) products[i] *= elements(4)[i];
  const int64_t before = fake.programs;
  EXPECT_EQ(read(product), products);
  EXPECT_EQ(fake.programs, before);
}

// Between them memory is released, and constants, too.
TEST_F(KnownPlanTest, SeveralProgramsArePlanned) {
  for (int time = 0; time < 4; ++time) {
    const Value x = matrix(time), v = array({kColumns}, {1, 4, 9, 16, 25}), rest = sqrt(v);
    const Value result = sum(x - rest, 2, false);
    const int64_t before = fake.programs;
    const std::vector<double> got = read(result);
    EXPECT_EQ(fake.programs - before, 2);
    std::vector<double> wanted = row_sums(elements(time));
    for (double &w : wanted) w -= 15;
    EXPECT_EQ(got, wanted);
    const Value twice = array({2}, {1, 2}) * Value(2.0), more = array({3}, {1, 2, 3}) * Value(2.0);
    const gpuopt_array both[] = {twice.get(), more.get()};
    evaluate(both);
    EXPECT_EQ(read(twice), (std::vector<double>{2, 4}));
    EXPECT_EQ(read(more), (std::vector<double>{2, 4, 6}));
  }
  EXPECT_EQ(uses(), 0u);
}

TEST_F(KnownPlanTest, WhatThePlanCannotRunIsPlannedAgain) {
  const Value x = matrix(1), y = matrix(4);
  learn(x, y);
  fake.fail_run = 1;
  expect_shares(shares(x, y), elements(1), elements(4));
  EXPECT_EQ(uses(), 0u);
  for (int time = 0; time < 2; ++time) expect_shares(shares(x, y), elements(1), elements(4));
  EXPECT_EQ(uses(), 1u);            // it has been kept once more
  fake.refuse_more_steps_than = 4;  // two inputs, operation and output
  expect_shares(shares(x, y), elements(1), elements(4));
}

TEST_F(KnownPlanTest, WithoutMemoryNothingIsLost) {
  const Value x = matrix(1), y = matrix(4);
  learn(x, y);
  const Value s = shares(x, y);
  fake.fail_allocation = 1;
  try {
    evaluate(s.get());
    ADD_FAILURE() << "there was memory";
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code, GPUOPT_ERR_OUT_OF_MEMORY);
    EXPECT_NE(failure.message.find("recorded, with"), std::string::npos) << failure.message;
  }
  expect_shares(s, elements(1), elements(4));
}

TEST_F(KnownPlanTest, TargetsWithMemoryArePlanned) {
  const Value x = matrix(1), y = matrix(4);
  for (int time = 0; time < 4; ++time) {
    const Value out = zeros(), s = shares(x, y);
    const gpuopt_array inputs[] = {out.get(), s.get()};
    record_op(GPUOPT_OP_add, inputs, out.get());
    expect_shares(out, elements(1), elements(4));
  }
}

}  // namespace
}  // namespace gpuopt::test
