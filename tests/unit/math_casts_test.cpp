// tests/unit/math_casts_test.cpp -- cast<To>(From): 16-bit floats exhaustively, rounding ties, saturation, wrapping
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "plugins/shared/casts.h"
#include "tests/unit/quad.h"

namespace {

using namespace gpo;

// A 16-bit format by its definition, in exact arithmetic.
struct Format {
  int fraction_bits, bias;
  int exponent_max() const { return 2 * bias + 1; }
};
constexpr Format kHalf = {10, 15}, kBrain = {7, 127};

quad value_of(Format f, u16 bits) {
  const int e = (bits & 0x7fff) >> f.fraction_bits, fraction = bits & ((1 << f.fraction_bits) - 1);
  const quad sign = bits & 0x8000 ? -1 : 1;
  if (e == f.exponent_max()) return fraction ? nanq("") : sign * quad(INFINITY);
  const quad significand = e == 0 ? quad(fraction) : quad(fraction + (1 << f.fraction_bits));
  return sign * ldexpq(significand, std::max(e, 1) - f.bias - f.fraction_bits);
}

// Round half to even by searching the ordered non-negative values of the format.
u16 nearest(Format f, quad x) {
  const u16 sign = signbitq(x) ? 0x8000 : 0;
  const quad mag = fabsq(x);
  const u16 infinity = u16(f.exponent_max() << f.fraction_bits);
  u16 lo = 0, hi = infinity;  // the value of lo is <= mag
  while (hi - lo > 1) {
    const u16 mid = u16((lo + hi) / 2);
    (value_of(f, mid) <= mag ? lo : hi) = mid;
  }
  // The neighbour above the largest finite value is the power of two where infinity begins.
  const quad above = hi == infinity ? ldexpq(1, f.bias + 1) : value_of(f, hi);
  const quad middle = (value_of(f, lo) + above) / 2;
  const bool up = mag > middle || (mag == middle && (lo & 1));
  return u16(sign | (up ? hi : lo));
}

template <class H>
constexpr Format format_of() {
  return is_same<H, float16> ? kHalf : kBrain;
}

template <class H>
void check_widening() {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const H h = {u16(bits)};
    const quad want = value_of(format_of<H>(), u16(bits));
    const float f = cast<float>(h);
    const double d = cast<double>(h);
    if (isnanq(want)) {
      ASSERT_TRUE(std::isnan(f) && std::isnan(d)) << bits;
      ASSERT_TRUE(std::isnan(cast<float>(cast<H>(f)))) << bits;
      ASSERT_TRUE(std::isnan(cast<float>(cast<H>(d)))) << bits;
    } else {
      ASSERT_TRUE(quad(f) == want && quad(d) == want && std::signbit(f) == bool(bits & 0x8000)) << bits;
      ASSERT_EQ(cast<H>(f).bits, bits);
      ASSERT_EQ(cast<H>(d).bits, bits);
    }
  }
}
TEST(Casts, Float16WidensAndReturns) { check_widening<float16>(); }
TEST(Casts, Bfloat16WidensAndReturns) { check_widening<bfloat16>(); }

