// tests/unit/cpu_sort_test.cpp -- the slot sort against std::stable_sort with comparisons of numbers: every dtype,
// layouts, lengths for which the sorts take other ways, and contents that are hard for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <random>

#include "plugins/cpu/library/sort.h"
#include "plugins/cpu/runtime/memory.h"
#include "tests/unit/call_array.h"
#include "tests/unit/cpu_test_host.h"

namespace gpuopt::cpu {
namespace {

using test::Array;
using test::Call;
using test::kLayouts;
using test::kWritableLayouts;
using test::Layout;
using test::Shape;

// ---- Elements as numbers. A long double holds each of them.

using Number = std::complex<long double>;

long double of_half(uint16_t bits, int fraction_bits, int bias) {
  const int exponent = (bits & 0x7FFF) >> fraction_bits, greatest = (1 << (15 - fraction_bits)) - 1;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  long double value = std::ldexp(static_cast<long double>(fraction), 1 - bias - fraction_bits);
  if (exponent)
    value = std::ldexp(static_cast<long double>(fraction + (1 << fraction_bits)), exponent - bias - fraction_bits);
  if (exponent == greatest) value = fraction ? NAN : INFINITY;
  return bits & 0x8000 ? -value : value;
}

Number number_at(Array &x, int32_t dtype, int64_t i) {
  switch (dtype) {
    case GPUOPT_BOOL:
    case GPUOPT_UINT8:
      return x.get<uint8_t>(i);
    case GPUOPT_UINT16:
      return x.get<uint16_t>(i);
    case GPUOPT_UINT32:
      return x.get<uint32_t>(i);
    case GPUOPT_UINT64:
      return static_cast<long double>(x.get<uint64_t>(i));
    case GPUOPT_INT8:
      return x.get<int8_t>(i);
    case GPUOPT_INT16:
      return x.get<int16_t>(i);
    case GPUOPT_INT32:
      return x.get<int32_t>(i);
    case GPUOPT_INT64:
      return static_cast<long double>(x.get<int64_t>(i));
    case GPUOPT_FLOAT16:
      return of_half(x.get<uint16_t>(i), 10, 15);
    case GPUOPT_BFLOAT16:
      return of_half(x.get<uint16_t>(i), 7, 127);
    case GPUOPT_FLOAT32:
      return x.get<float>(i);
    case GPUOPT_FLOAT64:
      return x.get<double>(i);
    case GPUOPT_COMPLEX64:
      return Number(x.get<std::complex<float>>(i));
    default:
      return Number(x.get<std::complex<double>>(i));
  }
}

int nan_class(const Number &x) { return 2 * std::isnan(x.real()) + std::isnan(x.imag()); }

bool is_before(const Number &a, const Number &b, bool descending) {
  if (nan_class(a) != nan_class(b)) return nan_class(a) < nan_class(b);
  const Number &less = descending ? b : a, &more = descending ? a : b;
  if (!std::isnan(a.real()) && less.real() != more.real()) return less.real() < more.real();
  return !std::isnan(a.imag()) && less.imag() < more.imag();
}

// ---- Contents

enum class Contents { kBits, kFew, kSorted, kReversed, kSame, kSkewed, kNearZero };
constexpr Contents kContents[] = {Contents::kBits, Contents::kFew,    Contents::kSorted,  Contents::kReversed,
                                  Contents::kSame, Contents::kSkewed, Contents::kNearZero};

// An element of the dtype that is near this integer, or the integer itself.
void set_integer(Array &x, int32_t dtype, int64_t i, int64_t value) {
  const auto d = static_cast<double>(value);
  const auto f = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  switch (dtype) {
    case GPUOPT_FLOAT64:
      return x.set(i, d);
    case GPUOPT_FLOAT32:
      return x.set(i, f);
    case GPUOPT_BFLOAT16:
      return x.set(i, static_cast<uint16_t>(bits >> 16));
    case GPUOPT_COMPLEX64:
      return x.set(i, std::complex<float>(f / 16, static_cast<float>(value % 7)));
    case GPUOPT_COMPLEX128:
      return x.set(i, std::complex<double>(std::floor(d / 16), static_cast<double>(value % 7)));
    case GPUOPT_BOOL:
      return x.set(i, static_cast<uint8_t>(value & 1));
    default:
      std::memcpy(x.at(i), &value, static_cast<size_t>(plugin::element_size(dtype)));
  }
}

// Adds zeros of both signs, infinities and NaNs of several payloads to an array of floats.
void add_specials(Array &x, int32_t dtype, std::mt19937_64 &random) {
  const int64_t size = plugin::element_size(dtype), n = x.size();
  const char kind = plugin::dtype_kind(dtype);
  if (kind != 'f' && kind != 'c') return;
  const int64_t part = kind == 'c' ? size / 2 : size;
  for (int64_t k = 0; k < n / 4 + 1 && n; k++) {
    unsigned char *const place =
        x.at(static_cast<int64_t>(random() % static_cast<uint64_t>(n))) + (part < size && random() % 2 ? part : 0);
    const uint64_t infinity = dtype == GPUOPT_FLOAT16    ? 0x7C00
                              : dtype == GPUOPT_BFLOAT16 ? 0x7F80
                              : part == 4                ? 0x7F800000
                                                         : 0x7FF0000000000000;
    const uint64_t sign = uint64_t{1} << (8 * part - 1),
                   values[] = {0, infinity, infinity + 1 + random() % 100, infinity | sign >> 5};
    const uint64_t bits = values[random() % 4] | (random() % 2 ? sign : 0);
    std::memcpy(place, &bits, static_cast<size_t>(part));
  }
}

void fill(Array &x, int32_t dtype, Contents contents, unsigned seed) {
  std::mt19937_64 random(seed);
  const int64_t n = x.size();
  for (int64_t i = 0; i < n; i++) {
    const auto word = static_cast<int64_t>(random() >> 2);
    switch (contents) {
      case Contents::kBits:
        for (int64_t b = 0; b < plugin::element_size(dtype); b++) x.at(i)[b] = static_cast<unsigned char>(random());
        if (dtype == GPUOPT_BOOL) x.at(i)[0] &= 1;
        break;
      case Contents::kFew:
        set_integer(x, dtype, i, word % 5);
        break;
      case Contents::kSorted:
        set_integer(x, dtype, i, i / 3);
        break;
      case Contents::kReversed:
        set_integer(x, dtype, i, n - i);
        break;
      case Contents::kSame:
        set_integer(x, dtype, i, 3);
        break;
      case Contents::kSkewed:  // nearly all in a range that is a tiny part of the whole
        set_integer(x, dtype, i, word % 10 ? word % 100000 : word >> 10);
        break;
      case Contents::kNearZero:
        set_integer(x, dtype, i, word % 201 - 100);
        break;
    }
  }
  if (contents != Contents::kSorted && contents != Contents::kSame) add_specials(x, dtype, random);
}

class SortTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    test::TestHost::install();
    test::TestHost::set("GPUOPT_NUM_THREADS", "3");
  }
  static void run(const Call &call) {
    gpuopt_error error = GPUOPT_ERROR_INIT;
    ASSERT_EQ(test::status_of(&error, [&] { run_sort(*call); }), GPUOPT_OK) << error.message;
  }
};

