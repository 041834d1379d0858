// tests/unit/api_hpp_numbers_test.cpp -- the C++ face: numbers, polynomials, convolutions of several dimensions,
// histogramdd, normal vectors and functions of lines, by NumPy's and SciPy's numbers.
#include <gtest/gtest.h>

#include <gpuopt/gpuopt.hpp>

namespace gp = gpuopt;
using gp::array;
using V = std::vector<double>;

static V values(const array &x) { return x.astype(gp::float64).to_vector<double>(); }

TEST(Numbers, HavePartsAndScales) {
  const auto [mantissa, exponent] = gp::frexp(array({6.0, -0.375}));
  EXPECT_EQ(values(mantissa), (V{0.75, -0.75}));
  EXPECT_EQ(exponent.dtype(), gp::int32);
  EXPECT_EQ(values(exponent), (V{3, -1}));
  EXPECT_EQ(values(gp::ldexp(array({1.5, 3.0}), 4)), (V{24, 48}));
  EXPECT_EQ(values(gp::ldexp(array({1.5, 3.0}), array({1, -1}))), (V{3, 1.5}));
  const auto [fraction, whole] = gp::modf(array({-2.25, 4.0}));
  EXPECT_EQ(values(fraction), (V{-0.25, 0}));
  EXPECT_EQ(values(whole), (V{-2, 4}));
  const auto [quotient, remainder] = gp::divmod(array({7, -7}), 3);
  EXPECT_EQ(values(quotient), (V{2, -3}));
  EXPECT_EQ(values(remainder), (V{1, 2}));
  EXPECT_EQ(values(gp::divmod(9, array({4})).quotient), V{2});
  EXPECT_EQ(values(gp::spacing(array({1.0, -4.0}))), (V{0x1p-52, -0x1p-50}));
  EXPECT_EQ(values(gp::float_power(array({2, 3}), -1)), (V{0.5, 1.0 / 3}));
  EXPECT_EQ(values(gp::xlogy(array({0.0, 2.0}), array({0.0, 1.0}))), (V{0, 0}));
  EXPECT_EQ(values(gp::entr(array({0.0, 1.0}))), (V{0, 0}));
  EXPECT_EQ(values(gp::gcd(array({12, -18}), 8)), (V{4, 2}));
  EXPECT_EQ(values(gp::lcm(array({4, 6}), 10)), (V{20, 30}));
  EXPECT_EQ(values(gp::logaddexp2(array({3.0}), array({3.0}))), V{4});
  EXPECT_EQ(values(gp::digamma(array({1.0}))), V{-0.57721566490153287});
}

TEST(Polynomials, AreArraysOfCoefficients) {
  const array p({1.0, -3.0, 2.0});
  EXPECT_EQ(values(gp::polyval(p, array({0.0, 5.0}))), (V{2, 12}));
  EXPECT_EQ(values(gp::polyadd(p, array({1.0, 1.0}))), (V{1, -2, 3}));
  EXPECT_EQ(values(gp::polysub(p, array({1.0, 1.0}))), (V{1, -4, 1}));
  EXPECT_EQ(values(gp::polymul(p, array({0.0, 1.0, 1.0}))), (V{1, -2, -1, 2}));
  const auto [quotient, rest] = gp::polydiv(p, array({1.0, -1.0}));
  EXPECT_EQ(values(quotient), (V{1, -2}));
  EXPECT_EQ(values(rest), V{0});
  EXPECT_EQ(values(gp::polyder(p)), (V{2, -3}));
  EXPECT_EQ(values(gp::polyint(array({6.0, 2.0}), 1, 7)), (V{3, 2, 7}));
  EXPECT_EQ(values(gp::polyint(array({6.0, 2.0}))), (V{3, 2, 0}));
  const V zeros = values(gp::sort(gp::real(gp::roots(p))));
  EXPECT_NEAR(zeros[0], 1, 1e-14);
  EXPECT_NEAR(zeros[1], 2, 1e-14);
  EXPECT_EQ(values(gp::poly(array({1.0, 2.0}))), (V{1, -3, 2}));
}

