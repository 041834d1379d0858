// tests/unit/api_hpp_operators_test.cpp -- gpuopt.hpp: operators and functions call the operation they stand for.
#include <gtest/gtest.h>

#include <cmath>
#include <gpuopt/gpuopt.hpp>

namespace gp = gpuopt;
using gp::array;

static std::vector<double> values(const array &x) { return x.astype(gp::float64).to_vector<double>(); }
using V = std::vector<double>;

TEST(Operators, BetweenArrays) {
  const array a({7, -7, 8}), b({2, 2, -3});
  EXPECT_EQ(values(a + b), (V{9, -5, 5}));
  EXPECT_EQ(values(a - b), (V{5, -9, 11}));
  EXPECT_EQ(values(a * b), (V{14, -14, -24}));
  EXPECT_EQ(values(a / b), (V{3.5, -3.5, 8.0 / -3.0}));
  EXPECT_EQ((a / b).dtype(), gp::float64);
  EXPECT_EQ(values(a % b), (V{1, 1, -1}));  // the sign of the divisor
  EXPECT_EQ(values(a & b), (V{7 & 2, -7 & 2, 8 & -3}));
  EXPECT_EQ(values(a | b), (V{7 | 2, -7 | 2, 8 | -3}));
  EXPECT_EQ(values(a ^ b), (V{7 ^ 2, -7 ^ 2, 8 ^ -3}));
  EXPECT_EQ(values(a == b + 5), (V{1, 0, 0}));
  EXPECT_EQ(values(a != b + 5), (V{0, 1, 1}));
  EXPECT_EQ(values(a < b), (V{0, 1, 0}));
  EXPECT_EQ(values(a <= a), (V{1, 1, 1}));
  EXPECT_EQ(values(a > b), (V{1, 0, 1}));
  EXPECT_EQ(values(a >= b), (V{1, 0, 1}));
  EXPECT_EQ((a > b).dtype(), gp::bool_);
  EXPECT_EQ(values(-a), (V{-7, 7, -8}));
  EXPECT_EQ(values(+a), (V{7, -7, 8}));
  EXPECT_EQ(values(~a), (V{~7, ~-7, ~8}));
  EXPECT_EQ(values(!(a > 0)), (V{0, 1, 0}));
}

TEST(Operators, NumbersAreWeakOnBothSides) {
  const array x({1.5f, 2.5f});
  EXPECT_EQ(values(x * 2), (V{3, 5}));
  EXPECT_EQ((x * 2.0).dtype(), gp::float32);
  EXPECT_EQ((x * int64_t{2}).dtype(), gp::float32);
  EXPECT_EQ(values(10 - x), (V{8.5, 7.5}));
  EXPECT_EQ(values(3.0 / x), (V{2, 3.0f / 2.5f}));
  EXPECT_EQ(values(2 > x), (V{1, 0}));
  EXPECT_EQ(values(1.5 == x), (V{1, 0}));
  EXPECT_EQ((x * std::complex<double>(0, 1)).dtype(), gp::complex64);
  const array small({100, 27}, gp::int8);
  EXPECT_EQ((small + 1).dtype(), gp::int8);
  EXPECT_EQ(values(small + true), (V{101, 28}));
  EXPECT_EQ((small + 1.0).dtype(), gp::float64);
  EXPECT_EQ(values(1 << array({0, 3})), (V{1, 8}));
  EXPECT_EQ(values(array({-9, 9}) >> 1), (V{-5, 4}));
}

TEST(Operators, CompoundAssignmentIsInPlace) {
  array x({8, 9, 10}, gp::int32);
  const array same = x;
  x += 1;
  x -= array({1, 2, 3});
  EXPECT_EQ(values(same), (V{8, 8, 8}));
  x *= 3;
  x %= 7;
  EXPECT_EQ(values(same), (V{3, 3, 3}));
  x <<= 2;
  x |= 1;
  x ^= 4;
  x &= array({15, 8, 1});
  x >>= 1;
  EXPECT_EQ(values(same), (V{9 >> 1, 8 >> 1, 1 >> 1}));
  EXPECT_EQ(same.dtype(), gp::int32);
  array y({1.0f, 2.0f});
  y /= 4;
  EXPECT_EQ(values(y), (V{0.25, 0.5}));
  EXPECT_THROW(x /= 2, gp::error);    // int32 cannot hold true division
  EXPECT_THROW(x += 0.5, gp::error);  // nor reals
  EXPECT_THROW(y += gp::ones({2, 2}), gp::error);
  EXPECT_EQ(values(same), (V{4, 4, 0}));  // and nothing has changed
}

TEST(Functions, OfTheTable) {
  const array x({-1.5, 0.25, 4.0});
  for (int i = 0; i < 3; ++i) {
    const double v = x.item<double>(i);
    EXPECT_EQ(gp::abs(x).item<double>(i), std::fabs(v));
    EXPECT_EQ(gp::floor(x).item<double>(i), std::floor(v));
    EXPECT_NEAR(gp::exp(x).item<double>(i), std::exp(v), 1e-15 * std::exp(v));
    EXPECT_EQ(gp::maximum(0, x).item<double>(i), std::fmax(0, v));
    EXPECT_EQ(gp::clip(x, -1, 1).item<double>(i), std::fmin(std::fmax(v, -1), 1));
    EXPECT_EQ(gp::where(x > 0, x, 9).item<double>(i), v > 0 ? v : 9);
    EXPECT_EQ(gp::copysign(x, -1.0).item<double>(i), std::copysign(v, -1.0));
  }
  array out = gp::empty_like(x);
  gp::multiply_into(x, 2, out);
  EXPECT_EQ(values(out), (V{-3, 0.5, 8}));
  gp::sqrt_into(gp::abs(out), out);
  EXPECT_EQ(out.item<double>(1), std::sqrt(0.5));
  EXPECT_EQ(values(gp::pow(array({2, 3}), 3)), (V{8, 27}));
}

