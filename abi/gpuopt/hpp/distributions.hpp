// abi/gpuopt/hpp/distributions.hpp -- part of gpuopt.hpp: the distributions that random_state and generator have.
#ifndef GPUOPT_HPP_DISTRIBUTIONS_HPP
#define GPUOPT_HPP_DISTRIBUTIONS_HPP

#include "array.hpp"

namespace gpuopt {
inline namespace v1 {

// The shape of numbers that are drawn: that of the parameters, broadcast together, or sizes.
class draw_shape {
 public:
  draw_shape() noexcept = default;
  // The sizes of a list.
  draw_shape(const dims &sizes) : sizes_(sizes), ndim_(sizes_.size()) {}
  // One dimension of this size.
  template <class T, detail::if_integer<T> = 0>
  draw_shape(T one) : draw_shape(dims(one)) {}
  // The sizes in braces.
  draw_shape(std::initializer_list<dims::number> list) : draw_shape(dims(list)) {}
  // The number of sizes; -1 for the parameters' own shape.
  int32_t ndim() const noexcept { return ndim_; }
  // The sizes.
  const int64_t *data() const noexcept { return sizes_.data(); }

 private:
  dims sizes_;
  int32_t ndim_ = -1;
};

namespace detail {
// A generator of the type Self draws by draw_numbers(distribution, count, parameters, dtype, shape). Parameters are
// numbers or arrays on its device, and are broadcast to the shape. Ranges and errors: gpuopt_random_state_draw(), and
// distributions.h.
template <class Self>
class distributions {
 public:
  // Draws from the beta distribution.
  array beta(const operand &a, const operand &b, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_BETA, shape, a, b);
  }
  // How many of n trials succeed, each with the probability p; int64.
  array binomial(const operand &n, const operand &p, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_BINOMIAL, shape, n, p);
  }
  // Draws from the chi-square distribution.
  array chisquare(const operand &df, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_CHISQUARE, shape, df);
  }
  // Draws from the exponential distribution of this mean.
  array exponential(const operand &scale, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_EXPONENTIAL, shape, scale);
  }
  // Draws from the F distribution.
  array f(const operand &dfnum, const operand &dfden, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_F, shape, dfnum, dfden);
  }
  // Draws from the gamma distribution.
  array gamma(const operand &k, const operand &scale, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_GAMMA, shape, k, scale);
  }
  // The number of the first trial that succeeds; int64.
  array geometric(const operand &p, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_GEOMETRIC, shape, p);
  }
  // Draws from the Gumbel distribution.
  array gumbel(const operand &loc, const operand &scale, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_GUMBEL, shape, loc, scale);
  }
  // How many of nsample items are good ones; int64.
  array hypergeometric(const operand &ngood, const operand &nbad, const operand &nsample,
                       const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_HYPERGEOMETRIC, shape, ngood, nbad, nsample);
  }
  // Draws from the Laplace distribution.
  array laplace(const operand &loc, const operand &scale, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_LAPLACE, shape, loc, scale);
  }
  // Draws from the logistic distribution.
  array logistic(const operand &loc, const operand &scale, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_LOGISTIC, shape, loc, scale);
  }
  // Numbers whose logarithms are normal, of this mean and deviation.
  array lognormal(const operand &mean, const operand &sigma, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_LOGNORMAL, shape, mean, sigma);
  }
  // Draws from the logarithmic series distribution; int64.
  array logseries(const operand &p, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_LOGSERIES, shape, p);
  }
  // Failures before n successes; int64.
  array negative_binomial(const operand &n, const operand &p, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_NEGATIVE_BINOMIAL, shape, n, p);
  }
  // Draws from the noncentral chi-square distribution.
  array noncentral_chisquare(const operand &df, const operand &nonc, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_NONCENTRAL_CHISQUARE, shape, df, nonc);
  }
  // Draws from the noncentral F distribution.
  array noncentral_f(const operand &dfnum, const operand &dfden, const operand &nonc, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_NONCENTRAL_F, shape, dfnum, dfden, nonc);
  }
  // Draws from the normal distribution.
  array normal(const operand &loc, const operand &scale, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_NORMAL, shape, loc, scale);
  }
  // Draws from the Pareto distribution of the second kind.
  array pareto(const operand &a, const draw_shape &shape = {}) { return drawn(GPUOPT_DISTRIBUTION_PARETO, shape, a); }
  // Draws from the Poisson distribution of this mean; int64.
  array poisson(const operand &lam, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_POISSON, shape, lam);
  }
  // In [0, 1], of the density a x^(a - 1).
  array power(const operand &a, const draw_shape &shape = {}) { return drawn(GPUOPT_DISTRIBUTION_POWER, shape, a); }
  // Draws from the Rayleigh distribution.
  array rayleigh(const operand &scale, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_RAYLEIGH, shape, scale);
  }
  // Draws from the Cauchy distribution.
  array standard_cauchy(const draw_shape &shape = {}) { return drawn(GPUOPT_DISTRIBUTION_STANDARD_CAUCHY, shape); }
  // Of Student's t distribution.
  array standard_t(const operand &df, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_STANDARD_T, shape, df);
  }
  // Draws from the triangular distribution.
  array triangular(const operand &left, const operand &mode, const operand &right, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_TRIANGULAR, shape, left, mode, right);
  }
  // In [low, high), each number as likely as the others.
  array uniform(const operand &low, const operand &high, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_UNIFORM, shape, low, high);
  }
  // Angles of the von Mises distribution, in [-pi, pi].
  array vonmises(const operand &mu, const operand &kappa, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_VONMISES, shape, mu, kappa);
  }
  // Draws from the Wald, or inverse Gaussian, distribution.
  array wald(const operand &mean, const operand &scale, const draw_shape &shape = {}) {
    return drawn(GPUOPT_DISTRIBUTION_WALD, shape, mean, scale);
  }
  // Draws from the Weibull distribution of scale 1.
  array weibull(const operand &a, const draw_shape &shape = {}) { return drawn(GPUOPT_DISTRIBUTION_WEIBULL, shape, a); }
  // Draws from the Zipf distribution; int64.
  array zipf(const operand &a, const draw_shape &shape = {}) { return drawn(GPUOPT_DISTRIBUTION_ZIPF, shape, a); }

 protected:
  distributions() = default;
  template <class... X>
  array drawn(gpuopt_distribution which, const draw_shape &shape, const X &...x) {
    return drawn_as(which, default_dtype, shape, x...);
  }
  template <class... X>
  array drawn_as(gpuopt_distribution which, dtype t, const draw_shape &shape, const X &...x) {
    Self &self = static_cast<Self &>(*this);
    if constexpr (sizeof...(X) == 0) {
      return self.draw_numbers(which, 0, nullptr, t, shape);
    } else {
      const gathered in(x...);
      return self.draw_numbers(which, int32_t{sizeof...(X)}, in.data(), t, shape);
    }
  }
};
}  // namespace detail

}  // namespace v1
}  // namespace gpuopt
#endif
