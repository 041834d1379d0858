// tests/cuda/matmul_test.cpp -- products on the device against loops, by our own kernel and over a fake cuBLAS: every
// layout and dtype.
//
// Floats are small integers, whose sums are exact in any order and precision: the bits must be right.
#include <array>
#include <cmath>
#include <complex>

#include "plugins/cuda/vendor/cublas.h"
#include "plugins/shared/casts.h"
#include "tests/cuda/library_support.h"

namespace gpuopt::cuda {
namespace {

using test::Array;
using test::Layout;
using test::Shape;

struct Case {
  Shape batch;
  int64_t m, k, n;
};
const std::vector<Case> kCases = {{{}, 1, 1, 1},     {{}, 5, 3, 4},  {{}, 1, 7, 5},     {{}, 6, 7, 1},
                                  {{}, 70, 33, 130}, {{3}, 4, 5, 6}, {{2, 3}, 4, 2, 3}, {{2, 1, 3}, 1, 4, 3},
                                  {{4}, 3, 1, 1},    {{}, 3, 0, 2},  {{2}, 0, 3, 2},    {{0}, 2, 2, 2}};

constexpr int32_t kFloats[] = {GPUOPT_FLOAT16, GPUOPT_BFLOAT16,  GPUOPT_FLOAT32,
                               GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128};
constexpr int32_t kIntegers[] = {GPUOPT_BOOL,  GPUOPT_INT8,   GPUOPT_INT16,  GPUOPT_INT32, GPUOPT_INT64,
                                 GPUOPT_UINT8, GPUOPT_UINT16, GPUOPT_UINT32, GPUOPT_UINT64};

// Elements as pairs of integers: all there is to a small integer, or to the low bits of a large one.
using Value = std::complex<double>;

void set_float(Array &x, int32_t dtype, int64_t i, Value value) {
  const auto real = static_cast<float>(value.real());
  switch (dtype) {
    case GPUOPT_FLOAT16:
      return x.set(i, gpo::cast<gpo::float16>(real));
    case GPUOPT_BFLOAT16:
      return x.set(i, gpo::cast<gpo::bfloat16>(real));
    case GPUOPT_FLOAT32:
      return x.set(i, real);
    case GPUOPT_FLOAT64:
      return x.set(i, value.real());
    case GPUOPT_COMPLEX64:
      return x.set(i, std::complex<float>(value));
    default:
      return x.set(i, value);
  }
}

Value get_float(Array &x, int32_t dtype, int64_t i) {
  switch (dtype) {
    case GPUOPT_FLOAT16:
      return gpo::cast<float>(x.get<gpo::float16>(i));
    case GPUOPT_BFLOAT16:
      return gpo::cast<float>(x.get<gpo::bfloat16>(i));
    case GPUOPT_FLOAT32:
      return x.get<float>(i);
    case GPUOPT_FLOAT64:
      return x.get<double>(i);
    case GPUOPT_COMPLEX64:
      return x.get<std::complex<float>>(i);
    default:
      return x.get<Value>(i);
  }
}

// In C order, so that of elements that share their memory the last value stays.
void fill_floats(Array &x, int32_t dtype, unsigned seed) {
  std::mt19937 random(seed);
  const auto small = [&] { return static_cast<double>(random() % 5) - 2; };
  for (int64_t i = 0; i < x.size(); i++) set_float(x, dtype, i, {small(), small()});
}

uint64_t get_bits(Array &x, int32_t dtype, int64_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, x.at(i), static_cast<size_t>(plugin::element_size(dtype)));
  return bits;
}

void set_product(const Case &s, int32_t dtype, Array &a, Array &b, Array &c) {
  for (int64_t element = 0; element < c.size(); element++) {
    const int64_t batch = element / (s.m * s.n), row = (batch * s.m + element / s.n % s.m) * s.k;
    const int64_t column = batch * s.k * s.n + element % s.n;
    Value sum = 0;
    uint64_t bits = 0;
    for (int64_t p = 0; p < s.k; p++) {
      if (dtype > GPUOPT_UINT64) {
        sum += get_float(a, dtype, row + p) * get_float(b, dtype, column + p * s.n);
      } else {
        const uint64_t product = get_bits(a, dtype, row + p) * get_bits(b, dtype, column + p * s.n);
        bits = dtype == GPUOPT_BOOL ? bits | product : bits + product;
      }
    }
    if (dtype > GPUOPT_UINT64)
      set_float(c, dtype, element, sum);
    else
      std::memcpy(c.at(element), &bits, static_cast<size_t>(plugin::element_size(dtype)));
  }
}

class Matmul : public LibraryTest {
 protected:
  void expect_product(int32_t dtype, const Case &s, unsigned seed) {
    expect_product(dtype, s,
                   {test::kLayouts[seed % 6], test::kLayouts[seed / 6 % 6], test::kWritableLayouts[seed / 36 % 5]},
                   seed);
  }
  void expect_product(int32_t dtype, const Case &s, const std::array<Layout, 3> &layouts, unsigned seed) {
    const auto shape = [&](int64_t rows, int64_t cols) {
      Shape full = s.batch;
      full.insert(full.end(), {rows, cols});
      return full;
    };
    Array a(dtype, shape(s.m, s.k), layouts[0], seed);
    Array b(dtype, shape(s.k, s.n), layouts[1], seed + 1);
    Array c(dtype, shape(s.m, s.n), layouts[2], seed + 2);
    for (Array *const x : {&a, &b}) {
      if (dtype > GPUOPT_UINT64) fill_floats(*x, dtype, seed++);
      for (int64_t i = 0; dtype == GPUOPT_BOOL && i < x->size(); i++) x->set<uint8_t>(i, x->get<uint8_t>(i) % 3 == 0);
    }
    Array expected = c;
    set_product(s, dtype, a, b, expected);
    std::vector<int64_t> none;
    ASSERT_EQ((run<&slots::matmul>(GPUOPT_CALL_MATMUL, {&a, &b, &c}, none, &error)), GPUOPT_OK) << error.message;
    EXPECT_TRUE(c == expected) << plugin::dtype_name(dtype) << ", " << s.batch.size() << " batch axes, " << s.m << " x "
                               << s.k << " x " << s.n << ", layouts " << seed;
  }