// The positions along the axis of the elements of the line through x[prefix, :, suffix].
std::vector<int64_t> line_positions(const Shape &shape, size_t axis, int64_t line) {
  int64_t inner = 1;
  for (size_t i = axis + 1; i < shape.size(); i++) inner *= shape[i];
  std::vector<int64_t> positions(static_cast<size_t>(shape[axis]));
  for (size_t k = 0; k < positions.size(); k++)
    positions[k] = line / inner * inner * shape[axis] + static_cast<int64_t>(k) * inner + line % inner;
  return positions;
}

void check_sorts(int32_t dtype, const Shape &shape, size_t axis, bool descending, Array &x, Layout out_layout) {
  Array values(dtype, shape, out_layout, 3), order(GPUOPT_INT64, shape, out_layout, 4);
  Array wanted_values = values, wanted_order = order;
  const int64_t lines = shape[axis] ? x.size() / shape[axis] : 0;
  for (int64_t line = 0; line < lines; line++) {
    const std::vector<int64_t> positions = line_positions(shape, axis, line);
    std::vector<Number> numbers;
    for (int64_t at : positions) numbers.push_back(number_at(x, dtype, at));
    std::vector<int64_t> sorted(positions.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::stable_sort(sorted.begin(), sorted.end(), [&](int64_t a, int64_t b) {
      return is_before(numbers[static_cast<size_t>(a)], numbers[static_cast<size_t>(b)], descending);
    });
    for (size_t k = 0; k < sorted.size(); k++) {
      wanted_order.set<int64_t>(positions[k], sorted[k]);
      wanted_values.copy_from(positions[k], x, positions[static_cast<size_t>(sorted[k])]);
    }
  }
  const std::vector<int64_t> ints = {static_cast<int64_t>(axis), descending};
  const Call sort(GPUOPT_CALL_SORT, {x.tensor(), values.tensor()}, ints);
  const Call argsort(GPUOPT_CALL_ARGSORT, {x.tensor(), order.tensor()}, ints);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  ASSERT_EQ(test::status_of(&error, [&] { run_sort(*sort); }), GPUOPT_OK) << error.message;
  ASSERT_EQ(test::status_of(&error, [&] { run_sort(*argsort); }), GPUOPT_OK) << error.message;
  EXPECT_TRUE(values == wanted_values) << "sort";
  EXPECT_TRUE(order == wanted_order) << "argsort";
}

TEST_F(SortTest, EveryDtypeLengthAndContents) {
  unsigned seed = 0;
  for (int32_t dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int64_t n : {0, 1, 2, 15, 16, 17, 33, 256, 257, 3000, 20000}) {
      for (Contents contents : kContents) {
        Array x(dtype, {n}, Layout::kC, ++seed);
        fill(x, dtype, contents, seed);
        SCOPED_TRACE(std::string(plugin::dtype_name(dtype)) + " " + std::to_string(n) + " " +
                     std::to_string(static_cast<int>(contents)));
        check_sorts(dtype, {n}, 0, seed % 2, x, Layout::kC);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(SortTest, ManyElementsOnAllThreads) {
  unsigned seed = 100;
  for (int32_t dtype : {GPUOPT_INT8, GPUOPT_UINT16, GPUOPT_INT32, GPUOPT_FLOAT32, GPUOPT_INT64, GPUOPT_FLOAT64,
                        GPUOPT_COMPLEX64, GPUOPT_COMPLEX128}) {
    for (Contents contents : kContents) {
      const int64_t n = 200000 + seed;
      Array x(dtype, {n}, Layout::kC, ++seed);
      fill(x, dtype, contents, seed);
      SCOPED_TRACE(std::string(plugin::dtype_name(dtype)) + " " + std::to_string(static_cast<int>(contents)));
      check_sorts(dtype, {n}, 0, seed % 2, x, seed % 3 ? Layout::kC : Layout::kReversed);
      if (HasFailure()) return;
    }
  }
}

TEST_F(SortTest, EveryAxisAndLayout) {
  unsigned seed = 1000;
  const Shape shapes[] = {{3, 4, 5}, {1, 7, 1}, {0, 3}, {3, 0}, {300, 7}, {5, 70000}, {20, 20, 20}};
  for (const Shape &shape : shapes) {
    for (Layout layout : kLayouts) {
      for (size_t axis = 0; axis < shape.size(); axis++) {
        const int32_t dtype = std::array{GPUOPT_FLOAT32, GPUOPT_INT16, GPUOPT_COMPLEX128, GPUOPT_FLOAT64}[seed % 4];
        Array x(dtype, shape, layout, ++seed);
        fill(x, dtype, seed % 2 ? Contents::kBits : Contents::kFew, seed);
        SCOPED_TRACE(std::string(plugin::dtype_name(dtype)) + " seed " + std::to_string(seed));
        check_sorts(dtype, shape, axis, seed / 2 % 2, x, kWritableLayouts[seed % 5]);
        if (HasFailure()) return;
      }
    }
  }
}

// Searches among the elements of `mixed`, sorted, for those of `values`, and counts them.
void check_search(int32_t dtype, Array &mixed, Array &values, bool right, unsigned seed) {
  const int64_t n = mixed.size();
  Array sorted(dtype, {n}, kWritableLayouts[seed % 5], seed),
      out(GPUOPT_INT64, {9, 4}, kWritableLayouts[seed % 5], seed);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const Call sort(GPUOPT_CALL_SORT, {mixed.tensor(), sorted.tensor()}, {0, 0});
  ASSERT_EQ(test::status_of(&error, [&] { run_sort(*sort); }), GPUOPT_OK) << error.message;
  Array wanted = out;
  for (int64_t v = 0; v < values.size(); v++) {
    const Number value = number_at(values, dtype, v);
    int64_t before = 0;
    for (int64_t i = 0; i < n; i++) {
      const Number element = number_at(mixed, dtype, i);
      before += right ? !is_before(value, element, false) : is_before(element, value, false);
    }
    wanted.set(v, before);
  }
  const Call search(GPUOPT_CALL_SEARCHSORTED, {sorted.tensor(), values.tensor(), out.tensor()}, {right});
  ASSERT_EQ(test::status_of(&error, [&] { run_sort(*search); }), GPUOPT_OK) << error.message;
  EXPECT_TRUE(out == wanted) << plugin::dtype_name(dtype) << " " << n << " " << right;
}

TEST_F(SortTest, SearchesAgainstCounting) {
  unsigned seed = 2000;
  for (int32_t dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int64_t n : {0, 1, 2, 3, 100}) {
      for (bool right : {false, true}) {
        Array mixed(dtype, {n}, Layout::kC, ++seed), values(dtype, {9, 4}, kLayouts[seed % 6], seed);
        fill(mixed, dtype, seed % 3 ? Contents::kFew : Contents::kBits, seed);
        fill(values, dtype, seed % 3 ? Contents::kFew : Contents::kBits, seed + 7);
        check_search(dtype, mixed, values, right, seed);
      }
    }
  }
}

// A place among evenly spaced elements is guessed first: at them, between them, beyond their ends, at a NaN, and where
// one of them is not in its place.
TEST_F(SortTest, SearchesAmongEvenlySpacedElements) {
  unsigned seed = 3000;
  for (int32_t dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int64_t n : {3, 4, 5, 30, 36}) {
      for (int64_t moved : {0, 1, 2}) {
        for (bool right : {false, true}) {
          Array mixed(dtype, {n}, Layout::kC, ++seed), values(dtype, {9, 4}, kLayouts[seed % 6], seed);
          for (int64_t i = 0; i < n; i++) set_integer(mixed, dtype, i, 3 * i + 7 + (i == n / 2 ? moved : 0));
          fill(values, dtype, seed % 2 ? Contents::kNearZero : Contents::kBits, seed + 7);
          check_search(dtype, mixed, values, right, seed);
        }
      }
    }
  }
}

// Tenths are not multiples of a double: a quotient is now above, now below the integer that it stands for.
TEST_F(SortTest, SearchesAmongTenths) {
  for (int64_t n = 4; n <= 36; n++) {
    for (bool right : {false, true}) {
      Array mixed(GPUOPT_FLOAT64, {n}, Layout::kC, 1), values(GPUOPT_FLOAT64, {9, 4}, Layout::kC, 1);
      for (int64_t i = 0; i < n; i++) mixed.set(i, 0.1 * static_cast<double>(i) + 0.3);
      for (int64_t v = 0; v < 36; v++) values.set(v, 0.1 * static_cast<double>(v) + 0.3);
      check_search(GPUOPT_FLOAT64, mixed, values, right, 1);
    }
  }
}

TEST_F(SortTest, CountsAndWeightsInOrder) {
  std::mt19937_64 random(5);
  for (int64_t n : {0, 1, 50, 200000}) {
    for (int64_t bins : {1, 7, 3000}) {
      for (Layout layout : {Layout::kC, Layout::kReversed, Layout::kGaps}) {
        Array x(GPUOPT_INT64, {n}, layout, 1), weights(GPUOPT_FLOAT64, {n}, layout, 2);
        Array counts(GPUOPT_INT64, {bins}, layout, 3), sums(GPUOPT_FLOAT64, {bins}, layout, 4);
        std::vector<int64_t> count(static_cast<size_t>(bins));
        std::vector<double> sum(static_cast<size_t>(bins));
        for (int64_t i = 0; i < n; i++) {
          const auto bin = static_cast<int64_t>(random() % static_cast<uint64_t>(bins + 2)) - 1;  // two are no bins
          const double weight = std::ldexp(static_cast<double>(random() % 1000), static_cast<int>(random() % 60));
          x.set(i, bin);
          weights.set(i, weight);
          if (bin < 0 || bin >= bins) continue;
          count[static_cast<size_t>(bin)]++;
          sum[static_cast<size_t>(bin)] += weight;
        }
        run(Call(GPUOPT_CALL_BINCOUNT, {x.tensor(), counts.tensor()}));
        run(Call(GPUOPT_CALL_BINCOUNT, {x.tensor(), weights.tensor(), sums.tensor()}));
        for (int64_t bin = 0; bin < bins; bin++) {
          ASSERT_EQ(counts.get<int64_t>(bin), count[static_cast<size_t>(bin)]);
          ASSERT_EQ(sums.get<double>(bin), sum[static_cast<size_t>(bin)]);
        }
      }
    }
  }
}

TEST_F(SortTest, WithoutMemoryNothingIsWritten) {
  Array x(GPUOPT_FLOAT64, {100000}), out(GPUOPT_FLOAT64, {100000}), order(GPUOPT_INT64, {100000});
  const Array before = out, order_before = order;
  const Call sort(GPUOPT_CALL_SORT, {x.tensor(), out.tensor()}, {0, 0});
  const Call argsort(GPUOPT_CALL_ARGSORT, {x.tensor(), order.tensor()}, {0, 0});
  Allocator::get().trim();
  Allocator::get().set_limit(1);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(test::status_of(&error, [&] { run_sort(*sort); }), GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(test::status_of(&error, [&] { run_sort(*argsort); }), GPUOPT_ERR_OUT_OF_MEMORY);
  Allocator::get().set_limit(0);
  EXPECT_TRUE(out == before);
  EXPECT_TRUE(order == order_before);
}

TEST_F(SortTest, UnknownKindsAreUnsupported) {
  const Call call(GPUOPT_CALL_TAKE, {});
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(test::status_of(&error, [&] { run_sort(*call); }), GPUOPT_ERR_UNSUPPORTED);
}

}  // namespace
}  // namespace gpuopt::cpu
