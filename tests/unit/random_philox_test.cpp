// tests/unit/random_philox_test.cpp -- Philox4x32-10 and its distributions: known answers, exact and statistical checks
#include "plugins/shared/random/random_philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>

#include "tests/unit/random_vectors.h"

namespace {

using namespace gpo;
using random_vectors::Crc;
using Words = std::vector<std::string>;

constexpr Philox kGenerator{0x0123456789abcdef, 1000, 0xfedcba9876543210};

// std::vector<bool> has no data().
template <class T>
struct Buffer {
  explicit Buffer(u64 n) : size(n), data(new T[n]()) {}
  void add_to(Crc &crc) const { crc.add(data.get(), size * sizeof(T)); }
  T &operator[](u64 i) { return data[i]; }
  u64 size;
  std::unique_ptr<T[]> data;
};

template <class D>
Buffer<typename D::Value> filled(const D &d, u64 n, const Philox &g = kGenerator, u64 first = 0) {
  Buffer<typename D::Value> out(n);
  philox_fill(d, g, first, n, out.data.get());
  return out;
}

// ---- The generator ----

// The three vectors that Random123 publishes for philox4x32 with ten rounds.
TEST(RandomPhilox, KnownAnswers) {
  const struct {
    u32 counter[4], key[2], expected[4];
  } cases[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  const auto wide = [](const u32 *w) { return u64(w[1]) << 32 | w[0]; };
  for (const auto &c : cases) {
    const u64 seed = wide(c.key), block = wide(c.counter), stream = wide(c.counter + 2);
    const PhiloxBlock got = philox_block(seed, stream, block);
    PhiloxTile tile;
    philox_tile(seed, stream, block, tile);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(got.word[i], c.expected[i]);
      EXPECT_EQ(tile.w32[i], c.expected[i]);
    }
  }
}

// Also where the lower half of the block number overflows into the upper.
TEST(RandomPhilox, TilesAreBlocks) {
  for (u64 first : {u64(0), u64(5), u64(0xffffffe0), u64(0xffffffffffffffc0)}) {
    PhiloxTile tile;
    philox_tile(1, kGenerator.stream, first, tile);
    for (u32 b = 0; b < philox_tile_blocks; ++b)
      for (u32 i = 0; i < 4; ++i)
        ASSERT_EQ(tile.w32[4 * b + i], philox_block(1, kGenerator.stream, first + b).word[i]) << first << " " << b;
  }
}

// ---- Exact distributions, against an independent statement in Python ----

struct Stream {
  Philox generator;
  u64 n;
};

template <class T>
Buffer<T> integers(T low, u64 span, const Philox &g, u64 n) {
  Buffer<T> out(n);
  philox_integers(low, span, [&](const auto &d) { philox_fill(d, g, 0, n, out.data.get()); });
  return out;
}

template <class D>
void add(const Stream &s, const D &d, Crc &crc) {
  filled(d, s.n, s.generator).add_to(crc);
}

template <class T>
void add_integers(const Stream &s, const Words &words, Crc &crc) {
  const T low = words[5][0] == '-' ? T(std::stoll(words[5])) : T(std::stoull(words[5]));
  const u64 high = words[6][0] == '-'                   ? u64(std::stoll(words[6]))
                   : words[6] == "18446744073709551616" ? 0
                                                        : std::stoull(words[6]);
  integers(low, high - 1 - u64(i64(low)), s.generator, s.n).add_to(crc);
}

void add_permutation(const Stream &s, Crc &crc) {
  Buffer<u64> keys = filled(PhiloxBits<u64>{}, s.n, s.generator);
  std::vector<i64> order(s.n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](i64 a, i64 b) { return keys[u64(a)] < keys[u64(b)]; });
  crc.add(order);
}

void add_integers_by_name(const Stream &s, const Words &words, Crc &crc) {
  using Add = void (*)(const Stream &, const Words &, Crc &);
  const std::map<std::string, Add> by_dtype = {{"int8", add_integers<i8>},    {"int16", add_integers<i16>},
                                               {"int32", add_integers<i32>},  {"int64", add_integers<i64>},
                                               {"uint8", add_integers<u8>},   {"uint16", add_integers<u16>},
                                               {"uint32", add_integers<u32>}, {"uint64", add_integers<u64>}};
  by_dtype.at(words[4])(s, words, crc);
}

