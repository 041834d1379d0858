// tests/unit/cpu_matmul_test.cpp -- matrix products against naive long double and wrapping loops: dtypes, layouts,
// batches, sizes around every block edge, own kernels of each level and the BLAS.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "plugins/cpu/products/blas.h"
#include "plugins/cpu/products/blas_product.h"
#include "plugins/cpu/products/gemm.h"
#include "plugins/cpu/products/matmul.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/tensor.h"
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
using Wide = std::complex<long double>;

// ---- Elements as wide complex numbers, for every dtype. 16-bit floats are decoded by the definition of their formats.
// ----

long double decode(uint16_t bits, int fraction_bits, int bias) {
  const int exponent = (bits & 0x7FFF) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
  const long double sign = bits >> 15 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(static_cast<long double>(fraction), 1 - bias - fraction_bits);
  return sign * std::ldexp(static_cast<long double>(fraction + (1 << fraction_bits)), exponent - bias - fraction_bits);
}

// Small numbers that the formats hold exactly: k / 8 with |k| < 64.
uint16_t encode(int eighths, int fraction_bits, int bias) {
  if (eighths == 0) return 0;
  const int magnitude = std::abs(eighths), top = 31 - __builtin_clz(static_cast<unsigned>(magnitude));
  const int fraction = (magnitude << fraction_bits >> top) & ((1 << fraction_bits) - 1);
  return static_cast<uint16_t>((eighths < 0) << 15 | (top - 3 + bias) << fraction_bits | fraction);
}

Wide get(Array &x, int32_t dtype, int64_t i) {
  switch (dtype) {
    case GPUOPT_FLOAT16:
      return decode(x.get<uint16_t>(i), 10, 15);
    case GPUOPT_BFLOAT16:
      return decode(x.get<uint16_t>(i), 7, 127);
    case GPUOPT_FLOAT32:
      return x.get<float>(i);
    case GPUOPT_FLOAT64:
      return x.get<double>(i);
    case GPUOPT_COMPLEX64:
      return Wide(x.get<std::complex<float>>(i));
    default:
      return Wide(x.get<std::complex<double>>(i));
  }
}

void fill(Array &x, int32_t dtype, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> real(-1, 1);
  for (int64_t i = 0; i < x.size(); i++) {
    switch (dtype) {
      case GPUOPT_BOOL:
        x.set<uint8_t>(i, random() % 8 == 0);
        break;
      case GPUOPT_FLOAT16:
        x.set<uint16_t>(i, encode(static_cast<int>(random() % 127) - 63, 10, 15));
        break;
      case GPUOPT_BFLOAT16:
        x.set<uint16_t>(i, encode(static_cast<int>(random() % 127) - 63, 7, 127));
        break;
      case GPUOPT_FLOAT32:
        x.set<float>(i, static_cast<float>(real(random)));
        break;
      case GPUOPT_FLOAT64:
        x.set<double>(i, real(random));
        break;
      case GPUOPT_COMPLEX64:
        x.set<std::complex<float>>(i, {static_cast<float>(real(random)), static_cast<float>(real(random))});
        break;
      case GPUOPT_COMPLEX128:
        x.set<std::complex<double>>(i, {real(random), real(random)});
        break;
      default: {  // integers: all bits
        const uint64_t bits = random();
        std::memcpy(x.at(i), &bits, static_cast<size_t>(element_size(dtype)));
      }
    }
  }
}

bool is_exact(int32_t dtype) { return dtype <= GPUOPT_UINT64; }

uint64_t get_bits(Array &x, int32_t dtype, int64_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, x.at(i), static_cast<size_t>(element_size(dtype)));
  return bits;
}

long double epsilon_of(int32_t dtype) {
  const bool is_single = dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64 || element_size(dtype) == 2;
  return is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}
// The last rounding of a 16-bit result.
long double rounding_of(int32_t dtype) {
  return dtype == GPUOPT_FLOAT16 ? 0x1p-11L : dtype == GPUOPT_BFLOAT16 ? 0x1p-8L : 0;
}

