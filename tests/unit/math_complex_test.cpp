// tests/unit/math_complex_test.cpp -- complex arithmetic and functions at the ends of the format: infinities, NaN,
// huge, denormal and zero components in every combination
//
// The oracle of finite values is the formula in 113 bits, whose exponent range nothing here leaves. The oracle of the
// others is the textbook formula with every product rounded (NumPy's), and C's own operators where that says NaN twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <string>
#include <vector>

#include "plugins/shared/ops/scalar_ops.h"
#include "tests/unit/quad.h"

namespace {

using namespace gpo;

constexpr double kInf = INFINITY, kNan = NAN;

std::string show(c128 z) {
  char text[96];
  std::snprintf(text, sizeof text, "(%a, %a)", z.re, z.im);
  return text;
}
// Every pair of the sizes, with all signs.
std::vector<c128> grid(const std::vector<double> &sizes) {
  std::vector<double> parts;
  for (double x : sizes) {
    parts.push_back(x);
    if (!std::isnan(x)) parts.push_back(-x);
  }
  std::vector<c128> z;
  for (double re : parts)
    for (double im : parts) z.push_back({re, im});
  return z;
}
bool is_finite(c128 z) { return std::isfinite(z.re) && std::isfinite(z.im); }
bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : to_bits(a) == to_bits(b); }

// ---- Infinities and NaN

const std::vector<double> kSpecials = {0, 0x1p-1074, 0x1p-1022, 1, 1.5, 1.7e308, kInf, kNan};

// Rounded, whatever the compiler thinks of a multiply-add.
double product(double a, double b) {
  volatile double p = a * b;
  return p;
}
c128 textbook_product(c128 a, c128 b) {
  return {product(a.re, b.re) - product(a.im, b.im), product(a.re, b.im) + product(a.im, b.re)};
}
c128 c_product(c128 a, c128 b) {
  const std::complex<double> r = std::complex<double>(a.re, a.im) * std::complex<double>(b.re, b.im);
  return {r.real(), r.imag()};
}
c128 special_product(c128 a, c128 b) {
  const c128 plain = textbook_product(a, b);
  const bool infinite = std::isinf(a.re) || std::isinf(a.im) || std::isinf(b.re) || std::isinf(b.im);
  return infinite && std::isnan(plain.re) && std::isnan(plain.im) ? c_product(a, b) : plain;
}

TEST(ComplexSpecials, Products) {
  int pairs = 0;
  for (c128 a : grid(kSpecials)) {
    for (c128 b : grid(kSpecials)) {
      if (is_finite(a) && is_finite(b)) continue;
      const c128 want = special_product(a, b), got = ops::multiply::apply(a, b);
      ASSERT_TRUE(same(got.re, want.re) && same(got.im, want.im))
          << show(a) << " * " << show(b) << " is " << show(got) << ", not " << show(want);
      ++pairs;
    }
    if (is_finite(a)) continue;
    const c128 want = special_product(a, a), got = ops::square::apply(a);
    ASSERT_TRUE(same(got.re, want.re) && same(got.im, want.im)) << show(a) << " squared is " << show(got);
  }
  EXPECT_GT(pairs, 20000);
}

// The same rules, decided by comparing with complex128 where no product of finite parts overflows in either.
TEST(ComplexSpecials, Complex64) {
  const auto same_class = [](c64 got, c128 want) {
    const auto like = [](float g, double w) {
      return std::isnan(w) ? std::isnan(g) : float(w) == g && std::signbit(w) == std::signbit(g);
    };
    return like(got.re, want.re) && like(got.im, want.im);
  };
  for (c128 a : grid({0, 1, 1.5, 1e10, kInf, kNan})) {
    for (c128 b : grid({0, 1, 1.5, 1e10, kInf, kNan})) {
      if (is_finite(a) && is_finite(b)) continue;
      const c64 x = cast<c64>(a), y = cast<c64>(b);
      ASSERT_TRUE(same_class(ops::multiply::apply(x, y), special_product(a, b))) << show(a) << " * " << show(b);
      ASSERT_TRUE(same_class(ops::divide::apply(x, y), ops::divide::apply(a, b))) << show(a) << " / " << show(b);
    }
  }
}

// The product that had an infinite real part where the compiler made one multiply-add of two operations.
TEST(ComplexSpecials, ProductOfHugeAndInfinite) {
  const c128 a = {1.7e308, 1.7e308}, b = {1.7e308, kInf};
  for (const c128 r : {ops::multiply::apply(a, b), ops::multiply::apply(b, a)}) {
    EXPECT_TRUE(std::isnan(r.re)) << show(r);
    EXPECT_EQ(r.im, kInf);
  }
}

