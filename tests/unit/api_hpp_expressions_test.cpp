// tests/unit/api_hpp_expressions_test.cpp -- gpuopt.hpp: expressions of one line run as one program and store their
// result alone, whatever looks at it in that line.
#include <gtest/gtest.h>

#include <cmath>
#include <gpuopt/gpuopt.hpp>
#include <numeric>

namespace gp = gpuopt;
using gp::array;
using V = std::vector<double>;

namespace {

constexpr int64_t kSize = 10000;  // too many for operations that run without being recorded

array ramp(double from, double step) {
  V list(static_cast<size_t>(kSize));
  for (size_t i = 0; i < list.size(); ++i) list[i] = from + step * static_cast<double>(i % 1000);
  return array(array(list).eval());
}

// What a statement adds to the device's counters.
struct Spent {
  uint64_t operations, programs, allocations, pending;
};
template <class Statement>
Spent spent_by(const Statement &statement) {
  const gp::device cpu("cpu");
  const gpuopt_engine_stats before = cpu.engine();
  const uint64_t allocations = cpu.memory().allocations;
  statement();
  const gpuopt_engine_stats after = cpu.engine();
  return {after.operations - before.operations, after.programs - before.programs,
          cpu.memory().allocations - allocations, after.pending - before.pending};
}

// A statement must run in one program, which allocates nothing but its result.
#define EXPECT_ONE_PROGRAM(...)                                    \
  do {                                                             \
    const Spent spent = spent_by([&] { __VA_ARGS__; });            \
    EXPECT_EQ(spent.programs, 1u) << #__VA_ARGS__;                 \
    EXPECT_EQ(spent.allocations, 1u) << #__VA_ARGS__ << " stores"; \
    EXPECT_EQ(spent.pending, 0u) << #__VA_ARGS__;                  \
  } while (false)

}  // namespace

class Expressions : public ::testing::Test {
 protected:
  const array x = ramp(1, 0.5), y = ramp(2, 0.25);
};

TEST_F(Expressions, OperatorsThatAreEvaluated) {
  EXPECT_ONE_PROGRAM(((x - y) * (x - y)).eval());
  EXPECT_ONE_PROGRAM((x + y * 2 - x / y).eval());
  EXPECT_ONE_PROGRAM((-(x + 1) % 7).eval());
  EXPECT_ONE_PROGRAM((((x > y) & (x < 2 * y)) | (x == y)).eval());
  EXPECT_ONE_PROGRAM((1 / (1 + x) / (2 + y)).eval());
  EXPECT_ONE_PROGRAM((!(x + y > 3)).eval());
}

TEST_F(Expressions, FunctionsThatAreEvaluated) {
  EXPECT_ONE_PROGRAM(gp::sqrt(x * x + y * y).eval());
  EXPECT_ONE_PROGRAM(gp::where(x + y > 3, x * y, x - y).eval());
  EXPECT_ONE_PROGRAM((gp::maximum(0, x) + gp::log1p(gp::exp(-gp::abs(x)))).eval());
  EXPECT_ONE_PROGRAM(gp::clip(x * 2 - y, 0, 5).eval());
  EXPECT_ONE_PROGRAM(gp::isclose(x * 2, y + 1).eval());
  EXPECT_ONE_PROGRAM(gp::nan_to_num(gp::sqrt(x - y)).eval());
}

TEST_F(Expressions, ReductionsWhoseNumberIsRead) {
  double read = 0;
  EXPECT_ONE_PROGRAM(read = gp::mean((x - y) * (x - y)).item<double>());
  EXPECT_ONE_PROGRAM(read = gp::sum(x * y).item<double>());
  EXPECT_ONE_PROGRAM(read = gp::max(gp::abs(x - y)).item<double>());
  EXPECT_ONE_PROGRAM(read = gp::sqrt(gp::sum(gp::square(x - y))).item<double>());
  EXPECT_ONE_PROGRAM(read = gp::all(x + y > 0).item<bool>());
  EXPECT_ONE_PROGRAM(read = gp::vecdot(x + 1, y * 2).item<double>());
  EXPECT_ONE_PROGRAM(read = gp::vector_norm(x - y).item<double>());
  EXPECT_GT(read, 0);
}

TEST_F(Expressions, MethodsOfTemporaries) {
  double read = 0;
  EXPECT_ONE_PROGRAM(read = (x * y).sum().item<double>());
  EXPECT_ONE_PROGRAM(read = (x - y).astype(gp::float32).mean().item<float>());
  EXPECT_ONE_PROGRAM(read = (x * 2 + y).max().item<double>());
  EXPECT_ONE_PROGRAM(read = (x > y).all().item<bool>() + 1.0);
  EXPECT_ONE_PROGRAM((x + y).round().astype(gp::int32).eval());
  EXPECT_GT(read, 0);
}

TEST_F(Expressions, WhatIsAssignedAndUpdated) {
  array z = gp::zeros({kSize}).copy();
  z.eval();
  const Spent spent = spent_by([&] { (z += (x - y) * 2).eval(); });
  EXPECT_EQ(spent.programs, 1u);
  EXPECT_LE(spent.allocations, 1u);
}

TEST_F(Expressions, VariablesKeepTheirArrays) {
  array p = x - y;
  const array q = p * p;  // p is a variable: it stays
  EXPECT_EQ(p.size(), kSize);
  EXPECT_EQ(q.item<double>({0}), 1);
  const array r = std::move(p) + 1;
  EXPECT_TRUE(p.empty()) << "moved from: the operation has taken the reference";
  EXPECT_EQ(r.item<double>({0}), 0);
}

TEST_F(Expressions, HaveTheValuesOfALoop) {
  const V a = x.to_vector<double>(), b = y.to_vector<double>();
  V squares(a.size());
  for (size_t i = 0; i < a.size(); ++i) squares[i] = (a[i] - b[i]) * (a[i] - b[i]);  // exact: few binary digits
  EXPECT_EQ(((x - y) * (x - y)).to_vector<double>(), squares);
  EXPECT_EQ(gp::sum((x - y) * (x - y)).item<double>(), std::accumulate(squares.begin(), squares.end(), 0.0));
}
