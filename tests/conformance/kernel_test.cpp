// tests/conformance/kernel_test.cpp -- elementwise kernels given as text, on the device under test, against plain host
// code.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <gpuopt/gpuopt.hpp>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/conformance/kernel_fixture.h"

namespace {

namespace gp = gpuopt;
using namespace gpuopt::test;
using gp::elementwise_kernel;

class Kernel : public KernelTest {
 protected:
  template <class T>
  gp::array ramp(int64_t n, double start = 0, double step = 1) {
    std::vector<T> values(static_cast<size_t>(n));
    for (size_t k = 0; k < values.size(); k++) values[k] = static_cast<T>(start + step * static_cast<double>(k));
    return gp::array(values);
  }
};

TEST_F(Kernel, SquaredDifferenceOfAMatrixAndARow) {
  const elementwise_kernel kernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff");
  const gp::array x = gp::reshape(ramp<float>(10), {2, 5}), y = ramp<float>(5);
  const gp::array z = kernel(x, y);
  EXPECT_EQ(z.shape(), (gp::dims{2, 5}));
  EXPECT_EQ(values<float>(z), (std::vector<float>{0, 0, 0, 0, 0, 25, 25, 25, 25, 25}));
  EXPECT_EQ(values<float>(kernel(x, 5)), (std::vector<float>{25, 16, 9, 4, 1, 0, 1, 4, 9, 16}));
}

TEST_F(Kernel, LargeArraysInEveryPart) {
  const int64_t n = 1234567;
  const gp::array z = elementwise_kernel("int64 x", "int64 z", "z = x * 3 + i", "line")(ramp<int64_t>(n));
  const std::vector<int64_t> got = values<int64_t>(z);
  for (int64_t k = 0; k < n; k++) ASSERT_EQ(got[static_cast<size_t>(k)], 4 * k);
}

TEST_F(Kernel, GenericTypesAreBoundByArrays) {
  const elementwise_kernel kernel("T x, U y, T scale", "U z", "z = U(x * scale) + y", "mixed");
  const gp::array z = kernel(ramp<int32_t>(4), ramp<double>(4, 0.5), 10);
  EXPECT_EQ(z.dtype(), gp::float64);
  EXPECT_EQ(values<double>(z), (std::vector<double>{0.5, 11.5, 22.5, 33.5}));
  EXPECT_EQ(kernel(ramp<int8_t>(2), ramp<uint16_t>(2), 1).dtype(), gp::uint16);
}

TEST_F(Kernel, EveryDtype) {
  const elementwise_kernel kernel("T x, T y", "T z", "z = x; if (i % 2) z = y;", "choose");
  for (gpuopt_dtype id = 1; id < GPUOPT_DTYPE_COUNT; id++) {
    const gp::dtype t{id};
    const gp::array x = ramp<int8_t>(6, 1).astype(t), y = ramp<int8_t>(6, 7).astype(t);
    const gp::array z = kernel(x, y);
    ASSERT_EQ(z.dtype(), t);
    const gp::array want = gp::where(gp::array({false, true, false, true, false, true}), y, x);
    EXPECT_TRUE(gp::all(z == want).item<bool>()) << gpuopt_dtype_name(id);
  }
}

TEST_F(Kernel, SmallFloatsRoundOnceWhenStored) {
  const gp::array x = ramp<float>(2048, 0.1, 0.37).astype(gp::float16);
  const gp::array z = elementwise_kernel("float16 x", "float16 z", "z = x * x + x", "poly")(x);
  const gp::array wide = x.astype(gp::float32);
  const gp::array want = (wide * wide + wide).astype(gp::float16);
  EXPECT_EQ(values<uint16_t>(z), values<uint16_t>(want));
}

TEST_F(Kernel, ComplexArithmetic) {
  using C = std::complex<double>;
  const std::vector<C> x{{1, 2}, {-3, 0.5}}, y{{0.25, -1}, {2, 2}};
  const gp::array z = elementwise_kernel("complex128 x, complex128 y", "complex128 p, float64 m",
                                         "p = x * y - T_(1); m = p.real() + p.imag();", "product",
                                         {"typedef complex<double> T_;", "", ""})
                          .outputs(gp::array(x), gp::array(y))[1];
  for (size_t k = 0; k < x.size(); k++) {
    const C p = x[k] * y[k] - 1.0;
    EXPECT_EQ(values<double>(z)[k], p.real() + p.imag());
  }
}

TEST_F(Kernel, LayoutsThatAreNotPacked) {
  const elementwise_kernel kernel("T x, T y", "T z", "z = x * 100 + y", "hundred");
  const gp::array base = gp::reshape(ramp<int32_t>(24), {2, 3, 4});
  const gp::array x = gp::permute_dims(base, {2, 0, 1}), y = base(gp::all, gp::slice(2, -4, -1), gp::slice(0, 4, 3));
  const gp::array z = kernel(x(gp::slice(0, 2)), gp::permute_dims(y, {2, 0, 1}));
  const auto at = [](int i, int j, int k) { return i * 12 + j * 4 + k; };
  const std::vector<int32_t> got = values<int32_t>(z);
  ASSERT_EQ(z.shape(), (gp::dims{2, 2, 3}));
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 3; j++) EXPECT_EQ(got[size_t(k * 6 + i * 3 + j)], at(i, j, k) * 100 + at(i, 2 - j, k * 3));
}