// By Annex G: a number over zero, or an infinity over a number, is infinite; a number over an infinity is zero.
void expect_quotient(c128 a, c128 b) {
  const c128 q = ops::divide::apply(a, b);
  const bool a_nan = std::isnan(a.re) && std::isnan(a.im), infinite = std::isinf(q.re) || std::isinf(q.im);
  const std::string what = show(a) + " / " + show(b) + " is " + show(q);
  if (b.re == 0 && b.im == 0) {
    const bool zero = (a.re == 0 || std::isnan(a.re)) && (a.im == 0 || std::isnan(a.im));
    ASSERT_EQ(infinite, !a_nan && !zero) << what;
  } else if (is_finite(b) && (std::isinf(a.re) || std::isinf(a.im))) {
    ASSERT_TRUE(infinite) << what;
  } else if (is_finite(a) && (std::isinf(b.re) || std::isinf(b.im))) {
    ASSERT_TRUE(q.re == 0 && q.im == 0) << what;
  } else {
    ASSERT_TRUE(std::isnan(q.re) && std::isnan(q.im)) << what;
  }
}
TEST(ComplexSpecials, Quotients) {
  for (c128 a : grid(kSpecials)) {
    for (c128 b : grid(kSpecials)) {
      const bool zero = b.re == 0 && b.im == 0;
      if (!is_finite(a) || !is_finite(b) || zero) expect_quotient(a, b);
      if (HasFatalFailure()) return;
    }
  }
}
// Where the textbook's numerators are no NaN, they give the signs.
TEST(ComplexSpecials, QuotientsByNumbersHaveTheTextbooksSigns) {
  for (c128 a : grid(kSpecials)) {
    if (is_finite(a)) continue;
    for (c128 b : grid({0, 0x1p-1022, 1, 1.5, 1e300})) {
      if (b.re == 0 && b.im == 0) continue;
      const c128 plain = textbook_product(a, {b.re, -b.im}), got = ops::divide::apply(a, b);
      if (std::isnan(plain.re) && std::isnan(plain.im)) continue;
      ASSERT_TRUE(same(got.re, plain.re) && same(got.im, plain.im))
          << show(a) << " / " << show(b) << " is " << show(got) << ", not " << show(plain);
    }
  }
}

// ---- Finite numbers of every size

const std::vector<double> kSizes = {0,   0x1p-1074, 0x1.8p-1073, 3e-310, 0x1p-1022, 1e-300, 1e-200, 1e-160, 1e-20,  0.3,
                                    0.5, 1,         1.5,         3,      20,        41,     200,    354,    700,    709,
                                    711, 745,       1e4,         1e10,   1e100,     1e154,  1e200,  1e300,  1.7e308};

// |y - reference| in ULPs of T; an infinity stands for the power of two above the format.
template <class T>
double error_in_ulps(T y, quad reference) {
  if (std::isnan(y) || isnanq(reference)) return std::isnan(y) && isnanq(reference) ? 0 : 1e30;
  const quad largest = ldexpq(1, fp<T>::bias + 1);
  const quad got = std::isinf(y) ? copysignq(largest, y) : quad(y);
  const quad want = fabsq(reference) > largest ? copysignq(largest, reference) : reference;
  int e = 1 - fp<T>::bias;
  if (want != 0) frexpq(std::min(fabsq(want), largest / 2), &e), --e;
  return double(fabsq(got - want) / ldexpq(1, std::max(e, 1 - fp<T>::bias) - fp<T>::mantissa));
}

struct Parts {
  quad re, im;
};
struct Worst {
  double ulps = 0;
  std::string at;
  template <class T>
  void meet(cplx<T> got, Parts want, const std::string &what) {
    const double error = std::max(error_in_ulps(got.re, want.re), error_in_ulps(got.im, want.im));
    if (error > ulps) ulps = error, at = what + " is " + show(cast<c128>(got));
  }
};
template <class Op>
void expect_close(const char *name, Parts (*reference)(quad, quad), double limit, double bar = 4) {
  Worst worst;
  for (c128 z : grid(kSizes)) {
    if (std::fabs(z.re) > limit || std::fabs(z.im) > limit) continue;
    worst.meet(Op::apply(z), reference(z.re, z.im), std::string(name) + show(z));
  }
  EXPECT_LE(worst.ulps, bar) << worst.at;
}