TEST(RandomPhilox, Vectors) {
  for (const random_vectors::Case &c : random_vectors::read("philox.txt")) {
    const Stream s{{std::stoull(c.words[0]), 0, std::stoull(c.words[1])}, std::stoull(c.words[3])};
    const std::string &what = c.words[2];
    Crc crc;
    if (what == "u32") add(s, PhiloxBits<u32>{}, crc);
    if (what == "u64") add(s, PhiloxBits<u64>{}, crc);
    if (what == "uniform_f16") add(s, PhiloxUniform<float16>{0, 1}, crc);
    if (what == "uniform_f32") add(s, PhiloxUniform<float>{0, 1}, crc);
    if (what == "uniform_f64") add(s, PhiloxUniform<double>{0, 1}, crc);
    if (what == "permutation") add_permutation(s, crc);
    if (what == "integers") add_integers_by_name(s, c.words, crc);
    EXPECT_EQ(crc.hex(), c.checksums[0]) << c.line;
  }
}

// ---- One value per element, however it is reached ----

// Every kind of distribution, once.
template <class F>
void for_each_distribution(F &&f) {
  f(PhiloxBits<u32>{});
  f(PhiloxBits<u64>{});
  f(PhiloxUniform<float16>{-1, 3});
  f(PhiloxUniform<bfloat16>{0, 1});
  f(PhiloxUniform<float>{2, 5});
  f(PhiloxUniform<double>{-0.25, 1e6});
  f(PhiloxExponential<float16>{1});
  f(PhiloxExponential<bfloat16>{2});
  f(PhiloxExponential<float>{0.5f});
  f(PhiloxExponential<double>{3});
  f(PhiloxNormal<float16>{0, 1});
  f(PhiloxNormal<bfloat16>{1, 2});
  f(PhiloxNormal<float>{0, 1});
  f(PhiloxNormal<double>{-5, 0.1});
  f(PhiloxIntegerPower<bool, u32>{false, 31});
  f(PhiloxIntegerPower<i64, u64>{-7, 20});
  f(PhiloxInteger32<i8>{-100, 200});
  f(PhiloxInteger64<u64>{5, u64(3) << 61});
}