TEST_F(Kernel, ScalarsAndNothing) {
  const elementwise_kernel kernel("T x", "T y", "y = x + 1", "next");
  const gp::array one = kernel(gp::full({}, 41, gp::int32));
  EXPECT_EQ(one.ndim(), 0);
  EXPECT_EQ(one.item<int>(), 42);
  EXPECT_EQ(kernel(gp::zeros({3, 0, 2})).shape(), (gp::dims{3, 0, 2}));
}

TEST_F(Kernel, RawParametersAreIndexedByTheKernel) {
  const elementwise_kernel add_reverse("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse");
  EXPECT_EQ(values<float>(add_reverse(ramp<float>(5), ramp<float>(5))), (std::vector<float>{4, 4, 4, 4, 4}));
  const gp::array matrix = gp::permute_dims(gp::reshape(ramp<int64_t>(6), {2, 3}), {1, 0});
  const gp::array flat = elementwise_kernel("raw T a", "T z", "z = a[i]", "flatten").sized(6, matrix);
  EXPECT_EQ(values<int64_t>(flat), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
  const elementwise_kernel corner(
      "raw T a", "int64 z",
      "long long at[2] = {a.shape()[0] - 1, i}; z = a[at] * 1000 + a.size() * 10 + a.strides()[1] / 8", "corner");
  EXPECT_EQ(values<int64_t>(corner.sized(2, matrix)), (std::vector<int64_t>{2063, 5063}));
}

TEST_F(Kernel, RawOutputsAreWrittenAnywhere) {
  const gp::array out = gp::zeros({10}, gp::int32);
  elementwise_kernel("int32 x", "raw int32 y", "y[9 - 2 * i] = x", "spread")(ramp<int32_t>(5, 1), out);
  EXPECT_EQ(values<int32_t>(out), (std::vector<int32_t>{0, 5, 0, 4, 0, 3, 0, 2, 0, 1}));
}

TEST_F(Kernel, CoordinatesOfTheLoop) {
  const gp::array z = elementwise_kernel("T x", "int64 z", "z = x * 0 + _ind.get()[0] * 100 + _ind.get()[2] * 10 + i",
                                         "where_am_i")(gp::zeros({2, 3, 4}, gp::int64));
  const std::vector<int64_t> got = values<int64_t>(z);
  for (int64_t k = 0; k < 24; k++) EXPECT_EQ(got[size_t(k)], k / 12 * 100 + k % 4 * 10 + k);
}

TEST_F(Kernel, GivenOutputs) {
  const elementwise_kernel kernel("T x, T y", "T z", "z = x - y", "difference");
  const gp::array out = gp::zeros({2, 6}, gp::float32), view = out(gp::all, gp::slice(1, 6, 2));
  const gp::array x = gp::reshape(ramp<float>(6), {2, 3});
  EXPECT_EQ(kernel(x, 1, view).get(), view.get());
  EXPECT_EQ(values<float>(out), (std::vector<float>{0, -1, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4}));
  kernel(x, x, x);  // in place
  EXPECT_EQ(values<float>(x), std::vector<float>(6, 0));
}

TEST_F(Kernel, InputsThatOverlapAnOutputAreReadBefore) {
  const gp::array x = ramp<int32_t>(100000);
  elementwise_kernel("T x", "T y", "y = x", "shift")(x[gp::slice(0, 99999)], x[gp::slice(1, 100000)]);
  const std::vector<int32_t> got = values<int32_t>(x);
  for (int32_t k = 1; k < 100000; k++) ASSERT_EQ(got[size_t(k)], k - 1);
}

TEST_F(Kernel, PartsAroundTheLoop) {
  const gp::kernel_text text{"__device__ int twice(int v) { return 2 * v; }", "const int bonus = twice(4);",
                             "(void)bonus;"};
  const gp::array z = elementwise_kernel("int32 x", "int32 z", "z = twice(x) + bonus", "parts", text)(ramp<int32_t>(3));
  EXPECT_EQ(values<int32_t>(z), (std::vector<int32_t>{8, 10, 12}));
}

TEST_F(Kernel, WorkOrderedWithRecordedWork) {
  gp::array x = ramp<int64_t>(1000);
  x += 1;
  const gp::array y = elementwise_kernel("T x", "T y", "y = x * x", "square")(x);
  x *= 0;
  EXPECT_EQ((gp::sum(y) - gp::sum(x)).item<int64_t>(), int64_t{1000} * 1001 * 2001 / 6);
}

template <class T>
void expect_same_bits(const gp::array &a, const gp::array &b, const char *what) {
  const std::vector<T> x = values<T>(a), y = values<T>(b);
  ASSERT_EQ(x.size(), y.size());
  for (size_t k = 0; k < x.size(); k++) {
    if (std::isnan(x[k]) && std::isnan(y[k])) continue;
    ASSERT_EQ(std::memcmp(&x[k], &y[k], sizeof(T)), 0) << what << " at " << k << ": " << x[k] << " and " << y[k];
  }
}

// Small, large, special numbers of both signs.
gp::array telling_numbers() {
  std::vector<double> x{0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0.5, 5e-324, 1e-310, 1.7e308, 709.7, -745.2, 1e22};
  for (int k = -600; k < 600; k++) x.push_back(std::ldexp(1 + k * 0.001, k / 20) * (k % 3 ? 1 : -1));
  return gp::array(x);
}

TEST_F(Kernel, FunctionsAreTheLibrarysToTheBit) {
  struct Row {
    const char *name;
    gp::array (*function)(const gp::array &);
  };
#define ROW(text, name)                                  \
  {                                                      \
    text, [](const gp::array &x) { return gp::name(x); } \
  }
  const Row rows[] = {ROW("sin", sin),    ROW("cos", cos),     ROW("tan", tan),      ROW("exp", exp),
                      ROW("exp2", exp2),  ROW("expm1", expm1), ROW("log", log),      ROW("log1p", log1p),
                      ROW("log2", log2),  ROW("sqrt", sqrt),   ROW("cbrt", cbrt),    ROW("tanh", tanh),
                      ROW("asin", asin),  ROW("erf", erf),     ROW("tgamma", gamma), ROW("floor", floor),
                      ROW("rint", round), ROW("fabs", abs)};
#undef ROW
  for (const Row &row : rows) {
    const elementwise_kernel kernel("T x", "T y", std::string("y = ") + row.name + "(x)", "function");
    const gp::array wide = telling_numbers();
    expect_same_bits<double>(kernel(wide), row.function(wide), row.name);
    const gp::array narrow = wide.astype(gp::float32);
    expect_same_bits<float>(kernel(narrow), row.function(narrow), row.name);
  }
}

// Functions with a rare path, where a loop calls several, calls one for some elements, mixes widths, or reduces.
TEST_F(Kernel, RarePathsOfSomeElements) {
  const gp::array x = telling_numbers(), y = x[gp::slice(gp::none, gp::none, -1)].copy();
  const elementwise_kernel both("T x, T y", "T z", "z = fmod(x, y) + cos(y) * log10(x)", "both");
  const elementwise_kernel branch("T x, T y", "T z", "if (x > 0.25) z = tan(x); else z = y", "branch");
  const elementwise_kernel mixed("float32 x, float64 y", "float64 z", "z = sin(x) + sin(y)", "mixed");
  const auto check = [&](auto zero, const gp::array &a, const gp::array &b) {
    using T = decltype(zero);
    expect_same_bits<T>(both(a, b), gp::fmod(a, b) + gp::cos(b) * gp::log10(a), "both");
    expect_same_bits<T>(branch(a, b), gp::where(a > 0.25, gp::tan(a), b), "branch");
    expect_same_bits<T>(both(a[gp::slice(1, gp::none, 3)], b[gp::slice(1, gp::none, 3)]),
                        both(a, b)[gp::slice(1, gp::none, 3)], "strided");
  };
  check(0.0, x, y);
  check(0.0f, x.astype(gp::float32), y.astype(gp::float32));
  const gp::array narrow = x.astype(gp::float32);
  expect_same_bits<double>(mixed(narrow, y), gp::sin(narrow).astype(gp::float64) + gp::sin(y), "mixed");
  const gp::array angles = gp::where(gp::isfinite(x), x, 0);
  const gp::reduction_kernel total("T x", "T y", "sin(x)", "a + b", "y = a", "0", "total");
  expect_same_bits<double>(total(angles), gp::sum(gp::sin(angles)), "total");
}

TEST_F(Kernel, ContractionAndFlushingAreOff) {
  const gp::array x = gp::array({1 + 0x1p-30, 0x1p-1040, 3e300});
  const gp::array z = elementwise_kernel("float64 x", "float64 z", "z = x * x - 1.0", "no_fma")(x);
  const std::vector<double> in{1 + 0x1p-30, 0x1p-1040, 3e300}, got = values<double>(z);
  for (size_t k = 0; k < in.size(); k++) {
    const volatile double square = in[k] * in[k];
    EXPECT_EQ(got[k], square - 1.0);
  }
  EXPECT_EQ(values<double>(elementwise_kernel("float64 x", "float64 z", "z = x / 2", "half")(x))[1], 0x1p-1041);
}

TEST_F(Kernel, ManyThreadsAtOnce) {
  const elementwise_kernel kernel("T x, T y", "T z", "z = x * y + 1", "shared");
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; t++)
    threads.emplace_back([&, t] {
      const gp::with_device here(device);
      const gp::array x = t % 2 ? gp::full({1000}, t, gp::float32) : gp::full({1000}, t, gp::int64);
      right += gp::all(kernel(x, t) == t * t + 1).item<bool>();
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(right, 8);
}

// ---- Reductions ----

using gp::reduction_kernel;

gp::array noise(int64_t n) { return gp::generator(17).normal(0, 1, {n}, gp::float32); }

TEST_F(Kernel, SumsHaveTheBitsOfTheLibrarys) {
  const reduction_kernel total("T x", "T y", "x", "a + b", "y = a", "0", "total");
  for (const int64_t n : {1, 5, 31, 32, 33, 1000, 1024, 1025, 2048, 5000, 100003}) {
    const gp::array x = noise(n);
    EXPECT_EQ(total(x).item<float>(), gp::sum(x).item<float>()) << n;
  }
  const gp::array matrix = noise(60 * 1500).reshape({60, 1500});
  for (const gp::array &x : {matrix, matrix.transpose()})
    for (const int64_t axis : {0, 1}) expect_same_bits<float>(total.over({axis}, x), gp::sum(x, {axis}), "an axis");
}

TEST_F(Kernel, MapReduceAndPostMap) {
  const reduction_kernel l2norm("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm");
  const gp::array x = ramp<double>(12).reshape({3, 4});
  EXPECT_EQ(values<double>(l2norm.over({1}, x)),
            (std::vector<double>{std::sqrt(14.0), std::sqrt(126.0), std::sqrt(366.0)}));
  EXPECT_EQ(l2norm(x).item<double>(), std::sqrt(506.0));
  const reduction_kernel dot("T x, T y, float64 scale", "float64 z", "x * y", "a + b", "z = a * scale", "0", "dot");
  EXPECT_EQ(values<double>(dot.over({0}, x, ramp<double>(4), 0.5)), (std::vector<double>{0, 7.5, 18, 31.5}));
  const gp::array kept = l2norm.outputs(nullptr, true, {x}).front();
  EXPECT_EQ(kept.shape(), (gp::dims{1, 1}));
}

TEST_F(Kernel, AReductionWithoutIdentityTakesNothingElseIn) {
  const reduction_kernel least("T x", "T y", "x", "min(a, b)", "y = a", "", "least");
  EXPECT_EQ(least(ramp<int32_t>(5000, 7)).item<int>(), 7) << "not the 0 it would begin with";
  EXPECT_EQ(values<float>(least.over({0}, ramp<float>(6, 1).reshape({2, 3}))), (std::vector<float>{1, 2, 3}));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"zero-size array to reduction operation least which has no identity"},
               [&] { least(gp::zeros({0}, gp::float32)); });
  const reduction_kernel total("T x", "T y", "x", "a + b", "y = a + 100", "42", "total");
  EXPECT_EQ(values<float>(total.over({1}, gp::zeros({2, 0}, gp::float32))), (std::vector<float>{142, 142}));
  EXPECT_EQ(total.over({0}, gp::zeros({2, 0}, gp::float32)).size(), 0);
}

