// tests/conformance/ufunc_kernel_test.cpp -- ufuncs, generalized ones and stencils given as text, on the device under
// test, against plain host code.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <random>
#include <vector>

#include "tests/conformance/kernel_fixture.h"

namespace {

namespace gp = gpuopt;
using namespace gpuopt::test;
using std::vector;

class Ufunc : public KernelTest {};
class Gufunc : public KernelTest {};
class Stencil : public KernelTest {};

vector<double> randoms(size_t n, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> spread(-4, 4);
  vector<double> numbers(n);
  for (double &x : numbers) x = spread(engine);
  return numbers;
}

// ---- vectorize ---------------------------------------------------------------------------------------------------

const char *const kAffine = "template <class T> T affine(T x, T y) { return 3 * x - y; }";

gp::ufunc affine(const std::string &identity = "") {
  return gp::ufunc(kAffine, "affine", "int32,int32->int32; float32,float32->float32; float64,float64->float64",
                   identity);
}

TEST_F(Ufunc, TypesAreThoseOfTheFirstSafeCast) {
  const gp::array i8 = gp::array(vector<int8_t>{1, 2, 3}), i32 = gp::array(vector<int32_t>{1, 2, 3}),
                  i64 = gp::array(vector<int64_t>{1, 2, 3}), f32 = gp::array(vector<float>{1, 2, 3}),
                  f16 = f32.astype(gp::float16);
  EXPECT_EQ(affine()(i8, i32).dtype(), gp::int32);
  EXPECT_EQ(affine()(i8, f32).dtype(), gp::float32);
  EXPECT_EQ(affine()(f16, f16).dtype(), gp::float32);
  EXPECT_EQ(affine()(i32, f32).dtype(), gp::float64);  // int32 is safe in float64 only
  EXPECT_EQ(affine()(i64, i8).dtype(), gp::float64);
  EXPECT_EQ(affine()(f32, 2).dtype(), gp::float32);
  EXPECT_EQ(affine()(i32, 2.5).dtype(), gp::float64);
  EXPECT_EQ(values<double>(affine()(i32, 2.5)), (vector<double>{0.5, 3.5, 6.5}));
  const gp::array complex = f32.astype(gp::complex64);
  expect_error(GPUOPT_ERR_TYPE, {"affine", "complex64, a number"}, [&] { affine()(complex, 1); });
}

TEST_F(Ufunc, BroadcastsAndWritesGivenOutputsOfTheSameKind) {
  const gp::array row = gp::array(vector<float>{1, 2, 3}),
                  column = gp::reshape(gp::array(vector<float>{10, 20}), {2, 1});
  EXPECT_EQ(values<float>(affine()(row, column)), (vector<float>{-7, -4, -1, -17, -14, -11}));
  const gp::array wide = gp::zeros({2, 3}, gp::float64), narrow = gp::zeros({2, 3}, gp::int32);
  affine()(row, column, wide);
  EXPECT_EQ(values<double>(wide), (vector<double>{-7, -4, -1, -17, -14, -11}));
  expect_error(GPUOPT_ERR_TYPE, {"same_kind", "float32", "int32"}, [&] { affine()(row, column, narrow); });
  const gp::array small = gp::zeros({3}, gp::float32);
  expect_error(GPUOPT_ERR_SHAPE, {"Out shape", "(3,)", "(2, 3)"}, [&] { affine()(row, column, small); });
}

TEST_F(Ufunc, NumbersAloneGiveAnArrayWithoutAxes) {
  const gp::array x = affine()(4, 2);
  EXPECT_EQ(x.ndim(), 0);
  EXPECT_EQ(x.item<int>(), 10);
}

TEST_F(Ufunc, ManyInputsAndMathFunctions) {
  const gp::ufunc f("double poly(double a, double b, double c) { return sin(a) * b + c; }", "poly",
                    "float64,float64,float64->float64");
  const vector<double> a = randoms(1000, 1), b = randoms(1000, 2), c = randoms(1000, 3);
  const gp::array x(a), y(b), z(c);
  EXPECT_EQ(values<double>(f(x, y, z)), values<double>(gp::sin(x) * y + z));
}

TEST_F(Ufunc, ReduceWithoutIdentityIsInOrder) {
  const vector<double> x = randoms(7 * 30, 4);
  const gp::array a = gp::reshape(gp::array(x), {7, 30});
  vector<double> rows(30), columns(7);
  for (size_t j = 0; j < 30; j++) {
    rows[j] = x[j];
    for (size_t i = 1; i < 7; i++) rows[j] = 3 * rows[j] - x[i * 30 + j];
  }
  for (size_t i = 0; i < 7; i++) {
    columns[i] = x[i * 30];
    for (size_t j = 1; j < 30; j++) columns[i] = 3 * columns[i] - x[i * 30 + j];
  }
  EXPECT_EQ(values<double>(affine().reduce(a, {0})), rows);
  EXPECT_EQ(values<double>(affine().reduce(a, {-1})), columns);
  EXPECT_EQ(affine().reduce(a, {1}, true).shape(), (gp::dims{7, 1}));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"affine", "not reorderable", "one axis"}, [&] { affine().reduce(a); });
  const gp::array none = gp::zeros({0, 3}, gp::float64);
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"zero-size array to reduction operation affine which has no identity"},
               [&] { affine().reduce(none, {0}); });
  EXPECT_EQ(affine().reduce(none, {1}).shape(), (gp::dims{0}));
}