// Arguments beyond 6000 give what 6000 gives: an infinity or zero.
quad held(quad x) { return x > 6000 ? quad(6000) : x < -6000 ? quad(-6000) : x; }
Parts exp_q(quad x, quad y) { return {expq(held(x)) * cosq(y), expq(held(x)) * sinq(y)}; }
Parts exp2_q(quad x, quad y) {
  const quad ln2 = logq(2);
  return exp_q(held(x) * ln2, y * ln2);
}
Parts sinh_q(quad x, quad y) { return {sinhq(held(x)) * cosq(y), coshq(held(x)) * sinq(y)}; }
Parts cosh_q(quad x, quad y) { return {coshq(held(x)) * cosq(y), sinhq(held(x)) * sinq(y)}; }
Parts sin_q(quad x, quad y) { return {sinq(x) * coshq(held(y)), cosq(x) * sinhq(held(y))}; }
Parts cos_q(quad x, quad y) { return {cosq(x) * coshq(held(y)), -sinq(x) * sinhq(held(y))}; }
Parts tanh_q(quad x, quad y) {
  const quad c = coshq(held(2 * x)) + cosq(2 * y);
  const quad s = sinhq(x), t = cosq(y);
  const quad den = fabsq(x) < 1 ? 2 * (s * s + t * t) : c;
  return {sinhq(held(2 * x)) / den, sinq(2 * y) / den};
}
Parts tan_q(quad x, quad y) {
  const Parts t = tanh_q(-y, x);
  return {t.im, -t.re};
}
Parts log_q(quad x, quad y) {
  const quad size = hypotq(x, y), angle = atan2q(y, x);
  if (size < quad(0.5) || size > 2) return {logq(size), angle};
  const quad a = std::max(fabsq(x), fabsq(y)), b = std::min(fabsq(x), fabsq(y));
  return {log1pq((a - 1) * (a + 1) + b * b) / 2, angle};
}
Parts sqrt_q(quad x, quad y) {
  const quad larger = sqrtq((fabsq(x) + hypotq(x, y)) / 2), smaller = larger == 0 ? y : fabsq(y) / (2 * larger);
  return x >= 0 ? Parts{larger, copysignq(smaller, y)} : Parts{fabsq(smaller), copysignq(larger, y)};
}
Parts product_q(c128 a, c128 b) {
  return {quad(a.re) * b.re - quad(a.im) * b.im, quad(a.re) * b.im + quad(a.im) * b.re};
}
Parts quotient_q(c128 a, c128 b) {
  const Parts n = product_q(a, {b.re, -b.im});
  const quad norm = quad(b.re) * b.re + quad(b.im) * b.im;
  return {n.re / norm, n.im / norm};
}
Parts square_q(quad x, quad y) { return product_q({double(x), double(y)}, {double(x), double(y)}); }

TEST(ComplexGrid, Exponentials) {
  expect_close<ops::exp>("exp", exp_q, kInf);
  expect_close<ops::exp2>("exp2", exp2_q, 1e11);  // its angle has 107 bits
}
TEST(ComplexGrid, HyperbolicAndTrigonometric) {
  expect_close<ops::sinh>("sinh", sinh_q, kInf);
  expect_close<ops::cosh>("cosh", cosh_q, kInf);
  expect_close<ops::tanh>("tanh", tanh_q, kInf);
  expect_close<ops::sin>("sin", sin_q, kInf);
  expect_close<ops::cos>("cos", cos_q, kInf);
  expect_close<ops::tan>("tan", tan_q, kInf);
}
TEST(ComplexGrid, RootsLogarithmsAndSquares) {
  expect_close<ops::sqrt>("sqrt", sqrt_q, kInf);
  expect_close<ops::square>("square", square_q, kInf);
  Worst worst;
  for (c128 z : grid(kSizes))
    if (z.re != 0 || z.im != 0) worst.meet(ops::log::apply(z), log_q(z.re, z.im), "log" + show(z));
  EXPECT_LE(worst.ulps, 4) << worst.at;
}
template <class T>
void expect_close_pairs(const std::vector<double> &sizes) {
  const std::vector<c128> all = grid(sizes);
  Worst products, quotients;
  for (c128 p : all) {
    for (c128 q : all) {
      const cplx<T> a = cast<cplx<T>>(p), b = cast<cplx<T>>(q);
      const c128 x = cast<c128>(a), y = cast<c128>(b);
      products.meet(ops::multiply::apply(a, b), product_q(x, y), show(x) + " * " + show(y));
      if (y.re == 0 && y.im == 0) continue;
      quotients.meet(ops::divide::apply(a, b), quotient_q(x, y), show(x) + " / " + show(y));
    }
  }
  EXPECT_LE(products.ulps, 2) << products.at;
  EXPECT_LE(quotients.ulps, 4) << quotients.at;
}
TEST(ComplexGrid, ProductsAndQuotients) {
  expect_close_pairs<double>({0, 0x1p-1074, 3e-310, 1e-300, 1e-160, 0.3, 1.5, 1e10, 1e100, 1e154, 1e300, 1.7e308});
}
TEST(ComplexGrid, ProductsAndQuotientsOfComplex64) {
  expect_close_pairs<float>({0, 0x1p-149, 3e-42, 1e-38, 1e-20, 1e-5, 0.3, 1.5, 1e5, 1e19, 1e30, 3.3e38});
}

}  // namespace