// Positions of an element's row of a and column of b, the places of an array of full shape: batches repeat whole
// matrices.
struct Sizes {
  int64_t batch, m, n, k;
};

template <typename T, typename Get>
std::vector<T> all_of(Array &x, int32_t dtype, Get element) {
  std::vector<T> values;
  for (int64_t i = 0; i < x.size(); i++) values.push_back(element(x, dtype, i));
  return values;
}

// Calls body(element, row, column) with the positions of each element of c, its row's start in a and its column's in b.
template <typename Body>
void for_each_element(const Sizes &s, Body body) {
  for (int64_t element = 0; element < s.batch * s.m * s.n; element++) {
    const int64_t batch = element / (s.m * s.n), i = element / s.n % s.m, j = element % s.n;
    body(element, (batch * s.m + i) * s.k, batch * s.k * s.n + j);
  }
}

void expect_exact(int32_t dtype, const Sizes &s, Array &a, Array &b, Array &c) {
  const auto x = all_of<uint64_t>(a, dtype, get_bits), y = all_of<uint64_t>(b, dtype, get_bits);
  const auto z = all_of<uint64_t>(c, dtype, get_bits);
  const int64_t size = element_size(dtype);
  for_each_element(s, [&](int64_t element, int64_t row, int64_t column) {
    uint64_t sum = 0;
    for (int64_t p = 0; p < s.k; p++) {
      const uint64_t product = x[row + p] * y[column + p * s.n];
      sum = dtype == GPUOPT_BOOL ? (sum | product) : sum + product;
    }
    if (size < 8) sum &= (uint64_t{1} << (8 * size)) - 1;
    ASSERT_EQ(z[element], sum) << dtype_name(dtype) << " element " << element;
  });
}

// The bound of Higham, "Accuracy and Stability of Numerical Algorithms", 3.1, with room for complex arithmetic.
void expect_close(int32_t dtype, const Sizes &s, Array &a, Array &b, Array &c) {
  const auto x = all_of<Wide>(a, dtype, get), y = all_of<Wide>(b, dtype, get), z = all_of<Wide>(c, dtype, get);
  for_each_element(s, [&](int64_t element, int64_t row, int64_t column) {
    Wide sum = 0;
    long double magnitude = 0;
    for (int64_t p = 0; p < s.k; p++) {
      sum += x[row + p] * y[column + p * s.n];
      magnitude += std::abs(x[row + p]) * std::abs(y[column + p * s.n]);
    }
    const long double bound =
        4 * static_cast<long double>(s.k) * epsilon_of(dtype) * magnitude + rounding_of(dtype) * std::abs(sum);
    ASSERT_LE(std::abs(z[element] - sum), bound) << dtype_name(dtype) << " element " << element;
  });
}

// The sum over k of a product, term by term as plugins/shared/product_shape.h says; `steps` has the factors of each
// step, two for a complex term.
template <typename R>
R defined_sum(const std::vector<std::pair<R, R>> &steps) {
  constexpr size_t kBlock = 512;
  R total = 0;
  for (size_t first = 0; first < steps.size(); first += kBlock) {
    R sum = 0;
    for (size_t p = first; p < std::min(steps.size(), first + kBlock); p++)
      sum = std::fma(steps[p].first, steps[p].second, sum);
    total = first == 0 ? sum : total + sum;
  }
  return total;
}