TEST_F(Kernel, PartialResultsOfAnotherType) {
  const char *const pair =
      "struct Least { T value; long long at; Least() = default; __device__ Least(T v, long long k) : value(v), at(k) "
      "{} };\n"
      "__device__ Least first(const Least &a, const Least &b) {\n"
      "  return b.value < a.value || (b.value == a.value && b.at < a.at) ? b : a;\n}";
  const reduction_kernel argmin("T x", "int64 y", "Least(x, _J)", "first(a, b)", "y = a.at", "", "my_argmin", "Least",
                                pair);
  const gp::array x = noise(3 * 4000).reshape({3, 4000});
  EXPECT_EQ(values<int64_t>(argmin.over({1}, x)), values<int64_t>(gp::argmin(x, 1)));
  EXPECT_EQ(values<int64_t>(argmin.over({0}, x)), values<int64_t>(gp::argmin(x, 0)));
  const reduction_kernel wide("float16 x", "float16 y", "x", "a + b", "y = a", "0", "wide", "float64");
  EXPECT_EQ(wide(gp::full({4096}, 0.25, gp::float16)).item<double>(), 1024);
}

TEST_F(Kernel, ReductionsOfManyAxesAndRawParameters) {
  const gp::array x = gp::permute_dims(ramp<int64_t>(2 * 3 * 4 * 5).reshape({2, 3, 4, 5}), {2, 0, 3, 1});
  const reduction_kernel weighted("T x, raw T w", "T y", "x * w[_J]", "a + b", "y = a", "0", "weighted");
  const gp::array got = weighted.over({0, 2}, x, ramp<int64_t>(20, 1));
  ASSERT_EQ(got.shape(), (gp::dims{2, 3}));
  for (int64_t i = 0; i < 2; i++)
    for (int64_t j = 0; j < 3; j++) {
      int64_t want = 0;
      for (int64_t k = 0; k < 4; k++)
        for (int64_t l = 0; l < 5; l++) want += (i * 60 + j * 20 + k * 5 + l) * (k * 5 + l + 1);
      EXPECT_EQ(values<int64_t>(got)[size_t(i * 3 + j)], want);
    }
  const gp::array same = weighted.over({}, x, ramp<int64_t>(1, 2));
  EXPECT_TRUE(gp::all(same == x * 2).item<bool>());
}

