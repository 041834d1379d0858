// plugins/shared/distributions/binomial.h -- binomial numbers: by inversion for small means, else by BTPE; host only
//
// V. Kachitvichyanukul, B. W. Schmeiser, "Binomial random variate generation", Communications of the ACM 31(2), 1988.
// The parts of the majorizing function are named as there. NumPy adds all four terms of Stirling's series in step 5.3,
// each with 13680 instead of 13860, which this does, too.
#ifndef GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_BINOMIAL_H_
#define GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_BINOMIAL_H_

#include "plugins/shared/distributions/sources.h"

namespace gpo {

// What depends on the parameters alone, kept for the next number with the same ones. 0 <= p <= 0.5 for BTPE.
struct BinomialSetup {
  bool known = false;
  i64 n = 0;
  double p = 0;
  // inversion: the probability of 0, and the last number that is tried
  double q = 0, none = 0;
  i64 bound = 0;
  // BTPE: the mode, the parts' borders and areas
  double mode_real = 0, p1 = 0, middle = 0, left = 0, right = 0, c = 0, lambda_left = 0, lambda_right = 0;
  double p2 = 0, p3 = 0, p4 = 0;
  i64 mode = 0;

  bool is_for(i64 n_now, double p_now) const { return known && n == n_now && p == p_now; }
};

template <bool legacy>
void set_up_inversion(BinomialSetup &b, i64 n, double p) {
  b.known = true;
  b.n = n;
  b.p = p;
  b.q = 1.0 - p;
  b.none = std::exp(double(n) * (legacy ? std::log(b.q) : std::log1p(-p)));
  const double mean = double(n) * p, most = mean + 10.0 * std::sqrt(mean * b.q + 1);
  b.bound = double(n) < most ? n : to_i64(most);
}

template <class Source>
i64 draw_binomial_by_inversion(Source &s, BinomialSetup &b, i64 n, double p) {
  if (!b.is_for(n, p)) set_up_inversion<Source::legacy>(b, n, p);
  i64 x = 0;
  double probability = b.none, u = s.unit();
  while (u > probability) {
    ++x;
    if (x > b.bound) {
      x = 0;
      probability = b.none;
      u = s.unit();
    } else {
      u -= probability;
      probability = (double(n - x + 1) * p * probability) / (double(x) * b.q);
    }
  }
  return x;
}

inline void set_up_btpe(BinomialSetup &b, i64 n, double p) {
  b.known = true;
  b.n = n;
  b.p = p;
  b.q = 1.0 - p;
  b.mode_real = double(n) * p + p;
  b.mode = to_i64(std::floor(b.mode_real));
  b.p1 = std::floor(2.195 * std::sqrt(double(n) * p * b.q) - 4.6 * b.q) + 0.5;
  b.middle = double(b.mode) + 0.5;
  b.left = b.middle - b.p1;
  b.right = b.middle + b.p1;
  b.c = 0.134 + 20.5 / (15.3 + double(b.mode));
  double a = (b.mode_real - b.left) / (b.mode_real - b.left * p);
  b.lambda_left = a * (1.0 + a / 2.0);
  a = (b.right - b.mode_real) / (b.right * b.q);
  b.lambda_right = a * (1.0 + a / 2.0);
  b.p2 = b.p1 * (1.0 + 2.0 * b.c);
  b.p3 = b.p2 + b.c / b.lambda_left;
  b.p4 = b.p3 + b.c / b.lambda_right;
}

enum class BinomialStep { ACCEPTED, REJECTED, UNDECIDED };

// Steps 1 to 4: proposes y, with a v that is uniform under the majorizing function.
template <class Source>
BinomialStep propose_binomial(Source &s, const BinomialSetup &b, i64 &y, double &v) {
  const double u = s.unit() * b.p4;
  v = s.unit();
  if (u <= b.p1) {
    y = to_i64(std::floor(b.middle - b.p1 * v + u));
    return BinomialStep::ACCEPTED;
  }
  if (u <= b.p2) {
    const double x = b.left + (u - b.p1) / b.c;
    v = v * b.c + 1.0 - std::fabs(double(b.mode) - x + 0.5) / b.p1;
    y = to_i64(std::floor(x));
    return v > 1.0 ? BinomialStep::REJECTED : BinomialStep::UNDECIDED;
  }
  if (u <= b.p3) {
    y = to_i64(std::floor(b.left + std::log(v) / b.lambda_left));
    if (y < 0 || v == 0.0) return BinomialStep::REJECTED;
    v = v * (u - b.p2) * b.lambda_left;
    return BinomialStep::UNDECIDED;
  }
  y = to_i64(std::floor(b.right - std::log(v) / b.lambda_right));
  if (y > b.n || v == 0.0) return BinomialStep::REJECTED;
  v = v * (u - b.p3) * b.lambda_right;
  return BinomialStep::UNDECIDED;
}

// Step 5.1: the ratio of the probabilities of y and of the mode, by recursion.
inline bool accepts_by_recursion(const BinomialSetup &b, i64 y, double v) {
  const double s = b.p / b.q, a = s * double(b.n + 1);
  double ratio = 1.0;
  for (i64 i = b.mode + 1; i <= y; ++i) ratio *= a / double(i) - s;
  for (i64 i = y + 1; i <= b.mode; ++i) ratio /= a / double(i) - s;
  return !(v > ratio);
}

inline double stirling_term(double x) {
  const double x2 = x * x;
  return (13680. - (462. - (132. - (99. - 140. / x2) / x2) / x2) / x2) / x / 166320.;
}

// Steps 5.2 and 5.3: squeezing, and the logarithm of the ratio. `distance` is that of y from the mode.
inline bool accepts_by_logarithm(const BinomialSetup &b, i64 y, double v, i64 distance) {
  const double k = double(distance), variance = double(b.n) * b.p * b.q;
  const double rho = (k / variance) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / variance + 0.5);
  const double t = double(i64(0 - u64(distance) * u64(distance))) / (2 * variance), log_v = std::log(v);
  if (log_v < t - rho) return true;
  if (log_v > t + rho) return false;
  const double x = double(y) + 1, f = double(b.mode) + 1;
  const double z = double(b.n) + 1 - double(b.mode), w = double(b.n) - double(y) + 1;
  return !(log_v > b.middle * std::log(f / x) + (double(b.n - b.mode) + 0.5) * std::log(z / w) +
                       double(y - b.mode) * std::log(w * b.p / (x * b.q)) + stirling_term(f) + stirling_term(z) +
                       stirling_term(x) + stirling_term(w));
}

