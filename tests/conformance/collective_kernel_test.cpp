// tests/conformance/collective_kernel_test.cpp -- CUB's collectives and products of matrices by warps
// (tests/kernels/collectives.h) on the device under test, against host code that computes in the order that
// plugins/shared/words/cub.h and wmma.h promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <gpuopt/gpuopt.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/conformance/kernel_fixture.h"
#include "tests/kernels/collectives.h"

namespace {

namespace gp = gpuopt;
using namespace gpuopt::test;

using Collectives = KernelTest;

gp::raw_kernel kernel_of(const CollectiveText &text) { return gp::raw_kernel(text.code, text.name); }

template <class T>
std::vector<T> noise(size_t n, int low, int high, unsigned seed = 7) {
  std::mt19937 rng(seed);
  std::vector<T> out(n);
  for (T &x : out) x = static_cast<T>(low + static_cast<int>(rng() % static_cast<unsigned>(high - low)));
  return out;
}

// Neighbors are combined, then pairs of them, and so on.
template <class T>
T tree_sum(std::vector<T> x) {
  for (size_t step = 1; step < x.size(); step *= 2)
    for (size_t k = 0; k + step < x.size(); k += 2 * step) x[k] += x[k + step];
  return x[0];
}

template <class T>
void expect_reduced(const std::vector<T> &x, const std::vector<T> &got) {
  std::vector<T> sums, firsts;
  for (size_t t = 0; t < 96; t++) {
    sums.push_back(x[3 * t] + x[3 * t + 1] + x[3 * t + 2]);
    firsts.push_back(x[3 * t]);
  }
  firsts.resize(70);
  EXPECT_EQ(got[0], tree_sum(sums));
  EXPECT_EQ(got[1], *std::max_element(x.begin(), x.end()));
  EXPECT_EQ(got[2], tree_sum(firsts));
  EXPECT_EQ(got[3], x[1]);
}

TEST_F(Collectives, ReduceBlocks) {
  const std::vector<int32_t> x = noise<int32_t>(288, -1000, 1000);
  std::vector<float> y = noise<float>(288, -1000, 1000, 8);
  for (float &v : y) v /= 7;
  const gp::array out = gp::zeros({4}, gp::int32), floats = gp::zeros({4}, gp::float32);
  kernel_of(kBlockReduce)(1, 96, gp::array(x), out, gp::array(y), floats);
  expect_reduced(x, values<int32_t>(out));
  expect_reduced(y, values<float>(floats));
}

TEST_F(Collectives, ScanBlocks) {
  const std::vector<int32_t> x = noise<int32_t>(128, -50, 90);
  const gp::array out = gp::zeros({704}, gp::int32);
  kernel_of(kBlockScan)(1, {16, 4}, gp::array(x), out);
  const std::vector<int32_t> got = values<int32_t>(out);
  int sum = 0, most = 5, least = 1000, half = 0;
  for (size_t k = 0; k < 128; k++) {
    EXPECT_EQ(got[128 + k], sum) << k;
    sum += x[k];
    EXPECT_EQ(got[k], sum) << k;
  }
  for (size_t t = 0; t < 64; t++) {
    EXPECT_EQ(got[256 + t], most) << t;
    most = std::max(most, x[t]);
    least = std::min(least, x[t]);
    EXPECT_EQ(got[320 + t], least) << t;
    EXPECT_EQ(got[448 + t], half) << t;
    half += x[t];
    EXPECT_EQ(got[576 + t], half) << t;
    EXPECT_EQ(got[640 + t], sum) << t;
  }
  for (size_t t = 0; t < 64; t++) {
    EXPECT_EQ(got[384 + t], least) << t;
    EXPECT_EQ(got[512 + t], half) << t;
  }
}

TEST_F(Collectives, OfWarps) {
  std::vector<double> x = noise<double>(64, -1000, 1000);
  for (double &v : x) v /= 3;
  const gp::array out = gp::zeros({196});
  kernel_of(kWarps)(1, 64, gp::array(x), out);
  const std::vector<double> got = values<double>(out);
  for (size_t w = 0; w < 2; w++) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(32 * w);
    EXPECT_EQ(got[w], tree_sum(std::vector<double>(begin, begin + 32)));
    EXPECT_EQ(got[2 + w], *std::min_element(begin, begin + 20));
  }
  for (size_t part = 0; part < 64; part += 8) {
    std::vector<double> up(x.begin() + static_cast<std::ptrdiff_t>(part),
                           x.begin() + static_cast<std::ptrdiff_t>(part) + 8);
    double most = 1;
    for (size_t t = part; t < part + 8; t++) {
      EXPECT_EQ(got[68 + t], most) << t;
      most = std::max(most, x[t]);
      EXPECT_EQ(got[132 + t], double(t % 32));
    }
    for (size_t step = 1; step < 8; step *= 2)  // each with the one `step` before it
      for (size_t k = 8; k-- > step;) up[k] = up[k - step] + up[k];
    for (size_t k = 0; k < 8; k++) EXPECT_EQ(got[4 + part + k], up[k]) << part + k;
  }
}