TEST_F(Ufunc, ReduceWithIdentityIsThatOfTheLibrary) {
  const gp::ufunc plus("template <class T> T plus(T a, T b) { return a + b; }", "plus",
                       "int64,int64->int64; float64,float64->float64", "0");
  const gp::array x = gp::reshape(gp::array(randoms(30000, 5)), {10, 30, 100});
  EXPECT_EQ(values<double>(plus.reduce(x)), values<double>(gp::sum(x)));
  EXPECT_EQ(values<double>(plus.reduce(x, {0, 2})), values<double>(gp::sum(x, {0, 2})));
  EXPECT_EQ(plus.reduce(x, {0, 2}, true).shape(), (gp::dims{1, 30, 1}));
  EXPECT_EQ(values<double>(plus.reduce(gp::zeros({0, 2}, gp::float64), {0})), (vector<double>{0, 0}));
  EXPECT_EQ(plus.reduce(gp::array(vector<int8_t>{100, 100})).item<int64_t>(), 200);
}

TEST_F(Ufunc, AccumulateIsInOrder) {
  const vector<double> x = randoms(5 * 6 * 4, 6);
  const gp::array a = gp::reshape(gp::array(x), {5, 6, 4});
  vector<double> want = x;
  for (size_t i = 0; i < 5; i++)
    for (size_t j = 1; j < 6; j++)
      for (size_t k = 0; k < 4; k++)
        want[(i * 6 + j) * 4 + k] = 3 * want[(i * 6 + j - 1) * 4 + k] - x[(i * 6 + j) * 4 + k];
  EXPECT_EQ(values<double>(affine().accumulate(a, 1)), want);
  EXPECT_EQ(affine().accumulate(gp::zeros({0, 3}, gp::float64), 1).shape(), (gp::dims{0, 3}));
  expect_error(GPUOPT_ERR_INDEX, {"axis"}, [&] { affine().accumulate(a, 3); });
}

TEST_F(Ufunc, Outer) {
  const gp::array z = affine().outer(gp::array(vector<int32_t>{1, 2}), gp::array(vector<int32_t>{10, 20, 30}));
  EXPECT_EQ(z.shape(), (gp::dims{2, 3}));
  EXPECT_EQ(values<int32_t>(z), (vector<int32_t>{-7, -17, -27, -4, -14, -24}));
}

