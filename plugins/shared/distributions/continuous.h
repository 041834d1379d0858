// plugins/shared/distributions/continuous.h -- distributions of real numbers; host only
//
// Parameters have been checked. A function draws from its source (sources.h) in the order in which NumPy does. Where
// numpy.random.RandomState and numpy.random.Generator differ, Source::legacy decides.
#ifndef GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_CONTINUOUS_H_
#define GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_CONTINUOUS_H_

#include "plugins/shared/distributions/sources.h"

namespace gpo {

inline constexpr double random_pi = 3.14159265358979323846;

// ---- The gamma distribution and what is made of it ----

// Shapes below 1: J. H. Ahrens, U. Dieter, "Computer methods for sampling from gamma, beta, Poisson and binomial
// distributions", Computing 12, 1974 (algorithm GS).
template <class Source>
double draw_gamma_below_1(Source &s, double shape) {
  for (;;) {
    const double u = s.unit(), v = s.exponential();
    if (u <= 1.0 - shape) {
      const double x = std::pow(u, 1. / shape);
      if (x <= v) return x;
    } else {
      const double y = -std::log((1 - u) / shape), x = std::pow(1.0 - shape + shape * y, 1. / shape);
      if (x <= v + y) return x;
    }
  }
}

// Shapes above 1: G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3), 2000.
template <class Source>
double draw_gamma_above_1(Source &s, double shape) {
  const double b = shape - 1. / 3., c = 1. / std::sqrt(9 * b);
  for (;;) {
    double x, v;
    do {
      x = s.normal();
      v = 1.0 + c * x;
    } while (v <= 0.0);
    v = v * v * v;
    const double u = s.unit();
    if (u < 1.0 - 0.0331 * (x * x) * (x * x)) return b * v;
    if (std::log(u) < 0.5 * x * x + b * (1. - v + std::log(v))) return b * v;
  }
}

// The scale is 1. No shape lets the loops run forever: NaN is one of those above 1, whose draws it takes, and gives
// NaN.
template <class Source>
double draw_standard_gamma(Source &s, double shape) {
  if (shape == 1.0) return s.exponential();
  if (shape == 0.0) return 0.0;
  return shape < 1.0 ? draw_gamma_below_1(s, shape) : draw_gamma_above_1(s, shape);
}

template <class Source>
double draw_chisquare(Source &s, double df) {
  return 2.0 * draw_standard_gamma(s, df / 2.0);
}

template <class Source>
double draw_f(Source &s, double dfnum, double dfden) {
  const double above = draw_chisquare(s, dfnum) * dfden, below = draw_chisquare(s, dfden) * dfnum;
  return above / below;
}

template <class Source>
double draw_standard_t(Source &s, double df) {
  const double above = s.normal(), below = draw_standard_gamma(s, df / 2);
  return std::sqrt(df / 2) * above / std::sqrt(below);
}

// x / (x + y) for x = u^(1/a) and y = v^(1/b), of which one is too small for a double: by logarithms.
template <class Source>
double beta_of_logarithms(Source &, double u, double v, double a, double b) {
  double log_x = std::log(u) / a, log_y = std::log(v) / b;
  if constexpr (Source::legacy) {
    const double most = log_x > log_y ? log_x : log_y;
    log_x -= most;
    log_y -= most;
    return std::exp(log_x - std::log(std::exp(log_x) + std::exp(log_y)));
  } else {
    const double delta = log_x - log_y;
    return delta > 0 ? std::exp(-std::log1p(std::exp(-delta))) : std::exp(delta - std::log1p(std::exp(delta)));
  }
}

// Both parameters at most 1: M. D. Joehnk, "Erzeugung von betaverteilten und gammaverteilten Zufallszahlen", Metrika 8,
// 1964.
template <class Source>
double draw_beta_below_1(Source &s, double a, double b) {
  if (!Source::legacy && a < 3e-103 && b < 3e-103) return (a + b) * s.unit() < a;
  for (;;) {
    const double u = s.unit(), v = s.unit(), x = std::pow(u, 1.0 / a), y = std::pow(v, 1.0 / b), sum = x + y;
    if (!(sum <= 1.0) || (!Source::legacy && !(u + v > 0.0))) continue;
    const bool representable = Source::legacy ? sum > 0 : x > 0 && y > 0;
    return representable ? x / sum : beta_of_logarithms(s, u, v, a, b);
  }
}

template <class Source>
double draw_beta(Source &s, double a, double b) {
  if (a <= 1.0 && b <= 1.0) return draw_beta_below_1(s, a, b);
  const double x = draw_standard_gamma(s, a), y = draw_standard_gamma(s, b);
  return x / (x + y);
}

// ---- By inversion, or from one standard number ----

template <class Source>
double draw_pareto(Source &s, double a) {
  const double x = s.exponential() / a;
  return Source::legacy ? std::exp(x) - 1 : std::expm1(x);
}

template <class Source>
double draw_power(Source &s, double a) {
  const double x = s.exponential();
  return std::pow(Source::legacy ? 1 - std::exp(-x) : -std::expm1(-x), 1. / a);
}

template <class Source>
double draw_weibull(Source &s, double a) {
  return a == 0.0 ? 0.0 : std::pow(s.exponential(), 1. / a);
}

template <class Source>
double draw_rayleigh(Source &s, double scale) {
  if constexpr (Source::legacy) return scale * std::sqrt(-2.0 * std::log1p(-s.unit()));
  return scale * std::sqrt(2.0 * s.exponential());
}

template <class Source>
double draw_laplace(Source &s, double loc, double scale) {
  for (;;) {
    const double u = s.unit();
    if (u >= 0.5) return loc - scale * std::log(2.0 - u - u);
    if (u > 0.0) return loc + scale * std::log(u + u);
  }
}

template <class Source>
double draw_gumbel(Source &s, double loc, double scale) {
  for (;;) {
    const double u = 1.0 - s.unit();
    if (u < 1.0) return loc - scale * std::log(-std::log(u));
  }
}

template <class Source>
double draw_logistic(Source &s, double loc, double scale) {
  for (;;) {
    const double u = s.unit();
    if (u > 0.0) return loc + scale * std::log(u / (1.0 - u));
  }
}

template <class Source>
double draw_triangular(Source &s, double left, double mode, double right) {
  const double base = right - left, left_base = mode - left;
  const double u = s.unit();
  if (u <= left_base / base) return left + std::sqrt(u * (left_base * base));
  return right - std::sqrt((1.0 - u) * ((right - mode) * base));
}

template <class Source>
double draw_standard_cauchy(Source &s) {
  const double above = s.normal(), below = s.normal();
  return above / below;
}

// ---- Others ----

// J. R. Michael, W. R. Schucany, R. W. Haas, "Generating random variates using transformations with multiple roots",
// The American Statistician 30(2), 1976.
template <class Source>
double draw_wald(Source &s, double mean, double scale) {
  double y = s.normal(), x;
  y = mean * y * y;
  if constexpr (Source::legacy) {
    x = mean + mean / (2 * scale) * (y - std::sqrt(4 * scale * y + y * y));
  } else {
    const double d = 1 + std::sqrt(1 + 4 * scale / y);
    x = mean * (1 - 2 / d);
  }
  return s.unit() <= mean / (mean + x) ? x : mean * mean / x;
}

// Returns x in [-pi, pi], the circle being closed.
inline double wrapped_angle(double x) {
  const double turned = std::fmod(std::fabs(x) + random_pi, 2 * random_pi) - random_pi;
  return x < 0 ? -turned : turned;
}

// A proposal of the wrapped Cauchy distribution that fits kappa: its parameter.
inline double vonmises_proposal(double kappa) {
  if (kappa < 1e-5) return 1. / kappa + kappa;
  const double r = 1 + std::sqrt(1 + 4 * kappa * kappa), rho = (r - std::sqrt(2 * r)) / (2 * kappa);
  return (1 + rho * rho) / (2 * rho);
}

// D. J. Best, N. I. Fisher, "Efficient simulation of the von Mises distribution", Applied Statistics 28(2), 1979. A
// proposal that is NaN, which an infinite kappa or one near the end of doubles gives, is accepted.
template <class Source>
double draw_vonmises_by_rejection(Source &s, double mu, double kappa) {
  const double proposal = vonmises_proposal(kappa);
  double w;
  for (;;) {
    const double z = std::cos(random_pi * s.unit());
    w = (1 + proposal * z) / (proposal + z);
    const double y = kappa * (proposal - w), v = s.unit();
    if (y * (2 - y) - v >= 0 || std::log(y / v) + 1 - y >= 0 || std::isnan(y)) break;
  }
  const double u = s.unit(), angle = std::acos(w);
  return wrapped_angle((u < 0.5 ? -angle : angle) + mu);
}

template <class Source>
double draw_vonmises(Source &s, double mu, double kappa) {
  if (std::isnan(kappa)) return kappa;
  if (kappa < 1e-8) return random_pi * (2 * s.unit() - 1);
  if (Source::legacy || kappa <= 1e6) return draw_vonmises_by_rejection(s, mu, kappa);
  double angle = mu + std::sqrt(1. / kappa) * s.normal();
  if (angle < -random_pi) angle += 2 * random_pi;
  if (angle > random_pi) angle -= 2 * random_pi;
  return angle;
}

// ---- Single precision ----

template <class Source>
float draw_gamma_below_1_32(Source &s, float shape) {
  for (;;) {
    const float u = s.unit32(), v = s.exponential32();
    if (u <= 1.0f - shape) {
      const float x = std::pow(u, 1.0f / shape);
      if (x <= v) return x;
    } else {
      const float y = -std::log((1.0f - u) / shape), x = std::pow(1.0f - shape + shape * y, 1.0f / shape);
      if (x <= v + y) return x;
    }
  }
}

template <class Source>
float draw_gamma_above_1_32(Source &s, float shape) {
  const float b = shape - 1.0f / 3.0f, c = 1.0f / std::sqrt(9.0f * b);
  for (;;) {
    float x, v;
    do {
      x = s.normal32();
      v = 1.0f + c * x;
    } while (v <= 0.0f);
    v = v * v * v;
    const float u = s.unit32();
    if (u < 1.0f - 0.0331f * (x * x) * (x * x)) return b * v;
    if (std::log(u) < 0.5f * x * x + b * (1.0f - v + std::log(v))) return b * v;
  }
}

template <class Source>
float draw_standard_gamma_32(Source &s, float shape) {
  if (shape == 1.0f) return s.exponential32();
  if (shape == 0.0f) return 0.0f;
  return shape < 1.0f ? draw_gamma_below_1_32(s, shape) : draw_gamma_above_1_32(s, shape);
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_CONTINUOUS_H_