// Each component of each element has the bits of the defined sum. R is the type in which the dtype computes.
template <typename R>
void expect_defined(int32_t dtype, const Sizes &s, Array &a, Array &b, Array &c) {
  const auto x = all_of<Wide>(a, dtype, get), y = all_of<Wide>(b, dtype, get), z = all_of<Wide>(c, dtype, get);
  const bool complex = dtype == GPUOPT_COMPLEX64 || dtype == GPUOPT_COMPLEX128;
  const auto real = [](const Wide &w) { return static_cast<R>(w.real()); };
  const auto imag = [](const Wide &w) { return static_cast<R>(w.imag()); };
  for_each_element(s, [&](int64_t element, int64_t row, int64_t column) {
    std::vector<std::pair<R, R>> re, im;
    for (int64_t p = 0; p < s.k; p++) {
      const Wide &u = x[row + p], &v = y[column + p * s.n];
      re.emplace_back(real(u), real(v));
      if (!complex) continue;
      re.emplace_back(-imag(u), imag(v));
      im.emplace_back(real(u), imag(v));
      im.emplace_back(imag(u), real(v));
    }
    const R sum = defined_sum(re);
    if (element_size(dtype) == 2) {  // rounded once more
      ASSERT_LE(std::abs(z[element].real() - sum), rounding_of(dtype) * std::abs(sum)) << element;
    } else {
      ASSERT_EQ(real(z[element]), sum) << dtype_name(dtype) << " element " << element;
      if (!complex) return;
      ASSERT_EQ(imag(z[element]), defined_sum(im)) << dtype_name(dtype) << " element " << element;
    }
  });
}

void expect_product(int32_t dtype, const Sizes &s, Array &a, Array &b, Array &c) {
  if (is_exact(dtype)) return expect_exact(dtype, s, a, b, c);
  ASSERT_NO_FATAL_FAILURE(expect_close(dtype, s, a, b, c));
  const bool wide = dtype == GPUOPT_FLOAT64 || dtype == GPUOPT_COMPLEX128;
  wide ? expect_defined<double>(dtype, s, a, b, c) : expect_defined<float>(dtype, s, a, b, c);
}

Matrix matrix_of(Array &x) {
  const gpuopt_tensor t = x.tensor();
  return {bytes_of(t), t.shape[0], t.shape[1], t.strides[0], t.strides[1]};
}

constexpr int32_t kOwnDtypes[] = {GPUOPT_BOOL,    GPUOPT_INT8,      GPUOPT_INT16,     GPUOPT_INT32,  GPUOPT_INT64,
                                  GPUOPT_UINT8,   GPUOPT_UINT16,    GPUOPT_UINT32,    GPUOPT_UINT64, GPUOPT_FLOAT32,
                                  GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128};
constexpr int32_t kFloats[] = {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128};

// ---- Own kernels ----

class GemmTest : public testing::TestWithParam<int> {
 protected:
  static void SetUpTestSuite() {
    test::TestHost::install();
    test::TestHost::set("GPUOPT_NUM_THREADS", "3");
  }
  void SetUp() override {
    if (GetParam() > detected_isa_level()) GTEST_SKIP() << "this processor is below the level";
  }

  void check(int32_t dtype, const Sizes &s, Layout la, Layout lb, Layout lc, unsigned seed) {
    Array a(dtype, {s.m, s.k}, la, seed), b(dtype, {s.k, s.n}, lb, seed), c(dtype, {s.m, s.n}, lc, seed);
    fill(a, dtype, seed);
    fill(b, dtype, seed + 1);
    ASSERT_TRUE(multiply(dtype, GetParam(), matrix_of(a), matrix_of(b), matrix_of(c)));
    ASSERT_NO_FATAL_FAILURE(expect_product(dtype, s, a, b, c)) << s.m << "x" << s.n << "x" << s.k;
  }
};

TEST_P(GemmTest, EveryDtypeAndLayout) {
  unsigned seed = 0;
  for (int32_t dtype : kOwnDtypes) {
    for (Layout la : kLayouts) {
      for (Layout lb : kLayouts) {
        seed++;
        check(dtype, {1, 14, 37, 19}, la, lb, kWritableLayouts[seed % 5], seed);
      }
    }
  }
}

TEST_P(GemmTest, SizesAroundBlockEdges) {
  const Sizes sizes[] = {{1, 1, 1, 1},      {1, 1, 1, 1000},   {1, 1, 70, 5},    {1, 70, 1, 5},   {1, 3, 200, 300},
                         {1, 200, 3, 300},  {1, 12, 64, 256},  {1, 13, 65, 257}, {1, 97, 33, 20}, {1, 95, 513, 7},
                         {1, 5, 1030, 21},  {1, 130, 130, 33}, {1, 2, 8200, 3},  {1, 64, 1, 600}, {1, 1, 64, 600},
                         {1, 3, 2, 20000},  {1, 9, 9, 1537},   {1, 20, 30, 511}, {1, 7, 5, 512},  {1, 49, 17, 1024},
                         {1, 3, 1200, 300}, {1, 49, 17, 1300}, {1, 1, 2048, 520}};  // these on several threads
  for (int32_t dtype : {GPUOPT_BOOL, GPUOPT_INT8, GPUOPT_UINT16, GPUOPT_INT32, GPUOPT_INT64, GPUOPT_FLOAT32,
                        GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128}) {
    for (const Sizes &s : sizes) check(dtype, s, Layout::kC, Layout::kC, Layout::kC, 11);
  }
}