// Every value, every halfway point, and their neighbours in From.
template <class H, class From>
void check_narrowing() {
  const Format f = format_of<H>();
  for (int bits = 0; bits < (f.exponent_max() << f.fraction_bits); ++bits) {
    const quad here = value_of(f, u16(bits));
    const quad next =
        bits + 1 == f.exponent_max() << f.fraction_bits ? ldexpq(1, f.bias + 1) : value_of(f, u16(bits + 1));
    for (quad at : {here, (here + next) / 2}) {
      const From x = From(at);
      for (From y : {std::nextafter(x, From(0)), x, std::nextafter(x, inf<From>()), -x}) {
        ASSERT_EQ(cast<H>(y).bits, nearest(f, quad(y))) << double(y);
      }
    }
  }
  EXPECT_EQ(cast<H>(inf<From>()).bits, f.exponent_max() << f.fraction_bits);
  EXPECT_EQ(cast<H>(-inf<From>()).bits, 0x8000 | f.exponent_max() << f.fraction_bits);
  EXPECT_EQ(cast<H>(std::numeric_limits<From>::max()).bits, f.exponent_max() << f.fraction_bits);
  EXPECT_EQ(cast<H>(-std::numeric_limits<From>::denorm_min()).bits, 0x8000);
}
TEST(Casts, FloatToFloat16) { check_narrowing<float16, float>(); }
TEST(Casts, FloatToBfloat16) { check_narrowing<bfloat16, float>(); }
TEST(Casts, DoubleToFloat16RoundsOnce) {
  check_narrowing<float16, double>();
  const double tie = 1 + 0x1p-11;  // halfway between 1 and the next float16; a hair above must go up
  EXPECT_EQ(cast<float16>(tie).bits, 0x3c00);
  EXPECT_EQ(cast<float16>(tie + 0x1p-40).bits, 0x3c01);
}
TEST(Casts, DoubleToBfloat16RoundsOnce) {
  check_narrowing<bfloat16, double>();
  EXPECT_EQ(cast<bfloat16>(1 + 0x1p-8 + 0x1p-40).bits, 0x3f81);
}

template <class H, class I>
void check_integers_to_half() {
  std::vector<I> cases;
  for (int k = 0; k < int(8 * sizeof(I)); ++k)
    for (int d = -3; d <= 3; ++d)
      for (int s = 0; s < 12; ++s) {
        const u64 v = (u64(1) << k) + (k > s ? u64(1) << (k - s) : 0) + u64(i64(d));
        cases.push_back(I(v));
        cases.push_back(I(-v));
      }
  for (I x : cases) ASSERT_EQ(cast<H>(x).bits, nearest(format_of<H>(), quad(x))) << double(x);
}
TEST(Casts, IntegersToHalvesRoundOnce) {
  check_integers_to_half<float16, i16>();
  check_integers_to_half<float16, i32>();
  check_integers_to_half<float16, u64>();
  check_integers_to_half<bfloat16, i16>();
  check_integers_to_half<bfloat16, u16>();
  check_integers_to_half<bfloat16, i32>();
  check_integers_to_half<bfloat16, u32>();
  check_integers_to_half<bfloat16, i64>();
  check_integers_to_half<bfloat16, u64>();
  EXPECT_EQ(cast<float16>(true).bits, 0x3c00);
  EXPECT_EQ(cast<bfloat16>(false).bits, 0);
}

template <class I, class F>
I saturated(F x) {
  if (std::isnan(x)) return 0;
  const quad t = truncq(quad(x)), lo = quad(std::numeric_limits<I>::min()), hi = quad(std::numeric_limits<I>::max());
  return t < lo ? std::numeric_limits<I>::min() : t > hi ? std::numeric_limits<I>::max() : I(t);
}
template <class I, class F>
void check_float_to_integer() {
  std::vector<F> cases = {F(0),   -F(0),   F(0.5),   F(-0.5),   F(0.999), F(-0.999),
                          F(1.5), F(-1.5), inf<F>(), -inf<F>(), nan<F>()};
  for (int k = 0; k < 80; ++k) {
    const F p = F(std::ldexp(1.0, k));
    for (F x : {p, std::nextafter(p, F(0)), std::nextafter(p, inf<F>()), p - F(1), p + F(1), p * F(1.37)}) {
      cases.push_back(x);
      cases.push_back(-x);
    }
  }
  for (F x : cases) ASSERT_EQ(cast<I>(x), saturated<I>(x)) << double(x);
}
template <class F>
void check_float_to_integers() {
  check_float_to_integer<i8, F>();
  check_float_to_integer<i16, F>();
  check_float_to_integer<i32, F>();
  check_float_to_integer<i64, F>();
  check_float_to_integer<u8, F>();
  check_float_to_integer<u16, F>();
  check_float_to_integer<u32, F>();
  check_float_to_integer<u64, F>();
}
TEST(Casts, FloatsTruncateAndSaturate) {
  check_float_to_integers<float>();
  check_float_to_integers<double>();
  EXPECT_EQ(cast<i8>(float16{0xfc00}), -128);  // -infinity
  EXPECT_EQ(cast<u8>(bfloat16{0x4f80}), 255);  // 2^32
}

