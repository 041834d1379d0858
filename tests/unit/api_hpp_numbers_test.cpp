// tests/unit/api_hpp_numbers_test.cpp -- the C++ face: numbers, polynomials, convolutions of several dimensions,
// histogramdd, normal vectors and functions of lines, by NumPy's and SciPy's numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <gpuopt/gpuopt.hpp>
#include <limits>
#include <random>

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

// Numbers of all magnitudes, more than are computed without being recorded.
template <class T>
static std::vector<T> awkward_numbers() {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> list = {0.0, -0.0, 1,      -1,      inf,   -inf,  NAN,    2,
                              -3,  0.1,  1e-310, -1e-310, 1e-45, 1e200, -1e200, 65000};
  std::mt19937_64 random(5);
  for (int i = 0; i < 5000; ++i)
    list.push_back(std::ldexp(static_cast<double>(random()) * 0x1p-63 - 1, static_cast<int>(random() % 160) - 80));
  return {list.begin(), list.end()};
}
template <class T>
static T power_by_definition(T x, double y) {
  if (y == 2) return x * x;
  if (y == 3) return x * x * x;
  if (y == -1) return T(1) / x;
  if (y == 1) return x;
  return std::isinf(x) ? std::abs(x) : std::sqrt(x + T(0));
}
template <class T>
static void expect_bits(const std::vector<T> &got, const std::vector<T> &wanted, double exponent) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const bool nans = got[i] != got[i] && wanted[i] != wanted[i];
    ASSERT_TRUE(nans || !std::memcmp(&got[i], &wanted[i], sizeof(T))) << i << ", exponent " << exponent;
  }
}

// A number as the exponent, an array that is recorded as one number, and one in memory; results that are stored, too.
template <class T>
static void check_simple_powers() {
  const std::vector<T> list = awkward_numbers<T>();
  const array x(list);
  const auto n = static_cast<int64_t>(list.size());
  for (const double y : {2.0, 3.0, -1.0, 1.0, 0.5}) {
    std::vector<T> wanted;
    for (const T number : list) wanted.push_back(power_by_definition(number, y));
    const array in_memory(std::vector<T>(list.size(), static_cast<T>(y)));
    expect_bits(gp::pow(x, y).template to_vector<T>(), wanted, y);
    expect_bits(gp::pow(x, gp::full({n}, y, x.dtype())).template to_vector<T>(), wanted, y);
    expect_bits(gp::pow(x, in_memory).template to_vector<T>(), wanted, y);
    expect_bits(gp::pow(x(gp::slice(0, 16, 1)), y).template to_vector<T>(), {wanted.begin(), wanted.begin() + 16}, y);
    array stored = x.copy();
    stored.assign(gp::pow(stored, y));
    expect_bits(stored.template to_vector<T>(), wanted, y);
  }
}

TEST(Numbers, SimplePowersAreProductsRootsAndQuotients) {
  check_simple_powers<double>();
  check_simple_powers<float>();
}

// 16-bit floats are computed in float32; integers wrap.
TEST(Numbers, PowersByNumbersHaveTheBitsOfPowersByArrays) {
  const array x(awkward_numbers<float>());
  const auto n = x.shape()[0];
  for (const gp::dtype type : {gp::float16, gp::bfloat16, gp::int8, gp::uint16, gp::int32, gp::int64, gp::uint64}) {
    const array base = gp::where(gp::isfinite(x), x, 7.0f).astype(type).copy();
    for (const int y : {1, 2, 3}) {
      const array exponents = gp::full({n}, y, type).copy();
      exponents.eval();
      const auto by_number = values(gp::pow(base, y)), by_array = values(gp::pow(base, exponents));
      expect_bits(by_number, by_array, y);
    }
  }
}

TEST(Numbers, PowersBroadcastAndKeepTheirDtype) {
  const array x = array({1.0f, 2.0f, 3.0f}).reshape({3, 1});
  const array cubes = gp::pow(x, gp::full({1, 2000}, 3, gp::float32));
  EXPECT_EQ(cubes.shape(), (gp::dims{3, 2000}));
  EXPECT_EQ(values(gp::sum(cubes, 1)), (V{2000, 16000, 54000}));
  EXPECT_EQ(gp::pow(x, 0.5).dtype(), gp::float32);
  EXPECT_EQ(gp::pow(array({3}), 2).dtype(), gp::int64);
  EXPECT_EQ(gp::pow(gp::zeros({0, 4}), 3.0).shape(), (gp::dims{0, 4}));
}
