// tests/unit/fft_roots_test.cpp -- roots of unity of plugins/shared/fft: near the exact ones, and exactly symmetric.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "plugins/shared/fft/bluestein.h"
#include "plugins/shared/fft/roots.h"
#include "tests/unit/quad.h"

namespace {

// The distance of x from the exact value, in units in the last place of the latter.
double ulps(double x, quad exact) {
  const double near = static_cast<double>(exact);
  if (near == 0) return x == 0 ? 0 : 1e9;
  const double ulp = std::abs(std::nextafter(near, 2 * near) - near);
  return std::abs(static_cast<double>((x - exact) / ulp));
}

const int64_t kWholes[] = {1, 2, 3, 4, 5, 7, 8, 12, 24, 31, 64, 97, 100, 360, 1000, 1021, 1024, 4096, 10007, 65536};

TEST(FftRoots, AreNearTheExactOnes) {
  const quad turn = -2 * acosq(quad(-1));
  double most = 0;
  for (int64_t n : kWholes) {
    const int64_t step = n > 5000 ? 7 : 1;
    for (int64_t i = 0; i < n; i += step) {
      const gpo::c128 w = gpo::fft::root(i, n);
      const bool quarter = 4 * i % n == 0;  // where the exact value is 0, 1 or -1, which quad does not give
      const quad re = quarter ? rintq(cosq(turn * i / n)) : cosq(turn * i / n);
      const quad im = quarter ? rintq(sinq(turn * i / n)) : sinq(turn * i / n);
      most = std::fmax(most, std::fmax(ulps(w.re, re), ulps(w.im, im)));
      ASSERT_LE(ulps(w.re, re), 0.51) << i << " of " << n;
      ASSERT_LE(ulps(w.im, im), 0.51) << i << " of " << n;
    }
  }
  EXPECT_GT(most, 0.3);  // this is the error of rounding, so the comparison is not with the same numbers
}

TEST(FftRoots, AreExactAtQuarters) {
  for (int64_t n : {4, 8, 12, 100, 1024}) {
    const gpo::c128 w[] = {gpo::fft::root(0, n), gpo::fft::root(n / 4, n), gpo::fft::root(n / 2, n),
                           gpo::fft::root(3 * n / 4, n)};
    const double expected[][2] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(w[k].re, expected[k][0]) << k << " of " << n;
      EXPECT_EQ(w[k].im, expected[k][1]) << k << " of " << n;
    }
  }
}

// Conjugates, and the reflections at the axes and at the diagonal.
TEST(FftRoots, AreSymmetric) {
  for (int64_t n : kWholes) {
    for (int64_t i = 1; i < n; ++i) {
      const gpo::c128 w = gpo::fft::root(i, n), mirrored = gpo::fft::root(n - i, n);
      ASSERT_EQ(w.re, mirrored.re);
      ASSERT_EQ(w.im, -mirrored.im);
      if (n % 4) continue;
      const gpo::c128 turned = gpo::fft::root((i + n / 4) % n, n);  // times -sqrt(-1)
      ASSERT_EQ(turned.re, w.im) << i << " of " << n;
      ASSERT_EQ(turned.im, -w.re) << i << " of " << n;
    }
  }
}

TEST(FftRoots, SquaresOfAChirpStayInRange) {
  for (int64_t n : {37, 1021, 65537}) {
    int64_t square = 0;
    for (int64_t j = 0; j < n; ++j) {
      if (j > 0) square = gpo::fft::next_square(square, j, n);
      ASSERT_EQ(square, j * j % (2 * n));
    }
  }
}

}  // namespace