template <class T>
bool same_bits(const T &a, const T &b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(RandomPhilox, ElementsAreFills) {
  for_each_distribution([](const auto &d) {
    auto all = filled(d, 3000);
    for (u64 i = 0; i < all.size; i += 1 + i / 16) {
      const auto value = philox_element(d, kGenerator, i);
      ASSERT_TRUE(same_bits(all[i], value)) << i;
    }
  });
}

TEST(RandomPhilox, AnySplitGivesTheSameBits) {
  for_each_distribution([](const auto &d) {
    auto all = filled(d, 5000);
    for (u64 first = 0, n = 1; first < all.size; first += n, n = n * 7 % 1009) {
      n = std::min(n, all.size - first);
      auto piece = filled(d, n, kGenerator, first);
      for (u64 i = 0; i < n; ++i) ASSERT_TRUE(same_bits(all[first + i], piece[i])) << first << " " << i;
    }
    // Far into the stream, across a multiple of 2^32 blocks.
    const u64 far = (u64(1) << 34) - 100;
    auto whole = filled(d, 1000, kGenerator, far), tail = filled(d, 877, kGenerator, far + 123);
    for (u64 i = 0; i < tail.size; ++i) ASSERT_TRUE(same_bits(whole[123 + i], tail[i])) << i;
  });
}

// The next call begins with the first block that this one did not use.
TEST(RandomPhilox, CallsFollowEachOther) {
  for_each_distribution([](const auto &d) {
    const u64 per_block = philox_block_values<std::decay_t<decltype(d)>>;
    Philox g = kGenerator;
    philox_advance(d, g, 0);
    EXPECT_EQ(g.counter, kGenerator.counter);
    philox_advance(d, g, 1);
    EXPECT_EQ(g.counter, kGenerator.counter + 1);
    philox_advance(d, g, 100 * per_block);
    EXPECT_EQ(g.counter, kGenerator.counter + 101);
    auto all = filled(d, 200 * per_block), rest = filled(d, 99 * per_block, g);
    for (u64 i = 0; i < rest.size; ++i) ASSERT_TRUE(same_bits(all[101 * per_block + i], rest[i])) << i;
  });
}

TEST(RandomPhilox, EqualRangesGiveEqualValuesInAllDtypes) {
  for (u64 span : {0, 1, 2, 63, 99, 127}) {
    Buffer<i8> narrow = integers(i8(0), span, kGenerator, 1000);
    Buffer<u64> wide = integers(u64(0), span, kGenerator, 1000);
    for (u64 i = 0; i < 1000; ++i) ASSERT_EQ(u64(narrow[i]), wide[i]);
  }
}

// ---- Transformations of a word ----

template <class T>
double ulps(T got, long double exact) {
  const int digits = is_same<T, float> ? 23 : 52;
  return exact == 0 ? double(std::fabs(got))
                    : double(std::fabs(got - exact) / std::ldexp(1.0L, std::ilogb(exact) - digits));
}

TEST(RandomPhilox, ExponentialIsMinusLog) {
  const auto bits32 = filled(PhiloxBits<u32>{}, 200000);
  const auto bits64 = filled(PhiloxBits<u64>{}, 200000);
  double worst32 = 0, worst64 = 0;
  for (u64 i = 0; i < bits32.size; ++i) {
    // Scaled so that both ends of the range are met too.
    const u32 end = bits32.data[i] >> (i % 32);
    for (u32 w : {bits32.data[i], end, ~end}) {
      const long double u = (w + 0.5L) * 0x1p-32L;
      worst32 = std::max(worst32, ulps(random_exponential(w), w > ~0u / 2 ? -std::log1p(u - 1) : -std::log(u)));
    }
    const u64 end64 = bits64.data[i] >> (i % 52);
    for (u64 w : {bits64.data[i], end64, ~end64}) {
      const long double u = ((w >> 12) + 0.5L) * 0x1p-52L;
      worst64 = std::max(worst64, ulps(random_exponential(w), w > ~u64(0) / 2 ? -std::log1p(u - 1) : -std::log(u)));
    }
  }
  EXPECT_LT(worst32, 2.5);
  EXPECT_LT(worst64, 2.0);
}

TEST(RandomPhilox, DirectionsAreOnTheCircle) {
  const long double pi = std::acos(-1.0L);
  double worst32 = 0, worst64 = 0;
  const auto bits = filled(PhiloxBits<u64>{}, 200000);
  for (u64 i = 0; i < bits.size; ++i) {
    const u64 w = bits.data[i];
    const auto check = [&](auto p, long double angle, bool swap, bool turn, double &worst) {
      const long double s = turn ? -1 : 1, c = s * std::cos(angle), d = s * std::sin(angle);
      worst = std::max({worst, ulps(p.x, swap ? d : c), ulps(p.y, swap ? c : d)});
    };
    const u32 v = u32(w);
    check(random_direction(v), i32(v << 2 | 2) * 0x1p-32L * pi / 2, v >> 30 & 1, v >> 31, worst32);
    check(random_direction(w), ((i64)(w << 2 >> 12) + 0.5L - 0x1p51L) * 0x1p-52L * pi / 2, w >> 62 & 1, w >> 63,
          worst64);
  }
  EXPECT_LT(worst32, 3.0);
  EXPECT_LT(worst64, 3.0);
}

TEST(RandomPhilox, ExtremeWords) {
  for (u32 w : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xb504f333u, 0xb504f334u, ~0u}) {
    EXPECT_GT(random_exponential(w), 0.0f);
    EXPECT_LT(random_exponential(w), 22.9f);
    const RandomPoint<float> z = random_normal_pair<float>(w, w);
    EXPECT_TRUE(std::abs(z.x) < 6.8f && std::abs(z.y) < 6.8f);
    EXPECT_LT(PhiloxUniform<float>::unit(w), 1.0f);
    EXPECT_LT(PhiloxUniform<float16>::unit(w), 1.0f);
  }
  for (u64 w : {u64(0), u64(1) << 12, ~u64(0)}) {
    EXPECT_GT(random_exponential(w), 0.0);
    EXPECT_LT(random_exponential(w), 36.8);
    EXPECT_LT(PhiloxUniform<double>::unit(w), 1.0);
  }
  EXPECT_EQ(PhiloxUniform<double>::unit(~u64(0)), 1.0 - 0x1p-53);
  EXPECT_EQ(PhiloxUniform<double>::unit(u64(1) << 11), 0x1p-53);
  u64 value = 0;
  const u64 top[2] = {~u64(0), ~u64(0)};
  PhiloxInteger64<u64>{10, ~u64(0)}(top, &value);
  EXPECT_EQ(value, 10 + (~u64(0) - 1));
}

// ---- Statistics, with fixed seeds: exact repetition, bounds at about five standard deviations ----

constexpr u64 kSample = 1000000;

struct Moments {
  double mean, variance, skewness, excess;
};