TEST_F(Ufunc, AtCountsAnIndexAsOftenAsItComes) {
  const gp::array x = gp::array(vector<double>{1, 2, 3, 4});
  affine().at(x, gp::array(vector<int64_t>{0, -1, 0, 2}), gp::array(vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(values<double>(x), (vector<double>{3, 2, 5, 10}));  // (1 * 3 - 1) * 3 - 3, 3 * 3 - 4, 4 * 3 - 2
  const gp::array rows = gp::zeros({3, 2}, gp::float64);
  affine().at(rows, gp::array(vector<int32_t>{2, 2}), gp::reshape(gp::array(vector<double>{1, 10}), {2, 1}));
  EXPECT_EQ(values<double>(rows), (vector<double>{0, 0, 0, 0, -13, -13}));
  const gp::ufunc negate("double negate(double x) { return -x; }", "negate", "float64->float64");
  negate.at(x, gp::array(vector<int64_t>{1, 1, 3}));
  EXPECT_EQ(values<double>(x), (vector<double>{3, 2, 5, -10}));
}

TEST_F(Ufunc, AtChecksBeforeItWrites) {
  const gp::array x = gp::array(vector<double>{1, 2, 3, 4});
  const gp::array far = gp::array(vector<int64_t>{0, 4}), low = gp::array(vector<int64_t>{-5}),
                  floats = gp::array(vector<double>{0});
  expect_error(GPUOPT_ERR_INDEX, {"index 4 is out of bounds for axis 0 with size 4"}, [&] { affine().at(x, far, 1); });
  expect_error(GPUOPT_ERR_INDEX, {"index -5"}, [&] { affine().at(x, low, 1); });
  expect_error(GPUOPT_ERR_TYPE, {"indices", "float64"}, [&] { affine().at(x, floats, 1); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"values"}, [&] { affine().at(x, low); });
  const gp::array halves = x.astype(gp::float16);
  expect_error(GPUOPT_ERR_TYPE, {"float16", "in place", "float32"},
               [&] { affine().at(halves, gp::array(vector<int64_t>{0}), 1); });
  EXPECT_EQ(values<double>(x), (vector<double>{1, 2, 3, 4}));
}

TEST_F(Ufunc, MethodsRefuseWhatIsNotForThem) {
  const gp::ufunc less("bool less(double a, double b) { return a < b; }", "less", "float64,float64->bool");
  const gp::ufunc one("double one(double a) { return a; }", "one", "float64->float64");
  const gp::array x = gp::array(vector<double>{1, 2});
  expect_error(GPUOPT_ERR_TYPE, {"reduce", "T,T->T", "float64,float64->bool"}, [&] { less.reduce(x, {0}); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"one", "binary"}, [&] { one.accumulate(x); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"one", "binary"}, [&] { one.outer(x, x); });
  const gp::elementwise_kernel kernel("T x", "T y", "y = x", "plain");
  gpuopt_array result = nullptr;
  EXPECT_EQ(gpuopt_ufunc_accumulate(kernel.get(), x.get(), 0, &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST_F(Ufunc, MalformedTypesAndTexts) {
  const auto make = [](const char *types) { return [types] { gp::ufunc("", "f", types); }; };
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"f", "no types"}, make(" "));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Syntax error", "float32"}, make("float32"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Wrong type real"}, make("real->float32"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"another number"}, make("int8->int8; int8,int8->int8"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"one result"}, make("int8->int8,int8"));
  const gp::array x = gp::array(vector<float>{1});
  expect_error(GPUOPT_ERR_COMPILE, {"bad:2", "undeclared_thing"},
               [&] { gp::ufunc("float bad(float x) {\n  return undeclared_thing; }", "bad", "float32->float32")(x); });
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Wrong number of arguments: 1"}, [&] { affine()(x); });
}

// ---- guvectorize -------------------------------------------------------------------------------------------------

gp::gufunc matmul() {
  return gp::gufunc(R"(template <class T>
    void matmul(array<const T, 2> a, array<const T, 2> b, array<T, 2> c) {
      for (int i = 0; i < c.shape(0); i++)
        for (int j = 0; j < c.shape(1); j++) {
          T sum = 0;
          for (int k = 0; k < a.shape(1); k++) sum += a(i, k) * b(k, j);
          c(i, j) = sum;
        }
    })",
                    "matmul", "int64,int64->int64; float64,float64->float64", "(m,n),(n,p)->(m,p)");
}