TEST(Polynomials, AreFittedToPoints) {
  const array x({0.0, 1.0, 2.0, 3.0}), y({1.0, 3.0, 5.0, 7.0});
  for (const array &c : {gp::polyfit(x, y, 1), gp::polyfit(x, y, 1, array({1.0, 2.0, 1.0, 2.0})),
                         gp::polyfit_cov(x, y, 1).coefficients}) {
    EXPECT_NEAR(values(c)[0], 2, 1e-13);
    EXPECT_NEAR(values(c)[1], 1, 1e-13);
  }
  EXPECT_EQ(gp::polyfit_full(x, y, 1).rank.item<int64_t>(), 2);
  EXPECT_EQ(gp::polyfit_cov(x, y, 1, true).covariance.shape(), (gp::dims{2, 2}));
  EXPECT_THROW(gp::polyfit(x, y, -1), gp::error);
}

TEST(Convolutions, AreAlongAllAxes) {
  const array x({{1.0, 2.0}, {3.0, 4.0}}), y({{0.0, 1.0}});
  for (const gp::convolve_method method : {gp::convolve_method::direct, gp::convolve_method::fft}) {
    const V full = values(gp::convolve_nd(x, y, gp::convolve_mode::full, method));
    const V expected = {0, 1, 2, 0, 3, 4};
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(full[i], expected[i], 1e-15);
  }
  EXPECT_EQ(gp::fftconvolve(x, x, gp::convolve_mode::same).shape(), (gp::dims{2, 2}));
  EXPECT_EQ(values(gp::correlate_nd(x, y, gp::convolve_mode::valid)), (V{2, 4}));
  EXPECT_EQ(gp::choose_conv_method(x, y), gp::convolve_method::direct);
}

TEST(Histograms, AreOfSeveralDimensions) {
  const array x({{0.0, 0.0}, {1.0, 2.0}, {1.0, 2.0}, {0.25, 1.5}});
  const gp::histogramdd_result made = gp::histogramdd(x, {2, 2});
  EXPECT_EQ(values(made.counts), (V{1, 1, 0, 2}));
  ASSERT_EQ(made.edges.size(), 2u);
  EXPECT_EQ(values(made.edges[1]), (V{0, 1, 2}));
  EXPECT_EQ(values(gp::histogramdd(x, {1, 1}, {{0.0, 0.5}, {0.0, 3.0}}).counts), V{2});
  EXPECT_EQ(values(gp::histogramdd_with(x, made.edges)), values(made.counts));
  EXPECT_EQ(values(gp::histogramdd_with(x, made.edges, array({1.0, 2.0, 3.0, 4.0}))), (V{1, 4, 0, 5}));
  EXPECT_THROW(gp::histogramdd(x, {2, 2}, {{0.0, 1.0}}), gp::error);
}

TEST(Random, NormalVectors) {
  const array mean({1.0, 2.0}), cov({{2.0, 0.5}, {0.5, 1.0}});
  gp::random_state state(5);
  gp::generator rng = gp::default_rng(5);
  EXPECT_EQ(state.multivariate_normal(mean, cov, {4}).shape(), (gp::dims{4, 2}));
  EXPECT_EQ(rng.multivariate_normal(mean, cov, {4}, gp::normal_method::cholesky).shape(), (gp::dims{4, 2}));
  EXPECT_THROW(state.multivariate_normal(mean, array({{1.0, 0.0}, {0.0, -1.0}})), gp::error);
  EXPECT_EQ(state.multivariate_normal(mean, array({{1.0, 0.0}, {0.0, -1.0}}), {}, false).shape(), (gp::dims{2}));
}

TEST(ApplyAlongAxis, TakesFunctionsOfCpp) {
  const array x({{3.0, 1.0}, {2.0, 4.0}});
  int calls = 0;
  const auto sorted = [&](const array &line) {
    ++calls;
    return gp::sort(line);
  };
  EXPECT_EQ(values(gp::apply_along_axis(sorted, 1, x)), (V{1, 3, 2, 4}));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(values(gp::apply_along_axis([](const array &line) { return gp::sum(line); }, 0, x)), (V{5, 5}));
  const auto fails = [](const array &) -> array { throw std::runtime_error("mine"); };
  EXPECT_THROW(gp::apply_along_axis(fails, 0, x), std::runtime_error);
  const auto refused = [](const array &line) { return gp::reshape(line, {7}); };
  EXPECT_THROW(gp::apply_along_axis(refused, 0, x), gp::error);
}