inline bool accepts_binomial(const BinomialSetup &b, i64 y, double v) {
  const i64 distance = y < b.mode ? b.mode - y : y - b.mode;
  if (distance > 20 && double(distance) < double(b.n) * b.p * b.q / 2.0 - 1)
    return accepts_by_logarithm(b, y, v, distance);
  return accepts_by_recursion(b, y, v);
}

template <class Source>
i64 draw_binomial_by_btpe(Source &s, BinomialSetup &b, i64 n, double p) {
  if (!b.is_for(n, p)) set_up_btpe(b, n, p);
  for (;;) {
    i64 y;
    double v;
    const BinomialStep step = propose_binomial(s, b, y, v);
    if (step == BinomialStep::ACCEPTED || (step == BinomialStep::UNDECIDED && accepts_binomial(b, y, v))) return y;
  }
}

template <class Source>
i64 draw_binomial_up_to_half(Source &s, BinomialSetup &b, i64 n, double p) {
  return p * double(n) <= 30.0 ? draw_binomial_by_inversion(s, b, n, p) : draw_binomial_by_btpe(s, b, n, p);
}

// The number of successes in n >= 0 trials. A p that is NaN, as multinomial numbers may divide 0 by 0, counts as 0.
template <class Source>
i64 draw_binomial(Source &s, BinomialSetup &b, i64 n, double p) {
  if (std::isnan(p) || (!Source::legacy && (n == 0 || p == 0.0))) return 0;
  return p <= 0.5 ? draw_binomial_up_to_half(s, b, n, p) : n - draw_binomial_up_to_half(s, b, n, 1.0 - p);
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_DISTRIBUTIONS_BINOMIAL_H_
