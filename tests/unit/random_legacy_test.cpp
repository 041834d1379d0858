// tests/unit/random_legacy_test.cpp -- RandomState against NumPy's own results, the standard library and exact
// arithmetic
#include "plugins/shared/random/random_legacy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>

#include "tests/unit/random_vectors.h"

namespace {

using namespace gpo;
using random_vectors::Crc;
using Words = std::vector<std::string>;

RandomState seeded(u32 seed) {
  RandomState state;
  random_state_seed(state, seed);
  return state;
}

RandomState seeded_from_text(const std::string &text) {
  RandomState state;
  const std::vector<u32> seeds = random_vectors::numbers(text);
  if (text.find(',') == std::string::npos)
    random_state_seed(state, seeds[0]);
  else
    random_state_seed_array(state, seeds.data(), seeds.size());
  return state;
}

std::vector<double> weights(u64 count) {
  std::vector<double> w(count);
  double sum = 0;
  for (u64 i = 0; i < count; ++i) sum += w[i] = i % 5 == 0 ? 0.0 : double((7919 * i + 3) % 101);
  for (double &x : w) x /= sum;
  return w;
}

template <class T>
void add_integers(RandomState &state, u64 n, const Words &op, Crc &crc) {
  const T low = op[3][0] == '-' ? T(std::stoll(op[3])) : T(std::stoull(op[3]));
  const u64 high = op[4][0] == '-' ? u64(std::stoll(op[4])) : op[4] == "18446744073709551616" ? 0 : std::stoull(op[4]);
  std::vector<T> out(n);
  legacy_fill_integers(state, low, high - 1 - u64(i64(low)), n, out.data());
  crc.add(out);
}

void add_real(RandomState &state, u64 n, const Words &op, Crc &crc) {
  std::vector<double> out(n);
  const double a = std::stod(op[2]), b = op.size() > 3 ? std::stod(op[3]) : 0;
  if (op[0] == "uniform") legacy_fill_uniform(state, a, b - a, n, out.data());
  if (op[0] == "normal") legacy_fill_normal(state, a, b, n, out.data());
  if (op[0] == "exponential") legacy_fill_exponential(state, a, n, out.data());
  crc.add(out);
}

void add_choice(RandomState &state, u64 n, const Words &op, Crc &crc) {
  const u64 count = std::stoull(op[2]);
  std::vector<i64> out(n), values(count);
  std::vector<double> p = weights(count), cdf(count);
  for (u64 i = 0; i < count; ++i) values[i] = i64(3 * i);
  if (op[0] == "choice") legacy_fill_choice(state, values.data(), count, n, out.data());
  if (op[0] == "weighted") {
    legacy_cumulative(p.data(), count, cdf.data());
    legacy_fill_choice_weighted(state, cdf.data(), count, n, out.data());
  }
  if (op[0] == "distinct_weighted") legacy_fill_choice_distinct(state, p.data(), cdf.data(), count, n, out.data());
  if (op[0] == "distinct") {
    legacy_fill_permutation(state, count, values.data());
    out.assign(values.begin(), values.begin() + i64(n));
  }
  crc.add(out);
}

void add_order(RandomState &state, u64 n, const Words &op, Crc &crc) {
  if (op[0] == "permutation") {
    std::vector<i64> out(n);
    legacy_fill_permutation(state, n, out.data());
    crc.add(out);
  } else {
    std::vector<i16> out(n);
    for (u64 i = 0; i < n; ++i) out[i] = i16(i);
    legacy_shuffle_values(state, n, out.data());
    crc.add(out);
  }
}

void add_bits(RandomState &state, u64 n, const Words &op, Crc &crc) {
  if (op[0] == "bytes") {
    std::vector<u8> out(n);
    legacy_fill_bytes(state, n, out.data());
    crc.add(out);
  } else {
    const auto out = std::make_unique<bool[]>(n);
    legacy_fill_bools(state, n, out.get());
    crc.add(out.get(), n);
  }
}

void add_integers_by_name(RandomState &state, u64 n, const Words &op, Crc &crc) {
  using Add = void (*)(RandomState &, u64, const Words &, Crc &);
  const std::map<std::string, Add> by_dtype = {{"int8", add_integers<i8>},    {"int16", add_integers<i16>},
                                               {"int32", add_integers<i32>},  {"int64", add_integers<i64>},
                                               {"uint8", add_integers<u8>},   {"uint16", add_integers<u16>},
                                               {"uint32", add_integers<u32>}, {"uint64", add_integers<u64>}};
  by_dtype.at(op[2])(state, n, op, crc);
}

void add(RandomState &state, const Words &op, Crc &crc) {
  using Add = void (*)(RandomState &, u64, const Words &, Crc &);
  const std::map<std::string, Add> by_name = {{"uniform", add_real},
                                              {"normal", add_real},
                                              {"exponential", add_real},
                                              {"bools", add_bits},
                                              {"bytes", add_bits},
                                              {"integers", add_integers_by_name},
                                              {"choice", add_choice},
                                              {"weighted", add_choice},
                                              {"distinct", add_choice},
                                              {"permutation", add_order},
                                              {"distinct_weighted", add_choice},
                                              {"shuffle", add_order}};
  by_name.at(op[0])(state, std::stoull(op[1]), op, crc);
}

TEST(RandomLegacy, ResultsAndStatesAreNumPys) {
  for (const random_vectors::Case &c : random_vectors::read("legacy.txt")) {
    RandomState state = seeded_from_text(c.words[0]);
    Crc results, final_state;
    Words op;
    for (size_t i = 1; i <= c.words.size(); ++i) {
      if (i < c.words.size() && c.words[i] != ";") {
        op.push_back(c.words[i]);
        continue;
      }
      add(state, op, results);
      op.clear();
    }
    final_state.add(&state.mt, sizeof state.mt);
    final_state.add(&state.has_gauss, sizeof state.has_gauss);
    final_state.add(&state.gauss, sizeof state.gauss);
    EXPECT_EQ(results.hex(), c.checksums[0]) << c.line.substr(0, 200);
    EXPECT_EQ(final_state.hex(), c.checksums[1]) << c.line.substr(0, 200);
  }
}

TEST(RandomLegacy, WordsAreTheStandardLibrarys) {
  std::mt19937 expected(5489);
  RandomState state = seeded(5489);
  std::vector<u32> out;
  for (u64 n : {1, 3, 623, 624, 625, 2000, 0, 1, 1248}) {
    out.resize(n);
    mt19937_fill_u32(state.mt, n, out.data());
    for (u32 word : out) ASSERT_EQ(word, expected());
  }
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(mt19937_next32(state.mt), expected());
}

// The printed corner of RandomState(1).choice([0, 1, 2, nan], (1000, 100000)).
TEST(RandomLegacy, ChoiceOfTheGoldenTable) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), values[4] = {0, 1, 2, nan};
  const double expected[3][3] = {{1, nan, 0}, {0, 2, 2}, {nan, 1, 0}};
  RandomState state = seeded(1);
  std::vector<double> row(100000);
  for (const auto &want : expected) {
    legacy_fill_choice(state, values, 4, row.size(), row.data());
    for (int j = 0; j < 3; ++j) EXPECT_TRUE(row[j] == want[j] || (std::isnan(row[j]) && std::isnan(want[j]))) << row[j];
  }
}

