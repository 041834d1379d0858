// tests/conformance/collective_kernel_test.cpp -- CUB's collectives and products of matrices by warps
// (tests/kernels/collectives.h) on the device under test, against host code that computes in the order that
// plugins/shared/words/thrust/cub.h and wmma.h promise; and barriers, pipelines and Thrust
// (tests/kernels/library_texts.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <gpuopt/gpuopt.hpp>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/conformance/kernel_fixture.h"
#include "tests/kernels/collectives.h"
#include "tests/kernels/library_texts.h"

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

TEST_F(Collectives, DifferencesPairsAndBitsOfKeys) {
  const std::vector<int32_t> x = noise<int32_t>(96, -6, 7);
  const gp::array out = gp::zeros({388}, gp::int32), order = gp::zeros({96}, gp::uint32);
  const gp::array same = gp::zeros({48}, gp::float32);
  kernel_of(kDifferences)(1, 48, gp::array(x), out, order, same);
  const std::vector<int32_t> got = values<int32_t>(out);
  for (size_t i = 0; i < 96; i++) {
    EXPECT_EQ(got[i], i == 0 ? x[0] : x[i] - x[i - 1]) << i;
    EXPECT_EQ(got[96 + i], i == 95 ? x[95] : x[i] - x[i + 1]) << i;
    EXPECT_EQ(got[192 + i], x[i] - (i == 0 ? 1000 : x[i - 1])) << i;
    EXPECT_EQ(got[288 + i], i + 1 < 41 ? x[i] - x[i + 1] : x[i]) << i;
  }
  const auto most = std::max_element(x.begin(), x.end()), least = std::min_element(x.begin(), x.end());
  EXPECT_EQ(got[384], most - x.begin());
  EXPECT_EQ(got[385], *most);
  EXPECT_EQ(got[386], least - x.begin());
  EXPECT_EQ(got[387], *least);
  const std::vector<uint32_t> bits = values<uint32_t>(order);
  const std::vector<float> sums = values<float>(same);
  for (size_t t = 0; t < 48; t++) {
    EXPECT_EQ(sums[t], static_cast<float>(x[2 * t] + x[2 * t + 1])) << t;
    for (size_t s = 0; s < 48; s++) {
      EXPECT_EQ(bits[t] < bits[s], x[2 * t] < x[2 * s]) << t << ' ' << s;
      EXPECT_EQ(bits[48 + t] < bits[48 + s], x[2 * t] < x[2 * s]) << t << ' ' << s;
    }
  }
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

// ---- Asynchronous copies, barriers, pipelines ----

TEST_F(Collectives, CopyAsynchronously) {
  const std::vector<int32_t> x = noise<int32_t>(192, -2000000000, 2000000000, 12);
  const gp::array out = gp::zeros({288}, gp::int32);
  kernel_of(kCopies)(1, 48, gp::array(x), out);
  const std::vector<int32_t> got = values<int32_t>(out);
  const auto *const bytes = reinterpret_cast<const unsigned char *>(x.data());
  for (size_t t = 0; t < 48; t++) {
    EXPECT_EQ(got[t], x[47 - t]) << t;
    EXPECT_EQ(got[48 + t], x[48 + (t + 1) % 48]) << t;
    EXPECT_EQ(got[96 + t], x[96 + 47 - t]) << t;
    EXPECT_EQ(got[144 + t], (47 - t) % 2 ? 0 : x[144 + 47 - t]) << t;
    EXPECT_EQ(got[192 + t], t == 47 ? x[1] : x[47 - t]) << t;
    EXPECT_EQ(got[240 + t], bytes[3 + t]) << t;
  }
}

TEST_F(Collectives, WaitAtBarriers) {
  const gp::array out = gp::zeros({896}, gp::int32);
  kernel_of(kBarriers)(1, 128, out);
  const std::vector<int32_t> got = values<int32_t>(out);
  int value = 0;
  for (int k = 0; k < 5; k++) {
    value += k + 1;
    for (size_t t = 0; t < 128; t++) EXPECT_EQ(got[128 * size_t(k) + t], value * 100 + 2 * k + 1) << k << ' ' << t;
  }
  for (size_t t = 0; t < 128; t++) EXPECT_EQ(got[640 + t], 77) << t;
  EXPECT_EQ(got[768], 31 * 32 / 2);
  EXPECT_EQ(got[769], 31 * 32 / 2 + 32 * 32);
  EXPECT_EQ(got[770], 127 * 128 / 2);
  EXPECT_EQ(got[771], 11);
}

TEST_F(Collectives, RunPipelines) {
  constexpr size_t rounds = 10;
  const std::vector<int32_t> x = noise<int32_t>(32 * rounds, -50, 90, 13);
  const gp::array out = gp::zeros({64 * rounds + 96}, gp::int32);
  kernel_of(kPipelines)(1, 96, gp::array(x), out, static_cast<int32_t>(rounds));
  const std::vector<int32_t> got = values<int32_t>(out);
  for (size_t k = 0; k < rounds; k++) {
    for (size_t t = 0; t < 32; t++) {
      EXPECT_EQ(got[64 * k + t], x[32 * k + 31 - t]) << k << ' ' << t;
      EXPECT_EQ(got[64 * k + 32 + t], 2 * x[32 * k + 31 - t]) << k << ' ' << t;
    }
  }
  for (size_t t = 0; t < 96; t++) {
    int sum = 0;
    for (size_t k = 0; k < rounds; k++) sum = sum * 3 + x[32 * k + t * 7 % 32];
    EXPECT_EQ(got[64 * rounds + t], sum) << t;
  }
}

// ---- Thrust ----

TEST_F(Collectives, SortByThrust) {
  const gp::raw_kernel kernel = kernel_of(kThrustSort);
  for (const size_t n : {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{17}, size_t{100}, size_t{333}}) {
    std::vector<int32_t> x = noise<int32_t>(40 * n, -20, 20, 14), places(40 * n);
    std::vector<float> y = noise<float>(40 * n, -1000, 1000, 15);
    const gp::array keys = n ? gp::array(x) : gp::zeros({0}, gp::int32), at = gp::zeros({int64_t(40 * n)}, gp::int32),
                    floats = n ? gp::array(y) : gp::zeros({0}, gp::float32);
    kernel(1, 40, keys, at, floats, static_cast<int32_t>(n));
    for (size_t t = 0; t < 40; t++) {
      const auto row = [n, t](auto &all) { return all.begin() + static_cast<std::ptrdiff_t>(n * t); };
      const auto end = static_cast<std::ptrdiff_t>(n);
      std::iota(row(places), row(places) + end, 0);
      std::stable_sort(row(places), row(places) + end, [&](int a, int b) { return row(x)[a] < row(x)[b]; });
      std::sort(row(x), row(x) + end);
      std::sort(row(y), row(y) + end);
      if (t % 2) std::reverse(row(y), row(y) + end);
    }
    EXPECT_EQ(values<int32_t>(keys), x) << n;
    EXPECT_EQ(values<int32_t>(at), places) << n;
    EXPECT_EQ(values<float>(floats), y) << n;
  }
}

// The numbers that kThrust counts, in its order.
std::vector<int32_t> thrust_numbers(const std::vector<int32_t> &x) {
  const auto even = [](int v) { return v % 2 == 0; };
  const auto place = [&](auto where) { return static_cast<int32_t>(where - x.begin()); };
  const auto n = static_cast<int32_t>(x.size());
  const int32_t squares = std::inner_product(x.begin(), x.end(), x.begin(), 0);
  int32_t by_place = 0, triples_below = 0;
  for (int32_t k = 0; k < n; k++) {
    by_place += k * x[size_t(k)];
    triples_below += 3 * k < 10;
  }
  const auto evens = static_cast<int32_t>(std::count_if(x.begin(), x.end(), even));
  return {std::accumulate(x.begin(), x.end(), 0),
          std::max(5, *std::max_element(x.begin(), x.end())),
          static_cast<int32_t>(std::count(x.begin(), x.end(), 3)),
          evens,
          place(std::min_element(x.begin(), x.end())),
          place(std::max_element(x.begin(), x.end())),
          place(std::find(x.begin(), x.end(), x[7])),
          place(std::find_if(x.begin(), x.end(), even)),
          squares + 1,
          squares,
          (n - 1) * n * (2 * n - 1) / 6,
          by_place,
          (evens == n) + 2 * (evens > 0),
          1,
          evens,
          triples_below,
          1,
          x[1] + 3 + 6};
}

// The rows that kThrust writes, one behind the other.
std::vector<int32_t> thrust_rows(const std::vector<int32_t> &x) {
  const size_t n = x.size();
  std::vector<int32_t> sums(n), out, evens, differences(n);
  std::partial_sum(x.begin(), x.end(), sums.begin());
  const auto add = [&out](const std::vector<int32_t> &row) { out.insert(out.end(), row.begin(), row.end()); };
  add(sums);
  out.push_back(9);
  for (size_t k = 0; k + 1 < n; k++) out.push_back(9 + sums[k]);
  for (size_t k = 0; k < n; k++) out.push_back(x[k] - sums[k]);
  add(std::vector<int32_t>(n, 4));
  add({x.rbegin(), x.rend()});
  std::copy_if(x.begin(), x.end(), std::back_inserter(evens), [](int v) { return v % 2 == 0; });
  evens.resize(n);
  add(evens);
  std::adjacent_difference(x.begin(), x.end(), differences.begin());
  add(differences);
  for (size_t k = 0; k < n; k++) out.push_back(static_cast<int32_t>(3 * k));
  return out;
}

TEST_F(Collectives, ComputeByThrust) {
  const std::vector<int32_t> x = noise<int32_t>(50, -9, 9, 16);
  const gp::array out = gp::zeros({18}, gp::int32), rows = gp::zeros({400}, gp::int32), z = gp::zeros({5});
  kernel_of(kThrust)(1, 1, gp::array(x), 50, out, rows, z);
  EXPECT_EQ(values<int32_t>(out), thrust_numbers(x));
  EXPECT_EQ(values<int32_t>(rows), thrust_rows(x));
  const std::complex<double> a(3, -4), b = std::exp(a) * a;
  const std::vector<double> numbers = values<double>(z), wanted = {5, b.real(), b.imag(), 25, 4};
  for (size_t k = 0; k < 5; k++) EXPECT_NEAR(numbers[k], wanted[k], 1e-13 * std::abs(wanted[k])) << k;
}

}  // namespace