TEST_F(Collectives, SortBlocks) {
  std::vector<int32_t> x = noise<int32_t>(192, -40, 40);
  std::vector<float> y = noise<float>(192, -40, 40, 9);
  y[3] = -0.0f, y[4] = 0.0f, y[5] = INFINITY, y[6] = -INFINITY, y[7] = 1e-40f;
  const gp::array keys = gp::zeros({192}, gp::int32), places = gp::zeros({192}, gp::int32),
                  floats = gp::zeros({192}, gp::float32), of_floats = gp::zeros({192}, gp::int32);
  kernel_of(kSort)(1, 64, gp::array(x), keys, places, gp::array(y), floats, of_floats);
  for (size_t k = 190; k < 192; k++) x[k] = 0, y[k] = 0;  // beyond the valid ones
  std::vector<int32_t> order(192);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return x[size_t(a)] < x[size_t(b)]; });
  EXPECT_EQ(values<int32_t>(places), order);
  for (size_t k = 0; k < 192; k++) EXPECT_EQ(values<int32_t>(keys)[k], x[size_t(order[k])]) << k;
  std::iota(order.begin(), order.end(), 0);
  const auto is_before = [&](int a, int b) {
    const float p = y[size_t(a)], q = y[size_t(b)];
    return p > q || (p == q && !std::signbit(p) && std::signbit(q));
  };
  std::stable_sort(order.begin(), order.end(), is_before);
  EXPECT_EQ(values<int32_t>(of_floats), order);
  for (size_t k = 0; k < 192; k++) EXPECT_EQ(values<float>(floats)[k], y[size_t(order[k])]) << k;
}

TEST_F(Collectives, ExchangeAndCount) {
  const std::vector<int32_t> x = noise<int32_t>(96, 0, 10);
  const gp::array out = gp::zeros({480}, gp::int32), counts = gp::zeros({10}, gp::int32);
  kernel_of(kExchange)(1, 48, gp::array(x), out, counts);
  const std::vector<int32_t> got = values<int32_t>(out), bins = values<int32_t>(counts);
  for (size_t i = 0; i < 96; i++) {
    const size_t t = i / 2, k = i % 2;
    EXPECT_EQ(got[i], x[48 * k + t]) << i;
    EXPECT_EQ(got[96 + i], x[i]) << i;
    EXPECT_EQ(got[192 + i], i < 48 ? x[2 * i + 1] : x[2 * (95 - i)]) << i;
    EXPECT_EQ(got[288 + i], i == 0 || x[i - 1] != x[i]) << i;
    EXPECT_EQ(got[384 + i], i == 95 || x[i] != x[i + 1]) << i;
  }
  for (int bin = 0; bin < 10; bin++) EXPECT_EQ(bins[size_t(bin)], std::count(x.begin(), x.end(), bin)) << bin;
}

// ---- Products of matrices ----

// The nearest number of float16, ties to even; for numbers in the range of its normal ones.
float nearest_half(float x) {
  int exponent;
  const float fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

// The nearest number with 10 bits behind the point, halves away from zero.
float nearest_tf32(float x) {
  int exponent;
  const float fraction = std::frexp(x, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, 11)), exponent - 11);
}

// Multiples of 1/64, which 16-bit floats have exactly.
std::vector<float> sixteen_bits(size_t n, unsigned seed) {
  std::vector<float> out = noise<float>(n, -120, 120, seed);
  for (float &v : out) v /= 64;
  return out;
}