TEST_P(GemmTest, MatrixTimesVectorEitherWay) {
  for (int32_t dtype : kOwnDtypes) {
    for (Layout layout : {Layout::kC, Layout::kFortran, Layout::kGaps, Layout::kReversed, Layout::kOffAlignment}) {
      check(dtype, {1, 130, 1, 301}, layout, layout, Layout::kGaps, 5);
      check(dtype, {1, 1, 130, 301}, layout, layout, Layout::kGaps, 6);
      check(dtype, {1, 3, 1, 40001}, layout, layout, Layout::kGaps, 7);
      check(dtype, {1, 1, 9, 1025}, layout, layout, Layout::kGaps, 8);
      check(dtype, {1, 3, 75, 600}, layout, layout, Layout::kC, 9);
      check(dtype, {1, 75, 4, 600}, layout, layout, Layout::kFortran, 10);
    }
  }
}

// More blocks than have their sums in memory at a time.
TEST_P(GemmTest, DeepProductOfASmallResult) {
  check(GPUOPT_FLOAT32, {1, 40, 30, 7000}, Layout::kC, Layout::kC, Layout::kGaps, 12);
}

TEST_P(GemmTest, DenseBoolsStopEarlyAndAreRight) {
  Array a(GPUOPT_BOOL, {40, 600}), b(GPUOPT_BOOL, {600, 300}), c(GPUOPT_BOOL, {40, 300});
  for (int64_t i = 0; i < a.size(); i++) a.set<uint8_t>(i, i / 600 != 7);  // one row of zeros keeps its tile going
  for (int64_t i = 0; i < b.size(); i++) b.set<uint8_t>(i, 1);
  ASSERT_TRUE(multiply(GPUOPT_BOOL, GetParam(), matrix_of(a), matrix_of(b), matrix_of(c)));
  expect_product(GPUOPT_BOOL, {1, 40, 300, 600}, a, b, c);
}

TEST_P(GemmTest, NoDepthGivesZeros) {
  Array a(GPUOPT_INT32, {3, 0}), b(GPUOPT_INT32, {0, 4}), c(GPUOPT_INT32, {3, 4}, Layout::kGaps);
  ASSERT_TRUE(multiply(GPUOPT_INT32, GetParam(), matrix_of(a), matrix_of(b), matrix_of(c)));
  for (int64_t i = 0; i < c.size(); i++) EXPECT_EQ(c.get<int32_t>(i), 0);
}

INSTANTIATE_TEST_SUITE_P(Levels, GemmTest, testing::Values(2, 3, 4));

// ---- Through the slot ----

class MatmulTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    test::TestHost::install();
    test::TestHost::set("GPUOPT_NUM_THREADS", "3");
  }

  void check(int32_t dtype, const Shape &batch, const Sizes &s, Layout la, Layout lb, Layout lc, unsigned seed) {
    const auto with = [&](int64_t rows, int64_t cols) {
      Shape shape = batch;
      shape.push_back(rows);
      shape.push_back(cols);
      return shape;
    };
    Array a(dtype, with(s.m, s.k), la, seed), b(dtype, with(s.k, s.n), lb, seed), c(dtype, with(s.m, s.n), lc, seed);
    fill(a, dtype, seed);
    fill(b, dtype, seed + 1);
    const Call call(GPUOPT_CALL_MATMUL, {a.tensor(), b.tensor(), c.tensor()});
    ASSERT_EQ(test::status_of(&error_, [&] { run_matmul(*call); }), GPUOPT_OK) << error_.message;
    ASSERT_NO_FATAL_FAILURE(expect_product(dtype, s, a, b, c)) << seed;
  }

  gpuopt_error error_ = GPUOPT_ERROR_INIT;
};

