// tests/unit/api_hpp_linalg_test.cpp -- linear algebra in C++: each function once, and its defaults.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <gpuopt/gpuopt.hpp>
#include <vector>

namespace gp = gpuopt;

namespace {

using Reals = std::vector<double>;

gp::array matrix() { return gp::array({4.0, 2.0, 2.0, 3.0}, gp::float64, gp::device("cpu")).reshape({2, 2}); }
gp::array vector() { return gp::array({8.0, 8.0}, gp::float64, gp::device("cpu")); }

void expect_near(const gp::array &x, const Reals &expected) {
  const Reals got = x.astype(gp::float64).to_vector<double>();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12) << i;
}

const Reals kMatrix = {4, 2, 2, 3};
constexpr double kRoot = 1.4142135623730951;

TEST(HppLinalg, Factorizations) {
  const gp::array x = matrix(), l = gp::linalg::cholesky(x), u = gp::linalg::cholesky(x, true);
  expect_near(l, {2, 0, 1, kRoot});
  expect_near(u, {2, 1, 0, kRoot});
  const auto [q, r] = gp::linalg::qr(x);
  expect_near(gp::matmul(q, r), kMatrix);
  expect_near(gp::linalg::qr_r(x), r.to_vector<double>());
  const gp::array column = gp::array({3.0, 4.0}, gp::float64, gp::device("cpu")).reshape({2, 1});
  EXPECT_EQ(gp::linalg::qr(column, gp::linalg::qr_mode::complete).q.shape(1), 2);
  const auto [p, lower, upper] = gp::linalg::lu(x);
  expect_near(p, {1, 0, 0, 1});
  expect_near(lower, {1, 0, 0.5, 1});
  expect_near(upper, {4, 2, 0, 2});
}

TEST(HppLinalg, Systems) {
  const gp::array x = matrix(), b = vector();
  expect_near(gp::linalg::solve(x, b), {1, 2});
  const gp::linalg::lu_factors factors = gp::linalg::lu_factor(x);
  expect_near(gp::linalg::lu_solve(factors, b), {1, 2});
  expect_near(gp::linalg::lu_solve(factors, b, gp::linalg::trans::transpose), {1, 2});
  expect_near(gp::linalg::solve_triangular(x, b, true), {2, 4.0 / 3});
  expect_near(gp::linalg::solve_triangular(x, b, false, true, gp::linalg::trans::conjugate), {8, -8});
  expect_near(gp::linalg::inv(x), {0.375, -0.25, -0.25, 0.5});
  expect_near(gp::linalg::pinv(x), {0.375, -0.25, -0.25, 0.5});
  expect_near(gp::linalg::det(x), {8});
  const auto [sign, logarithm] = gp::linalg::slogdet(x);
  expect_near(sign, {1});
  expect_near(logarithm, {std::log(8.0)});
  const gp::linalg::lstsq_result least = gp::linalg::lstsq(x, b);
  expect_near(least.x, {1, 2});
  EXPECT_EQ(least.residuals.size(), 0);
  expect_near(least.rank, {2});
  EXPECT_EQ(least.s.size(), 2);
  expect_near(gp::linalg::tensorsolve(x, b), {1, 2});
  expect_near(gp::linalg::tensorsolve(x, b, {0}), {1, 2});
  expect_near(gp::linalg::tensorinv(x, 1), {0.375, -0.25, -0.25, 0.5});
}

TEST(HppLinalg, Spectra) {
  const gp::array x = matrix();
  const double half = std::sqrt(17.0) / 2;
  const Reals ascending = {3.5 - half, 3.5 + half}, descending = {3.5 + half, 3.5 - half};
  const auto [w, v] = gp::linalg::eigh(x);
  expect_near(w, ascending);
  expect_near(gp::matmul(x, v), (v * w).to_vector<double>());
  expect_near(gp::linalg::eigvalsh(x, true), ascending);
  expect_near(gp::sum(gp::real(gp::linalg::eig(x).w)), {7});
  EXPECT_EQ(gp::linalg::eigvals(x).dtype(), gp::complex128);
  const auto [u, s, vh] = gp::linalg::svd(x);
  expect_near(s, descending);
  expect_near(gp::matmul(u * s, vh), kMatrix);
  expect_near(gp::linalg::svdvals(x), descending);
  expect_near(gp::linalg::matrix_rank(x), {2});
  expect_near(gp::linalg::matrix_rank(x, 0.5), {1});
  expect_near(gp::linalg::cond(x), {descending[0] / descending[1]});
  expect_near(gp::matrix_norm(x, GPUOPT_NORM_NUCLEAR), {7});
}

TEST(HppLinalg, FunctionsAndProducts) {
  const gp::array x = matrix();
  expect_near(gp::linalg::matrix_power(x, 2), {20, 14, 14, 13});
  expect_near(gp::linalg::expm(x * 0.0), {1, 0, 0, 1});
  expect_near(gp::linalg::multi_dot({vector(), x, vector()}), {704});
}

TEST(HppLinalg, ErrorsSayWhat) {
  try {
    gp::linalg::inv(matrix() * 0.0);
    FAIL();
  } catch (const gp::error &e) {
    EXPECT_EQ(e.code(), GPUOPT_ERR_LINALG);
    EXPECT_NE(std::string(e.what()).find("Singular matrix"), std::string::npos);
  }
}

}  // namespace
