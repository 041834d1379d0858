// tests/cuda/seed_test.cpp -- common operations run from a seed where there is no run-time compiler, on the fake
// driver; the seed is made by gpuopt_cuda_seed just before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <gpuopt/gpuopt.hpp>
#include <numeric>
#include <vector>

namespace {

namespace gp = gpuopt;

// Long enough for the kernels of long arrays, and for the shared-out reduction.
constexpr int64_t kRows = 256, kColumns = 4096;

std::vector<float> counted() {
  std::vector<float> values(kRows * kColumns);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17);
  return values;
}

class SeedTest : public testing::Test {
 protected:
  const gp::device cuda{"cuda!"};  // its self-test is the first user of the seed
  const std::vector<float> values = counted();
  const gp::array x{values.data(), {kRows, kColumns}, cuda};
};

TEST_F(SeedTest, OperationsOfTheSeedRun) {
  const std::vector<float> sum = (x + x.copy()).to_vector<float>(), scaled = (x + 5).to_vector<float>(),
                           twice = (x + x).to_vector<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(sum[i], 2 * values[i]);
    ASSERT_EQ(scaled[i], values[i] + 5);
    ASSERT_EQ(twice[i], 2 * values[i]);
  }
}

TEST_F(SeedTest, ReductionsOfTheSeedRun) {
  const double whole = std::accumulate(values.begin(), values.end(), 0.0);  // of small integers: exact
  EXPECT_EQ(gp::sum(x).to_vector<float>()[0], static_cast<float>(whole));
  EXPECT_EQ(gp::mean(x).to_vector<float>()[0], static_cast<float>(whole) / values.size());
  const std::vector<float> rows = gp::sum(x, 1).to_vector<float>(), columns = gp::sum(x, 0).to_vector<float>();
  for (int64_t row = 0; row < kRows; ++row) {
    const auto begin = values.begin() + row * kColumns;
    ASSERT_EQ(rows[row], std::accumulate(begin, begin + kColumns, 0.0f));
  }
  for (int64_t column = 0; column < kColumns; ++column) {
    float expected = 0;
    for (int64_t row = 0; row < kRows; ++row) expected += values[row * kColumns + column];
    ASSERT_EQ(columns[column], expected);
  }
}

// What the host makes of them is what common_kernels.cpp takes it to be.
TEST_F(SeedTest, ChainsOfTheSeedRun) {
  const auto softplus = [](const gp::array &a) {
    const gp::array log = gp::log1p(gp::exp(-gp::abs(a)));
    return gp::maximum(0, a) + log;
  };
  const gp::array y = (x + 1).copy();
  y.eval();
  gp::array chain = x.copy();
  chain *= 5;
  chain *= chain;
  chain += chain;
  const gp::array axpy = x * 2 + y, xapy = 3 * x + y, chosen = gp::where(x > 8, x, 8), plus = softplus(x);
  const std::vector<float> of_chain = chain.to_vector<float>(), of_axpy = axpy.to_vector<float>(),
                           of_xapy = xapy.to_vector<float>(), of_chosen = chosen.to_vector<float>(),
                           of_plus = plus.to_vector<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(of_chain[i], 50 * values[i] * values[i]);
    ASSERT_EQ(of_axpy[i], 3 * values[i] + 1);
    ASSERT_EQ(of_xapy[i], 4 * values[i] + 1);
    ASSERT_EQ(of_chosen[i], std::max(values[i], 8.0f));
    ASSERT_NEAR(of_plus[i], std::log1p(std::exp(static_cast<double>(values[i]))), 2e-6);
  }
}

TEST_F(SeedTest, ColumnsAndRowsAreStandardized) {
  for (const int axis : {0, 1}) {
    const std::vector<int64_t> shape = axis == 0 ? std::vector<int64_t>{1, kColumns} : std::vector<int64_t>{kRows, 1};
    const size_t count = static_cast<size_t>(axis == 0 ? kColumns : kRows);
    std::vector<float> mean(count), std(count);
    for (size_t k = 0; k < count; ++k) mean[k] = static_cast<float>(k % 5), std[k] = static_cast<float>(k % 3 + 1);
    const gp::array m(mean.data(), shape, cuda), s(std.data(), shape, cuda), standardized = (x - m) / s;
    const std::vector<float> result = standardized.to_vector<float>();
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t k = axis == 0 ? i % kColumns : i / kColumns;
      ASSERT_EQ(result[i], (values[i] - mean[k]) / std[k]);
    }
  }
}

TEST_F(SeedTest, WhatIsNotInItSaysThatTheCompilerIsMissing) {
  try {
    gp::sin(x).to_vector<float>();
    FAIL() << "there is a compiler after all";
  } catch (const gp::error &error) {
    EXPECT_EQ(error.code(), GPUOPT_ERR_UNSUPPORTED);
    EXPECT_EQ(error.reason(), GPUOPT_REASON_COMPILER_MISSING);
  }
}

}  // namespace