TEST_F(Gufunc, LoopDimensionsBroadcast) {
  const vector<double> a = randoms(2 * 1 * 3 * 4, 7), b = randoms(5 * 4 * 6, 8);
  const gp::array x = gp::reshape(gp::array(a), {2, 1, 3, 4}), y = gp::reshape(gp::array(b), {5, 4, 6});
  vector<double> want(2 * 5 * 3 * 6);
  for (size_t g = 0; g < 2; g++)
    for (size_t h = 0; h < 5; h++)
      for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 6; j++) {
          double sum = 0;
          for (size_t k = 0; k < 4; k++) sum += a[(g * 3 + i) * 4 + k] * b[(h * 4 + k) * 6 + j];
          want[((g * 5 + h) * 3 + i) * 6 + j] = sum;
        }
  const gp::array z = matmul()(x, y);
  EXPECT_EQ(z.shape(), (gp::dims{2, 5, 3, 6}));
  EXPECT_EQ(values<double>(z), want);
  const gp::array turned = gp::permute_dims(gp::permute_dims(x, {3, 1, 0, 2}).copy(), {2, 1, 3, 0});
  EXPECT_EQ(values<double>(matmul()(turned, y)), want);
  const gp::array into = gp::zeros({2, 5, 3, 6}, gp::complex128);
  matmul()(x, y, into);
  EXPECT_EQ(values<double>(gp::real(into)), want);
  EXPECT_EQ(matmul()(gp::zeros({0, 3, 4}, gp::float64), gp::zeros({4, 6}, gp::float64)).shape(), (gp::dims{0, 3, 6}));
}

TEST_F(Gufunc, OutputsWithoutCoreAndSeveralOfThem) {
  const gp::gufunc extremes(
      R"(void extremes(array<const double, 1> x, double scale, array<double, 0> low, array<double, 0> high) {
    low[0] = high() = x[0] * scale;
    for (int k = 1; k < x.size(); k++) {
      if (x[k] * scale < low[0]) low[0] = x[k] * scale;
      if (x[k] * scale > high()) high() = x[k] * scale;
    }
  })",
      "extremes", "float64,float64->float64,float64", "(n,),()->(),()");
  const vector<double> x = randoms(3 * 50, 9);
  const auto found = extremes.outputs(gp::reshape(gp::array(x), {3, 50}), 2);
  ASSERT_EQ(found.size(), 2u);
  for (size_t i = 0; i < 3; i++) {
    const auto [low, high] =
        std::minmax_element(x.begin() + 50 * static_cast<long>(i), x.begin() + 50 * static_cast<long>(i + 1));
    EXPECT_EQ(values<double>(found[0])[i], *low * 2);
    EXPECT_EQ(values<double>(found[1])[i], *high * 2);
  }
}

TEST_F(Gufunc, AnInputMayShareMemoryWithTheOutput) {
  const gp::gufunc reverse(R"(void reverse(array<const double, 1> x, array<double, 1> y) {
    for (int k = 0; k < x.size(); k++) y[k] = x[x.size() - 1 - k];
  })",
                           "reverse", "float64->float64", "(n)->(n)");
  const gp::array x = gp::array(vector<double>{1, 2, 3, 4, 5});
  reverse(x, x);
  EXPECT_EQ(values<double>(x), (vector<double>{5, 4, 3, 2, 1}));
}

TEST_F(Gufunc, Errors) {
  const gp::array row = gp::zeros({4}, gp::float64), a = gp::zeros({3, 4}, gp::float64),
                  b = gp::zeros({5, 6}, gp::float64);
  expect_error(GPUOPT_ERR_SHAPE,
               {"Input operand 1 does not have enough dimensions (has 1, gufunc core with signature (m,n),(n,p)->(m,p) "
                "requires 2)"},
               [&] { matmul()(a, row); });
  expect_error(
      GPUOPT_ERR_SHAPE,
      {"Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,n),(n,p)->(m,p) (size "
       "5 is different from 4)"},
      [&] { matmul()(a, b); });
  const gp::array out = gp::zeros({3, 7}, gp::float64), c = gp::zeros({4, 6}, gp::float64);
  expect_error(GPUOPT_ERR_SHAPE, {"Output operand 0 has a mismatch", "size 7", "6"}, [&] { matmul()(a, c, out); });
  const auto make = [](const char *signature) { return [signature] { gp::gufunc("", "g", "int8->int8", signature); }; };
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"bad token", "dimension k"}, make("(n)->(k)"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Syntax error"}, make("(n)"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Syntax error"}, make("(n->(n)"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Syntax error"}, make("(n),->(n)"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"Syntax error"}, make("(n?)->(n)"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"2 inputs and 1 outputs", "1 and 1"}, make("(n),(n)->(n)"));
}

TEST_F(Gufunc, FixedDimensions) {
  const gp::gufunc cross(R"(void cross(array<const double, 1> a, array<const double, 1> b, array<double, 1> c) {
    for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
  })",
                         "cross", "float64,float64->float64", "(3),(3)->(3)");
  EXPECT_EQ(values<double>(cross(gp::array(vector<double>{1, 2, 3}), gp::array(vector<double>{4, 5, 6}))),
            (vector<double>{-3, 6, -3}));
  const gp::array four = gp::zeros({4}, gp::float64);
  expect_error(GPUOPT_ERR_SHAPE, {"size 4 is different from 3"}, [&] { cross(four, four); });
}