TEST_F(MatmulTest, EveryDtypeLayoutAndBatch) {
  unsigned seed = 0;
  for (int32_t dtype = GPUOPT_BOOL; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (const Shape &batch : {Shape{}, Shape{3}, Shape{2, 1, 3}}) {
      int64_t count = 1;
      for (int64_t size : batch) count *= size;
      for (Layout la : kLayouts) {
        for (Layout lb : kLayouts) {
          seed++;
          ASSERT_NO_FATAL_FAILURE(check(dtype, batch, {count, 5, 7, 11}, la, lb, kWritableLayouts[seed % 5], seed));
        }
      }
    }
  }
}

TEST_F(MatmulTest, VectorsAndDegenerateSizes) {
  for (int32_t dtype : {GPUOPT_INT16, GPUOPT_FLOAT16, GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64}) {
    for (const Sizes &s : {Sizes{1, 1, 1, 50}, Sizes{1, 1, 30, 50}, Sizes{1, 30, 1, 50}, Sizes{1, 30, 20, 1},
                           Sizes{1, 1, 1, 1}, Sizes{1, 0, 3, 4}, Sizes{1, 3, 0, 4}, Sizes{1, 3, 4, 0}}) {
      for (Layout layout : kWritableLayouts) {
        ASSERT_NO_FATAL_FAILURE(check(dtype, {}, s, layout, layout, layout, 3)) << s.m << "x" << s.n << "x" << s.k;
      }
    }
  }
}

TEST_F(MatmulTest, EmptyBatch) { check(GPUOPT_FLOAT32, {0}, {0, 3, 3, 3}, Layout::kC, Layout::kC, Layout::kC, 1); }

// One matrix b for a batch of a: its rows are joined into one product. Counts, unlike layouts above, large enough for
// threads.
TEST_F(MatmulTest, BroadcastMatricesAndLargeBatches) {
  for (int32_t dtype : {GPUOPT_INT32, GPUOPT_FLOAT32, GPUOPT_BFLOAT16}) {
    Array a(dtype, {6, 50, 4, 8}), b(dtype, {8, 5}), c(dtype, {6, 50, 4, 5});
    fill(a, dtype, 1);
    fill(b, dtype, 2);
    gpuopt_tensor broadcast = a.tensor();
    const int64_t shape[] = {6, 50, 8, 5}, strides[] = {0, 0, 5 * element_size(dtype), element_size(dtype)};
    broadcast = {b.tensor().data, dtype, 4, shape, strides};
    const Call call(GPUOPT_CALL_MATMUL, {a.tensor(), broadcast, c.tensor()});
    ASSERT_EQ(test::status_of(&error_, [&] { run_matmul(*call); }), GPUOPT_OK);
    Array full(dtype, {300, 8, 5});
    for (int64_t i = 0; i < full.size(); i++) full.copy_from(i, b, i % 40);
    ASSERT_NO_FATAL_FAILURE(expect_product(dtype, {300, 4, 5, 8}, a, full, c));
  }
  check(GPUOPT_FLOAT64, {500}, {500, 6, 6, 6}, Layout::kC, Layout::kFortran, Layout::kC, 9);
  check(GPUOPT_FLOAT32, {3}, {3, 90, 80, 70}, Layout::kC, Layout::kC, Layout::kC, 9);
}

// All numbers of columns for which small products have a loop, and the first beyond.
TEST_F(MatmulTest, BatchesOfSmallMatrices) {
  for (int32_t dtype :
       {GPUOPT_INT16, GPUOPT_INT32, GPUOPT_UINT64, GPUOPT_FLOAT16, GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64}) {
    for (int64_t n = 1; n <= 18; n++) {
      const Sizes s = {5, 1 + n % 5, n, n % 3 == 0 ? 33 : 1 + n % 7};
      for (const Layout layout : {Layout::kC, Layout::kReversed})
        ASSERT_NO_FATAL_FAILURE(check(dtype, {5}, s, Layout::kC, layout, Layout::kC, static_cast<unsigned>(n)));
    }
  }
}

