// plugins/shared/distributions/discrete.h -- distributions of integers, and the noncentral ones; host only
//
// Parameters have been checked, as in continuous.h, and draws are in NumPy's order.
#ifndef GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_DISCRETE_H_
#define GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_DISCRETE_H_

#include "plugins/shared/distributions/binomial.h"
#include "plugins/shared/distributions/bounded.h"
#include "plugins/shared/distributions/continuous.h"

namespace gpo {

// log(gamma(x)) for x > 0, to about 15 digits: Stirling's series above 7, below it by recursion. S. Zhang, J. Jin,
// "Computation of Special Functions", 1996. NumPy's numbers depend on its rounding errors.
inline double stirling_log_gamma(double x) {
  constexpr double coefficients[] = {8.333333333333333e-02,  -2.777777777777778e-03, 7.936507936507937e-04,
                                     -5.952380952380952e-04, 8.417508417508418e-04,  -1.917526917526918e-03,
                                     6.410256410256410e-03,  -2.955065359477124e-02, 1.796443723688307e-01,
                                     -1.39243221690590e+00};
  if (x == 1.0 || x == 2.0) return 0.0;
  const i64 steps = x < 7.0 ? to_i64(7 - x) : 0;
  double above = x + double(steps);
  const double inverse2 = (1.0 / above) * (1.0 / above);
  double series = coefficients[9];
  for (int k = 8; k >= 0; --k) {
    series *= inverse2;
    series += coefficients[k];
  }
  double value = series / above + 0.5 * 1.8378770664093453e+00 + (above - 0.5) * std::log(above) - above;
  for (i64 k = 0; k < steps; ++k) {
    value -= std::log(above - 1.0);
    above -= 1.0;
  }
  return value;
}

// log(k!) for k >= 0.
inline double log_factorial(i64 k) {
  if (k < 126) return log_factorials[k];
  const double x = double(k);
  return (x + 0.5) * std::log(x) - x + (0.9189385332046728 + (1.0 / x) * (1 / 12.0 - 1 / (360.0 * x * x)));
}

// ---- Poisson ----

template <class Source>
i64 draw_poisson_below_10(Source &s, double mean) {
  const double least = std::exp(-mean);
  double product = 1.0;
  for (i64 x = 0;; ++x) {
    product *= s.unit();
    if (!(product > least)) return x;
  }
}

// PTRS: W. Hoermann, "The transformed rejection method for generating Poisson random variables", Insurance: Mathematics
// and Economics 12, 1993.
template <class Source>
i64 draw_poisson_from_10(Source &s, double mean) {
  const double log_mean = std::log(mean), b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = s.unit() - 0.5, v = s.unit(), us = 0.5 - std::fabs(u);
    const i64 k = to_i64(std::floor((2 * a / us + b) * u + mean + 0.43));
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <=
        -mean + double(k) * log_mean - stirling_log_gamma(double(k) + 1))
      return k;
  }
}

template <class Source>
i64 draw_poisson(Source &s, double mean) {
  if (mean >= 10) return draw_poisson_from_10(s, mean);
  return mean == 0 ? 0 : draw_poisson_below_10(s, mean);
}

template <class Source>
i64 draw_negative_binomial(Source &s, double n, double p) {
  return draw_poisson(s, (1 - p) / p * draw_standard_gamma(s, n));
}

template <class Source>
double draw_noncentral_chisquare(Source &s, double df, double nonc) {
  if (!Source::legacy && std::isnan(nonc)) return nonc;
  if (nonc == 0) return draw_chisquare(s, df);
  if (1 < df) {
    const double central = draw_chisquare(s, df - 1), x = s.normal() + std::sqrt(nonc);
    return central + x * x;
  }
  const i64 more = draw_poisson(s, nonc / 2.0);
  const double x = draw_chisquare(s, df + double(i64(2 * u64(more))));
  return std::isnan(nonc) ? nonc : x;
}

template <class Source>
double draw_noncentral_f(Source &s, double dfnum, double dfden, double nonc) {
  const double above = draw_noncentral_chisquare(s, dfnum, nonc) * dfden;
  return above / (draw_chisquare(s, dfden) * dfnum);
}

// ---- Geometric, logarithmic series, Zipf ----

template <class Source>
i64 draw_geometric_by_search(Source &s, double p) {
  const double q = 1.0 - p, u = s.unit();
  double sum = p, product = p;
  i64 x = 1;
  while (u > sum) {
    const double before = sum;
    product *= q;
    sum += product;
    ++x;
    if (sum == before) break;  // rounding keeps the sum below the largest u
  }
  return x;
}

template <class Source>
i64 draw_geometric(Source &s, double p) {
  if (p >= 0.333333333333333333333333) return draw_geometric_by_search(s, p);
  if constexpr (Source::legacy) return to_i64(std::ceil(std::log1p(-s.unit()) / std::log(1 - p)));
  const double z = std::ceil(-s.exponential() / std::log1p(-p));
  return z >= 0x1p63 ? i64(~u64(0) >> 1) : to_i64(z);
}

// A. W. Kemp, "Efficient generation of logarithmically distributed pseudo-random variables", Applied Statistics 30(3),
// 1981 (algorithm LK).
template <class Source>
i64 draw_logseries(Source &s, double p) {
  const double r = Source::legacy ? std::log(1.0 - p) : std::log1p(-p);
  for (;;) {
    const double v = s.unit();
    if (v >= p) return 1;
    const double u = s.unit(), q = Source::legacy ? 1.0 - std::exp(r * u) : -std::expm1(r * u);
    if (v > q * q) return v >= q ? 1 : 2;
    const i64 x = to_i64(std::floor(1 + std::log(v) / std::log(q)));
    if (x >= 1 && v != 0.0) return x;
  }
}