// Cutting a fill into calls changes nothing, an odd number of normals included.
TEST(RandomLegacy, PiecesJoin) {
  RandomState whole = seeded(77), pieces = seeded(77);
  std::vector<double> a(5000), b(5000);
  legacy_fill_normal(whole, 0, 1, a.size(), a.data());
  u64 done = 0;
  for (u64 n = 1; done < b.size(); n = n * 3 % 701) {
    const u64 part = n < b.size() - done ? n : b.size() - done;
    legacy_fill_normal(pieces, 0, 1, part, b.data() + done);
    done += part;
  }
  EXPECT_EQ(a, b);
  EXPECT_EQ(whole.mt.pos, pieces.mt.pos);
}

// Within 0.52 units of the exact logarithm over the range the distributions use, and exact at 1.
TEST(RandomLegacy, LogIsAccurate) {
  std::mt19937_64 words(3);
  double worst = 0;
  for (int i = 0; i < 300000; ++i) {
    const double u = 1.0 - double(words() >> 11) * 0x1p-53;
    const double x = i % 3 == 0 ? u : i % 3 == 1 ? std::ldexp(u, -int(words() % 110)) : 1.0 - u * 0x1p-5;
    const long double exact = std::log((long double)x);  // 64 bits of precision
    if (exact == 0) continue;
    const long double unit = std::ldexp(1.0L, std::ilogb(exact) - 52);
    worst = std::max(worst, double(std::fabs((libm_log(x) - exact) / unit)));
  }
  EXPECT_LT(worst, 0.52);
  EXPECT_EQ(libm_log(1.0), 0.0);
}

}  // namespace