// A term and a summand whose exact sum is a hair's breadth beside the middle between two numbers of type T: where the
// sum is rounded twice, or the product before the sum, the result is the wrong one of the two. x y is half a unit of
// c's last place, times 1 - e^2 or 1 + e^2 + 2 e.
template <typename T>
struct HardSum {
  T x, y, c;
  HardSum(std::mt19937_64 &random) {
    constexpr int kBits = std::numeric_limits<T>::digits;
    const T e = std::ldexp(T(1), -static_cast<int>(kBits / 2 + random() % (kBits / 2)));
    const auto exponent = static_cast<int>(random() % 40) - 20;
    const T sign = random() % 2 ? T(1) : T(-1);
    c = std::ldexp(T(1) + static_cast<T>(random() % 4096) * std::numeric_limits<T>::epsilon(), exponent) * sign;
    x = std::ldexp(T(1) + e, exponent - kBits) * (random() % 2 ? T(1) : T(-1));
    y = random() % 4 ? T(1) - e : T(1) + e;
  }
};

// One row (1, x) times columns (c, y) is fma(x, y, c).
template <typename T>
void expect_one_rounding(int32_t dtype, int level) {
  std::mt19937_64 random(level);
  for (int round = 0; round < 3000; round++) {
    Array a(dtype, {1, 2}), b(dtype, {2, 37}), c(dtype, {1, 37});
    const HardSum<T> first(random);
    a.set<T>(0, T(1));
    a.set<T>(1, first.x);
    for (int64_t j = 0; j < 37; j++) {
      HardSum<T> other(random);
      const T scale = std::ldexp(T(1), std::ilogb(first.x) - std::ilogb(other.x));
      b.set<T>(j, other.c * scale);
      b.set<T>(37 + j, j % 3 == 0 ? other.y : first.y);
    }
    ASSERT_TRUE(multiply(dtype, level, matrix_of(a), matrix_of(b), matrix_of(c)));
    for (int64_t j = 0; j < 37; j++)
      ASSERT_EQ(c.get<T>(j), std::fma(first.x, b.get<T>(37 + j), b.get<T>(j))) << "level " << level << " " << j;
  }
}

TEST(ProductBits, TermsAreAddedWithOneRounding) {
  for (int level = 2; level <= detected_isa_level(); level++) {
    expect_one_rounding<float>(GPUOPT_FLOAT32, level);
    expect_one_rounding<double>(GPUOPT_FLOAT64, level);
  }
}

// Numbers of all magnitudes: what a level without fused multiply-add computes by other means has the same bits.
TEST(ProductBits, AreTheSameAtEveryLevelForNumbersOfAnyKind) {
  std::mt19937_64 random(7);
  for (const int32_t dtype : {GPUOPT_FLOAT32, GPUOPT_FLOAT64}) {
    const int64_t m = 7, k = 600, n = 40;
    Array a(dtype, {m, k}), b(dtype, {k, n}), first(dtype, {m, n}), c(dtype, {m, n});
    for (Array *x : {&a, &b}) {
      for (int64_t i = 0; i < x->size(); i++) {
        const double small = static_cast<double>(static_cast<int64_t>(random() % 2001) - 1000) / 64;
        const int span = dtype == GPUOPT_FLOAT32 ? 30 : 230;  // of exponents: some products are denormal, few overflow
        const auto exponent = static_cast<int>(random() % 3) * static_cast<int>(i / 37 % (2 * span) - span);
        const double value = std::ldexp(small, exponent);
        const double shown = i % 97 == 0 ? -0.0 : value;
        dtype == GPUOPT_FLOAT32 ? x->set<float>(i, static_cast<float>(shown)) : x->set<double>(i, shown);
      }
    }
    ASSERT_TRUE(multiply(dtype, 2, matrix_of(a), matrix_of(b), matrix_of(first)));
    int64_t numbers = 0;
    for (int64_t i = 0; i < first.size(); i++)
      numbers += std::isfinite(dtype == GPUOPT_FLOAT32 ? first.get<float>(i) : first.get<double>(i));
    EXPECT_GT(numbers, first.size() / 2);
    for (int level = 3; level <= detected_isa_level(); level++) {
      ASSERT_TRUE(multiply(dtype, level, matrix_of(a), matrix_of(b), matrix_of(c)));
      for (int64_t i = 0; i < c.size(); i++) {
        const bool nan = dtype == GPUOPT_FLOAT32 ? std::isnan(c.get<float>(i)) : std::isnan(c.get<double>(i));
        if (nan) continue;  // the sign and payload of NaN are free
        ASSERT_EQ(std::memcmp(c.at(i), first.at(i), static_cast<size_t>(element_size(dtype))), 0) << level << " " << i;
      }
    }
  }
}