// L. Devroye, "Non-Uniform Random Variate Generation", 1986, chapter X.6. Numbers that an int64 does not hold are
// rejected. Above 1025, 2^(a - 1) is no double, and all but 1 are less likely than 3e-309.
template <class Source>
i64 draw_zipf(Source &s, double a) {
  if (a >= 1025) return 1;
  constexpr double largest = 9223372036854775807.0;
  const double am1 = a - 1.0, b = std::pow(2.0, am1), least = Source::legacy ? 0 : std::pow(largest, -am1);
  for (;;) {
    const double u01 = s.unit(), u = Source::legacy ? 1.0 - u01 : u01 * least + (1 - u01), v = s.unit();
    const double x = std::floor(std::pow(u, -1.0 / am1));
    if (x > largest || x < 1.0) continue;
    const double t = std::pow(1.0 + 1.0 / x, am1);
    if (v * x * (t - 1.0) / (b - 1.0) <= t / b) return to_i64(x);
  }
}

// ---- Hypergeometric ----

// RandomState, up to 10 draws.
template <class Source>
i64 draw_hypergeometric_few(Source &s, i64 good, i64 bad, i64 sample) {
  const i64 rest = bad + good - sample;
  const double fewer = double(bad < good ? bad : good);
  double left = fewer;
  for (i64 k = sample; left > 0.0 && k != 0; --k) left -= std::floor(s.unit() + left / double(rest + k));
  const i64 drawn = to_i64(fewer - left);
  return good > bad ? sample - drawn : drawn;
}

// Generator: draws one by one, or those that are left.
template <class Source>
i64 draw_hypergeometric_singly(Source &s, i64 good, i64 bad, i64 sample) {
  i64 total = good + bad, left = good;
  const bool complement = sample > total / 2;
  i64 draws = complement ? total - sample : sample;
  for (; draws > 0 && left > 0 && total > left; --draws) {
    --total;
    if (i64(draw_masked(s, u64(total))) < left) --left;
  }
  if (total == left) left -= draws;
  return complement ? left : good - left;
}

// What the numbers' probabilities depend on; half the sample and the rarer kind stand for all.
struct Hypergeometric {
  i64 fewer, more, draws;
  template <class Source>
  double log_weight(i64 k) const {
    if constexpr (Source::legacy)
      return stirling_log_gamma(double(k + 1)) + stirling_log_gamma(double(fewer - k + 1)) +
             stirling_log_gamma(double(draws - k + 1)) + stirling_log_gamma(double(more - draws + k + 1));
    else
      return log_factorial(k) + log_factorial(fewer - k) + log_factorial(draws - k) + log_factorial(more - draws + k);
  }
};

// HRUA: E. Stadlober, "The ratio of uniforms approach for generating discrete random variates", Journal of
// Computational and Applied Mathematics 31(1), 1990.
template <class Source>
i64 draw_hypergeometric_by_ratio(Source &s, i64 good, i64 bad, i64 sample) {
  const i64 total = good + bad, draws = sample < total - sample ? sample : total - sample;
  const Hypergeometric h{good < bad ? good : bad, good < bad ? bad : good, draws};
  const double p = double(h.fewer) / double(total), q = Source::legacy ? 1.0 - p : double(h.more) / double(total);
  const double a = double(draws) * p + 0.5;
  const double c =
      std::sqrt(double(total - draws) * double(Source::legacy ? sample : draws) * p * q / double(total - 1) + 0.5);
  const double width = 1.7155277699214135 * c + 0.8989161620588988;  // 2 sqrt(2 / e) c + 3 - 2 sqrt(3 / e)
  const i64 mode = to_i64(std::floor(double(draws + 1) * double(h.fewer + 1) / double(total + 2)));
  const double peak = h.template log_weight<Source>(mode), far = std::floor(a + 16 * c);
  const double ends = double(draws < h.fewer ? draws : h.fewer) + 1.0, bound = ends < far ? ends : far;
  i64 k;
  for (;;) {
    const double u = s.unit(), v = s.unit(), x = a + width * (v - 0.5) / u;
    if (x < 0.0 || x >= bound) continue;
    k = to_i64(std::floor(x));
    const double t = peak - h.template log_weight<Source>(k);
    if (u * (4.0 - u) - 3.0 <= t) break;
    if (u * (u - t) >= 1) continue;
    if (2.0 * std::log(u) <= t) break;
  }
  if (good > bad) k = draws - k;
  return draws < sample ? good - k : k;
}

// good + bad + 2 fits an int64, and sample is at most good + bad.
template <class Source>
i64 draw_hypergeometric(Source &s, i64 good, i64 bad, i64 sample) {
  if constexpr (Source::legacy) {
    if (sample > 10) return draw_hypergeometric_by_ratio(s, good, bad, sample);
    return sample > 0 ? draw_hypergeometric_few(s, good, bad, sample) : 0;
  } else {
    if (sample >= 10 && sample <= good + bad - 10) return draw_hypergeometric_by_ratio(s, good, bad, sample);
    return draw_hypergeometric_singly(s, good, bad, sample);
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_DISCRETE_H_