TEST_F(Kernel, GivenOutputsOfReductions) {
  const reduction_kernel extremes(
      "T x", "T low, T high", "Range(x)", "join(a, b)", "low = a.low; high = a.high", "", "extremes", "Range",
      "struct Range { T low, high; Range() = default; __device__ Range(T l, T h) : low(l), high(h) {}\n"
      "  __device__ explicit Range(T x) : low(x), high(x) {} };\n"
      "__device__ Range join(Range a, Range b) { return Range(min(a.low, b.low), max(a.high, b.high)); }");
  const gp::array x = ramp<int32_t>(3000, -5), low = gp::zeros({}, gp::int32), both = gp::zeros({2, 2}, gp::int32);
  EXPECT_EQ(extremes.outputs(nullptr, false, {x, low, both(1, 0)})[1].item<int>(), 2994);
  EXPECT_EQ(low.item<int>(), -5);
  EXPECT_EQ(values<int32_t>(both), (std::vector<int32_t>{0, 0, 2994, 0}));
}

TEST_F(Kernel, BadReductions) {
  const gp::array x = ramp<float>(6).reshape({2, 3});
  const reduction_kernel total("T x", "T y", "x", "a + b", "y = a", "0", "total");
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"total"}, [&] { total.over({0, 0}, x); });
  expect_error(GPUOPT_ERR_INDEX, {"total"}, [&] { total.over({2}, x); });
  expect_error(GPUOPT_ERR_SHAPE, {"Out shape is mismatched", "(3,)", "(2,)"},
               [&] { total.over({1}, x, gp::zeros({3}, gp::float32)); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"\"a\""}, [] { reduction_kernel("T a", "T y", "a", "a + b", "y = a"); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"cannot be raw"},
               [] { reduction_kernel("T x", "raw T y", "x", "a + b", "y[0] = a"); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"cannot be empty"},
               [] { reduction_kernel("T x", "T y", "x", "", "y = a"); });
  expect_error(GPUOPT_ERR_COMPILE, {"total reduce"},
               [&] { reduction_kernel("T x", "T y", "x", "a + c", "y = a", "0", "total")(x); });
  expect_error(GPUOPT_ERR_COMPILE, {"big"}, [&] {
    reduction_kernel("T x", "T y", "x", "a", "y = a.v[0]", "", "big", "Big",
                     "struct Big { Big() = default; __device__ Big(double x) { v[0] = x; } double v[5]; };")(x);
  });
}

