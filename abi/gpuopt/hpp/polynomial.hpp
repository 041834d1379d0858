// abi/gpuopt/hpp/polynomial.hpp -- part of gpuopt.hpp: polynomials as arrays of their coefficients.
//
//   gp::array p = gp::array({1.0, -3.0, 2.0});  // x^2 - 3 x + 2
//   gp::array zeros = gp::roots(p);             // 2 and 1, complex
//
// The coefficient of the highest power comes first. See gpuopt_polynomial.h for dtypes, shapes and errors.
#ifndef GPUOPT_HPP_POLYNOMIAL_HPP
#define GPUOPT_HPP_POLYNOMIAL_HPP

#include "linalg.hpp"

namespace gpuopt {
inline namespace v1 {

// The polynomial at each element of x. See gpuopt_polyval().
inline array polyval(const operand &p, const operand &x) { return detail::product(gpuopt_polyval, p, x); }
// Sums, differences and products. See gpuopt_polyadd(), gpuopt_polysub() and gpuopt_polymul().
inline array polyadd(const operand &p1, const operand &p2) { return detail::product(gpuopt_polyadd, p1, p2); }
inline array polysub(const operand &p1, const operand &p2) { return detail::product(gpuopt_polysub, p1, p2); }
inline array polymul(const operand &p1, const operand &p2) { return detail::product(gpuopt_polymul, p1, p2); }
struct polydiv_result {
  array quotient, remainder;
};
// The quotient and the remainder. See gpuopt_polydiv().
inline polydiv_result polydiv(const operand &p1, const operand &p2) {
  const detail::gathered in(p1, p2);
  return detail::make_two<polydiv_result>(gpuopt_polydiv, in[0], in[1]);
}

// The derivative of order m. See gpuopt_polyder().
inline array polyder(const array &p, int64_t m = 1) { return detail::make<array>(gpuopt_polyder, p.get(), m); }
// The antiderivative of order m, with constants of 0 or the given ones. See gpuopt_polyint().
inline array polyint(const array &p, int64_t m = 1) {
  return detail::make<array>(gpuopt_polyint, p.get(), m, gpuopt_array{nullptr});
}
inline array polyint(const array &p, int64_t m, const operand &constants) {
  const detail::gathered in(p, constants);
  return detail::make<array>(gpuopt_polyint, in[0], m, in[1]);
}

struct polyfit_result {
  array coefficients, residuals, rank, s;
};
// The polynomial of least squares, and what lstsq() says of it. A negative rcond stands for the dtype's default. See
// gpuopt_polyfit().
inline polyfit_result polyfit_full(const operand &x, const operand &y, int64_t degree, double rcond = -1) {
  const detail::gathered in(x, y);
  return detail::make_each<polyfit_result>(std::make_index_sequence<4>(), gpuopt_polyfit, in[0], in[1], degree,
                                           linalg::detail::bound_or_null(rcond), gpuopt_array{nullptr});
}
// The same with weights of the distances.
inline polyfit_result polyfit_full(const operand &x, const operand &y, int64_t degree, const array &weights,
                                   double rcond = -1) {
  const detail::gathered in(x, y, weights);
  return detail::make_each<polyfit_result>(std::make_index_sequence<4>(), gpuopt_polyfit, in[0], in[1], degree,
                                           linalg::detail::bound_or_null(rcond), in[2]);
}
// The coefficients alone.
inline array polyfit(const operand &x, const operand &y, int64_t degree) {
  return polyfit_full(x, y, degree).coefficients;
}
// The coefficients alone, where distances have weights.
inline array polyfit(const operand &x, const operand &y, int64_t degree, const array &weights) {
  return polyfit_full(x, y, degree, weights).coefficients;
}
struct polyfit_cov_result {
  array coefficients, covariance;
};
// The coefficients and their covariances. See gpuopt_polyfit_cov().
inline polyfit_cov_result polyfit_cov(const operand &x, const operand &y, int64_t degree, bool unscaled = false) {
  const detail::gathered in(x, y);
  return detail::make_two<polyfit_cov_result>(gpuopt_polyfit_cov, in[0], in[1], degree,
                                              static_cast<const double *>(nullptr), gpuopt_array{nullptr},
                                              int32_t{unscaled});
}
inline polyfit_cov_result polyfit_cov(const operand &x, const operand &y, int64_t degree, const array &weights,
                                      bool unscaled = false) {
  const detail::gathered in(x, y, weights);
  return detail::make_two<polyfit_cov_result>(gpuopt_polyfit_cov, in[0], in[1], degree,
                                              static_cast<const double *>(nullptr), in[2], int32_t{unscaled});
}

// The zeros of a polynomial, which are complex. See gpuopt_roots().
inline array roots(const array &p) { return detail::make<array>(gpuopt_roots, p.get()); }
// The polynomial with these zeros, or the characteristic polynomial of a matrix. See gpuopt_poly().
inline array poly(const array &zeros) { return detail::make<array>(gpuopt_poly, zeros.get()); }

}  // namespace v1
}  // namespace gpuopt

#endif