TEST_F(MatmulTest, HalvesRoundOnce) {
  // 2048 + 1 is a tie in float16 and lost if every step rounds: accumulating in float32 keeps the ones.
  Array a(GPUOPT_FLOAT16, {1, 4}), b(GPUOPT_FLOAT16, {4, 1}), c(GPUOPT_FLOAT16, {1, 1});
  const uint16_t one = 0x3C00, two_to_11 = 0x6800;
  for (int i = 0; i < 4; i++) a.set<uint16_t>(i, one), b.set<uint16_t>(i, i == 0 ? two_to_11 : one);
  const Call call(GPUOPT_CALL_MATMUL, {a.tensor(), b.tensor(), c.tensor()});
  ASSERT_EQ(test::status_of(&error_, [&] { run_matmul(*call); }), GPUOPT_OK);
  EXPECT_EQ(c.get<uint16_t>(0), 0x6802);  // 2051 is halfway between 2050 and 2052; to even
}

TEST_F(MatmulTest, NoMemoryIsReported) {
  for (int32_t dtype : {GPUOPT_INT32, GPUOPT_FLOAT16, GPUOPT_FLOAT32}) {
    Array a(dtype, {30, 30}, Layout::kGaps), b(dtype, {30, 30}, Layout::kGaps), c(dtype, {30, 30});
    const Call call(GPUOPT_CALL_MATMUL, {a.tensor(), b.tensor(), c.tensor()});
    Allocator::get().trim();
    Allocator::get().set_limit(1);
    EXPECT_EQ(test::status_of(&error_, [&] { run_matmul(*call); }), GPUOPT_ERR_OUT_OF_MEMORY);
    Allocator::get().set_limit(0);
    EXPECT_EQ(test::status_of(&error_, [&] { run_matmul(*call); }), GPUOPT_OK);
  }
}

TEST_F(MatmulTest, UnknownKindsAreUnsupported) {
  const Call call(GPUOPT_CALL_TAKE, {});
  EXPECT_EQ(test::status_of(&error_, [&] { run_matmul(*call); }), GPUOPT_ERR_UNSUPPORTED);
}

// ---- The BLAS ----

TEST_F(MatmulTest, SizesBeyondTheBlasAreCut) {
  if (!blas()) GTEST_SKIP() << "no BLAS library here";
  unsigned seed = 0;
  for (int32_t dtype : kFloats) {
    for (Layout layout : kWritableLayouts) {
      for (const Sizes &s : {Sizes{1, 20, 17, 23}, Sizes{1, 1, 17, 23}, Sizes{1, 20, 1, 23}, Sizes{1, 7, 7, 7}}) {
        seed++;
        Array a(dtype, {s.m, s.k}, kLayouts[seed % 6], seed), b(dtype, {s.k, s.n}, kLayouts[seed / 6 % 6], seed);
        Array c(dtype, {s.m, s.n}, layout, seed);
        fill(a, dtype, seed);
        fill(b, dtype, seed + 1);
        ASSERT_TRUE(blas_multiply(*blas(), dtype, matrix_of(a), matrix_of(b), matrix_of(c), 7));
        ASSERT_NO_FATAL_FAILURE(expect_close(dtype, s, a, b, c)) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace gpuopt::cpu
