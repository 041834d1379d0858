// tests/unit/math_accuracy_test.cpp -- largest error of every math function against libquadmath, in units in the last
// place
//
// GPUOPT_ACCURACY_MD=docs/accuracy.md ./math_accuracy_test   rewrites that page from what this run measured.
// GPUOPT_ACCURACY_POINTS=n multiplies the number of points (1 takes some ten seconds).
#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "plugins/shared/ops/scalar_ops.h"
#include "tests/unit/quad.h"

namespace {

using namespace gpo;
// By calls: the Q literals of quadmath.h's own constants are a GNU extension.
const quad kPi = acosq(-1), kLog2 = logq(2), kLog10 = logq(10);

// ---- Points

struct Random {  // splitmix64: the same points on every machine
  u64 state;
  u64 next() {
    u64 z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform(double lo, double hi) { return lo + (hi - lo) * double(next() >> 11) * 0x1p-53; }
};

int effort() {
  const char *text = std::getenv("GPUOPT_ACCURACY_POINTS");
  return text ? std::max(1, std::atoi(text)) : 1;
}

template <class T>
T random_in_binade(Random &random, int biased_exponent, bool negative) {
  const uint_of<T> fraction = uint_of<T>(random.next()) & ((uint_of<T>(1) << fp<T>::mantissa) - 1);
  const T x = from_bits(uint_of<T>(fraction | (uint_of<T>(biased_exponent) << fp<T>::mantissa)));
  return negative ? -x : x;
}

// A function's interesting interval, its zeros or ties, and numbers at which something changes.
struct Domain {
  double lo, hi;
  double period = 0;  // points around its multiples, in quad precision, are added
  std::vector<double> centers = {};
};

template <class T>
std::vector<T> points(const Domain &d, int in_interval, int per_binade) {
  Random random{12345};
  std::vector<T> x = {T(0), -T(0), inf<T>(), -inf<T>(), nan<T>()};
  const int binades = 2 * fp<T>::bias + 1;
  for (int e = 0; e < binades; ++e)
    for (int k = 0; k < 2 * per_binade; ++k) x.push_back(random_in_binade<T>(random, e, k & 1));
  for (int k = 0; k < in_interval; ++k) x.push_back(T(random.uniform(d.lo, d.hi)));
  std::vector<double> centers = d.centers;
  if (d.period != 0)
    for (int k = 1; k < 4000; ++k) centers.push_back(double(kPi / 2 * (k < 2000 ? k : k * 977)));
  for (double c : centers)
    for (int step = -3; step <= 3; ++step) {
      const T at = from_bits(uint_of<T>(to_bits(T(c)) + uint_of<T>(step)));
      x.push_back(at);
      x.push_back(-at);
    }
  return x;
}

// ---- Errors

template <class T>
int exponent_for_ulp(quad reference) {
  int e;
  frexpq(fabsq(reference), &e);
  return std::max(e - 1, 1 - fp<T>::bias) - fp<T>::mantissa;
}

// |y - reference| in ULPs of the larger of |reference| and floor. An infinity counts as the power of two it stands for.
template <class T>
double error_in_ulps(T y, quad reference, quad floor) {
  if (isnanq(reference)) return std::isnan(y) ? 0 : 1e30;
  if (std::isnan(y)) return 1e30;
  if (isinfq(reference)) return quad(y) == reference ? 0 : 1e30;
  const quad largest = ldexpq(1, fp<T>::bias + 1);
  quad value = std::isinf(y) ? copysignq(largest, y) : quad(y);
  quad wanted = fabsq(reference) > largest ? copysignq(largest, reference) : reference;
  const quad size = std::min(std::max(fabsq(wanted), floor), largest / 2);
  return double(fabsq(value - wanted) / ldexpq(1, exponent_for_ulp<T>(size)));
}

struct Worst {
  double ulps = 0;
  double x = 0, y = 0;
  long points = 0;
  void meet(double error, double at_x, double at_y = 0) {
    ++points;
    if (error > ulps) ulps = error, x = at_x, y = at_y;
  }
};

// Results of a 16-bit float that are not the number nearest to the exact one, and the largest error in its own ULPs.
struct Halves {
  long not_nearest = 0, points = 0;
  double ulps = 0;
  void join(const Halves &other) {
    not_nearest += other.not_nearest, points += other.points;
    ulps = std::max(ulps, other.ulps);
  }
};
struct Row {
  std::string name;
  int inputs;
  Worst single, twice;
  Halves half, brain;  // of float16 and bfloat16
};
std::vector<Row> &table() {
  static std::vector<Row> rows;
  return rows;
}

// The bars of the design: 1 ULP in float, 1.5 in double.
constexpr double kSingleBar = 1.0, kDoubleBar = 1.5;
// Of a function of one float32 whose largest error is that of the points of this test, and not that over every number.
constexpr double kUnsweptBar = 0.51;
// And of a float32 result of at most 1 ULP that is rounded once more: 1/2 and 2^-13 of float16, 2^-16 of bfloat16.
constexpr double kHalfBar = 0.5 + 0x1p-13, kBrainBar = 0.5 + 0x1p-16;

// The largest error over every float32 (math_float32_sweep.cpp), or nothing where a function is not in its file.
std::map<std::string, double> read_sweep() {
  std::ifstream file(GPUOPT_SOURCE_DIR "/tests/data/accuracy/float32.txt");
  EXPECT_TRUE(file) << "tests/data/accuracy/float32.txt cannot be read";
  std::map<std::string, double> swept;
  std::string name, rest;
  for (double ulps; file >> name >> ulps && std::getline(file, rest);) swept[name] = ulps;
  EXPECT_FALSE(swept.empty());
  return swept;
}
const std::map<std::string, double> &sweep() {
  static const std::map<std::string, double> swept = read_sweep();
  return swept;
}

void judge(const Row &row) {
  std::printf("%-10s float %.3f at %a,%a   double %.3f at %a,%a   (%ld points)\n", row.name.c_str(), row.single.ulps,
              row.single.x, row.single.y, row.twice.ulps, row.twice.x, row.twice.y,
              row.single.points + row.twice.points);
  EXPECT_LE(row.single.ulps, kSingleBar) << row.name << " of float";
  EXPECT_LE(row.twice.ulps, kDoubleBar) << row.name << " of double";
  EXPECT_LE(row.half.ulps, kHalfBar) << row.name << " of float16";
  EXPECT_LE(row.brain.ulps, kBrainBar) << row.name << " of bfloat16";
  const auto swept = sweep().find(row.name);
  if (swept != sweep().end()) {
    EXPECT_LE(row.single.ulps, swept->second + 0.0001) << row.name << ": float32.txt is older than the function";
  } else if (row.inputs == 1) {
    EXPECT_LE(row.single.ulps, kUnsweptBar)
        << row.name << " of float: a line of float32.txt has to say how large it is "
        << "over every number (math_float32_sweep.cpp)";
  }
  table().push_back(row);
}

// ---- The 16-bit floats: every number, or pairs of them

template <class H>
constexpr int kFraction = std::is_same_v<H, float16> ? 10 : 7;
template <class H>
constexpr int kLeastExponent = std::is_same_v<H, float16> ? -14 : -126;

template <class H>
H half_of_bits(u32 bits) {
  return H{u16(bits)};
}
// The spacing of the format at x, which may lie beyond its range.
template <class H>
quad half_ulp(quad x) {
  int e = kLeastExponent<H>;
  if (x != 0) frexpq(fabsq(x), &e), --e;
  return ldexpq(1, std::max(e, kLeastExponent<H>) - kFraction<H>);
}
// The error of y, and whether it is not the nearest number: an infinity is the power of two above the format. Ties do
// not count, for either neighbour is at the same distance.
template <class H>
void meet_half(Halves &halves, H y, quad reference, quad floor) {
  const double value = double(to_float(y));
  ++halves.points;
  if (isnanq(reference) || std::isnan(value)) {
    halves.not_nearest += !(isnanq(reference) && std::isnan(value));
    return;
  }
  const quad above = ldexpq(1, std::is_same_v<H, float16> ? 16 : 128);
  const quad got = std::isinf(value) ? copysignq(above, value) : quad(value);
  const quad want = fabsq(reference) > above ? copysignq(above, reference) : reference;
  const quad size = std::min(std::max(fabsq(want), floor), above * quad(0.999));
  const double error = double(fabsq(got - want) / half_ulp<H>(size));
  halves.ulps = std::max(halves.ulps, error);
  halves.not_nearest += error > 0.5;
}
// Backends compute them so: widened to float32, the float32 function, rounded.
template <class Op, class H>
Halves measure_halves(quad (*reference)(quad), quad (*floor)(quad)) {
  Halves halves;
  for (u32 bits = 0; bits < 0x10000; ++bits) {
    const float x = to_float(half_of_bits<H>(bits));
    meet_half(halves, cast<H>(Op::apply(x)), reference(x), floor ? floor(x) : quad(0));
  }
  return halves;
}
template <class Op, class H>
Halves measure_halves(quad (*reference)(quad, quad), quad (*floor)(quad, quad)) {
  Halves halves;
  Random random{2718};
  for (int k = 0; k < 60000 * effort(); ++k) {
    const u64 bits = random.next();
    const float x = to_float(half_of_bits<H>(u32(bits))), y = to_float(half_of_bits<H>(u32(bits >> 16)));
    meet_half(halves, cast<H>(Op::apply(x, y)), reference(x, y), floor ? floor(x, y) : quad(0));
  }
  return halves;
}

// ---- Unary functions

using Unary = quad (*)(quad);
using FloorOf = quad (*)(quad);  // an absolute error scale where a relative bar makes no sense

template <class Op, class T>
Worst measure(Unary reference, const Domain &d, FloorOf floor) {
  const bool wide = sizeof(T) == 8;
  Worst worst;
  for (T x : points<T>(d, 25000 * effort(), (wide ? 3 : 30) * effort()))
    worst.meet(error_in_ulps(Op::apply(x), reference(x), floor ? floor(x) : quad(0)), double(x));
  return worst;
}
template <class Op>
void check(const char *name, Unary reference, const Domain &d, FloorOf floor = nullptr) {
  judge({name, 1, measure<Op, float>(reference, d, floor), measure<Op, double>(reference, d, floor),
         measure_halves<Op, float16>(reference, floor), measure_halves<Op, bfloat16>(reference, floor)});
}

// libquadmath's functions, kept from overflowing their own internals far outside a double's range.
quad exp_q(quad x) { return x > 11000 ? quad(INFINITY) : x < -11400 ? quad(0) : expq(x); }
quad exp2_q(quad x) { return x > 16000 ? quad(INFINITY) : x < -16400 ? quad(0) : exp2q(x); }
quad expm1_q(quad x) { return x > 11000 ? quad(INFINITY) : x < -200 ? quad(-1) : expm1q(x); }
quad sinh_q(quad x) { return fabsq(x) > 11000 ? copysignq(INFINITY, x) : sinhq(x); }
quad cosh_q(quad x) { return fabsq(x) > 11000 ? quad(INFINITY) : coshq(x); }
quad expit_q(quad x) { return 1 / (1 + exp_q(-x)); }
quad gamma_q(quad x) {
  if (x == -quad(INFINITY) || (x < 0 && floorq(x) == x)) return nanq("");
  if (x == 0) return copysignq(INFINITY, x);
  return x > 1700 ? quad(INFINITY) : x < -1700 ? quad(0) : tgammaq(x);
}
quad lgamma_q(quad x) { return x <= 0 && floorq(x) == x ? quad(INFINITY) : lgammaq(x); }
// The recurrence up to 60, the asymptotic series, and below zero the reflection.
quad digamma_q(quad x) {
  if (x == quad(INFINITY) || isnanq(x)) return x;
  if (x == 0) return -1 / x;
  if (x < 0) {
    const quad part = x - rintq(x), away = quad(0.5) - fabsq(part);
    if (part == 0 || isinfq(x)) return nanq("");
    const quad cotangent = away < quad(0.25) ? copysignq(tanq(kPi * away), part) : 1 / tanq(kPi * part);
    return digamma_q(1 - x) - kPi * cotangent;
  }
  quad below = 0;
  for (; x < 60; x += 1) below += 1 / x;
  // B(2k) / (2k) from the last one on.
  const quad numerators[] = {-174611, 43867, -3617, 1, -691, 1, -1, 1, -1, 1};
  const quad denominators[] = {6600, 14364, 8160, 12, 32760, 132, 240, 252, 120, 12};
  const quad z = 1 / (x * x);
  quad series = 0;
  for (int k = 0; k < 10; ++k) series = z * (numerators[k] / denominators[k] + series);
  return logq(x) - 1 / (2 * x) - series - below;
}
quad sinc_q(quad x) {
  if (isinfq(x)) return nanq("");
  const quad n = rintq(x), r = x - n;
  if (x == 0 || r == 0) return x == 0;
  const quad s = sinq(kPi * r) / (kPi * x);
  return fmodq(n, 2) != 0 ? -s : s;
}
quad deg2rad_q(quad x) { return x * (kPi / 180); }
quad rad2deg_q(quad x) { return x * (180 / kPi); }

TEST(MathAccuracy, Exponentials) {
  check<ops::exp>("exp", exp_q, {-746, 711});
  check<ops::exp>("exp", exp_q, {-104, 89});
  check<ops::exp2>("exp2", exp2_q, {-1076, 1025});
  check<ops::expm1>("expm1", expm1_q, {-40, 100});
  check<ops::expm1>("expm1", expm1_q, {-1, 1});
}
TEST(MathAccuracy, Logarithms) {
  check<ops::log>("log", logq, {0.5, 2, 0, {1}});
  check<ops::log2>("log2", log2q, {0.5, 2, 0, {1, 2, 4, 8}});
  check<ops::log10>("log10", log10q, {0.5, 2, 0, {1, 10, 100, 1000}});
  check<ops::log1p>("log1p", log1pq, {-0.75, 1.5, 0, {1}});
}
TEST(MathAccuracy, Trigonometric) {
  check<ops::sin>("sin", sinq, {-10, 10, 1});
  check<ops::cos>("cos", cosq, {-10, 10, 1});
  check<ops::tan>("tan", tanq, {-10, 10, 1});
  check<ops::sin>("sin", sinq, {-1e6, 1e6});
  check<ops::cos>("cos", cosq, {-1e6, 1e6});
  check<ops::tan>("tan", tanq, {-1e6, 1e6});
  check<ops::sinc>("sinc", sinc_q, {-20, 20, 0, {0.5, 1, 1.5, 2, 1024}});
  check<ops::deg2rad>("deg2rad", deg2rad_q, {-360, 360});
  check<ops::rad2deg>("rad2deg", rad2deg_q, {-7, 7});
}
TEST(MathAccuracy, InverseTrigonometric) {
  check<ops::asin>("asin", asinq, {-1, 1, 0, {0.5, 1}});
  check<ops::acos>("acos", acosq, {-1, 1, 0, {0.5, 1}});
  check<ops::atan>("atan", atanq, {-4, 4, 0, {1}});
}
TEST(MathAccuracy, Hyperbolic) {
  check<ops::sinh>("sinh", sinh_q, {-5, 5, 0, {0x1.633ce8fb9f87dp+9, 0x1.65a9f8p+6}});
  check<ops::cosh>("cosh", cosh_q, {-5, 5, 0, {0x1.633ce8fb9f87dp+9, 0x1.65a9f8p+6}});
  check<ops::tanh>("tanh", tanhq, {-3, 3});
  check<ops::tanh>("tanh", tanhq, {-20, 20});
  check<ops::asinh>("asinh", asinhq, {-3, 3});
  check<ops::acosh>("acosh", acoshq, {1, 4, 0, {1}});
  check<ops::atanh>("atanh", atanhq, {-1, 1, 0, {1, 0.5}});
}
TEST(MathAccuracy, Roots) {
  check<ops::sqrt>("sqrt", sqrtq, {0, 10});
  check<ops::cbrt>("cbrt", cbrtq, {-10, 10, 0, {1, 8, 27}});
}
TEST(MathAccuracy, Special) {
  check<ops::erf>("erf", erfq, {-6, 6, 0, {1, 5.93}});
  check<ops::erfc>("erfc", erfcq, {-3, 3, 0, {0.4765}});
  check<ops::erfc>("erfc", erfcq, {-6, 28});
  check<ops::expit>("expit", expit_q, {-40, 40, 0, {0.5, 36.7368, 37.4299}});
  check<ops::expit>("expit", expit_q, {-746, -700, 0, {708.3964185322641, 710.4758600739439, 745.1332191019411}});
  check<ops::expit>("expit", expit_q, {-105, -80, 0, {87.33654, 88.72284, 103.97208}});
  check<ops::gamma>("gamma", gamma_q, {-185, 172, 0, {1, 2, 3, 171.6243769563027, 13}});
  // Near its zeros between the negative integers: an ULP of 1, not of the result.
  check<ops::lgamma>("lgamma", lgamma_q, {-20, 20, 0, {1, 2, 1.0625, 1.9375, 13}},
                     [](quad x) { return quad(x < 0 ? 1 : 0); });
  check<ops::digamma>("digamma", digamma_q, {-20, 20, 0, {1, 1.25, 1.4616321449683622, 1.5, 2, 13}},
                      [](quad x) { return quad(x < 0 ? 1 : 0); });
}

// ---- Binary functions

using Binary = quad (*)(quad, quad);
using FloorOf2 = quad (*)(quad, quad);

template <class T>
std::vector<std::pair<T, T>> pairs(double lo, double hi, int count) {
  Random random{999};
  const double specials[] = {0, 1, 0.5, 2, 3, 1e-30, 1e30, INFINITY, NAN};
  std::vector<std::pair<T, T>> p;
  for (double a : specials)
    for (double b : specials)
      for (int signs = 0; signs < 4; ++signs) p.push_back({T(signs & 1 ? -a : a), T(signs & 2 ? -b : b)});
  for (int k = 0; k < count; ++k) {
    p.push_back({T(random.uniform(lo, hi)), T(random.uniform(lo, hi))});
    const int e = int(random.next() % (2 * fp<T>::bias + 1)), near = std::abs(e + int(random.next() % 7) - 3);
    const T a = random_in_binade<T>(random, e, random.next() & 1);
    p.push_back({a, random_in_binade<T>(random, std::min(near, 2 * fp<T>::bias), random.next() & 1)});
    p.push_back({a, T(random.uniform(lo, hi))});
  }
  return p;
}

template <class Op, class T>
Worst measure(Binary reference, const std::vector<std::pair<T, T>> &at, FloorOf2 floor) {
  Worst worst;
  for (const auto &[x, y] : at)
    worst.meet(error_in_ulps(Op::apply(x, y), reference(x, y), floor ? floor(x, y) : quad(0)), double(x), double(y));
  return worst;
}
template <class Op>
void check(const char *name, Binary reference, double lo, double hi, FloorOf2 floor = nullptr) {
  const int count = 12000 * effort();
  judge({name, 2, measure<Op>(reference, pairs<float>(lo, hi, count), floor),
         measure<Op>(reference, pairs<double>(lo, hi, count), floor), measure_halves<Op, float16>(reference, floor),
         measure_halves<Op, bfloat16>(reference, floor)});
}

quad pow_q(quad x, quad y) {
  const quad l = x == 0 ? quad(0) : logq(fabsq(x)) * y;
  if (x != 0 && fabsq(l) > 11000 && finiteq(x) && finiteq(y)) {
    const bool odd = fmodq(y, 2) != 0;
    if (x < 0 && truncq(y) != y) return nanq("");
    return (x < 0 && odd ? -1 : 1) * (l > 0 ? quad(INFINITY) : quad(0));
  }
  return powq(x, y);
}
quad logaddexp_q(quad a, quad b) {
  if (isnanq(a) || isnanq(b)) return nanq("");
  const quad hi = std::max(a, b), lo = std::min(a, b);
  return isinfq(hi) ? hi : hi + log1pq(exp_q(lo - hi));
}
quad logaddexp2_q(quad a, quad b) {
  if (isnanq(a) || isnanq(b)) return nanq("");
  const quad hi = std::max(a, b), lo = std::min(a, b);
  return isinfq(hi) ? hi : hi + log1pq(exp2_q(lo - hi)) / kLog2;
}

// Bases next to 1 with exponents that bring the power back into range, where the logarithm must be most exact.
template <class T>
std::vector<std::pair<T, T>> powers() {
  Random random{4711};
  std::vector<std::pair<T, T>> p = pairs<T>(0, 40, 8000 * effort());
  const double range = sizeof(T) == 8 ? 744 : 103;
  for (int k = 0; k < 30000 * effort(); ++k) {
    const T x = random_in_binade<T>(random, int(random.next() % (2 * fp<T>::bias)), false);
    const T near_one = T(1) + T(std::ldexp(random.uniform(-1, 1), -int(random.next() % fp<T>::mantissa)));
    const T base = (k & 1) ? x : near_one;
    const double size = std::log(double(base));
    if (size != 0 && base > 0) p.push_back({base, T(random.uniform(-range, range) / size)});
    p.push_back({T(int(random.next() % 40) - 20), T(int(random.next() % 40) - 20)});
  }
  return p;
}

// Arithmetic of 16-bit floats is always the nearest number.
template <class Op>
void expect_nearest(const char *name, Binary reference) {
  const Halves half = measure_halves<Op, float16>(reference, nullptr),
               brain = measure_halves<Op, bfloat16>(reference, nullptr);
  EXPECT_EQ(half.not_nearest, 0) << name << " of float16, by up to " << half.ulps << " ULP";
  EXPECT_EQ(brain.not_nearest, 0) << name << " of bfloat16, by up to " << brain.ulps << " ULP";
  EXPECT_GT(half.points + brain.points, 100000);
}
TEST(MathAccuracy, ArithmeticOf16BitFloatsIsExactlyRounded) {
  expect_nearest<ops::add>("add", [](quad a, quad b) { return a + b; });
  expect_nearest<ops::subtract>("subtract", [](quad a, quad b) { return a - b; });
  expect_nearest<ops::multiply>("multiply", [](quad a, quad b) { return a * b; });
  expect_nearest<ops::divide>("divide", [](quad a, quad b) { return a / b; });
  Halves roots = measure_halves<ops::sqrt, float16>(sqrtq, nullptr);
  roots.join(measure_halves<ops::sqrt, bfloat16>(sqrtq, nullptr));
  EXPECT_EQ(roots.not_nearest, 0);
}

TEST(MathAccuracy, Binary) {
  judge({"pow", 2, measure<ops::pow>(pow_q, powers<float>(), nullptr),
         measure<ops::pow>(pow_q, powers<double>(), nullptr), measure_halves<ops::pow, float16>(pow_q, nullptr),
         measure_halves<ops::pow, bfloat16>(pow_q, nullptr)});
  check<ops::atan2>("atan2", atan2q, -5, 5);
  check<ops::hypot>("hypot", hypotq, -5, 5);
  check<ops::fmod>("fmod", fmodq, -50, 50);
  // The two terms may cancel: an ULP of 1/4 at least.
  check<ops::logaddexp>("logaddexp", logaddexp_q, -5, 5, [](quad, quad) { return quad(0.25); });
  check<ops::logaddexp2>("logaddexp2", logaddexp2_q, -5, 5, [](quad, quad) { return quad(0.25); });
}

// Products of three have two roundings: half an ULP of the square is up to 2^(2/3) halves of the cube's. With the other
// simple exponents a power has one.
template <class T>
void check_simple_powers(int exponent, double bar) {
  Random random{99};
  double worst = 0;
  for (int k = 0; k < 20000 * effort(); ++k) {
    const T x = T(1) + T(random.uniform(0, 3));
    const quad square = quad(x) * x, wanted = exponent == 2 ? square : exponent == 3 ? square * x : 1 / quad(x);
    worst = std::max(worst, error_in_ulps(ops::pow::apply(x, T(exponent)), wanted, quad(0)));
  }
  EXPECT_LE(worst, bar) << exponent;
  EXPECT_GT(worst, exponent == 3 ? 1 : 0.49) << exponent;
}

TEST(MathAccuracy, SimplePowers) {
  for (const int exponent : {2, 3, -1}) {
    check_simple_powers<float>(exponent, exponent == 3 ? 1.294 : 0.5);
    check_simple_powers<double>(exponent, exponent == 3 ? 1.294 : 0.5);
  }
}

// ---- Complex functions: the error of the worse component in its own ULPs, and of the whole in units of |result| *
// 2^-52

struct ComplexRow {
  std::string name;
  double component_ulps, norm_eps;
  c128 component_at, norm_at;
  long points;
};
std::vector<ComplexRow> &complex_table() {
  static std::vector<ComplexRow> rows;
  return rows;
}
constexpr double kNormBar = 4;

__complex128 to_quad(c128 z) {
  __complex128 q;
  __real__ q = z.re;
  __imag__ q = z.im;
  return q;
}

std::vector<c128> complex_points(int count) {
  Random random{31};
  std::vector<c128> z;
  for (int k = 0; k < count; ++k) {
    const auto component = [&](int kind) {
      const double u = random.uniform(-4, 4);
      if (kind == 0) return u;
      if (kind == 1) return std::ldexp(u, -int(random.next() % 60));
      return std::rint(u) + (random.next() & 1 ? 0 : std::ldexp(u, -30));
    };
    z.push_back({component(k % 3), component(int(random.next() % 3))});
  }
  return z;
}

// Accumulates one result, unless the reference is not a finite normal number.
void meet(ComplexRow &row, c128 y, quad re, quad im, c128 at) {
  const quad norm = hypotq(re, im);
  if (!(norm < quad(1e300)) || !(norm > quad(1e-290))) return;
  const double component = std::max(error_in_ulps(y.re, re, 0), error_in_ulps(y.im, im, 0));
  const double whole = double(hypotq(quad(y.re) - re, quad(y.im) - im) / norm * quad(0x1p52));
  ++row.points;
  if (component > row.component_ulps) row.component_ulps = component, row.component_at = at;
  if (whole > row.norm_eps) row.norm_eps = whole, row.norm_at = at;
}
void judge(const ComplexRow &row) {
  std::printf("%-10s complex128: normwise %.2f eps at (%a,%a), componentwise %.3g ULP at (%a,%a) (%ld points)\n",
              row.name.c_str(), row.norm_eps, row.norm_at.re, row.norm_at.im, row.component_ulps, row.component_at.re,
              row.component_at.im, row.points);
  EXPECT_LE(row.norm_eps, kNormBar) << row.name;
  EXPECT_GT(row.points, 1000) << row.name;
  complex_table().push_back(row);
}

template <class Op>
void check_complex(const char *name, __complex128 (*reference)(__complex128)) {
  ComplexRow row{name, 0, 0, {}, {}, 0};
  for (c128 z : complex_points(10000 * effort())) {
    const __complex128 r = reference(to_quad(z));
    meet(row, Op::apply(z), __real__ r, __imag__ r, z);
  }
  judge(row);
}

__complex128 make_quad(quad re, quad im) {
  __complex128 z;
  __real__ z = re;
  __imag__ z = im;
  return z;
}
__complex128 cexp2_q(__complex128 z) { return cexpq(z * kLog2); }
__complex128 cexpm1_q(__complex128 z) {
  const quad x = __real__ z, y = __imag__ z, s = sinq(y / 2);
  return make_quad(expm1q(x) * cosq(y) - 2 * s * s, expq(x) * sinq(y));
}
__complex128 clog1p_q(__complex128 z) {
  const quad x = __real__ z, y = __imag__ z;
  if (fabsq(x) < quad(0.5) && fabsq(y) < quad(0.5))
    return make_quad(log1pq(2 * x + x * x + y * y) / 2, atan2q(y, 1 + x));
  return clogq(z + 1);
}
__complex128 clog2_q(__complex128 z) { return clogq(z) / kLog2; }
__complex128 clog10_q(__complex128 z) { return clogq(z) / kLog10; }
__complex128 reciprocal_q(__complex128 z) { return make_quad(1, 0) / z; }
__complex128 sign_q(__complex128 z) { return z / cabsq(z); }
// libquadmath's own inverse hyperbolic tangent loses digits on the imaginary axis; this is the definition, and odd in
// x.
__complex128 catanh_q(__complex128 z) {
  const quad x = __real__ z, y = __imag__ z, ax = fabsq(x);
  const quad re = copysignq(log1pq(4 * ax / ((1 - ax) * (1 - ax) + y * y)) / 4, x);
  return make_quad(re, atan2q(2 * y, (1 - x) * (1 + x) - y * y) / 2);
}
__complex128 catan_q(__complex128 z) {
  const __complex128 t = catanh_q(make_quad(-__imag__ z, __real__ z));
  return make_quad(__imag__ t, -__real__ t);
}

TEST(MathAccuracy, Complex) {
  check_complex<ops::exp>("exp", cexpq);
  check_complex<ops::exp2>("exp2", cexp2_q);
  check_complex<ops::expm1>("expm1", cexpm1_q);
  check_complex<ops::log>("log", clogq);
  check_complex<ops::log2>("log2", clog2_q);
  check_complex<ops::log10>("log10", clog10_q);
  check_complex<ops::log1p>("log1p", clog1p_q);
  check_complex<ops::sqrt>("sqrt", csqrtq);
  check_complex<ops::sin>("sin", csinq);
  check_complex<ops::cos>("cos", ccosq);
  check_complex<ops::tan>("tan", ctanq);
  check_complex<ops::asin>("asin", casinq);
  check_complex<ops::acos>("acos", cacosq);
  check_complex<ops::atan>("atan", catan_q);
  check_complex<ops::sinh>("sinh", csinhq);
  check_complex<ops::cosh>("cosh", ccoshq);
  check_complex<ops::tanh>("tanh", ctanhq);
  check_complex<ops::asinh>("asinh", casinhq);
  check_complex<ops::acosh>("acosh", cacoshq);
  check_complex<ops::atanh>("atanh", catanh_q);
  check_complex<ops::reciprocal>("reciprocal", reciprocal_q);
  check_complex<ops::sign>("sign", sign_q);
}

template <class Op>
void check_complex_binary(const char *name, __complex128 (*reference)(__complex128, __complex128)) {
  ComplexRow row{name, 0, 0, {}, {}, 0};
  const std::vector<c128> a = complex_points(6000 * effort());
  for (size_t k = 0; k < a.size(); ++k) {
    const c128 b = a[(k * 7919) % a.size()];
    if (b.re == 0 && b.im == 0) continue;
    const __complex128 r = reference(to_quad(a[k]), to_quad(b));
    meet(row, Op::apply(a[k], b), __real__ r, __imag__ r, a[k]);
  }
  judge(row);
}
TEST(MathAccuracy, ComplexBinary) {
  check_complex_binary<ops::multiply>("multiply", [](__complex128 a, __complex128 b) { return a * b; });
  check_complex_binary<ops::divide>("divide", [](__complex128 a, __complex128 b) { return a / b; });
  check_complex_binary<ops::pow>("pow", cpowq);
}
// complex64 goes through double and is rounded once.
TEST(MathAccuracy, Complex64IsTheRoundedComplex128) {
  for (c128 z : complex_points(2000)) {
    const c64 narrow = cast<c64>(z);
    const c64 want = cast<c64>(ops::tanh::apply(cast<c128>(narrow))), got = ops::tanh::apply(narrow);
    ASSERT_TRUE(want.re == got.re && want.im == got.im);
  }
}

// ---- The page

std::vector<Row> merged() {
  std::vector<Row> rows;
  for (const Row &row : table()) {
    auto same = std::find_if(rows.begin(), rows.end(), [&](const Row &r) { return r.name == row.name; });
    if (same == rows.end()) {
      rows.push_back(row);
      continue;
    }
    for (auto [into, from] : {std::pair{&same->single, &row.single}, std::pair{&same->twice, &row.twice}}) {
      const long points = into->points + from->points;
      if (from->ulps > into->ulps) *into = *from;
      into->points = points;
    }
  }
  return rows;
}

void write_largest_half_errors(std::ofstream &out) {
  double half = 0, brain = 0;
  for (const Row &row : merged()) half = std::max(half, row.half.ulps), brain = std::max(brain, row.brain.ulps);
  char line[200];
  std::snprintf(line, sizeof line, "None of these is off by more than %.5f ULP of float16, %.6f of bfloat16.\n", half,
                brain);
  out << line;
}

void write_page(const char *path) {
  std::ofstream out(path);
  char line[256];
  out << "# Accuracy\n\n"
         "Generated by `GPUOPT_ACCURACY_MD=docs/accuracy.md math_accuracy_test`; every figure is the largest error "
         "that run\n"
         "met, against libquadmath. An ULP is the spacing of the format at the exact result. The definitions are the "
         "same\n"
         "on every backend, so are the bits, and so are these figures.\n\n"
         "The bars that the test enforces: 1 ULP for float32, 1.5 ULP for float64, whole domain, special values "
         "exact.\n"
         "Some functions have zeros that are not numbers of the format, and an absolute bar near them: `lgamma` and\n"
         "`digamma` for negative x (ULPs of at least 1), `logaddexp` and `logaddexp2` where their terms cancel (ULPs "
         "of\n"
         "at least 1/4).\n"
         "The float32 figures with an asterisk are those of every number of magnitude 2^-32 and more, as\n"
         "`build/release/bin/math_float32_sweep` found them (`tests/data/accuracy/float32.txt`); the others are of "
         "the\n"
         "points of this run.\n\n"
         "float16 and bfloat16 are computed in float32 and rounded once more. A result close to the middle of two\n"
         "numbers may therefore be the farther one: the last columns say how many of all 65536 arguments (of "
         "functions\n"
         "of two, of 60000 random pairs) have a result that is not the nearest number.\n";
  write_largest_half_errors(out);
  out << "`pow` with the exponent 2, 3 or -1 is `x * x`, `x * x * x` and `1 / x`, with 0.5 the square root: the "
         "cube's\n"
         "two roundings together may be 1.3 ULP.\n"
         "`add`, `subtract`, `multiply`, `divide` and `sqrt` are always the nearest: float32 has more than twice\n"
         "their digits.\n\n"
         "## Real functions\n\n"
         "| function | float32, ULP | float64, ULP | points | float16, not nearest | bfloat16, not nearest |\n"
         "|---|---|---|---|---|---|\n";
  for (const Row &row : merged()) {
    const auto swept = sweep().find(row.name);
    const bool every = swept != sweep().end();
    std::snprintf(line, sizeof line, "| %s | %.3f%s | %.3f | %ld | %ld | %ld |\n", row.name.c_str(),
                  every ? swept->second : row.single.ulps, every ? "*" : "", row.twice.ulps,
                  row.single.points + row.twice.points, row.half.not_nearest, row.brain.not_nearest);
    out << line;
  }
  out << "\n## Complex functions, complex128\n\n"
         "Normwise: |error| / |result| in units of 2^-52; the bar is 4. Componentwise: the worse component in its own "
         "ULPs,\n"
         "which no algorithm keeps small where a component is the difference of nearly equal terms (`expm1`, `pow`).\n"
         "`pow` outside small integer exponents loses a further |b log a| * 2^-64, `exp2` |Im z| * 2^-107. complex64 "
         "is computed in complex128 "
         "and\n"
         "rounded once, except multiply and divide. Huge, denormal and special components: `math_complex_test`.\n\n"
         "| function | normwise, eps | componentwise, ULP | points |\n|---|---|---|---|\n";
  for (const ComplexRow &row : complex_table()) {
    std::snprintf(line, sizeof line, "| %s | %.2f | %.3g | %ld |\n", row.name.c_str(), row.norm_eps, row.component_ulps,
                  row.points);
    out << line;
  }
  ASSERT_TRUE(out) << "cannot write " << path;
}

// The families of ops.def whose functions are approximations.
bool approximates(const std::string &family) {
  return std::set<std::string>{"power", "exponential", "trigonometric", "hyperbolic", "special"}.count(family) > 0;
}

// A row of ops.def gets no approximation into the library that nobody measures. After all that measure.
TEST(MathAccuracy, EveryFunctionOfOneNumberIsMeasured) {
  const testing::UnitTest &all = *testing::UnitTest::GetInstance();
  if (all.test_to_run_count() < all.total_test_count()) GTEST_SKIP() << "not all are measured in this run";
  std::set<std::string> measured;
  for (const Row &row : table()) measured.insert(row.name);
#define GPUOPT_OP_ROW(name, nin, kinds, result, family, cost, doc) \
  EXPECT_TRUE(nin != 1 || !approximates(#family) || measured.count(#name)) << #name << " has no check above";
#include "gpuopt/ops.def"
}

// Last by its name in this file's order: gtest runs the tests as they are defined.
TEST(MathAccuracy, WritesThePageWhenAsked) {
  const char *path = std::getenv("GPUOPT_ACCURACY_MD");
  if (path) write_page(path);
}

}  // namespace