// ---- Errors: those of design section 1, with what they must name ----

TEST_F(Kernel, BadParameterLists) {
  const auto made = [](const char *in, const char *out, const char *name = "k") {
    return [=] { elementwise_kernel(in, out, "", name); };
  };
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"k", "Syntax error", "\"float32\""}, made("float32", "T y"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"k", "Syntax error", "2x"}, made("T 2x", "T y"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Syntax error"}, made("T x,", "T y"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Unknown keyword \"const\""}, made("const T x", "T y"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Wrong type float", "float32"}, made("float x", "T y"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Can not use \"i\""}, made("T i", "T y"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"\"_x\""}, made("T _x", "T y"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"two parameters are named \"x\""}, made("T x", "T x"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"\"my kernel\""}, made("T x", "T y", "my kernel"));
}

TEST_F(Kernel, BadArguments) {
  const gp::array x = ramp<float>(4), other = ramp<int32_t>(4);
  const elementwise_kernel kernel("T x, T y", "T z", "z = x + y", "plus");
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"plus", "Wrong number of arguments: 1", "2 inputs and 1 outputs"},
               [&] { kernel(x); });
  expect_error(GPUOPT_ERR_TYPE, {"plus", "Type is mismatched. y is int32, but float32 is wanted for T"},
               [&] { kernel(x, other); });
  expect_error(GPUOPT_ERR_TYPE, {"Type is mismatched", "x is float32, but int32"}, [&] { kernel(x, x, other); });
  expect_error(GPUOPT_ERR_TYPE, {"Type is mismatched. x is float32, but float64 is wanted"},
               [&] { elementwise_kernel("float64 x", "T y", "", "fixed")(x, x); });
  expect_error(GPUOPT_ERR_TYPE, {"type U of z is undecided"}, [&] { elementwise_kernel("T x", "U z", "", "open")(x); });
  expect_error(GPUOPT_ERR_SHAPE, {"plus"}, [&] { kernel(x, ramp<float>(3)); });
  expect_error(GPUOPT_ERR_SHAPE, {"Out shape is mismatched", "z has shape (1, 4)", "(3, 4)"}, [&] {
    kernel(gp::broadcast_to(x, {3, 4}), x, gp::zeros({1, 4}, gp::float32));
  });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Loop size is undecided"},
               [&] { elementwise_kernel("raw T x", "T y", "", "free")(x); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"'size' can be used only if all of the ndarray are 'raw'"},
               [&] { kernel.sized(4, x, x); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Output array size is Undecided", "y"},
               [&] { elementwise_kernel("T x", "raw T y", "", "spread")(x); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"output z is not an array"}, [&] { kernel(x, x, 5); });
  expect_error(GPUOPT_ERR_TYPE, {"raw parameter y takes an array"},
               [&] { elementwise_kernel("T x, raw T y", "T z", "", "r")(x, 5); });
  EXPECT_EQ(values<float>(kernel(x, 1)), (std::vector<float>{1, 2, 3, 4})) << "it still works";
}