template <class T>
Moments moments(const Buffer<T> &x) {
  long double sum[5] = {};
  for (u64 i = 0; i < x.size; ++i) {
    const long double v = cast<double>(x.data[i]);
    sum[1] += v;
  }
  const long double mean = sum[1] / x.size;
  for (u64 i = 0; i < x.size; ++i) {
    const long double v = cast<double>(x.data[i]) - mean;
    sum[2] += v * v, sum[3] += v * v * v, sum[4] += v * v * v * v;
  }
  const long double var = sum[2] / x.size;
  return {double(mean), double(var), double(sum[3] / x.size / std::pow(var, 1.5L)),
          double(sum[4] / x.size / (var * var) - 3)};
}

// The Kolmogorov-Smirnov distance times sqrt(n): above 2.2 with probability 1.3e-4.
template <class T, class F>
double kolmogorov(Buffer<T> x, F cdf) {
  std::sort(x.data.get(), x.data.get() + x.size);
  double worst = 0;
  for (u64 i = 0; i < x.size; ++i) {
    const double p = cdf(double(x[i])), n = double(x.size);
    worst = std::max({worst, std::abs(p - double(i) / n), std::abs(p - double(i + 1) / n)});
  }
  return worst * std::sqrt(double(x.size));
}

template <class T>
void check_normal() {
  const Buffer<T> x = filled(PhiloxNormal<T>{0, 1}, kSample);
  const Moments m = moments(x);
  EXPECT_NEAR(m.mean, 0, 5e-3);
  EXPECT_NEAR(m.variance, 1, 7e-3);
  EXPECT_NEAR(m.skewness, 0, 0.0125);
  EXPECT_NEAR(m.excess, 0, 0.025);
  double neighbours = 0;
  for (u64 i = 0; i + 1 < x.size; ++i) neighbours += cast<double>(x.data[i]) * cast<double>(x.data[i + 1]);
  EXPECT_NEAR(neighbours / double(x.size), 0, 5e-3);
}

TEST(RandomPhilox, NormalMoments) {
  check_normal<float>();
  check_normal<double>();
  check_normal<float16>();
  check_normal<bfloat16>();
}

TEST(RandomPhilox, KolmogorovSmirnov) {
  const auto normal = [](double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); };
  const auto exponential = [](double x) { return -std::expm1(-x); };
  const auto uniform = [](double x) { return x; };
  EXPECT_LT(kolmogorov(filled(PhiloxNormal<float>{0, 1}, kSample), normal), 2.2);
  EXPECT_LT(kolmogorov(filled(PhiloxNormal<double>{0, 1}, kSample), normal), 2.2);
  EXPECT_LT(kolmogorov(filled(PhiloxExponential<float>{1}, kSample), exponential), 2.2);
  EXPECT_LT(kolmogorov(filled(PhiloxExponential<double>{1}, kSample), exponential), 2.2);
  EXPECT_LT(kolmogorov(filled(PhiloxUniform<float>{0, 1}, kSample), uniform), 2.2);
  EXPECT_LT(kolmogorov(filled(PhiloxUniform<double>{0, 1}, kSample), uniform), 2.2);
}

TEST(RandomPhilox, IntegersAreEven) {
  for (u64 count : {2, 3, 10, 64, 100}) {
    Buffer<i32> x = integers(i32(-1), count - 1, kGenerator, kSample);
    std::vector<double> seen(count);
    for (u64 i = 0; i < kSample; ++i) {
      ASSERT_TRUE(x[i] >= -1 && x[i] < i32(count) - 1);
      ++seen[u64(x[i] + 1)];
    }
    double chi2 = 0;
    const double expected = double(kSample) / double(count);
    for (double s : seen) chi2 += (s - expected) * (s - expected) / expected;
    const double degrees = double(count - 1);
    EXPECT_LT(chi2, degrees + 5 * std::sqrt(2 * degrees) + 10) << count;
  }
}

// Streams and seeds that differ in one bit have nothing to do with each other.
TEST(RandomPhilox, StreamsAreIndependent) {
  const auto a = filled(PhiloxUniform<double>{-0.5, 1}, kSample, {1, 0, 0});
  const auto correlation = [&](const Philox &g) {
    const auto b = filled(PhiloxUniform<double>{-0.5, 1}, kSample, g);
    double sum = 0;
    for (u64 i = 0; i < kSample; ++i) sum += a.data[i] * b.data[i];
    return 12 * sum / double(kSample);
  };
  EXPECT_NEAR(correlation({1, 0, 1}), 0, 5e-3);
  EXPECT_NEAR(correlation({2, 0, 0}), 0, 5e-3);
  EXPECT_NEAR(correlation({1, 0, u64(1) << 63}), 0, 5e-3);
}

}  // namespace
