// plugins/shared/words/special.h -- the special functions of the CUDA Math API: scaled and inverse error functions, the
// normal distribution, Bessel functions
//
// There are no tables: series, asymptotic expansions and recurrences are summed as they are published, in double-double
// where terms cancel. [AS] Abramowitz and Stegun, Handbook of Mathematical Functions, 1964. float is computed in
// double.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_SPECIAL_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_SPECIAL_H_

#include "plugins/shared/math/double_double.h"
#include "plugins/shared/math/erf.h"
#include "plugins/shared/math/trig.h"
#include "plugins/shared/words/define.h"

namespace gpo {
namespace words {

using math::double_double;

inline constexpr double_double pi_accurate = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
inline constexpr double_double root_pi = {0x1.c5bf891b4ef6bp+0, -0x1.618f13eb7ca89p-54};
inline constexpr double_double root_half = {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};
inline constexpr double_double euler_gamma = {0x1.2788cfc6fb619p-1, -0x1.6cb90701fbfabp-58};

// ---- Error functions ----

// exp(x^2) erfc(x)
inline GPO_WORDS_LONG double erfcx(double x) {
  if (x != x) return x;
  const double ax = abs(x);
  if (ax > 0x1p500) return x > 0 ? 1 / (root_pi.hi * x) : inf<double>();
  const double_double positive = math::divide(math::scaled_erfc(ax), math::two_sum(1.0, ax + ax));
  if (x >= 0) return positive.hi;
  if (x < -26.7) return inf<double>();
  const math::scaled_exp e = math::exp_accurate(math::two_product(x, x));
  const double twice = e.scale.times(2 * e.value.hi);
  if (!isfinite(twice) || e.n > 60) return e.scale.times(2 * e.value.hi);
  const double_double sum = math::add({twice, e.scale.times(2 * e.value.lo)}, math::negate(positive));
  return sum.hi + sum.lo;
}

GPO_FN double_double log_of(double_double x) { return math::add(math::log_accurate(x.hi), x.lo / x.hi); }

// The x of erfc(x) = q for 0 < q <= 1: Newton's method on log q + x^2 - log erfcx(x), beginning with the two leading
// terms of the asymptotic expansion or a quadratic's root. It converges from both sides, since the function is convex.
inline GPO_WORDS_LONG double erfc_inverse_of_small(double q) {
  const double log_q = math::log(q);
  double x = q > 0.2 ? (1 - q) * 0.8862269254527580 : gpo::sqrt(-log_q);
  if (q <= 0.2) x = gpo::sqrt(-log_q - math::log(1.7724538509055159 * x));
  for (int k = 0; k < 8; k++) {
    const double scaled = erfcx(x), f = fma(x, x, log_q) - math::log(scaled);
    const double step = f * scaled * 0.8862269254527580;
    x -= step;
    if (abs(step) <= 0x1p-27 * x) break;
  }
  // The last step takes the square and the residue in double-double.
  const double_double exponent = math::add(math::two_product(x, x), math::log_accurate(q));
  const double_double residue =
      math::add(exponent, math::negate(log_of(math::divide(math::scaled_erfc(x), math::two_sum(1.0, x + x)))));
  return x - residue.hi * erfcx(x) * 0.8862269254527580;
}
// The x of erf(x) = p for |p| <= 1/2, by Newton's method from the beginning of Taylor's series.
inline GPO_WORDS_LONG double erf_inverse_of_small(double p) {
  double x = p * fma(p * p, 0.2320136665346544, 0.8862269254527580);
  for (int k = 0; k < 4; k++) {
    const double step = (math::erf(x) - p) * math::exp(x * x) * 0.8862269254527580;
    x -= step;
  }
  return x;
}
inline GPO_WORDS_LONG double erfinv(double p) {
  const double q = abs(p);
  if (!(q <= 1.0)) return nan<double>();
  if (q == 1.0) return gpo::copysign(inf<double>(), p);
  if (q < 0x1p-28) return p * 0x1.c5bf891b4ef6ap-1;
  return q <= 0.5 ? erf_inverse_of_small(p) : gpo::copysign(erfc_inverse_of_small(1 - q), p);
}
inline GPO_WORDS_LONG double erfcinv(double q) {
  if (!(q >= 0.0 && q <= 2.0)) return nan<double>();
  if (q == 0.0) return inf<double>();
  if (q == 2.0) return -inf<double>();
  if (q >= 0.5 && q <= 1.5) return erfinv(1 - q);
  return q < 1.0 ? erfc_inverse_of_small(q) : -erfc_inverse_of_small(2 - q);
}

// erfc(-x / sqrt(2)) / 2. The rounding error of the argument is made good by the first derivative.
inline GPO_WORDS_LONG double normcdf(double x) {
  if (x != x) return x;
  if (abs(x) > 40.0) return x > 0 ? 1.0 : 0.0;
  const double_double t = math::multiply(root_half, -x);
  const double y = math::erfc(t.hi), slope = -1.1283791670955126 * math::exp(-(t.hi * t.hi));
  return 0.5 * fma(slope, t.lo, y);
}
inline GPO_WORDS_LONG double normcdfinv(double p) {
  const double x = p <= 0.5 ? erfcinv(p + p) : -erfcinv(2 * (1 - p));
  return p != p ? p : -1.4142135623730951 * x;
}

// ---- Bessel functions ----

// The power series are summed up to here; beyond, asymptotic expansions reach full precision: their smallest term is
// about exp(-2 x).
inline constexpr double from_series = 25.0;

// The sum over k of (sign x^2 / 4)^k / (k! (k + n)!), times n!. [AS] 9.1.10, 9.6.10
inline GPO_WORDS_LONG double_double bessel_series(double x, int n, double sign) {
  const double_double z = math::multiply(math::two_product(0.5 * x, 0.5 * x), sign);
  double_double term = {1, 0}, sum = {1, 0};
  for (int k = 1; k < 200; k++) {
    term = math::divide(math::multiply(term, z), double_double{double(k) * (double(k) + n), 0});
    sum = math::add(sum, term);
    if (abs(term.hi) < 0x1p-110 * abs(sum.hi)) break;
  }
  return sum;
}

// P and Q of Hankel's expansions. [AS] 9.2.9, 9.2.10
struct Hankel {
  double p, q;
};
inline GPO_WORDS_LONG Hankel hankel(double x, double order) {
  const double mu = 4 * order * order;
  double term = 1, p = 1, q = 0, before = 2;
  for (int k = 1; k < 100; k++) {
    const double odd = 2.0 * k - 1;
    term *= (mu - odd * odd) / (8.0 * k * x);
    if (abs(term) < 0x1p-60 || abs(term) >= before) break;
    before = abs(term);
    (k & 1 ? q : p) += k & 2 ? -term : term;
  }
  return {p, q};
}
// J (is_second: Y) of order 0 or 1, for large x: sqrt(2 / (pi x)) (P cos t - Q sin t), or P sin t + Q cos t, where
// t = x - (order / 2 + 1/4) pi. sin t and cos t come from those of x, whose own reduction is exact.
inline GPO_WORDS_LONG double bessel_of_large(double x, int order, bool is_second) {
  if (isinf(x)) return 0.0;
  const Hankel h = hankel(x, order);
  const double sine = math::sin(x), cosine = math::cos(x);
  const double cos_t = order == 0 ? cosine + sine : sine - cosine,
               sin_t = order == 0 ? sine - cosine : -(sine + cosine);
  const double sum = is_second ? fma(h.p, sin_t, h.q * cos_t) : fma(h.p, cos_t, -(h.q * sin_t));
  return sum / (root_pi.hi * gpo::sqrt(x));
}

inline GPO_WORDS_LONG double j0(double x) {
  const double ax = abs(x);
  if (x != x) return x;
  if (ax > from_series) return bessel_of_large(ax, 0, false);
  return bessel_series(ax, 0, -1).hi;
}
inline GPO_WORDS_LONG double j1(double x) {
  const double ax = abs(x);
  if (x != x) return x;
  if (ax > from_series) return gpo::copysign(1.0, x) * bessel_of_large(ax, 1, false);
  return 0.5 * x * (ax < 0x1p-500 ? 1.0 : bessel_series(ax, 1, -1).hi);
}

// (log(x / 2) + gamma) J of the order: what Y has besides the sum over harmonic numbers.
inline GPO_WORDS_LONG double_double logarithmic_part(double x, double_double j) {
  return math::multiply(math::add(math::log_accurate(0.5 * x), euler_gamma), j);
}
// [AS] 9.1.13: 2 / pi ((log(x / 2) + gamma) J0 - the sum of H(k) (-x^2 / 4)^k / k!^2)
inline GPO_WORDS_LONG double y0_series(double x) {
  const double_double z = math::negate(math::two_product(0.5 * x, 0.5 * x));
  double_double term = {1, 0}, harmonic = {0, 0}, sum = {0, 0};
  for (int k = 1; k < 200; k++) {
    term = math::divide(math::multiply(term, z), double_double{double(k) * k, 0});
    harmonic = math::add(harmonic, math::divide(double_double{1, 0}, double_double{double(k), 0}));
    const double_double part = math::multiply(term, harmonic);
    sum = math::add(sum, part);
    if (abs(part.hi) < 0x1p-110 * (abs(sum.hi) + 1)) break;
  }
  const double_double all = math::add(logarithmic_part(x, bessel_series(x, 0, -1)), math::negate(sum));
  return math::divide(math::multiply(all, 2.0), pi_accurate).hi;
}
// [AS] 9.1.11 for n = 1: (-2 / x + 2 (log(x / 2) + gamma) J1 - x / 2 times the sum of
// (H(k) + H(k + 1)) (-x^2 / 4)^k / (k! (k + 1)!)) / pi
inline GPO_WORDS_LONG double y1_series(double x) {
  const double_double z = math::negate(math::two_product(0.5 * x, 0.5 * x));
  double_double term = {1, 0}, harmonics = {1, 0}, sum = {1, 0};
  for (int k = 1; k < 200; k++) {
    term = math::divide(math::multiply(term, z), double_double{double(k) * (k + 1.0), 0});
    const double_double both = math::divide(double_double{2.0 * k + 1, 0}, double_double{double(k) * (k + 1.0), 0});
    harmonics = math::add(harmonics, both);
    const double_double part = math::multiply(term, harmonics);
    sum = math::add(sum, part);
    if (abs(part.hi) < 0x1p-110 * (abs(sum.hi) + 1)) break;
  }
  const double_double j = math::multiply(bessel_series(x, 1, -1), 0.5 * x);
  const double_double rest = math::add(math::multiply(logarithmic_part(x, j), 2.0), math::multiply(sum, -0.5 * x));
  const double_double pole = math::divide(double_double{-2, 0}, double_double{x, 0});
  return math::divide(math::add(pole, rest), pi_accurate).hi;
}
GPO_FN bool has_no_second(double x) { return !(x > 0.0); }
GPO_FN double second_of_others(double x) { return x == 0.0 ? -inf<double>() : nan<double>(); }
inline GPO_WORDS_LONG double y0(double x) {
  if (has_no_second(x)) return second_of_others(x);
  return x > from_series ? bessel_of_large(x, 0, true) : y0_series(x);
}
inline GPO_WORDS_LONG double y1(double x) {
  if (has_no_second(x)) return second_of_others(x);
  if (x < 0x1p-500) return -0x1.45f306dc9c883p-1 / x;
  return x > from_series ? bessel_of_large(x, 1, true) : y1_series(x);
}

// The recurrence J(n + 1) = 2 n / x J(n) - J(n - 1), upward. [AS] 9.1.27
inline GPO_WORDS_LONG double recurred(double x, int n, double before, double now) {
  for (int k = 1; k < n && isfinite(now); k++) {
    const double next = 2.0 * k / x * now - before;
    before = now;
    now = next;
  }
  return now;
}
// (x / 2)^n / n!, which may be far below the smallest number.
inline GPO_WORDS_LONG double power_over_factorial(double x, int n) {
  double fraction = 1;
  long long exponent = 0;
  const int of_half = int((to_bits(0.5 * x) & ~fp<double>::sign) >> 52) - 1023;
  const double half = from_bits(u64((to_bits(0.5 * x) & 0xfffffffffffffull) | 0x3ff0000000000000ull));
  for (int k = 1; k <= n; k++) {
    fraction *= half / k;
    exponent += of_half;
    const int by = int(to_bits(fraction) >> 52) - 1023;
    exponent += by;
    fraction = from_bits(u64((to_bits(fraction) & 0xfffffffffffffull) | 0x3ff0000000000000ull));
    if (exponent < -1200) return 0;
  }
  const long long low = exponent < -1000 ? -1000 : exponent;
  return fraction * from_bits(u64(low + 1023) << 52) * from_bits(u64(exponent - low + 1023) << 52);
}
// Miller's algorithm for n > x: the recurrence downward from an order whose value does not matter, scaled by J of order
// 0 or 1, whichever is larger. [AS] 9.12, example 1
inline GPO_WORDS_LONG double recurred_down(double x, int n) {
  double above = 0, now = 0x1p-900, wanted = 0;
  const int begin = n + 40 + int(4 * gpo::sqrt(double(n)));
  for (int k = begin; k > 0; k--) {
    const double below = 2.0 * k / x * now - above;
    above = now;
    now = below;
    if (k - 1 == n) wanted = now;
    if (abs(now) > 0x1p900) now *= 0x1p-900, above *= 0x1p-900, wanted *= 0x1p-900;
  }
  const double zeroth = j0(x), first = j1(x);
  return abs(zeroth) > abs(first) ? wanted / now * zeroth : wanted / above * first;
}
inline GPO_WORDS_LONG double jn(int n, double x) {
  if (n < 0) return nan<double>();
  if (n == 0) return j0(x);
  if (n == 1) return j1(x);
  if (x != x) return x;
  const double ax = abs(x);
  const double sign = x < 0 && n % 2 ? -1.0 : 1.0;
  if (ax == 0.0 || isinf(ax)) return 0.0;
  if (ax <= from_series) return ax < 0x1p-500 ? 0.0 : sign * power_over_factorial(ax, n) * bessel_series(ax, n, -1).hi;
  return sign * (double(n) <= ax ? recurred(ax, n, j0(ax), j1(ax)) : recurred_down(ax, n));
}
inline GPO_WORDS_LONG double yn(int n, double x) {
  if (n < 0) return nan<double>();
  if (has_no_second(x)) return second_of_others(x);
  return n == 0 ? y0(x) : recurred(x, n, y0(x), y1(x));
}

// I of order 0 or 1 of a large x. [AS] 9.7.1. exp(x) is taken in two halves, as it overflows before I does.
inline GPO_WORDS_LONG double modified_of_large(double x, double order) {
  if (isinf(x)) return x;
  const double mu = 4 * order * order;
  double term = 1, sum = 0;
  for (int k = 1; k < 100; k++) {
    const double odd = 2.0 * k - 1;
    term *= -(mu - odd * odd) / (8.0 * k * x);
    if (abs(term) < 0x1p-60) break;
    sum += term;
  }
  const double half = math::exp(0.5 * x);
  return half * ((1 + sum) / gpo::sqrt(2 * pi_accurate.hi * x)) * half;
}
inline GPO_WORDS_LONG double cyl_bessel_i0(double x) {
  const double ax = abs(x);
  if (x != x) return x;
  return ax > from_series ? modified_of_large(ax, 0) : bessel_series(ax, 0, 1).hi;
}
inline GPO_WORDS_LONG double cyl_bessel_i1(double x) {
  const double ax = abs(x);
  if (x != x) return x;
  if (ax > from_series) return gpo::copysign(modified_of_large(ax, 1), x);
  return 0.5 * x * (ax < 0x1p-500 ? 1.0 : bessel_series(ax, 1, 1).hi);
}

#define GPO_OF_FLOAT(name) \
  GPO_FN float name(float x) { return float(name(double(x))); }
GPO_OF_FLOAT(erfcx)
GPO_OF_FLOAT(erfinv)
GPO_OF_FLOAT(erfcinv)
GPO_OF_FLOAT(normcdf)
GPO_OF_FLOAT(normcdfinv)
GPO_OF_FLOAT(j0)
GPO_OF_FLOAT(j1)
GPO_OF_FLOAT(y0)
GPO_OF_FLOAT(y1)
GPO_OF_FLOAT(cyl_bessel_i0)
GPO_OF_FLOAT(cyl_bessel_i1)
#undef GPO_OF_FLOAT

}  // namespace words
}  // namespace gpo

GPO_WORD_UNARY(erfcx)
GPO_WORD_UNARY(erfinv)
GPO_WORD_UNARY(erfcinv)
GPO_WORD_UNARY(normcdf)
GPO_WORD_UNARY(normcdfinv)
GPO_WORD_UNARY(j0)
GPO_WORD_UNARY(j1)
GPO_WORD_UNARY(y0)
GPO_WORD_UNARY(y1)
GPO_WORD_UNARY(cyl_bessel_i0)
GPO_WORD_UNARY(cyl_bessel_i1)

namespace gpo {
namespace user {
namespace functions {
template <class T>
GPO_FN auto jn(int n, T x) {
  return decltype(argument(x))(words::jn(n, double(argument(x))));
}
template <class T>
GPO_FN auto yn(int n, T x) {
  return decltype(argument(x))(words::yn(n, double(argument(x))));
}
GPO_FN float jnf(int n, float x) { return float(words::jn(n, double(x))); }
GPO_FN float ynf(int n, float x) { return float(words::yn(n, double(x))); }
}  // namespace functions
}  // namespace user
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_SPECIAL_H_