TEST_F(Kernel, CompileErrorsHaveTheAuthorsLines) {
  const gp::array x = ramp<float>(4);
  const elementwise_kernel wrong("float32 x", "float32 y", "y = x;\ny = x +* 2;", "wrong");
  expect_error(GPUOPT_ERR_COMPILE, {"wrong", "wrong", "2"}, [&] { wrong(x); });
  const elementwise_kernel unknown("float32 x", "float32 y", "y = undefined_function(x);", "unknown");
  expect_error(GPUOPT_ERR_COMPILE, {"unknown", "undefined_function"}, [&] { unknown(x); });
  const elementwise_kernel preamble("float32 x", "float32 y", "y = x", "outer", {"\n\nint f( { return 1; }", "", ""});
  expect_error(GPUOPT_ERR_COMPILE, {"outer preamble", "3"}, [&] { preamble(x); });
  const elementwise_kernel constant("float32 x", "float32 y", "x = 1; y = 2", "constant");
  expect_error(GPUOPT_ERR_COMPILE, {"constant"}, [&] { constant(x); });
  expect_error(GPUOPT_ERR_COMPILE, {"wrong"}, [&] { wrong(x); });
}

TEST_F(Kernel, ReadOnlyOutputs) {
  const gp::array x = ramp<float>(4), wide = gp::broadcast_to(x, {3, 4});
  expect_error(GPUOPT_ERR_READ_ONLY, {"output y"}, [&] { elementwise_kernel("T x", "T y", "y = x", "copy")(x, wide); });
  const elementwise_kernel writes("_non_const T x, T a", "T y", "y = x; x = a", "exchange");
  expect_error(GPUOPT_ERR_READ_ONLY, {"the _non_const input x"}, [&] { writes(wide, x); });
  EXPECT_EQ(values<float>(x), (std::vector<float>{0, 1, 2, 3}));
}