// ---- stencil -----------------------------------------------------------------------------------------------------

using Mode = gp::stencil_mode;
constexpr Mode kModes[] = {Mode::constant, Mode::reflect, Mode::nearest, Mode::wrap};

// Where scipy.ndimage's modes find an index, by walking; -1 for nowhere.
long walked(Mode mode, long at, long n) {
  if (mode == Mode::constant) return at >= 0 && at < n ? at : -1;
  for (;;) {
    if (at >= 0 && at < n) return at;
    if (mode == Mode::nearest) {
      at += at < 0 ? 1 : -1;
    } else if (mode == Mode::wrap) {
      at += at < 0 ? n : -n;
    } else {
      at = at < 0 ? -1 - at : 2 * n - 1 - at;
    }
  }
}

struct Tap {
  long dy, dx;
  double weight;
};
const vector<Tap> kTaps{{-2, 0, 0.5}, {0, 3, -1.25}, {1, -1, 2}, {0, 0, 3}};
const char *const kTapsText = "return 0.5 * a(-2, 0) + -1.25 * a(0, 3) + 2 * a(+1, -1) + 3 * a(0, 0);";

vector<double> by_hand(Mode mode, const vector<double> &a, long rows, long columns, double cval) {
  vector<double> out;
  for (long y = 0; y < rows; y++)
    for (long x = 0; x < columns; x++) {
      double sum = 0;
      bool inside = true, first = true;
      for (const Tap &tap : kTaps) {
        const long i = walked(mode, y + tap.dy, rows), j = walked(mode, x + tap.dx, columns);
        inside = inside && i >= 0 && j >= 0;
        if (!inside) break;
        const double term = tap.weight * a[static_cast<size_t>(i * columns + j)];
        sum = first ? term : sum + term;
        first = false;
      }
      out.push_back(inside ? sum : cval);
    }
  return out;
}

TEST_F(Stencil, EveryModeAndSize) {
  for (const Mode mode : kModes) {
    gp::stencil_options options;
    options.mode = mode;
    options.cval = 7.5;
    const gp::stencil taps("T a", "T out", kTapsText, "taps", options);
    for (const auto &[rows, columns] : vector<std::pair<long, long>>{{9, 11}, {1, 1}, {2, 3}, {3, 2}, {40, 50}}) {
      const vector<double> a = randoms(static_cast<size_t>(rows * columns), 10);
      const gp::array x = gp::reshape(gp::array(a), {rows, columns});
      const vector<double> want = by_hand(mode, a, rows, columns, 7.5);
      EXPECT_EQ(values<double>(taps(x)), want) << static_cast<int>(mode) << " " << rows << "x" << columns;
      const gp::array turned = gp::permute_dims(gp::permute_dims(x, {1, 0}).copy(), {1, 0});
      EXPECT_EQ(values<double>(taps(turned)), want);
    }
    EXPECT_EQ(taps(gp::zeros({0, 4}, gp::float32)).shape(), (gp::dims{0, 4}));
  }
}

TEST_F(Stencil, ALoopOverAGivenNeighborhood) {
  for (const Mode mode : kModes) {
    gp::stencil_options options;
    options.mode = mode;
    options.neighborhood = {{-3, 1}};
    const gp::stencil mean("float64 a", "float64 out",
                           "double s = 0; for (int k = -3; k <= 1; k++) s += a[k]; return s / 5;", "mean", options);
    const vector<double> a = randoms(12, 11);
    vector<double> want(12);
    for (long x = 0; x < 12; x++) {
      double sum = 0;
      bool inside = true;
      for (long k = -3; k <= 1; k++) {
        const long at = walked(mode, x + k, 12);
        inside = inside && at >= 0;
        if (inside) sum += a[static_cast<size_t>(at)];
      }
      want[static_cast<size_t>(x)] = inside ? sum / 5 : 0;
    }
    EXPECT_EQ(values<double>(mean(gp::array(a))), want) << static_cast<int>(mode);
  }
}