TEST_F(Collectives, MultiplyMatricesOfHalf) {
  const std::vector<float> a = sixteen_bits(16 * 32, 1), b = sixteen_bits(16 * 32, 2);
  std::vector<float> c = noise<float>(256, -1000, 1000, 3);
  for (float &v : c) v /= 777;
  const gp::array d = gp::zeros({256}, gp::float32), e = gp::zeros({256}, gp::float16);
  kernel_of(kHalfProduct)(1, 32, gp::array(a).astype(gp::float16), gp::array(b).astype(gp::float16), gp::array(c), d,
                          e);
  const std::vector<float> got = values<float>(d), rounded = values<float>(e.astype(gp::float32));
  for (size_t i = 0; i < 16; i++) {
    for (size_t j = 0; j < 16; j++) {
      float sum = c[16 * i + j], other = 0.25f;
      for (size_t k = 0; k < 32; k++) sum = std::fma(a[32 * i + k], b[32 * j + k], sum);
      for (size_t k = 0; k < 16; k++) other = std::fma(a[32 * i + k], b[32 * j + k], other);
      EXPECT_EQ(got[16 * j + i], 2 * sum) << i << ' ' << j;
      EXPECT_EQ(rounded[16 * i + j], nearest_half(other)) << i << ' ' << j;
    }
  }
}

TEST_F(Collectives, MultiplyOtherMatrices) {
  const std::vector<int8_t> a = noise<int8_t>(512, -128, 128, 4), b = noise<int8_t>(128, -128, 128, 5);
  std::vector<double> x = noise<double>(32, -1000, 1000, 6), y = noise<double>(32, -1000, 1000, 7);
  for (double &v : x) v /= 3;
  const std::vector<float> p = sixteen_bits(128, 8), q = sixteen_bits(512, 9);
  const gp::array d = gp::zeros({256}, gp::int32), z = gp::zeros({64}), r = gp::zeros({256}, gp::float32);
  kernel_of(kOtherProducts)(1, 32, gp::array(a), gp::array(b), d, gp::array(x), gp::array(y), z,
                            gp::array(p).astype(gp::bfloat16), gp::array(q).astype(gp::bfloat16), r);
  const std::vector<int32_t> integers = values<int32_t>(d);
  const std::vector<double> doubles = values<double>(z);
  const std::vector<float> floats = values<float>(r);
  for (size_t i = 0; i < 32; i++) {
    for (size_t j = 0; j < 8; j++) {
      int64_t sum = 2147483000;
      for (size_t k = 0; k < 16; k++) sum += a[16 * i + k] * b[8 * k + j];
      EXPECT_EQ(integers[8 * i + j], std::min<int64_t>(sum, INT32_MAX)) << i << ' ' << j;
    }
  }
  for (size_t i = 0; i < 8; i++) {
    for (size_t j = 0; j < 8; j++) {
      double sum = 0.1;
      for (size_t k = 0; k < 4; k++) sum = std::fma(x[8 * k + i], y[8 * k + j], sum);
      EXPECT_EQ(doubles[8 * i + j], sum) << i << ' ' << j;
    }
    for (size_t j = 0; j < 32; j++) {
      float sum = 0;
      for (size_t k = 0; k < 16; k++) sum = std::fma(p[16 * i + k], q[16 * j + k], sum);
      EXPECT_EQ(floats[32 * i + j], sum) << i << ' ' << j;
    }
  }
}

TEST_F(Collectives, MultiplyMatricesOfTf32) {
  std::vector<float> a = noise<float>(128, -1000000, 1000000, 10), b = noise<float>(128, -1000000, 1000000, 11);
  for (float &v : a) v /= 999;
  const gp::array c = gp::zeros({256}, gp::float32);
  kernel_of(kTf32)(1, 32, gp::array(a), gp::array(b), c);
  const std::vector<float> got = values<float>(c);
  for (size_t i = 0; i < 16; i++) {
    for (size_t j = 0; j < 16; j++) {
      float sum = 0;
      for (size_t k = 0; k < 8; k++) sum = std::fma(nearest_tf32(a[16 * k + i]), nearest_tf32(b[16 * k + j]), sum);
      EXPECT_EQ(got[16 * i + j], sum) << i << ' ' << j;
    }
  }
}

}  // namespace
