// tests/conformance/random_kernel_test.cpp -- random numbers drawn in kernels are those the library draws, on the
// device under test; the library's are compared with independent ones in random_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <gpuopt/gpuopt.hpp>
#include <vector>

#include "tests/conformance/kernel_fixture.h"

namespace {

namespace gp = gpuopt;
using namespace gpuopt::test;
constexpr uint64_t kSeed = 20260811;

class RandomKernel : public KernelTest {
 protected:
  // What one thread draws, `n` times in a row.
  template <class T>
  static std::vector<T> in_a_row(const std::string &draw, gp::dtype t, int64_t n) {
    const std::string loop = "philox rng(seed); for (int k = 0; k < n; k++) out[k] = rng." + draw;
    const gp::elementwise_kernel kernel("uint64 seed, int64 n", "raw T out", loop, "in_a_row");
    const gp::array out = gp::zeros({n}, t);
    gpuopt_kernel_call_options options = GPUOPT_KERNEL_CALL_OPTIONS_INIT;
    options.has_size = 1;
    options.size = 1;
    gp::detail::call_kernel(kernel.get(), options, {gp::operand(kSeed), gp::operand(n), gp::operand(out)});
    return values<T>(out);
  }
};

TEST_F(RandomKernel, DrawsInARowAreTheLibrarysElements) {
  const int64_t n = 1003;
  EXPECT_EQ(in_a_row<double>("uniform()", gp::float64, n),
            values<double>(gp::generator(kSeed).uniform(0, 1, {n}, gp::float64)));
  EXPECT_EQ(in_a_row<float>("uniform<float>()", gp::float32, n),
            values<float>(gp::generator(kSeed).uniform(0, 1, {n}, gp::float32)));
  EXPECT_EQ(in_a_row<double>("normal()", gp::float64, n),
            values<double>(gp::generator(kSeed).normal(0, 1, {n}, gp::float64)));
  EXPECT_EQ(in_a_row<float>("normal<float>()", gp::float32, n),
            values<float>(gp::generator(kSeed).normal(0, 1, {n}, gp::float32)));
  EXPECT_EQ(in_a_row<double>("exponential()", gp::float64, n),
            values<double>(gp::generator(kSeed).exponential(1, {n}, gp::float64)));
  EXPECT_EQ(in_a_row<float>("exponential<float>()", gp::float32, n),
            values<float>(gp::generator(kSeed).exponential(1, {n}, gp::float32)));
}

TEST_F(RandomKernel, IntegersOfEveryKindOfRange) {
  const int64_t n = 101;
  for (const int64_t high : {int64_t{8}, int64_t{10}, int64_t{1} << 32, (int64_t{1} << 40), (int64_t{1} << 40) + 7}) {
    const std::string draw = "integer(-3, " + std::to_string(high - 3) + "LL)";
    EXPECT_EQ(in_a_row<int64_t>(draw, gp::int64, n),
              values<int64_t>(gp::generator(kSeed).integers(-3, high - 3, {n}, gp::int64)))
        << high;
  }
}

TEST_F(RandomKernel, AThreadStartsAtAWordOfItsOwn) {
  const int64_t n = 5000;
  const gp::array x = gp::zeros({n}, gp::float32), y = gp::zeros({n}, gp::float64);
  gp::elementwise_kernel("uint64 seed", "float32 x", "x = philox(seed, 0, i).uniform<float>()", "word")(kSeed, x);
  gp::elementwise_kernel("uint64 seed", "float64 y", "y = philox(seed, 0, 2 * i).uniform()", "words")(kSeed, y);
  EXPECT_EQ(values<float>(x), values<float>(gp::generator(kSeed).uniform(0, 1, {n}, gp::float32)));
  EXPECT_EQ(values<double>(y), values<double>(gp::generator(kSeed).uniform(0, 1, {n}, gp::float64)));
}

// The mean of n normals of n streams: within 5 standard deviations, and not what one stream gives.
TEST_F(RandomKernel, StreamsDiffer) {
  const int64_t n = 100000;
  const gp::array x = gp::zeros({n}, gp::float64);
  gp::elementwise_kernel("uint64 seed", "float64 x", "x = philox(seed, i + 1).normal()", "streams")(kSeed, x);
  EXPECT_LT(std::abs(gp::mean(x).item<double>()), 5 / std::sqrt(static_cast<double>(n)));
  EXPECT_NEAR(gp::var(x).item<double>(), 1, 5 * std::sqrt(2 / static_cast<double>(n)));
  const std::vector<double> drawn = values<double>(x);
  EXPECT_NE(drawn[0], drawn[1]);
}

}  // namespace
