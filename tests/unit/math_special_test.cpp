// tests/unit/math_special_test.cpp -- special values of the math functions: C17 Annex F and G, and the array API
// 2025.12
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "plugins/shared/ops/scalar_ops.h"

namespace {

using namespace gpo;

constexpr double kInf = INFINITY, kNan = NAN;
constexpr double kPi = 3.14159265358979323846;

// Equal bits, or both NaN.
template <class T>
bool same(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : to_bits(a) == to_bits(b);
}
template <class T>
std::string show(T x) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", double(x));
  return text;
}

struct Unary {
  double x, y;  // y is rounded to the loop's type
};
template <class Op, class T>
void check(const char *name, const std::vector<Unary> &cases) {
  for (const Unary &c : cases) {
    const T got = Op::apply(T(c.x));
    EXPECT_TRUE(same(got, T(c.y))) << name << "(" << show(T(c.x)) << ") is " << show(got) << ", not " << show(T(c.y));
    if constexpr (Op::template has_hard<T>) {  // the two halves together are the whole
      const T split = Op::hard(T(c.x)) ? Op::apply_hard(T(c.x)) : Op::apply_easy(T(c.x));
      EXPECT_TRUE(same(got, split)) << name;
    }
  }
}
#define CHECK_UNARY(name, ...)                                     \
  check<ops::name, double>(#name, std::vector<Unary> __VA_ARGS__); \
  check<ops::name, float>(#name, std::vector<Unary> __VA_ARGS__)

TEST(MathSpecial, Exponentials) {
  CHECK_UNARY(exp, ({{0, 1}, {-0.0, 1}, {kInf, kInf}, {-kInf, 0}, {kNan, kNan}, {1e4, kInf}, {-1e4, 0}}));
  CHECK_UNARY(exp2, ({{0, 1},
                      {-0.0, 1},
                      {kInf, kInf},
                      {-kInf, 0},
                      {kNan, kNan},
                      {1, 2},
                      {-1, 0.5},
                      {100, 0x1p100},
                      {-126, 0x1p-126},
                      {-140, 0x1p-140},
                      {127, 0x1p127},
                      {1e4, kInf},
                      {-1e4, 0}}));
  CHECK_UNARY(expm1, ({{0, 0},
                       {-0.0, -0.0},
                       {kInf, kInf},
                       {-kInf, -1},
                       {kNan, kNan},
                       {-100, -1},
                       {1e4, kInf},
                       {1e-40, 1e-40},
                       {-1e-30, -1e-30}}));
  EXPECT_EQ(ops::exp2::apply(1023.0), 0x1p1023);
  EXPECT_EQ(ops::exp2::apply(-1074.0), 0x1p-1074);
  EXPECT_EQ(ops::exp2::apply(-1076.0), 0.0);
  EXPECT_EQ(ops::exp::apply(-745.2), 0.0);
  EXPECT_EQ(ops::exp::apply(-745.0), 0x1p-1074);
  EXPECT_TRUE(std::isinf(ops::exp::apply(709.79)));
  EXPECT_TRUE(std::isfinite(ops::exp::apply(709.78)));
}

TEST(MathSpecial, Logarithms) {
  CHECK_UNARY(log, ({{1, 0}, {0, -kInf}, {-0.0, -kInf}, {-1, kNan}, {-kInf, kNan}, {kInf, kInf}, {kNan, kNan}}));
  CHECK_UNARY(log2, ({{1, 0},
                      {0, -kInf},
                      {-0.0, -kInf},
                      {-1, kNan},
                      {kInf, kInf},
                      {kNan, kNan},
                      {2, 1},
                      {8, 3},
                      {0.25, -2},
                      {0x1p-140, -140},
                      {0x1p127, 127}}));
  CHECK_UNARY(log10, ({{1, 0}, {0, -kInf}, {-1, kNan}, {kInf, kInf}, {kNan, kNan}, {10, 1}, {1000, 3}, {1e10, 10}}));
  CHECK_UNARY(
      log1p,
      ({{0, 0}, {-0.0, -0.0}, {-1, -kInf}, {-2, kNan}, {kInf, kInf}, {-kInf, kNan}, {kNan, kNan}, {1e-40, 1e-40}}));
  for (int k = -1074; k < 1024; ++k) ASSERT_EQ(ops::log2::apply(std::ldexp(1.0, k)), k);
  for (int k = 0; k <= 22; ++k) ASSERT_EQ(ops::log10::apply(std::pow(10.0, k)), k);
}

// Numbers of every exponent: where the easy form may be used it has the bits of the definition.
template <class Op, class T>
void check_easy(const char *name) {
  constexpr u64 step = 0x9e3779b97f4a7c15u;
  int easy = 0;
  for (u64 i = 0; i < 2000000; ++i) {
    const T x = from_bits(uint_of<T>((i * step) >> (64 - 8 * sizeof(T))));
    if (Op::hard(x)) continue;
    ++easy;
    ASSERT_TRUE(same(Op::apply_easy(x), Op::apply(x))) << name << "(" << show(x) << ")";
  }
  EXPECT_GT(easy, 500000) << name;
}
#define CHECK_EASY(name)                \
  check_easy<ops::name, double>(#name); \
  check_easy<ops::name, float>(#name)

TEST(MathSpecial, EasyLogarithms) {
  CHECK_EASY(log);
  CHECK_EASY(log2);
  CHECK_EASY(log10);
  CHECK_EASY(log1p);
}

TEST(MathSpecial, Trigonometric) {
  CHECK_UNARY(sin, ({{0, 0}, {-0.0, -0.0}, {kInf, kNan}, {-kInf, kNan}, {kNan, kNan}, {1e-40, 1e-40}}));
  CHECK_UNARY(cos, ({{0, 1}, {-0.0, 1}, {kInf, kNan}, {-kInf, kNan}, {kNan, kNan}, {1e-30, 1}}));
  CHECK_UNARY(tan, ({{0, 0}, {-0.0, -0.0}, {kInf, kNan}, {-kInf, kNan}, {kNan, kNan}}));
  CHECK_UNARY(asin, ({{0, 0}, {-0.0, -0.0}, {1, kPi / 2}, {-1, -kPi / 2}, {1.5, kNan}, {kInf, kNan}, {kNan, kNan}}));
  CHECK_UNARY(acos, ({{1, 0}, {-1, kPi}, {0, kPi / 2}, {-0.0, kPi / 2}, {1.5, kNan}, {-kInf, kNan}, {kNan, kNan}}));
  CHECK_UNARY(atan, ({{0, 0}, {-0.0, -0.0}, {kInf, kPi / 2}, {-kInf, -kPi / 2}, {kNan, kNan}, {1, kPi / 4}}));
  CHECK_UNARY(
      sinc,
      ({{0, 1}, {-0.0, 1}, {1, 0}, {-1, 0}, {7, 0}, {1e20, 0}, {-1e30, 0}, {kInf, kNan}, {kNan, kNan}, {1e-30, 1}}));
  CHECK_UNARY(deg2rad, ({{0, 0}, {-0.0, -0.0}, {180, kPi}, {kInf, kInf}, {kNan, kNan}}));
  CHECK_UNARY(rad2deg, ({{0, 0}, {-0.0, -0.0}, {kInf, kInf}, {kNan, kNan}}));
}

TEST(MathSpecial, Hyperbolic) {
  CHECK_UNARY(
      sinh,
      ({{0, 0}, {-0.0, -0.0}, {kInf, kInf}, {-kInf, -kInf}, {kNan, kNan}, {1e4, kInf}, {-1e4, -kInf}, {1e-40, 1e-40}}));
  CHECK_UNARY(cosh, ({{0, 1}, {-0.0, 1}, {kInf, kInf}, {-kInf, kInf}, {kNan, kNan}, {-1e4, kInf}}));
  CHECK_UNARY(tanh,
              ({{0, 0}, {-0.0, -0.0}, {kInf, 1}, {-kInf, -1}, {kNan, kNan}, {1e4, 1}, {-1e30, -1}, {1e-40, 1e-40}}));
  CHECK_UNARY(asinh, ({{0, 0}, {-0.0, -0.0}, {kInf, kInf}, {-kInf, -kInf}, {kNan, kNan}, {1e-40, 1e-40}}));
  CHECK_UNARY(acosh, ({{1, 0}, {0.5, kNan}, {-kInf, kNan}, {kInf, kInf}, {kNan, kNan}}));
  CHECK_UNARY(atanh, ({{0, 0}, {-0.0, -0.0}, {1, kInf}, {-1, -kInf}, {2, kNan}, {kInf, kNan}, {kNan, kNan}}));
}

TEST(MathSpecial, RootsAndSpecialFunctions) {
  CHECK_UNARY(sqrt, ({{0, 0}, {-0.0, -0.0}, {-1, kNan}, {kInf, kInf}, {-kInf, kNan}, {kNan, kNan}, {9, 3}}));
  CHECK_UNARY(cbrt,
              ({{0, 0}, {-0.0, -0.0}, {kInf, kInf}, {-kInf, -kInf}, {kNan, kNan}, {27, 3}, {-8, -2}, {1e9, 1000}}));
  CHECK_UNARY(erf, ({{0, 0}, {-0.0, -0.0}, {kInf, 1}, {-kInf, -1}, {kNan, kNan}, {10, 1}}));
  CHECK_UNARY(erfc, ({{0, 1}, {-0.0, 1}, {kInf, 0}, {-kInf, 2}, {kNan, kNan}, {-10, 2}, {1e10, 0}}));
  CHECK_UNARY(expit, ({{0, 0.5},
                       {-0.0, 0.5},
                       {kInf, 1},
                       {-kInf, 0},
                       {kNan, kNan},
                       {1e-40, 0.5},
                       {-1e-40, 0.5},
                       {40, 1},
                       {1e4, 1},
                       {-1e4, 0},
                       {3e38, 1},
                       {-3e38, 0}}));
  EXPECT_EQ(ops::expit::apply(-745.0), 0x1p-1074);  // exp(-745) is 1.13 times that
  EXPECT_EQ(ops::expit::apply(-745.2), 0.0);
  EXPECT_EQ(ops::expit::apply(-103.9f), 0x1p-149f);
  EXPECT_EQ(ops::expit::apply(-104.0f), 0.0f);
  CHECK_UNARY(gamma, ({{0, kInf},
                       {-0.0, -kInf},
                       {-1, kNan},
                       {-7, kNan},
                       {kInf, kInf},
                       {-kInf, kNan},
                       {kNan, kNan},
                       {1, 1},
                       {2, 1},
                       {5, 24},
                       {1e4, kInf},
                       {-1e4 - 0.5, -0.0},
                       {-1e4 - 1.5, 0}}));
  CHECK_UNARY(
      lgamma,
      ({{1, 0}, {2, 0}, {0, kInf}, {-0.0, kInf}, {-1, kInf}, {-7, kInf}, {kInf, kInf}, {-kInf, kInf}, {kNan, kNan}}));
  CHECK_UNARY(digamma, ({{0, -kInf}, {-0.0, kInf}, {-1, kNan}, {-7, kNan}, {kInf, kInf}, {-kInf, kNan}, {kNan, kNan}}));
  double factorial = 1;
  for (int n = 1; n <= 22; factorial *= n++) ASSERT_EQ(ops::gamma::apply(double(n)), factorial) << n;
}

struct Binary {
  double x, y, z;
};
template <class Op, class T>
void check(const char *name, const std::vector<Binary> &cases) {
  for (const Binary &c : cases) {
    const T got = Op::apply(T(c.x), T(c.y));
    EXPECT_TRUE(same(got, T(c.z))) << name << "(" << show(T(c.x)) << ", " << show(T(c.y)) << ") is " << show(got)
                                   << ", not " << show(T(c.z));
  }
}
#define CHECK_BINARY(name, ...)                                     \
  check<ops::name, double>(#name, std::vector<Binary> __VA_ARGS__); \
  check<ops::name, float>(#name, std::vector<Binary> __VA_ARGS__)

TEST(MathSpecial, Pow) {
  CHECK_BINARY(pow,
               ({{0, -3, kInf},       {-0.0, -3, -kInf},   {-0.0, -2, kInf},  {0, -2.5, kInf},  {-0.0, -2.5, kInf},
                 {0, -kInf, kInf},    {-0.0, -kInf, kInf}, {0, 3, 0},         {-0.0, 3, -0.0},  {-0.0, 2, 0},
                 {-0.0, 2.5, 0},      {-1, kInf, 1},       {-1, -kInf, 1},    {1, kNan, 1},     {1, kInf, 1},
                 {kNan, 0, 1},        {kNan, -0.0, 1},     {kInf, 0, 1},      {-2, 0.5, kNan},  {0.5, -kInf, kInf},
                 {-0.5, -kInf, kInf}, {2, -kInf, 0},       {-2, -kInf, 0},    {0.5, kInf, 0},   {2, kInf, kInf},
                 {-kInf, -3, -0.0},   {-kInf, -2, 0},      {-kInf, 3, -kInf}, {-kInf, 2, kInf}, {-kInf, 2.5, kInf},
                 {kInf, -1, 0},       {kInf, 1, kInf},     {kNan, 1, kNan},   {2, kNan, kNan},  {-1, kNan, kNan},
                 {2, 10, 1024},       {-2, 3, -8},         {-2, -1, -0.5},    {10, 5, 1e5},     {-3, 4, 81},
                 {1.5, 1e30, kInf},   {1.5, -1e30, 0},     {-1, 1e30, 1},     {4, 0.5, 2},      {-kInf, 0.5, kInf}}));
  EXPECT_TRUE(same(ops::pow::apply(-1.0, 9007199254740991.0), -1.0));
  EXPECT_TRUE(same(ops::pow::apply(2.0, -1074.0), 0x1p-1074));
}

// Numbers of all sizes, and those between -2 and 200, where the two forms part.
template <class Op, class T>
void check_easy_gamma(const char *name) {
  int easy = 0;
  for (u64 i = 0; i < 300000; ++i) {
    const T any = from_bits(uint_of<T>((i * 0x9e3779b97f4a7c15u) >> (64 - 8 * sizeof(T))));
    const T x = i % 4 == 0 ? any : T(-2) + T(i % (u64{1} << (8 + i % 11))) * T(202) / T(u64{1} << (8 + i % 11));
    if (Op::hard(x)) continue;
    ++easy;
    ASSERT_TRUE(same(Op::apply_easy(x), Op::apply(x))) << name << "(" << show(x) << ")";
  }
  EXPECT_GT(easy, 100000) << name;
}

TEST(MathSpecial, EasyGammas) {
  check_easy_gamma<ops::gamma, double>("gamma");
  check_easy_gamma<ops::gamma, float>("gamma");
  check_easy_gamma<ops::lgamma, double>("lgamma");
  check_easy_gamma<ops::lgamma, float>("lgamma");
}

// By exponents of every size, and by small ones, of which many are simple.
template <class T>
void check_easy_powers() {
  constexpr u64 step = 0x9e3779b97f4a7c15u;
  int easy = 0;
  for (u64 i = 0; i < 1000000; ++i) {
    const T x = from_bits(uint_of<T>((i * step) >> (64 - 8 * sizeof(T))));
    const T small = T(i64(i % 33) - 16) * T(0.5), near = T(1) + x * T(1e-3);
    const T y = i & 1 ? small : from_bits(uint_of<T>((i * step * step) >> (64 - 8 * sizeof(T))));
    for (const T base : {x, near, T(i64(i % 100)) * T(0.37)}) {
      const T whole = ops::pow::apply(base, y);
      const bool hard = ops::pow::hard(base, y);
      easy += !hard;
      const T split = hard ? ops::pow::apply_hard(base, y) : ops::pow::apply_easy(base, y);
      ASSERT_TRUE(same(split, whole)) << "pow(" << show(base) << ", " << show(y) << ") " << hard;
    }
  }
  EXPECT_GT(easy, 500000);
}

TEST(MathSpecial, EasyPowers) {
  check_easy_powers<double>();
  check_easy_powers<float>();
}

template <class T>
void check_simple_powers() {
  constexpr u64 step = 0x9e3779b97f4a7c15u;
  for (u64 i = 0; i < 200000; ++i) {
    const T x = from_bits(uint_of<T>((i * step) >> (64 - 8 * sizeof(T))));
    const T root = x == -T(kInf) ? T(kInf) : x == 0 ? T(0) : std::sqrt(x);
    ASSERT_TRUE(same(ops::pow::apply(x, T(2)), T(x * x))) << show(x);
    ASSERT_TRUE(same(ops::pow::apply(x, T(3)), T(T(x * x) * x))) << show(x);
    ASSERT_TRUE(same(ops::pow::apply(x, T(-1)), T(1) / x)) << show(x);
    ASSERT_TRUE(same(ops::pow::apply(x, T(0.5)), root)) << show(x);
    ASSERT_TRUE(same(ops::pow::apply(x, T(1)), x)) << show(x);
    ASSERT_TRUE(same(ops::pow::apply(x, T(0)), T(1))) << show(x);
  }
}

TEST(MathSpecial, SimplePowers) {
  check_simple_powers<double>();
  check_simple_powers<float>();
}

TEST(MathSpecial, TwoArguments) {
  CHECK_BINARY(atan2, ({{0, 0, 0},
                        {-0.0, 0, -0.0},
                        {0, -0.0, kPi},
                        {-0.0, -0.0, -kPi},
                        {0, -1, kPi},
                        {-0.0, -1, -kPi},
                        {0, 1, 0},
                        {-0.0, 1, -0.0},
                        {-1, 0, -kPi / 2},
                        {1, -0.0, kPi / 2},
                        {1, -kInf, kPi},
                        {-1, -kInf, -kPi},
                        {1, kInf, 0},
                        {-1, kInf, -0.0},
                        {kInf, 1, kPi / 2},
                        {-kInf, 1, -kPi / 2},
                        {kInf, -kInf, 3 * kPi / 4},
                        {-kInf, -kInf, -3 * kPi / 4},
                        {kInf, kInf, kPi / 4},
                        {kNan, 1, kNan},
                        {1, kNan, kNan}}));
  CHECK_BINARY(hypot,
               ({{3, 4, 5}, {0, -0.0, 0}, {kInf, kNan, kInf}, {kNan, -kInf, kInf}, {kNan, 1, kNan}, {-7, 0, 7}}));
  CHECK_BINARY(fmod, ({{5, 3, 2},
                       {-5, 3, -2},
                       {5, -3, 2},
                       {0, 3, 0},
                       {-0.0, 3, -0.0},
                       {6, 3, 0},
                       {-6, 3, -0.0},
                       {kInf, 1, kNan},
                       {1, 0, kNan},
                       {1, kInf, 1},
                       {-1, -kInf, -1},
                       {kNan, 1, kNan},
                       {1, kNan, kNan}}));
  CHECK_BINARY(logaddexp, ({{-kInf, -kInf, -kInf},
                            {kInf, 1, kInf},
                            {-kInf, 2, 2},
                            {kInf, -kInf, kInf},
                            {kInf, kInf, kInf},
                            {kNan, kInf, kNan},
                            {1, kNan, kNan}}));
  CHECK_BINARY(logaddexp2, ({{-kInf, -kInf, -kInf},
                             {kInf, 1, kInf},
                             {-kInf, 2, 2},
                             {kInf, -kInf, kInf},
                             {3, 3, 4},
                             {kNan, kInf, kNan},
                             {1, kNan, kNan}}));
  CHECK_BINARY(heaviside, ({{-1, 7, 0}, {0, 7, 7}, {-0.0, 7, 7}, {2, 7, 1}, {kNan, 7, kNan}, {0, kNan, kNan}}));
  CHECK_BINARY(copysign, ({{1, -0.0, -1}, {-1, 2, 1}, {0, -3, -0.0}, {kInf, -1, -kInf}}));
  EXPECT_EQ(ops::hypot::apply(0x1p1023, 0x1p1022), 0x1.1e3779b97f4a8p+1023);
  EXPECT_EQ(ops::hypot::apply(3 * 0x1p-1074, 4 * 0x1p-1074), 5 * 0x1p-1074);
}

// ---- complex

struct Complex {
  c128 z, w;
};
const double kAny = 12345;  // marks a component whose sign or value the standard leaves open

bool component_is(double got, double want, bool sign_matters) {
  if (want == kAny) return true;
  if (std::isnan(want)) return std::isnan(got);
  return sign_matters ? same(got, want) : std::fabs(got) == std::fabs(want);
}
template <class Op>
void check(const char *name, const std::vector<Complex> &cases) {
  for (const Complex &c : cases) {
    const c128 got = Op::apply(c.z);
    EXPECT_TRUE(component_is(got.re, c.w.re, true) && component_is(got.im, c.w.im, true))
        << name << "(" << show(c.z.re) << ", " << show(c.z.im) << ") is (" << show(got.re) << ", " << show(got.im)
        << "), not (" << show(c.w.re) << ", " << show(c.w.im) << ")";
    // Symmetric about the real axis. NaN inputs leave signs open.
    const c128 mirrored = Op::apply(c128{c.z.re, -c.z.im});
    EXPECT_TRUE(component_is(mirrored.re, got.re, true) && component_is(mirrored.im, -got.im, !std::isnan(c.z.im)))
        << name << " of the conjugate of (" << show(c.z.re) << ", " << show(c.z.im) << ")";
  }
}
#define CHECK_COMPLEX(name, ...) check<ops::name>(#name, std::vector<Complex> __VA_ARGS__)

TEST(MathSpecial, ComplexExponentials) {
  CHECK_COMPLEX(exp, ({{{0, 0}, {1, 0}},
                       {{-0.0, 0}, {1, 0}},
                       {{1, kInf}, {kNan, kNan}},
                       {{1, kNan}, {kNan, kNan}},
                       {{kInf, 0}, {kInf, 0}},
                       {{-kInf, 1}, {0, 0}},
                       {{kInf, 2}, {-kInf, kInf}},
                       {{-kInf, kInf}, {0, 0}},
                       {{kInf, kInf}, {kInf, kNan}},
                       {{kNan, 0}, {kNan, 0}},
                       {{kNan, 1}, {kNan, kNan}}}));
  CHECK_COMPLEX(expm1, ({{{0, 0}, {0, 0}},
                         {{-0.0, 0}, {-0.0, 0}},
                         {{kInf, 0}, {kInf, 0}},
                         {{-kInf, 1}, {-1, 0}},
                         {{kInf, kInf}, {kInf, kNan}},
                         {{kNan, 0}, {kNan, 0}},
                         {{1, kInf}, {kNan, kNan}}}));
  CHECK_COMPLEX(exp2, ({{{0, 0}, {1, 0}}, {{3, 0}, {8, 0}}, {{kInf, 0}, {kInf, 0}}, {{-kInf, 0}, {0, 0}}}));
  CHECK_COMPLEX(log, ({{{-0.0, 0}, {-kInf, kPi}},
                       {{0, 0}, {-kInf, 0}},
                       {{1, 0}, {0, 0}},
                       {{1, kInf}, {kInf, kPi / 2}},
                       {{1, kNan}, {kNan, kNan}},
                       {{-kInf, 1}, {kInf, kPi}},
                       {{kInf, 1}, {kInf, 0}},
                       {{-kInf, kInf}, {kInf, 3 * kPi / 4}},
                       {{kInf, kInf}, {kInf, kPi / 4}},
                       {{kInf, kNan}, {kInf, kNan}},
                       {{kNan, 1}, {kNan, kNan}},
                       {{kNan, kInf}, {kInf, kNan}},
                       {{0, 1}, {0, kPi / 2}}}));
  CHECK_COMPLEX(log1p, ({{{-1, 0}, {-kInf, 0}},
                         {{0, 0}, {0, 0}},
                         {{1, kInf}, {kInf, kPi / 2}},
                         {{1, kNan}, {kNan, kNan}},
                         {{-kInf, 1}, {kInf, kPi}},
                         {{kInf, 1}, {kInf, 0}},
                         {{kNan, kInf}, {kInf, kNan}}}));
  CHECK_COMPLEX(log2, ({{{8, 0}, {3, 0}}, {{0, 0}, {-kInf, 0}}, {{kInf, 1}, {kInf, 0}}}));
  CHECK_COMPLEX(log10, ({{{1000, 0}, {3, 0}}, {{0, 0}, {-kInf, 0}}, {{kNan, 1}, {kNan, kNan}}}));
}

TEST(MathSpecial, ComplexRoots) {
  CHECK_COMPLEX(sqrt, ({{{0, 0}, {0, 0}},
                        {{-0.0, 0}, {0, 0}},
                        {{-4, 0}, {0, 2}},
                        {{3, 4}, {2, 1}},
                        {{1, kInf}, {kInf, kInf}},
                        {{kNan, kInf}, {kInf, kInf}},
                        {{-kInf, 1}, {0, kInf}},
                        {{kInf, 1}, {kInf, 0}},
                        {{-kInf, kNan}, {kNan, kAny}},
                        {{kInf, kNan}, {kInf, kNan}},
                        {{kNan, 1}, {kNan, kNan}},
                        {{0x1p1023, 0}, {0x1.6a09e667f3bcdp+511, 0}},
                        {{0, 0x1p-1073}, {0x1p-537, 0x1p-537}}}));
}

TEST(MathSpecial, ComplexHyperbolic) {
  CHECK_COMPLEX(sinh, ({{{0, 0}, {0, 0}},
                        {{0, kInf}, {0, kNan}},
                        {{1, kInf}, {kNan, kNan}},
                        {{kInf, 0}, {kInf, 0}},
                        {{kInf, 2}, {-kInf, kInf}},
                        {{kInf, kInf}, {kInf, kNan}},
                        {{kInf, kNan}, {kInf, kNan}},
                        {{kNan, 0}, {kNan, 0}},
                        {{kNan, 1}, {kNan, kNan}},
                        {{0, kNan}, {0, kNan}}}));
  CHECK_COMPLEX(cosh, ({{{0, 0}, {1, 0}},
                        {{1, kInf}, {kNan, kNan}},
                        {{kInf, 0}, {kInf, 0}},
                        {{kInf, 2}, {-kInf, kInf}},
                        {{kInf, kInf}, {kInf, kNan}},
                        {{kInf, kNan}, {kInf, kNan}},
                        {{kNan, 1}, {kNan, kNan}}}));
  CHECK_COMPLEX(tanh, ({{{0, 0}, {0, 0}},
                        {{1, kInf}, {kNan, kNan}},
                        {{0, kInf}, {0, kNan}},
                        {{0, kNan}, {0, kNan}},
                        {{kInf, 1}, {1, 0}},
                        {{kInf, 2}, {1, -0.0}},
                        {{kInf, kInf}, {1, kAny}},
                        {{kNan, 0}, {kNan, 0}},
                        {{kNan, 1}, {kNan, kNan}}}));
  CHECK_COMPLEX(sin, ({{{0, 0}, {0, 0}}, {{0, 1}, {0, 0x1.2cd9fc44eb982p+0}}, {{0, kInf}, {0, kInf}}}));
  CHECK_COMPLEX(cos, ({{{0, 0}, {1, -0.0}}, {{0, kInf}, {kInf, -0.0}}}));
  CHECK_COMPLEX(tan, ({{{0, 0}, {0, 0}}, {{0, kInf}, {0, 1}}}));
}

TEST(MathSpecial, ComplexInverses) {
  CHECK_COMPLEX(acos, ({{{0, 0}, {kPi / 2, -0.0}},
                        {{0, kNan}, {kPi / 2, kNan}},
                        {{1, kInf}, {kPi / 2, -kInf}},
                        {{-kInf, 1}, {kPi, -kInf}},
                        {{kInf, 1}, {0, -kInf}},
                        {{-kInf, kInf}, {3 * kPi / 4, -kInf}},
                        {{kInf, kInf}, {kPi / 4, -kInf}},
                        {{1, kNan}, {kNan, kNan}},
                        {{1, 0}, {0, -0.0}}}));
  CHECK_COMPLEX(acosh, ({{{0, 0}, {0, kPi / 2}},
                         {{1, kInf}, {kInf, kPi / 2}},
                         {{-kInf, 1}, {kInf, kPi}},
                         {{1, 0}, {0, 0}},
                         {{kInf, 1}, {kInf, 0}},
                         {{-kInf, kInf}, {kInf, 3 * kPi / 4}},
                         {{kInf, kInf}, {kInf, kPi / 4}},
                         {{kInf, kNan}, {kInf, kNan}},
                         {{kNan, 1}, {kNan, kNan}},
                         {{0, kNan}, {kNan, kPi / 2}}}));
  CHECK_COMPLEX(asinh, ({{{0, 0}, {0, 0}},
                         {{1, kInf}, {kInf, kPi / 2}},
                         {{kInf, 1}, {kInf, 0}},
                         {{kInf, kInf}, {kInf, kPi / 4}},
                         {{kInf, kNan}, {kInf, kNan}},
                         {{kNan, 0}, {kNan, 0}},
                         {{kNan, 1}, {kNan, kNan}}}));
  CHECK_COMPLEX(atanh, ({{{0, 0}, {0, 0}},
                         {{0, kNan}, {0, kNan}},
                         {{1, 0}, {kInf, 0}},
                         {{1, kInf}, {0, kPi / 2}},
                         {{1, kNan}, {kNan, kNan}},
                         {{kInf, 1}, {0, kPi / 2}},
                         {{kInf, kInf}, {0, kPi / 2}},
                         {{kInf, kNan}, {0, kNan}},
                         {{kNan, 1}, {kNan, kNan}},
                         {{kNan, kInf}, {kAny, kPi / 2}}}));
  CHECK_COMPLEX(asin,
                ({{{0, 0}, {0, 0}}, {{1, 0}, {kPi / 2, 0}}, {{1, kInf}, {0, kInf}}, {{kInf, 1}, {kPi / 2, kInf}}}));
  CHECK_COMPLEX(atan, ({{{0, 0}, {0, 0}}, {{kInf, 1}, {kPi / 2, 0}}}));
  // On the cuts the sign of zero chooses the side.
  const c128 above = ops::asin::apply(c128{2, 0.0}), below = ops::asin::apply(c128{2, -0.0});
  EXPECT_EQ(above.im, -below.im);
  EXPECT_GT(above.im, 1.3);
  EXPECT_EQ(above.re, kPi / 2);
}

TEST(MathSpecial, ComplexArithmetic) {
  const auto expect = [](c128 got, double re, double im, const char *what) {
    EXPECT_TRUE(component_is(got.re, re, true) && component_is(got.im, im, true))
        << what << ": (" << show(got.re) << ", " << show(got.im) << ")";
  };
  using m = ops::multiply;
  using d = ops::divide;
  // Annex G: infinite times anything but zero is infinite.
  expect(m::apply(c128{kInf, 0}, c128{1, 1}), kInf, kInf, "inf * (1+i)");
  expect(m::apply(c128{kInf, kNan}, c128{1, 0}), kInf, kNan, "(inf+nan i) * 1");
  expect(m::apply(c128{kInf, kInf}, c128{0, 1}), -kInf, kInf, "(inf+inf i) * i");
  expect(m::apply(c128{0x1p1000, 0x1p1000}, c128{0x1p20, 0x1p20}), 0, 0x1p1021, "no spurious overflow");
  expect(m::apply(c128{0x1p1023, 0x1p1023}, c128{1, 1}), 0, kInf, "only the true overflow");
  expect(d::apply(c128{1, 1}, c128{0, 0}), kInf, kInf, "(1+i) / 0");
  expect(d::apply(c128{1, 1}, c128{kInf, 0}), 0, 0, "(1+i) / inf");
  expect(d::apply(c128{kInf, 1}, c128{1, 1}), kInf, -kInf, "(inf+i) / (1+i)");
  expect(d::apply(c128{0x1p1023, 0x1p1023}, c128{0x1p1023, 0x1p1023}), 1, 0, "huge / huge");
  expect(d::apply(c128{0x1p-1074, 0}, c128{0x1p-1074, 0}), 1, 0, "denormal / denormal");
  expect(ops::reciprocal::apply(c128{0, 2}), 0, -0.5, "1 / 2i");
  expect(ops::sign::apply(c128{0, 0}), 0, 0, "sign 0");
  expect(ops::sign::apply(c128{3, -4}), 0.6, -0.8, "sign (3-4i)");
  expect(ops::sign::apply(c128{-kInf, 1}), -1, 0, "sign (-inf+i)");
  expect(ops::sign::apply(c128{kInf, kInf}), kNan, kNan, "sign (inf+inf i)");
  expect(ops::sign::apply(c128{kNan, 1}), kNan, kNan, "sign NaN");
  expect(ops::sign::apply(c128{0x1p-1074, 0}), 1, 0, "sign of a denormal");
  EXPECT_EQ(ops::abs::apply(c128{0x1p1023, 0}), 0x1p1023);
  EXPECT_EQ(ops::abs::apply(c128{-kInf, kNan}), kInf);
  EXPECT_EQ(ops::abs::apply(c64{3, -4}), 5.0f);
  using p = ops::pow;
  expect(p::apply(c128{0, 0}, c128{0, 0}), 1, 0, "0 ** 0");
  expect(p::apply(c128{0, 0}, c128{2, 1}), 0, 0, "0 ** (2+i)");
  expect(p::apply(c128{0, 0}, c128{-1, 0}), kNan, kNan, "0 ** -1");
  expect(p::apply(c128{1, 2}, c128{2, 0}), -3, 4, "(1+2i) ** 2");
  expect(p::apply(c128{0, 1}, c128{-2, 0}), -1, -0.0, "i ** -2");
  expect(p::apply(c128{2, 0}, c128{1000, 0}), 0x1p1000, 0, "2 ** 1000");
}

}  // namespace
