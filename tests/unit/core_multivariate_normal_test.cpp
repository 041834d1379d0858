// tests/unit/core_multivariate_normal_test.cpp -- normal vectors against NumPy's, but for the signs of singular
// vectors; their covariances; what fails.
#include <gtest/gtest.h>

#include "tests/unit/core_multivariate_normal_cases.h"
#include "tests/unit/core_numpy_cases.h"

namespace {

using namespace numpy_cases;

template <size_t N>
Array matrix(const double (&numbers)[N]) {
  const auto n = static_cast<int64_t>(std::lround(std::sqrt(N)));
  return support::make({n, n}, std::vector<double>(numbers, numbers + N));
}
template <size_t N>
Array vector(const double (&numbers)[N]) {
  return support::make({static_cast<int64_t>(N)}, std::vector<double>(numbers, numbers + N));
}

struct Generators {
  gpuopt_generator generator = nullptr;
  gpuopt_random_state state = nullptr;
  explicit Generators(uint32_t seed) {
    gpuopt_error error = GPUOPT_ERROR_INIT;
    EXPECT_EQ(gpuopt_generator_create_pcg64(support::cpu(), 1, &seed, 0, nullptr, &generator, &error), GPUOPT_OK);
    EXPECT_EQ(gpuopt_random_state_create(support::cpu(), seed, &state, &error), GPUOPT_OK);
  }
  ~Generators() {
    gpuopt_generator_release(generator);
    gpuopt_random_state_release(state);
  }
  Array draw(const Array &mean, const Array &cov, gpuopt_normal_method method, const Shape &shape) const {
    Result r;
    return r.take(gpuopt_generator_multivariate_normal(generator, mean.get(), cov.get(), method, 1, 1e-8,
                                                       static_cast<int32_t>(shape.size()), shape.data(), &r.array,
                                                       &r.error));
  }
  Array draw_from_state(const Array &mean, const Array &cov, const Shape &shape) const {
    Result r;
    return r.take(gpuopt_random_state_multivariate_normal(
        state, mean.get(), cov.get(), 1, 1e-8, static_cast<int32_t>(shape.size()), shape.data(), &r.array, &r.error));
  }
};

// Compares vectors, or their distances from the mean alone.
template <size_t N>
void expect_near(const Array &x, const double (&expected)[N], bool signs) {
  const std::vector<Complex> got = complex_values(x);
  ASSERT_EQ(got.size(), N);
  for (size_t i = 0; i < N; ++i) {
    const double mean = signs ? 0 : kMean[i % 3];
    const double a = got[i].real() - mean, b = expected[i] - mean;
    EXPECT_NEAR(signs ? a : std::fabs(a), signs ? b : std::fabs(b), 1e-13) << i;
  }
}

TEST(MultivariateNormal, IsNumpys) {
  const Array mean = vector(kMean), full = matrix(kFull), diagonal = matrix(kDiagonal);
  const Array x = Generators(5).draw(mean, full, GPUOPT_NORMAL_CHOLESKY, {2, 2});
  EXPECT_EQ(support::shape_of(x), (Shape{2, 2, 3}));
  expect_near(x, kCholesky, true);
  expect_near(Generators(5).draw(mean, diagonal, GPUOPT_NORMAL_SVD, {3}), kSvd, false);
  expect_near(Generators(5).draw(mean, diagonal, GPUOPT_NORMAL_EIGH, {3}), kEigh, false);
  expect_near(Generators(5).draw_from_state(mean, diagonal, {3}), kState, false);
}

TEST(MultivariateNormal, HasNoAxesOfItsOwnWithoutAShape) {
  const Array one = support::make({1}, std::vector<double>{3}), four = support::make({1, 1}, std::vector<double>{4});
  const Array x = Generators(6).draw_from_state(one, four, {});
  EXPECT_EQ(support::shape_of(x), (Shape{1}));
  EXPECT_NEAR(std::fabs(complex_values(x)[0].real() - 3), std::fabs(kOne[0] - 3), 1e-14);
}

TEST(MultivariateNormal, HasTheCovariancesAskedFor) {
  const Array mean = vector(kMean), full = matrix(kFull);
  for (const gpuopt_normal_method method : {GPUOPT_NORMAL_SVD, GPUOPT_NORMAL_EIGH, GPUOPT_NORMAL_CHOLESKY}) {
    const Array x = Generators(7).draw(mean, full, method, {20000});
    gpuopt_cov_options options{};
    options.struct_size = sizeof options;
    options.columns = 1;
    Result r;
    const Array cov = r.take(gpuopt_cov(x.get(), nullptr, &options, &r.array, &r.error));
    const std::vector<Complex> got = complex_values(cov);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i].real(), kFull[i], 0.1) << method << ' ' << i;
  }
}

TEST(MultivariateNormal, WithoutASquareRootFails) {
  const Array mean = vector(kMean), full = matrix(kFull);
  const Array two = support::make({2}, std::vector<double>{1, 2});
  const Array negative = support::make({2, 2}, std::vector<double>{1, 0, 0, -1});
  const Array skew = support::make({2, 2}, std::vector<double>{1, 2, 0, 1});
  const Generators g(1);
  gpuopt_array r = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const auto draw = [&](const Array &m, const Array &c, gpuopt_normal_method method, int32_t check) {
    return gpuopt_generator_multivariate_normal(g.generator, m.get(), c.get(), method, check, 1e-8, 0, nullptr, &r,
                                                &error);
  };
  EXPECT_EQ(draw(two, full, GPUOPT_NORMAL_SVD, 1), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(draw(full, full, GPUOPT_NORMAL_SVD, 1), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(draw(mean, mean, GPUOPT_NORMAL_SVD, 1), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(draw(mean, full, 3, 1), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(draw(two, negative, GPUOPT_NORMAL_SVD, 1), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(draw(two, negative, GPUOPT_NORMAL_EIGH, 1), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(draw(two, negative, GPUOPT_NORMAL_CHOLESKY, 1), GPUOPT_ERR_LINALG);
  EXPECT_EQ(draw(two, skew, GPUOPT_NORMAL_SVD, 1), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(r, nullptr);
  ASSERT_EQ(draw(two, skew, GPUOPT_NORMAL_SVD, 0), GPUOPT_OK) << error.message;
  gpuopt_array_release(r);
}

}  // namespace
