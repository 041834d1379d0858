// tests/unit/scalar_ops_test.cpp -- every row of ops.def is defined for each of its loop dtypes; integer and special
// cases
#include "plugins/shared/ops/scalar_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "plugins/shared/ops/reduce_ops.h"
#include "tests/unit/quad.h"

namespace {

using namespace gpo;

// ---- Completeness: a row without a definition for one of its dtypes, or with the wrong result type, does not compile.
// (The calls are real because naming a function template in an unevaluated operand would not compile its body.)

enum class Result { SAME, BOOL, REAL, LOGICAL, SELECT };

template <Result kResult, class T>
using ResultOf = conditional<kResult == Result::BOOL || kResult == Result::LOGICAL, bool,
                             conditional<kResult == Result::REAL, real_of<T>, T>>;

constexpr bool has_kind(const char *kinds, char kind) {
  for (; *kinds; ++kinds)
    if (*kinds == kind) return true;
  return false;
}

template <class T>
constexpr char kind_of() {
  return is_bool<T> ? '?' : is_signed_int<T> ? 'i' : is_unsigned_int<T> ? 'u' : is_complex<T> ? 'c' : 'f';
}

template <class Expected, class Actual>
void expect_type(Actual) {
  static_assert(is_same<Expected, Actual>, "wrong result type");
}

template <class Op, int kInputs, Result kResult, class T>
void instantiate_row() {
  using R = ResultOf<kResult, T>;
  const T x{};
  if constexpr (kInputs == 1) {
    expect_type<R>(Op::apply(x));
    if constexpr (Op::template has_hard<T>) {
      expect_type<R>(Op::hard(x) ? Op::apply_hard(x) : Op::apply_easy(x));
    }
  } else if constexpr (kInputs == 2) {
    expect_type<R>(Op::apply(x, x));
    if constexpr (Op::template has_hard<T>) {
      expect_type<R>(Op::hard(x, x) ? Op::apply_hard(x, x) : Op::apply_easy(x, x));
    }
  } else if constexpr (kResult == Result::SELECT) {
    expect_type<R>(Op::apply(true, x, x));
  } else {
    expect_type<R>(Op::apply(x, x, x));
  }
}

template <class Reduction, class T>
void instantiate_reduction() {
  using A = typename Reduction::template accumulator<T>;
  const A a = Reduction::combine(Reduction::template identity<A>(), Reduction::template lift<A>(T{}, i64(0)));
  expect_type<A>(a);
  (void)Reduction::finish(a);
}

template <class... Ts>
struct Types {};
using LoopTypes = Types<bool, i8, i16, i32, i64, u8, u16, u32, u64, float, double, c64, c128>;

template <class... Ts, class Visitor>
void for_each_type(Types<Ts...>, Visitor visit) {
  (visit(Ts{}), ...);
}

TEST(ScalarOps, EveryRowIsDefinedForEachOfItsDtypes) {
#define GPUOPT_OP(name, nin, kinds, result, doc)                                                       \
  for_each_type(LoopTypes{}, [](auto zero) {                                                           \
    using T = decltype(zero);                                                                          \
    if constexpr (has_kind(kinds, kind_of<T>())) instantiate_row<ops::name, nin, Result::result, T>(); \
  });
#define GPUOPT_REDUCTION(name, kinds, result, doc)                                         \
  for_each_type(LoopTypes{}, [](auto zero) {                                               \
    using T = decltype(zero);                                                              \
    if constexpr (has_kind(kinds, kind_of<T>())) instantiate_reduction<reduce::name, T>(); \
  });
#define GPUOPT_SCAN(name, kinds, result, doc) GPUOPT_REDUCTION(name, kinds, result, doc)
#include "gpuopt/ops.def"
}

// ---- integers, against wide arithmetic

using wide = __int128;

template <class T>
T wrap(wide x) {
  return T(uint_of<T>(static_cast<unsigned __int128>(x)));
}
// The low 128 bits.
wide times(wide a, wide b) {
  return static_cast<wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
}
wide floor_quotient(wide a, wide b) {
  const wide q = a / b;
  return q * b != a && ((a < 0) != (b < 0)) ? q - 1 : q;
}
template <class T>
T power(T base, T exponent) {
  if (exponent < T(0)) {  // 1 / base^n truncated
    if (base == T(1)) return T(1);
    if (wide(base) == -1) return exponent % 2 == 0 ? T(1) : base;
    return T(0);
  }
  T r = 1;
  for (wide k = 0; k < wide(exponent); ++k) r = wrap<T>(wide(r) * wide(base));
  return r;
}

template <class T>
void check_integer_pair(T a, T b) {
  const wide x = a, y = b;
  const int width = 8 * sizeof(T);
  ASSERT_EQ(ops::add::apply(a, b), wrap<T>(x + y));
  ASSERT_EQ(ops::subtract::apply(a, b), wrap<T>(x - y));
  ASSERT_EQ(ops::multiply::apply(a, b), wrap<T>(times(x, y)));
  ASSERT_EQ(ops::floor_divide::apply(a, b), y == 0 ? T(0) : wrap<T>(floor_quotient(x, y)))
      << double(x) << " " << double(y);
  ASSERT_EQ(ops::remainder::apply(a, b), y == 0 ? T(0) : wrap<T>(x - floor_quotient(x, y) * y));
  ASSERT_EQ(ops::fmod::apply(a, b), y == 0 ? T(0) : wrap<T>(x % y));
  ASSERT_EQ(ops::maximum::apply(a, b), a > b ? a : b);
  ASSERT_EQ(ops::minimum::apply(a, b), a < b ? a : b);
  ASSERT_EQ(ops::fmax::apply(a, b), a > b ? a : b);
  ASSERT_EQ(ops::fmin::apply(a, b), a < b ? a : b);
  const bool counts = y >= 0 && y < width;
  ASSERT_EQ(ops::bitwise_left_shift::apply(a, b), counts ? wrap<T>(x * (wide(1) << int(y))) : T(0));
  const T exhausted = x < 0 ? wrap<T>(-1) : T(0);
  ASSERT_EQ(ops::bitwise_right_shift::apply(a, b), counts ? wrap<T>(floor_quotient(x, wide(1) << int(y))) : exhausted);
  ASSERT_EQ(ops::less::apply(a, b), x < y);
  ASSERT_EQ(ops::greater_equal::apply(a, b), x >= y);
  ASSERT_EQ(ops::not_equal::apply(a, b), x != y);
}
template <class T>
void check_integer(T a) {
  const wide x = a;
  ASSERT_EQ(ops::negative::apply(a), wrap<T>(-x));
  ASSERT_EQ(ops::abs::apply(a), wrap<T>(x < 0 ? -x : x));
  ASSERT_EQ(ops::sign::apply(a), wrap<T>((x > 0) - (x < 0)));
  ASSERT_EQ(ops::square::apply(a), wrap<T>(times(x, x)));
  ASSERT_EQ(ops::bitwise_invert::apply(a), wrap<T>(-1 - x));
  ASSERT_EQ(ops::floor::apply(a), a);
  ASSERT_EQ(ops::conj::apply(a), a);
  ASSERT_EQ(ops::imag::apply(a), T(0));
  ASSERT_FALSE(ops::isnan::apply(a));
  ASSERT_TRUE(ops::isfinite::apply(a));
}

template <class T>
void check_all_pairs() {
  for (int a = std::numeric_limits<T>::min(); a <= std::numeric_limits<T>::max(); ++a) {
    check_integer(T(a));
    for (int b = std::numeric_limits<T>::min(); b <= std::numeric_limits<T>::max(); ++b) {
      check_integer_pair(T(a), T(b));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}
TEST(ScalarOps, EveryPairOfBytes) {
  check_all_pairs<i8>();
  check_all_pairs<u8>();
}

template <class T>
std::vector<T> corners() {
  std::vector<T> v;
  for (int k = 0; k <= int(8 * sizeof(T)); ++k)
    for (int d = -2; d <= 2; ++d) {
      const u64 p = (k < 64 ? u64(1) << k : 0) + u64(i64(d));
      v.push_back(T(p));
      v.push_back(T(0 - p));
      v.push_back(T(p * 0x9e3779b97f4a7c15u));
    }
  return v;
}
template <class T>
void check_corners() {
  const std::vector<T> v = corners<T>();
  for (T a : v) {
    check_integer(a);
    for (T b : v) check_integer_pair(a, b);
    if (testing::Test::HasFatalFailure()) return;
  }
}
TEST(ScalarOps, CornersOfWiderIntegers) {
  check_corners<i16>();
  check_corners<u16>();
  check_corners<i32>();
  check_corners<u32>();
  check_corners<i64>();
  check_corners<u64>();
}
TEST(ScalarOps, IntegerPowers) {
  for (int a = -128; a < 128; ++a)
    for (int b = -20; b < 20; ++b) ASSERT_EQ(ops::pow::apply(i8(a), i8(b)), power(i8(a), i8(b))) << a << ' ' << b;
  for (int a = -9; a < 9; ++a)
    for (int b = 0; b < 70; ++b) {
      ASSERT_EQ(ops::pow::apply(i64(a), i64(b)), power(i64(a), i64(b)));
      ASSERT_EQ(ops::pow::apply(u32(a), u32(b)), power(u32(a), u32(b)));
    }
  EXPECT_EQ(ops::pow::apply(i32(0), i32(-1)), 0);
  EXPECT_EQ(ops::pow::apply(i32(-1), i32(-3)), -1);
  EXPECT_EQ(ops::pow::apply(i64(2), i64(-1)), 0);
}

// ---- floats

constexpr double kInf = INFINITY, kNan = NAN;

template <class T>
bool same(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : to_bits(a) == to_bits(b);
}

template <class T>
struct NumpyDivmod {
  double a, b, quotient, remainder;
};
#include "tests/unit/math_numpy_vectors.inc"

template <class T, class Cases>
void check_divmod(const Cases &cases) {
  for (const auto &c : cases) {
    const T a = T(c.a), b = T(c.b);
    ASSERT_TRUE(same(ops::floor_divide::apply(a, b), T(c.quotient)))
        << c.a << " // " << c.b << " is not " << c.quotient;
    ASSERT_TRUE(same(ops::remainder::apply(a, b), T(c.remainder))) << c.a << " % " << c.b << " is not " << c.remainder;
    ASSERT_TRUE(same(ops::fmod::apply(a, b), std::fmod(a, b))) << c.a << " fmod " << c.b;
  }
}
TEST(ScalarOps, FloorDivideAndRemainderAreNumpys) {
  check_divmod<float>(kNumpy_float);
  check_divmod<double>(kNumpy_double);
}

template <class T>
void check_fmod_everywhere() {
  u64 state = 1;
  const auto next = [&] {
    return T(
        from_bits(uint_of<T>((state = state * 6364136223846793005u + 1442695040888963407u) >> (64 - 8 * sizeof(T)))));
  };
  int hard = 0;
  for (int k = 0; k < 40000; ++k) {
    const T a = next(), b = next();
    hard += ops::fmod::hard(a, b);
    ASSERT_TRUE(same(ops::fmod::apply(a, b), T(fmodq(quad(a), quad(b))))) << double(a) << ' ' << double(b);
  }
  EXPECT_GT(hard, 1000);
}
TEST(ScalarOps, FmodIsExact) {
  check_fmod_everywhere<float>();
  check_fmod_everywhere<double>();
  EXPECT_EQ(ops::fmod::apply(0x1.fffffffffffffp1023, 0x1p-1074), 0.0);
  EXPECT_EQ(ops::fmod::apply(0x1.fffffffffffffp1023, 3 * 0x1p-1074), std::fmod(0x1.fffffffffffffp1023, 3 * 0x1p-1074));
}

template <class T>
void check_extremes() {
  const auto is = [](T got, double want) { return same(got, T(want)); };
  EXPECT_TRUE(is(ops::maximum::apply(T(0), T(-0.0)), 0) && is(ops::maximum::apply(T(-0.0), T(0)), 0));
  EXPECT_TRUE(is(ops::minimum::apply(T(0), T(-0.0)), -0.0) && is(ops::minimum::apply(T(-0.0), T(0)), -0.0));
  EXPECT_TRUE(is(ops::fmax::apply(T(0), T(-0.0)), 0) && is(ops::fmin::apply(T(0), T(-0.0)), -0.0));
  EXPECT_TRUE(is(ops::maximum::apply(T(kNan), T(1)), kNan) && is(ops::maximum::apply(T(1), T(kNan)), kNan));
  EXPECT_TRUE(is(ops::minimum::apply(T(kNan), T(1)), kNan) && is(ops::minimum::apply(T(1), T(kNan)), kNan));
  EXPECT_TRUE(is(ops::fmax::apply(T(kNan), T(1)), 1) && is(ops::fmax::apply(T(1), T(kNan)), 1));
  EXPECT_TRUE(is(ops::fmin::apply(T(kNan), T(1)), 1) && is(ops::fmin::apply(T(kNan), T(kNan)), kNan));
  EXPECT_TRUE(is(ops::maximum::apply(T(-kInf), T(-1)), -1) && is(ops::minimum::apply(T(-kInf), T(-1)), -kInf));
  EXPECT_TRUE(is(ops::clip::apply(T(5), T(1), T(3)), 3) && is(ops::clip::apply(T(kNan), T(1), T(3)), kNan));
  EXPECT_TRUE(is(ops::clip::apply(T(2), T(4), T(1)), 1));  // minimum comes last
}
TEST(ScalarOps, Extremes) {
  check_extremes<float>();
  check_extremes<double>();
  EXPECT_EQ(ops::maximum::apply(true, false), true);
  EXPECT_EQ(ops::fmin::apply(true, false), false);
}

template <class T>
void check_rounding() {
  for (double x : {0.5, 1.5, 2.5, -0.5, -1.5, 0.49999997, -0.3, 1e20, -0.0, 3.7, -3.7, 8388607.5}) {
    EXPECT_TRUE(same(ops::round::apply(T(x)), T(std::nearbyint(T(x))))) << x;
    EXPECT_TRUE(same(ops::floor::apply(T(x)), T(std::floor(T(x))))) << x;
    EXPECT_TRUE(same(ops::ceil::apply(T(x)), T(std::ceil(T(x))))) << x;
    EXPECT_TRUE(same(ops::trunc::apply(T(x)), T(std::trunc(T(x))))) << x;
  }
  EXPECT_TRUE(same(ops::sign::apply(T(-3)), T(-1)) && same(ops::sign::apply(T(-0.0)), T(0)));
  EXPECT_TRUE(std::isnan(ops::sign::apply(T(kNan))));
  EXPECT_TRUE(ops::signbit::apply(T(-0.0)) && !ops::signbit::apply(T(0)) && ops::signbit::apply(T(-kInf)));
  EXPECT_TRUE(ops::isinf::apply(T(-kInf)) && !ops::isinf::apply(T(kNan)) && !ops::isfinite::apply(T(kNan)));
  EXPECT_TRUE(same(ops::copysign::apply(T(2), T(-0.0)), T(-2)));
}
TEST(ScalarOps, RoundingAndParts) {
  check_rounding<float>();
  check_rounding<double>();
  EXPECT_EQ(ops::round::apply(c128{2.5, -0.5}).re, 2.0);
  EXPECT_TRUE(ops::signbit::apply(ops::round::apply(c128{2.5, -0.5}).im));
  EXPECT_EQ(ops::conj::apply(c64{1, 2}).im, -2.0f);
  EXPECT_TRUE(ops::isnan::apply(c64{1, NAN}) && ops::isinf::apply(c64{-INFINITY, 1}) &&
              !ops::isfinite::apply(c64{1, NAN}));
  EXPECT_TRUE(ops::equal::apply(c64{1, 2}, c64{1, 2}) && ops::not_equal::apply(c64{1, NAN}, c64{1, NAN}));
}

TEST(ScalarOps, NextAfter) {
  const double at[] = {0,    -0.0,  1,    -1,       0x1p-1074, -0x1p-1074, 0x1.fffffffffffffp1023,
                       kInf, -kInf, kNan, 0x1p-149, 2,         3.3};
  for (double a : at)
    for (double b : at) {
      EXPECT_TRUE(same(ops::nextafter::apply(a, b), std::nextafter(a, b))) << a << ' ' << b;
      EXPECT_TRUE(same(ops::nextafter::apply(float(a), float(b)), std::nextafter(float(a), float(b)))) << a << ' ' << b;
    }
  EXPECT_EQ(ops::nextafter::apply(float16{0x3c00}, float16{0x4000}).bits, 0x3c01);
  EXPECT_EQ(ops::nextafter::apply(float16{0x0000}, float16{0xbc00}).bits, 0x8001);
  EXPECT_EQ(ops::nextafter::apply(float16{0x7bff}, float16{0x7c00}).bits, 0x7c00);
  EXPECT_EQ(ops::nextafter::apply(float16{0x8000}, float16{0x0000}).bits, 0x0000);
  EXPECT_TRUE(std::isnan(cast<float>(ops::nextafter::apply(float16{0x7e00}, float16{0x0000}))));
  EXPECT_EQ(ops::nextafter::apply(bfloat16{0x3f80}, bfloat16{0x0000}).bits, 0x3f7f);
}

TEST(ScalarOps, LogicAndSelection) {
  for (bool a : {false, true})
    for (bool b : {false, true}) {
      EXPECT_EQ(ops::logical_and::apply(a, b), a && b);
      EXPECT_EQ(ops::logical_or::apply(a, b), a || b);
      EXPECT_EQ(ops::logical_xor::apply(a, b), a != b);
      EXPECT_EQ(ops::add::apply(a, b), a || b);
      EXPECT_EQ(ops::multiply::apply(a, b), a && b);
      EXPECT_EQ(ops::bitwise_xor::apply(a, b), a != b);
      EXPECT_EQ(ops::less::apply(a, b), !a && b);
    }
  EXPECT_FALSE(ops::logical_not::apply(true));
  EXPECT_FALSE(ops::bitwise_invert::apply(true));
  EXPECT_EQ(ops::where::apply(true, 1.5, 2.5), 1.5);
  EXPECT_EQ(ops::where::apply(false, c64{1, 2}, c64{3, 4}).im, 4.0f);
}

// ---- reductions

template <class R, class T>
auto reduced(const std::vector<T> &x, bool backwards) {
  using A = typename R::template accumulator<T>;
  A a = R::template identity<A>();
  for (size_t k = 0; k < x.size(); ++k) {
    const size_t at = backwards ? x.size() - 1 - k : k;
    a = R::combine(a, R::template lift<A>(x[at], i64(at)));
  }
  return R::finish(a);
}
template <class R, class T>
auto reduced(const std::vector<T> &x) {
  const auto forwards = reduced<R>(x, false), backwards = reduced<R>(x, true);
  EXPECT_TRUE(cast<double>(forwards) == cast<double>(backwards) || forwards != forwards);
  return forwards;
}
TEST(ReduceOps, ArgReductionsTakeTheFirstAndPreferNaN) {
  EXPECT_EQ(reduced<reduce::argmin>(std::vector<double>{3, 1, 2, 1}), 1);
  EXPECT_EQ(reduced<reduce::argmax>(std::vector<double>{3, 1, 3, 1}), 0);
  EXPECT_EQ(reduced<reduce::argmin>(std::vector<double>{3, kNan, -kInf, kNan}), 1);
  EXPECT_EQ(reduced<reduce::argmax>(std::vector<float>{3, float(kInf), float(kNan)}), 2);
  EXPECT_EQ(reduced<reduce::argmin>(std::vector<double>{0.0, -0.0}), 0);
  EXPECT_EQ(reduced<reduce::argmin>(std::vector<double>{kInf, kInf}), 0);
  EXPECT_EQ(reduced<reduce::argmax>(std::vector<i8>{-128, -128}), 0);
  EXPECT_EQ(reduced<reduce::argmax>(std::vector<u64>{0, 0, 5}), 2);
}
TEST(ReduceOps, ExtremesAndSums) {
  EXPECT_TRUE(std::isnan(reduced<reduce::min>(std::vector<double>{1, kNan})));
  EXPECT_EQ(reduced<reduce::nanmin>(std::vector<double>{kNan, 2, 1}), 1.0);
  EXPECT_EQ(reduced<reduce::nanmax>(std::vector<double>{kNan, -kInf}), -kInf);
  EXPECT_TRUE(std::isnan(reduced<reduce::nanmax>(std::vector<float>{float(kNan), float(kNan)})));
  EXPECT_EQ(reduced<reduce::max>(std::vector<i8>{-128, -5}), -5);
  EXPECT_EQ(reduced<reduce::nanmin>(std::vector<u16>{7, 5}), 5);
  EXPECT_EQ(reduced<reduce::sum>(std::vector<i8>{100, 100, 100}), i64(300));
  EXPECT_EQ(reduced<reduce::sum>(std::vector<u8>{255, 255}), u64(510));
  EXPECT_EQ(reduced<reduce::prod>(std::vector<float>{2, 3}), 6.0f);
  EXPECT_EQ(reduced<reduce::any>(std::vector<char>{}), false);
  EXPECT_EQ(reduced<reduce::all>(std::vector<char>{}), true);
  EXPECT_EQ(reduce::count_nonzero::combine(reduce::count_nonzero::lift<i64>(true, 0), i64(4)), 5);
  EXPECT_EQ((is_same<sum_of<bool>, i64> && is_same<sum_of<u16>, u64> && is_same<sum_of<c64>, c64>), true);
}

}  // namespace
