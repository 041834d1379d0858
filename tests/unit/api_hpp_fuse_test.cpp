// tests/unit/api_hpp_fuse_test.cpp -- gpuopt.hpp: fused functions, what they compute and in how many programs.
// FusedValues.* run again without recording, as unit/api_hpp_fuse_eager.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <gpuopt/gpuopt.hpp>
#include <numeric>

namespace gp = gpuopt;
using gp::array;
using V = std::vector<double>;

namespace {

V values(const array &x) { return x.astype(gp::float64).to_vector<double>(); }
array evaluated(const V &list) { return array(array(list).eval()); }

// What a call adds to the device's counters.
struct Cost {
  uint64_t operations, programs, pending, allocations;
};
template <class Call>
Cost cost_of(const Call &call) {
  const gp::device cpu("cpu");
  const gpuopt_engine_stats before = cpu.engine();
  const uint64_t allocations = cpu.memory().allocations;
  call();
  const gpuopt_engine_stats after = cpu.engine();
  return {after.operations - before.operations, after.programs - before.programs, after.pending - before.pending,
          cpu.memory().allocations - allocations};
}

array length(const array &x, const array &y) { return gp::sqrt(x * x + y * y); }

const V a{3, 5, 8, -20}, b{4, 12, 15, 21}, lengths{5, 13, 17, 29};  // whole, hence exact in any order

}  // namespace

TEST(FusedCounts, AFunctionIsOneProgramOfOneAllocation) {
  const auto fused = gp::fuse(length);
  const array x = evaluated(a), y = evaluated(b);
  array z;
  const Cost cost = cost_of([&] { z = fused(x, y); });
  EXPECT_EQ(cost.operations, 4u);
  EXPECT_EQ(cost.programs, 1u);
  EXPECT_EQ(cost.allocations, 1u);
  EXPECT_EQ(cost.pending, 0u);
  EXPECT_EQ(cost_of([&] { EXPECT_EQ(z.to_vector<double>(), lengths); }).programs, 0u) << "it has run";
  const Cost plain = cost_of([&] { z = length(x, y); });
  EXPECT_EQ(plain.programs, 0u) << "what is only recorded has not";
}

TEST(FusedCounts, WhatTheArgumentsWaitForGoesIntoTheProgram) {
  const auto fused = gp::fuse(length);
  const array x = evaluated(a), y = evaluated(b);
  array z;
  EXPECT_EQ(cost_of([&] { z = fused(x + 1 - 1, y); }).programs, 1u);
  EXPECT_EQ(values(z), lengths);
}

TEST(FusedCounts, AllResultsAreOneProgram) {
  const array x = evaluated(a), y = evaluated(b);
  const auto as_tuple = [](const array &p, const array &q) { return std::tuple(p + q, p - q, gp::sum(p * q)); };
  const auto as_pair = [](const array &p, const array &q) { return std::pair(p + q, p - q); };
  const auto as_array = [](const array &p, const array &q) { return std::array<array, 2>{p + q, p - q}; };
  const auto as_vector = [](const array &p, const array &q) { return std::vector<array>{p + q, p - q, p * q}; };
  const auto programs = [&](const auto &function) { return cost_of([&] { (void)gp::fuse(function)(x, y); }).programs; };
  EXPECT_EQ(programs(as_pair), 1u);
  EXPECT_EQ(programs(as_array), 1u);
  EXPECT_EQ(programs(as_vector), 1u);
  // The sum reduces what the others keep: two programs, of which both are over at the return.
  const auto three = gp::fuse(as_tuple)(x, y);
  const Cost reading = cost_of([&] {
    EXPECT_EQ(values(std::get<0>(three)), (V{7, 17, 23, 1}));
    EXPECT_EQ(values(std::get<1>(three)), (V{-1, -7, -7, -41}));
    EXPECT_EQ(std::get<2>(three).item<double>(), std::inner_product(a.begin(), a.end(), b.begin(), 0.0));
  });
  EXPECT_EQ(reading.programs, 0u);
  const Cost alone = cost_of([&] {
    const auto [p, q] = as_pair(x, y);
    p.eval();
    q.eval();
  });
  EXPECT_EQ(alone.programs, 2u) << "the same function, not fused";
}

