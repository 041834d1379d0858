// abi/gpuopt/hpp/statistics.hpp -- part of gpuopt.hpp: averages, covariances, differences and integrals.
#ifndef GPUOPT_HPP_STATISTICS_HPP
#define GPUOPT_HPP_STATISTICS_HPP

#include "sorting.hpp"

namespace gpuopt {
inline namespace v1 {

// x[i + 1] - x[i] along an axis, n times. See gpuopt_diff().
inline array diff(array x, int64_t n = 1, int64_t axis = -1) {
  return detail::from_one(gpuopt_diff, std::move(x), n, axis, gpuopt_array{nullptr}, gpuopt_array{nullptr});
}
// The same with numbers or arrays joined to the ends first.
inline array diff(array x, int64_t n, int64_t axis, operand prepend, operand append) {
  const detail::gathered in(std::move(x), std::move(prepend), std::move(append));
  return detail::make<array>(gpuopt_diff, in[0], n, axis, in[1], in[2]);
}
// The greatest element less the least one. See gpuopt_ptp().
inline array ptp(array x, const axes &over = {}) {
  const gpuopt_reduce_options options = over.raw();
  return detail::from_one(gpuopt_ptp, std::move(x), &options);
}
// The integral along an axis by the trapezoidal rule, of points at the distance dx. See gpuopt_trapezoid().
inline array trapezoid(array y, double dx = 1, int64_t axis = -1) {
  return detail::from_one(gpuopt_trapezoid, std::move(y), gpuopt_array{nullptr}, dx, axis);
}
// The same of points at x.
inline array trapezoid(array y, array x, int64_t axis = -1) {
  return detail::product(gpuopt_trapezoid, std::move(y), std::move(x), 1.0, axis);
}

struct average_result {
  array mean, weight_sum;
};
// The mean along axes, each element counted by its weight, and the sums of the weights. See gpuopt_average().
inline average_result average(array x, array weights, const axes &over = {}) {
  const detail::gathered in(std::move(x), std::move(weights));
  const gpuopt_reduce_options options = over.raw();
  return detail::make_two<average_result>(gpuopt_average, in[0], in[1], &options);
}

// How gpuopt::cov() reads its operands: the divisor is n - correction. See gpuopt_cov_options.
struct cov_options {
  bool columns = false;
  double correction = 1;
  array fweights{}, aweights{};
  // The options as C has them; the arrays must live as long.
  gpuopt_cov_options raw() const {
    gpuopt_cov_options options{};
    options.struct_size = sizeof options;
    options.fweights = fweights.get();
    options.aweights = aweights.get();
    options.columns = int32_t{columns};
    options.bias = 1 - correction;
    return options;
  }
};
// The covariance matrix of variables, which are rows of x. See gpuopt_cov().
inline array cov(array x, const cov_options &how = {}) {
  const gpuopt_cov_options options = how.raw();
  return detail::from_one(gpuopt_cov, std::move(x), gpuopt_array{nullptr}, &options);
}
inline array cov(array x, array y, const cov_options &how = {}) {
  const gpuopt_cov_options options = how.raw();
  return detail::product(gpuopt_cov, std::move(x), std::move(y), &options);
}
// The same, divided by the standard deviations. See gpuopt_corrcoef().
inline array corrcoef(array x, bool columns = false) {
  return detail::from_one(gpuopt_corrcoef, std::move(x), gpuopt_array{nullptr}, int32_t{columns});
}
inline array corrcoef(array x, array y, bool columns = false) {
  return detail::product(gpuopt_corrcoef, std::move(x), std::move(y), int32_t{columns});
}

}  // namespace v1
}  // namespace gpuopt

#endif