TEST(Functions, ReductionsAndScans) {
  const array x({{1.0, 2.0, 3.0}, {4.0, 5.0, 9.0}});
  EXPECT_EQ(gp::sum(x).item<double>(), 24);
  EXPECT_EQ(values(gp::sum(x, 0)), (V{5, 7, 12}));
  EXPECT_EQ(values(gp::sum(x, -1)), (V{6, 18}));
  EXPECT_EQ(gp::sum(x, {0, 1}).shape(), gp::dims{});
  EXPECT_EQ(gp::sum(x, gp::axes(1).keepdims()).shape(), (gp::dims{2, 1}));
  EXPECT_EQ(gp::sum(x, gp::axes().keepdims()).shape(), (gp::dims{1, 1}));
  EXPECT_EQ(gp::sum(x, gp::axes().type(gp::float32)).dtype(), gp::float32);
  EXPECT_EQ(values(gp::mean(x, 1)), (V{2, 6}));
  EXPECT_EQ(values(gp::var(x, 1)), (V{2.0 / 3, 14.0 / 3}));
  EXPECT_EQ(values(gp::std(x, gp::axes(1).correction(1))), (V{1, std::sqrt(7.0)}));
  EXPECT_EQ(values(gp::max(x, 0)), (V{4, 5, 9}));
  EXPECT_EQ(gp::argmax(x).item<int>(), 5);
  EXPECT_TRUE(gp::all(x > 0).item<bool>());
  EXPECT_EQ(values(gp::all(x > 1, 0)), (V{0, 1, 1}));
  EXPECT_EQ(values(gp::any(x > 4, 1)), (V{0, 1}));
  EXPECT_EQ(gp::count_nonzero(x > 2).item<int>(), 4);
  EXPECT_EQ(gp::nansum(array({1.0, NAN, 2.0})).item<double>(), 3);
  EXPECT_EQ(gp::nanmean(array({1.0, NAN, 2.0})).item<double>(), 1.5);
  EXPECT_EQ(gp::nanargmax(array({1.0, NAN, 2.0})).item<int>(), 2);
  EXPECT_EQ(values(gp::cumulative_sum(x, 1)), (V{1, 3, 6, 4, 9, 18}));
  EXPECT_EQ(values(gp::cumulative_prod(array({2, 3}), 0, gp::float64, true)), (V{1, 2, 6}));
}

// Without an axis: of one dimension. The array API has no answer for more, and NumPy's is the flattened array's.
TEST(Functions, ScansWithoutAnAxis) {
  EXPECT_EQ(values(gp::cumulative_sum(array({1.0, 2.0, 3.0}))), (V{1, 3, 6}));
  EXPECT_EQ(values(gp::cumulative_prod(array({1.0, 2.0, 3.0}))), (V{1, 2, 6}));
  const array x({{1.0, 2.0, 3.0}, {4.0, 5.0, 9.0}});
  EXPECT_EQ(values(gp::cumulative_sum(x.reshape({-1}))), (V{1, 3, 6, 10, 15, 24}));
  for (const array &unclear : {x, gp::sum(x)}) {
    try {
      gp::cumulative_sum(unclear);
      ADD_FAILURE() << "an array of " << unclear.ndim() << " dimensions was scanned along an axis nobody named";
    } catch (const gp::error &e) {
      EXPECT_EQ(e.code(), GPUOPT_ERR_INVALID_ARGUMENT);
      EXPECT_NE(std::string(e.what()).find("reshape({-1})"), std::string::npos) << e.what();
    }
  }
}

TEST(Functions, Products) {
  const array x({{1.0, 2.0}, {3.0, 4.0}}), v({1.0, -1.0});
  EXPECT_EQ(values(gp::matmul(x, v)), (V{-1, -1}));
  EXPECT_EQ(gp::dot(v, v).item<double>(), 2);
  EXPECT_EQ(values(gp::dot(2, v)), (V{2, -2}));
  EXPECT_EQ(values(gp::vecdot(x, v)), (V{-1, -1}));
  EXPECT_EQ(values(gp::outer(v, v)), (V{1, -1, -1, 1}));
  EXPECT_EQ(gp::tensordot(x, x).item<double>(), 30);
  EXPECT_EQ(values(gp::tensordot(x, v, {1}, {0})), (V{-1, -1}));
  EXPECT_THROW((void)gp::tensordot(x, v, {1}, {0, 1}), gp::error);
  EXPECT_EQ(gp::norm(array({3.0, 4.0})).item<double>(), 5);
  EXPECT_EQ(gp::vector_norm(x, INFINITY).item<double>(), 4);
  EXPECT_EQ(values(gp::vector_norm(x, 1, 0)), (V{4, 6}));
  EXPECT_EQ(gp::matrix_norm(x, 1).item<double>(), 6);
}