TEST_F(Kernel, InputsThatAreWrittenKeepWhatIsWrittenBesideAnOutputOfTheirMemory) {
  const gp::array x = ramp<int32_t>(8);
  elementwise_kernel("_non_const T x, T a", "T y", "x = a; y = -a", "both")(x[gp::slice(0, 4)], ramp<int32_t>(4, 10),
                                                                            x[gp::slice(4, 8)]);
  EXPECT_EQ(values<int32_t>(x), (std::vector<int32_t>{10, 11, 12, 13, -10, -11, -12, -13}));
}

// The compiler chooses the vectors' width for a loop of so many statements; LLVM takes that as the permission to
// reorder the sum, which only a test of the bits can see.
TEST_F(Kernel, VeryLongLoopsAddInTheOrderOfTheText) {
  std::string text = "double sum = 0;\nfor (int k = 0; k < 100; k++) {\ndouble v = x[k];\n";
  for (int k = 0; k < 1500; k++) text += "v = v * 0.9995 + " + std::to_string(k) + ".3;\n";
  const elementwise_kernel kernel("raw float64 x, float64 z", "float64 y", text + "sum += v;\n}\ny = sum + z;",
                                  "long_sum");
  const gp::array x = gp::arange(100, gp::float64) * 1234.7;
  double sum = 0;
  for (double v : values<double>(x)) {
    for (int k = 0; k < 1500; k++) {
      v = v * 0.9995;
      v = v + (k + 0.3);
    }
    sum += v;
  }
  const gp::array z = ramp<double>(3);
  EXPECT_EQ(values<double>(kernel(x, z)), (std::vector<double>{sum, sum + 1, sum + 2}));
}

}  // namespace