  void expect_products_off_alignment() {
    for (const int32_t dtype : kFloats) {
      for (const Layout layout : {Layout::kOffAlignment, Layout::kOddRows}) {
        for (size_t which = 0; which < 3; which++) {
          std::array<Layout, 3> layouts = {Layout::kC, Layout::kC, Layout::kC};
          layouts[which] = layout;
          expect_product(dtype, {{}, 5, 3, 4}, layouts, 1);
          expect_product(dtype, {{3}, 4, 5, 6}, layouts, 2);
        }
      }
    }
  }

  gpuopt_status small_product(std::vector<int64_t> integers = {}) {
    Array a(GPUOPT_FLOAT32, {2, 2}), b(GPUOPT_FLOAT32, {2, 2}), c(GPUOPT_FLOAT32, {2, 2});
    return run<&slots::matmul>(GPUOPT_CALL_MATMUL, {&a, &b, &c}, integers, &error);
  }

  // cuBLAS is asked for a workspace in vain, and says so.
  bool uses_cublas(std::vector<int64_t> integers) {
    setenv("FAKE_CUBLAS_WORKSPACE", "0", 1);
    const gpuopt_status status = small_product(std::move(integers));
    unsetenv("FAKE_CUBLAS_WORKSPACE");
    EXPECT_TRUE(status == GPUOPT_OK || status == GPUOPT_ERR_INTERNAL) << error.message;
    return status == GPUOPT_ERR_INTERNAL;
  }
};

// By cuBLAS.
class FastMatmul : public Matmul {
 protected:
  void SetUp() override {
    Matmul::SetUp();
    test::TestHost::set("GPUOPT_MATMUL", "fast");
  }
  void TearDown() override {
    test::TestHost::set("GPUOPT_MATMUL", "exact");
    Matmul::TearDown();
  }
};

TEST_F(Matmul, FloatsInAllLayouts) {
  for (const int32_t dtype : kFloats) {
    const unsigned step = dtype == GPUOPT_FLOAT32 ? 1 : 7;
    for (unsigned seed = 0; seed < 180; seed += step) expect_product(dtype, kCases[(seed / 3) % kCases.size()], seed);
    for (const Case &sizes : kCases) expect_product(dtype, sizes, 0);
  }
}
TEST_F(FastMatmul, FloatsInAllLayouts) {
  for (const int32_t dtype : kFloats) {
    const unsigned step = dtype == GPUOPT_FLOAT32 ? 1 : 7;
    for (unsigned seed = 0; seed < 180; seed += step) expect_product(dtype, kCases[(seed / 3) % kCases.size()], seed);
    for (const Case &sizes : kCases) expect_product(dtype, sizes, 0);
  }
}

// The sum over k in the order of plugins/shared/product_shape.h.
template <class T>
T defined_sum(Array &a, Array &b, int64_t row, int64_t column, int64_t k, int64_t n) {
  constexpr int64_t kBlock = 512;
  T total = 0;
  for (int64_t first = 0; first < k; first += kBlock) {
    T sum = 0;
    for (int64_t p = first; p < std::min(k, first + kBlock); p++)
      sum = std::fma(a.get<T>(row * k + p), b.get<T>(p * n + column), sum);
    total = first == 0 ? sum : total + sum;
  }
  return total;
}

TEST_F(Matmul, SumsOfFloatsHaveTheDefinedOrder) {
  const auto check = [&](auto zero, int32_t dtype, int64_t m, int64_t k, int64_t n) {
    using T = decltype(zero);
    std::mt19937 random(5);
    std::uniform_real_distribution<T> real(-1, 1);
    Array a(dtype, {m, k}), b(dtype, {k, n}), c(dtype, {m, n});
    for (Array *const x : {&a, &b}) {
      for (int64_t i = 0; i < x->size(); i++) x->set(i, real(random));
    }
    std::vector<int64_t> none;
    ASSERT_EQ((run<&slots::matmul>(GPUOPT_CALL_MATMUL, {&a, &b, &c}, none, &error)), GPUOPT_OK) << error.message;
    for (int64_t i = 0; i < c.size(); i++) ASSERT_EQ(c.get<T>(i), defined_sum<T>(a, b, i / n, i % n, k, n)) << i;
  };
  for (const int64_t k : {17, 512, 513, 1100}) {
    check(0.0f, GPUOPT_FLOAT32, 5, k, 70);
    check(0.0, GPUOPT_FLOAT64, 70, k, 3);
  }
  check(0.0f, GPUOPT_FLOAT32, 500, 600, 260);  // large enough for large tiles
}

TEST_F(Matmul, IntegersWrapAndBoolIsOrOfAnds) {
  for (const int32_t dtype : kIntegers) {
    for (unsigned seed = 0; seed < 180; seed += 11) expect_product(dtype, kCases[seed % kCases.size()], seed);
  }
}

TEST_F(Matmul, AFaultInAnyCallIsReportedAndTheNextCallWorks) {
  Array whole(GPUOPT_FLOAT32, {4, 4}, Layout::kGaps), packed(GPUOPT_FLOAT32, {4, 4}), integers(GPUOPT_INT32, {4, 4});
  fill_floats(whole, GPUOPT_FLOAT32, 1);
  fill_floats(packed, GPUOPT_FLOAT32, 2);
  const auto given = [](std::vector<Array> arrays) { return [arrays] { return arrays; }; };
  expect_faults_reported<&slots::matmul>(GPUOPT_CALL_MATMUL, given({integers, integers, integers}), {});
  test::TestHost::set("GPUOPT_MATMUL", "fast");
  setenv("FAKE_CUBLAS_WORKSPACE", "2", 1);  // it is not to be had where its own call fails
  expect_faults_reported<&slots::matmul>(GPUOPT_CALL_MATMUL, given({whole, packed, whole}), {});
  unsetenv("FAKE_CUBLAS_WORKSPACE");
  test::TestHost::set("GPUOPT_MATMUL", "exact");
}

// The device has room for the matrices, not for the 32 MiB cuBLAS would like.
TEST_F(FastMatmul, WithoutMemoryForAWorkspaceCublasUsesItsOwn) {
  EXPECT_EQ(small_product(), GPUOPT_OK) << error.message;
  setenv("FAKE_CUBLAS_WORKSPACE", "0", 1);
  EXPECT_EQ(small_product(), GPUOPT_ERR_INTERNAL) << "there is one as long as there is memory";
  ASSERT_EQ(SLOT(memory_set_limit)(device, stats().in_use + (uint64_t{8} << 20), &error), GPUOPT_OK);
  expect_product(GPUOPT_FLOAT32, {{}, 70, 33, 130}, 0);
  EXPECT_EQ(SLOT(memory_set_limit)(device, 0, &error), GPUOPT_OK);
  unsetenv("FAKE_CUBLAS_WORKSPACE");
}

TEST_F(Matmul, TheCallSaysWhoMultiplies) {
  EXPECT_FALSE(uses_cublas({}));
  EXPECT_FALSE(uses_cublas({GPUOPT_PRODUCT_DEFAULT}));
  EXPECT_FALSE(uses_cublas({GPUOPT_PRODUCT_EXACT}));
  EXPECT_TRUE(uses_cublas({GPUOPT_PRODUCT_FAST}));
}
TEST_F(FastMatmul, TheCallSaysWhoMultiplies) {
  EXPECT_TRUE(uses_cublas({}));
  EXPECT_TRUE(uses_cublas({GPUOPT_PRODUCT_DEFAULT}));
  EXPECT_FALSE(uses_cublas({GPUOPT_PRODUCT_EXACT}));
  EXPECT_TRUE(uses_cublas({GPUOPT_PRODUCT_FAST}));
}

// cuBLAS takes no address and no stride that is not a multiple of the element (the fake says so): such operands are
// packed first.
TEST_F(FastMatmul, OperandsOffTheirAlignment) { expect_products_off_alignment(); }
TEST_F(Matmul, OperandsOffTheirAlignment) { expect_products_off_alignment(); }

TEST_F(FastMatmul, ABrokenCublasIsUnsupportedOnce) {
  setenv("FAKE_CUBLAS_CREATE", "1", 1);
  EXPECT_EQ(small_product(), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_STREQ(error.message, "matmul: cuda:0: cublasCreate: CUBLAS_STATUS_OTHER (1)");
  unsetenv("FAKE_CUBLAS_CREATE");
  EXPECT_EQ(small_product(), GPUOPT_ERR_UNSUPPORTED) << "what was found is kept";
}

TEST_F(FastMatmul, NoMemoryForCublasIsTriedAgain) {
  setenv("FAKE_CUBLAS_CREATE", "3", 1);
  EXPECT_EQ(small_product(), GPUOPT_ERR_OUT_OF_MEMORY);
  unsetenv("FAKE_CUBLAS_CREATE");
  EXPECT_EQ(small_product(), GPUOPT_OK) << error.message;
}

TEST_F(FastMatmul, WhatCublasRefusesIsSaid) {
  setenv("FAKE_CUBLAS_GEMM", "15", 1);
  EXPECT_EQ(small_product(), GPUOPT_ERR_UNSUPPORTED);
  EXPECT_STREQ(error.message, "cuda:0: matmul: cuBLAS says CUBLAS_STATUS_NOT_SUPPORTED (15)");
  EXPECT_EQ(error.backend_code, 15);
  setenv("FAKE_CUBLAS_GEMM", "13", 1);
  EXPECT_EQ(small_product(), GPUOPT_ERR_INTERNAL);
  unsetenv("FAKE_CUBLAS_GEMM");
  EXPECT_EQ(small_product(), GPUOPT_OK) << error.message;
}

TEST_F(Matmul, OtherOperationsAreUnsupported) {
  std::vector<int64_t> none;
  EXPECT_EQ((run<&slots::matmul>(GPUOPT_CALL_TAKE, {}, none, &error)), GPUOPT_ERR_UNSUPPORTED);
}

// ---- Finding cuBLAS ----

SearchInput only(const std::string &place) {
  SearchInput input = process_search();
  input.setting = [place](const char *name) { return std::string(name) == "GPUOPT_CUBLAS" ? place : ""; };
  return input;
}

TEST(FindCublas, TheReasonNamesWhatWasTried) {
  const std::string path = std::getenv("GPUOPT_CUBLAS");
  std::string problem;
  EXPECT_NE(find_cublas(only(path), 13000, problem).cublasCreate_v2, nullptr);
  EXPECT_EQ(problem, "");
  find_cublas(only(path), 12080, problem);
  EXPECT_NE(problem.find(path + ": it is of CUDA 13, newer than the driver's 12"), std::string::npos) << problem;
  find_cublas(only("/nowhere/libcublas.so.13"), 13000, problem);
  EXPECT_NE(problem.find("/nowhere/libcublas.so.13"), std::string::npos) << problem;
  const std::string other = std::getenv("GPUOPT_NVRTC");  // a library without its functions
  find_cublas(only(other), 13000, problem);
  EXPECT_NE(problem.find(other + ": it has no cublasGetStatusName"), std::string::npos) << problem;
}

}  // namespace
}  // namespace gpuopt::cuda