TEST(Casts, IntegersWrap) {
  EXPECT_EQ(cast<i8>(i32(200)), i8(-56));
  EXPECT_EQ(cast<u8>(i64(-1)), 255);
  EXPECT_EQ(cast<i32>(u64(0x180000000u)), std::numeric_limits<i32>::min());
  EXPECT_EQ(cast<u64>(i8(-1)), ~u64(0));
  EXPECT_EQ(cast<i64>(u32(0xffffffffu)), i64(0xffffffff));
  EXPECT_EQ(cast<i16>(true), 1);
}

TEST(Casts, ToBoolIsNotZero) {
  EXPECT_TRUE(cast<bool>(i8(-128)));
  EXPECT_FALSE(cast<bool>(u64(0)));
  EXPECT_TRUE(cast<bool>(0x1p-1074));
  EXPECT_FALSE(cast<bool>(-0.0));
  EXPECT_TRUE(cast<bool>(nan<float>()));
  EXPECT_TRUE(cast<bool>(float16{0x0001}));
  EXPECT_FALSE(cast<bool>(bfloat16{0x8000}));
  EXPECT_TRUE(cast<bool>(c64{0, 1}));
  EXPECT_TRUE(cast<bool>(c128{0, nan<double>()}));
  EXPECT_FALSE(cast<bool>(c128{-0.0, 0}));
}

TEST(Casts, ComplexTakesAndGivesTheRealPart) {
  EXPECT_EQ(cast<double>(c64{3, 4}), 3.0);
  EXPECT_EQ(cast<i8>(c128{-300, 4}), -128);
  EXPECT_EQ(cast<c64>(c128{0.1, -0.2}).re, 0.1f);
  EXPECT_EQ(cast<c64>(c128{0.1, -0.2}).im, -0.2f);
  EXPECT_EQ(cast<c128>(i32(7)).re, 7.0);
  EXPECT_EQ(cast<c128>(i32(7)).im, 0.0);
  EXPECT_EQ(cast<c64>(float16{0x3c00}).re, 1.0f);
  EXPECT_EQ(cast<bfloat16>(c64{1, 9}).bits, 0x3f80);
}

TEST(Casts, BetweenFloats) {
  EXPECT_EQ(cast<float>(0.1), 0.1f);
  EXPECT_TRUE(std::isinf(cast<float>(1e300)));
  EXPECT_EQ(cast<float>(0x1p-149), 0x1p-149f);
  EXPECT_EQ(cast<float>(i64(0x7fffffffffffffff)), 0x1p63f);
  EXPECT_EQ(cast<double>(u64(0xffffffffffffffff)), 0x1p64);
  EXPECT_EQ(cast<bfloat16>(float16{0x3c01}).bits, 0x3f80);
}

// Every pair of the fifteen dtypes compiles and keeps 1.
template <class... Ts>
struct Types {};
using AllTypes = Types<bool, i8, i16, i32, i64, u8, u16, u32, u64, float16, bfloat16, float, double, c64, c128>;
template <class To, class... From>
void check_one(Types<From...>) {
  for (double one : {cast<double>(cast<To>(cast<From>(1.0)))...}) EXPECT_EQ(one, 1.0);
}
template <class... To>
void check_all(Types<To...>) {
  (check_one<To>(AllTypes{}), ...);
}
TEST(Casts, EveryPair) { check_all(AllTypes{}); }

}  // namespace