TEST_F(Stencil, SecondArraysNumbersAndStandardIndexing) {
  const gp::stencil mix("T a, T b, raw T w, T scale", "T out", "return scale * (a[1] * w[0] + b[-1] * w[1]);", "mix");
  const gp::array a = gp::array(vector<double>{1, 2, 3, 4}), b = gp::array(vector<double>{10, 20, 30, 40, 50}),
                  w = gp::array(vector<double>{0.5, 2});
  EXPECT_EQ(values<double>(mix(a, b, w, 2)), (vector<double>{0, 3 + 40, 4 + 80, 0}));
}

TEST_F(Stencil, InPlaceAndIntoGivenOutputs) {
  gp::stencil_options options;
  options.cval = -1;
  const gp::stencil difference("T a", "T out", "return a[1] - a[-1];", "difference", options);
  const gp::array x = gp::array(vector<int64_t>{1, 4, 9, 16}), out = gp::full({4}, 99, gp::int64);
  difference(x, out);
  EXPECT_EQ(values<int64_t>(out), (vector<int64_t>{-1, 8, 12, -1}));  // edges, too
  difference(x, x);
  EXPECT_EQ(values<int64_t>(x), (vector<int64_t>{-1, 8, 12, -1}));
}

TEST_F(Stencil, AnIndexBeyondThePromisedNeighborhoodReadsNoOthersMemory) {
  gp::stencil_options options;
  options.neighborhood = {{0, 0}};
  const gp::stencil far("int64 a, int64 k", "int64 out", "return a[k];", "far", options);
  const gp::array x = gp::array(vector<int64_t>{1, 2, 3});
  EXPECT_EQ(values<int64_t>(far(x, 1)), (vector<int64_t>{2, 3, 0}));
  EXPECT_EQ(values<int64_t>(far(x, -1000000000)), (vector<int64_t>{0, 0, 0}));
}

TEST_F(Stencil, Errors) {
  const auto make = [](const char *in, const char *body, gp::stencil_options options = {}) {
    return [=] { gp::stencil(in, "float64 out", body, "s", options); };
  };
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"s", "not an integer literal", "neighborhood"},
               make("float64 a, int64 k", "return a[k];"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"not an integer literal"}, make("float64 a", "return a[1] + f(a);"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"first input", "relative"},
               make("float64 k, float64 a", "return a[1] * k;"));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"2 parts", "has 1"},
               make("float64 a, float64 b", "return a[1] + b(1, 2);"));
  gp::stencil_options narrow;
  narrow.neighborhood = {{-1, 1}};
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"outside of the neighborhood"}, make("float64 a", "return a[2];", narrow));
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"2 parts", "1 dimensions"}, make("float64 a", "return a(0, 1);", narrow));
  gp::stencil_options crossed;
  crossed.neighborhood = {{1, -1}};
  expect_error(GPUOPT_ERR_INVALID_ARGUMENT, {"neighborhood from 1 to -1"}, make("float64 a", "return a[0];", crossed));

  const gp::stencil both("float64 a, float64 b", "float64 out", "return a(0, 1) + b(1, 0); // a[k]", "both");
  const gp::array square = gp::zeros({4, 4}, gp::float64), small = gp::zeros({4, 3}, gp::float64),
                  row = gp::zeros({4}, gp::float64);
  expect_error(GPUOPT_ERR_SHAPE, {"b", "(4, 3)", "smaller", "(4, 4)"}, [&] { both(square, small); });
  expect_error(GPUOPT_ERR_SHAPE, {"b is indexed by 2 parts, but has 1 dimensions"}, [&] { both(square, row); });
  expect_error(GPUOPT_ERR_TYPE, {"b is indexed, but a number"}, [&] { both(square, 1); });
  expect_error(GPUOPT_ERR_TYPE, {"a is float32", "float64"}, [&] { both(square.astype(gp::float32), square); });
  gp::stencil_options complex;
  complex.cval = std::complex<double>(1, 2);
  const gp::stencil edged("float64 a", "float64 out", "return a[1];", "edged", complex);
  expect_error(GPUOPT_ERR_TYPE, {"complex"}, [&] { edged(row); });
  const gp::stencil writes("float64 a", "float64 out", "a[0] = 1; return a[1];", "writes");
  expect_error(GPUOPT_ERR_COMPILE, {"writes:1"}, [&] { writes(row); });
}

}  // namespace
