// tests/unit/exact_fma_windows_test.cpp -- fma and fmaf against the processor's, and where they are hardest.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace {

// The functions, not what the compiler knows of them.
double (*volatile fma_called)(double, double, double) = fma;
float (*volatile fmaf_called)(float, float, float) = fmaf;

template <class T>
bool same(T x, T y) {
  return (std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0;
}

uint64_t random_bits() {
  static uint64_t state = 1;
  state += 0x9E3779B97F4A7C15u;
  uint64_t z = state;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

template <class T, class Bits>
T from(Bits bits) {
  T x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// A double with an exponent in a range, for sums whose parts meet.
double near(int low, int high) {
  const uint64_t exponent = 1023 + static_cast<uint64_t>(low) + random_bits() % static_cast<uint64_t>(high - low + 1);
  return from<double>((random_bits() & 0x800FFFFFFFFFFFFFu) | exponent << 52);
}

__attribute__((target("fma"))) double expected(double a, double b, double c) { return __builtin_fma(a, b, c); }
__attribute__((target("fma"))) float expected(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

class ExactFma : public testing::Test {
  void SetUp() override {
    if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this processor has no fused multiply-add to compare with";
  }
};

TEST_F(ExactFma, Doubles) {
  for (int k = 0; k < 300000; ++k) {
    const double a = near(-30, 30), b = near(-30, 30), c = near(-120, 120);
    ASSERT_TRUE(same(fma_called(a, b, c), expected(a, b, c))) << a << " * " << b << " + " << c;
  }
}

TEST_F(ExactFma, DoublesThatAlmostCancel) {
  for (int k = 0; k < 300000; ++k) {
    const double a = near(-5, 5), b = near(-5, 5), c = -a * b * (1 + static_cast<int>(random_bits() % 9 - 4) * 0x1p-52);
    ASSERT_TRUE(same(fma_called(a, b, c), expected(a, b, c))) << a << " * " << b << " + " << c;
  }
}

TEST_F(ExactFma, DoublesOfAnyBits) {
  for (int k = 0; k < 300000; ++k) {
    const double a = from<double>(random_bits()), b = from<double>(random_bits()), c = from<double>(random_bits());
    ASSERT_TRUE(same(fma_called(a, b, c), expected(a, b, c))) << a << " * " << b << " + " << c;
  }
}

TEST_F(ExactFma, SubnormalDoubles) {
  for (int k = 0; k < 300000; ++k) {
    const double a = near(-540, -520), b = near(-540, -520), c = from<double>(random_bits() % 1024);
    ASSERT_TRUE(same(fma_called(a, b, c), expected(a, b, c))) << a << " * " << b << " + " << c;
  }
}

// By hand: 1 + 2^-53 is a tie, decided by what is far below it.
TEST(ExactFmaByHand, TiesAndEnds) {
  const double tiny = std::numeric_limits<double>::denorm_min(), inf = INFINITY,
               max = std::numeric_limits<double>::max();
  EXPECT_EQ(fma_called(0x1p-53, 1 + 0x1p-52, 1), 1 + 0x1p-52);
  EXPECT_EQ(fma_called(0x1p-53, 1 - 0x1p-53, 1), 1.0);
  EXPECT_EQ(fma_called(0x1p-60, 0x1p-1000, 0x1p-53), 0x1p-53);
  EXPECT_EQ(fma_called(1 + 0x1p-30, 1 + 0x1p-30, -(1 + 0x1p-29)), 0x1p-60);
  EXPECT_EQ(fma_called(tiny, 0.5, tiny), 2 * tiny);      // 1.5, to even
  EXPECT_EQ(fma_called(tiny, 0.5, 2 * tiny), 2 * tiny);  // 2.5, to even
  EXPECT_EQ(fma_called(tiny, 0.75, 2 * tiny), 3 * tiny);
  EXPECT_EQ(fma_called(0x1p-1022, 1 - 0x1p-53, tiny), 0x1p-1022);  // half of tiny above it, to even
  EXPECT_EQ(fma_called(0x1p-1022, 1 - 0x1p-52, 2 * tiny), 0x1p-1022 + tiny);
  EXPECT_EQ(fma_called(max, 2, -max), max);  // the product alone is too large
  EXPECT_EQ(fma_called(max, 1, max * 0x1p-53), inf);
  EXPECT_EQ(fma_called(max, 1, max * 0x1p-55), max);
  EXPECT_EQ(fma_called(max, 2, -inf), -inf);
  EXPECT_TRUE(std::isnan(fma_called(inf, 0, 1)) && std::isnan(fma_called(inf, 1, -inf)));
  EXPECT_TRUE(same(fma_called(1, -0.0, -0.0), -0.0) && same(fma_called(1, 1, -1), 0.0));
  EXPECT_TRUE(same(fma_called(-tiny, tiny, 0.0), -0.0));
}

TEST_F(ExactFma, Floats) {
  for (int k = 0; k < 1000000; ++k) {
    const float a = from<float>(static_cast<uint32_t>(random_bits())),
                b = from<float>(static_cast<uint32_t>(random_bits()));
    const float c = k % 2 ? from<float>(static_cast<uint32_t>(random_bits())) : -a * b * (1 + 0x1p-23f);
    ASSERT_TRUE(same(fmaf_called(a, b, c), expected(a, b, c))) << a << " * " << b << " + " << c;
  }
}

}  // namespace