TEST(FusedCounts, AFunctionWithoutResultWritesItsArguments) {
  const array x = evaluated(a);
  const auto threefold = gp::fuse([](array y) {
    y *= 5;
    y *= y;
    y += y;
  });
  const Cost cost = cost_of([&] { threefold(x); });
  EXPECT_EQ(cost.programs, 1u);
  EXPECT_EQ(cost.pending, 0u);
  EXPECT_EQ(x.to_vector<double>(), (V{450, 1250, 3200, 20000}));
}

TEST(FusedCounts, AnErrorLeavesNothingBehind) {
  const auto fused = gp::fuse(length);
  const array x = evaluated(a), three = evaluated({1, 2, 3});
  const Cost cost = cost_of([&] {
    try {
      (void)fused(x, three);
      ADD_FAILURE() << "an error was expected";
    } catch (const gp::error &e) {
      EXPECT_EQ(e.code(), GPUOPT_ERR_SHAPE);
    }
  });
  EXPECT_EQ(cost.programs, 0u);
  EXPECT_EQ(cost.pending, 0u);
}

TEST(FusedValues, AreThoseOfALoop) {
  std::vector<float> x(10007), y(10007);
  for (size_t i = 0; i < x.size(); i++) {
    x[i] = static_cast<float>(i) * 0.37f - 1000;
    y[i] = 1 / (static_cast<float>(i) + 3);
  }
  const auto fused = gp::fuse([](const array &p, const array &q) {
    const array scaled = (p - 1) * q, size = gp::abs(scaled);
    return std::pair(gp::where(scaled < 0, size, gp::sqrt(size)), gp::max(size));
  });
  const auto [roots, largest] = fused(array(x), array(y));
  const std::vector<float> got = roots.to_vector<float>();
  float most = 0;
  for (size_t i = 0; i < x.size(); i++) {
    const float less = x[i] - 1, scaled = less * y[i], size = std::fabs(scaled);
    ASSERT_EQ(got[i], scaled < 0 ? size : std::sqrt(size)) << i;
    most = std::max(most, size);
  }
  EXPECT_EQ(largest.item<float>(), most);
}

TEST(FusedValues, NumbersAreWeakOrAsTheFunctionTakesThem) {
  const array x = array(a).astype(gp::float32);
  const auto scaled = gp::fuse([](const array &p, const array &q) { return p * q; });
  EXPECT_EQ(scaled(x, 0.5).dtype(), gp::float32);
  EXPECT_EQ(values(scaled(2, x)), (V{6, 10, 16, -40}));
  const auto line = gp::fuse([](const array &p, double slope, int offset) { return slope * slope * p + offset; });
  EXPECT_EQ(values(line(x, 2, 1)), (V{13, 21, 33, -79}));
  EXPECT_EQ(line(x, 2, 1).dtype(), gp::float32);
  const auto any = gp::fuse([](const auto &p, const auto &q) { return p + q * q; });
  EXPECT_EQ(values(any(x, 3)), (V{12, 14, 17, -11}));
  EXPECT_EQ(values(any(3, x)), (V{12, 28, 67, 403}));
}

TEST(FusedValues, FunctionsMayLookAtDtypesShapesAndElements) {
  const auto positive = gp::fuse([](const array &p) {
    if (p.dtype() == gp::bool_) return p;
    return gp::any(p < 0).item<bool>() ? gp::abs(p) * p.ndim() : p;
  });
  EXPECT_EQ(values(positive(array(a))), (V{3, 5, 8, 20}));
  EXPECT_EQ(values(positive(array(b))), b);
  EXPECT_EQ(values(positive(array({true, false}))), (V{1, 0}));
  EXPECT_TRUE(gp::fuse([] { return std::vector<array>(); })().empty());
  EXPECT_THROW((void)gp::fuse([](const array &) { return array(); })(array(a)), gp::error);
}
