// tests/unit/core_numbers_test.cpp -- parts of numbers, polynomials, convolutions of several dimensions and histogramdd
// against NumPy's and SciPy's answers, on operands of two layouts, computed and still recorded; what fails.
#include <gtest/gtest.h>

#include "tests/unit/core_numbers_cases.h"
#include "tests/unit/core_numpy_cases.h"

namespace {

using namespace numpy_cases;
using Operands = std::vector<gpuopt_array>;

// Calls the function of a case, if it is one of those that are called with one or two arrays alone.
bool call_simple(const std::string &name, const Operands &x, gpuopt_array *r, gpuopt_error *e, gpuopt_status &status) {
  using One = gpuopt_status (*)(gpuopt_array, gpuopt_array *, gpuopt_error *);
  using Two = gpuopt_status (*)(gpuopt_array, gpuopt_array, gpuopt_array *, gpuopt_error *);
  using Pair = gpuopt_status (*)(gpuopt_array, gpuopt_array *, gpuopt_array *, gpuopt_error *);
  using Pairs = gpuopt_status (*)(gpuopt_array, gpuopt_array, gpuopt_array *, gpuopt_array *, gpuopt_error *);
  static const std::map<std::string, One> ones = {
      {"spacing", gpuopt_spacing}, {"entr", gpuopt_entr}, {"roots", gpuopt_roots}, {"poly", gpuopt_poly}};
  static const std::map<std::string, Two> twos = {
      {"ldexp", gpuopt_ldexp},     {"xlogy", gpuopt_xlogy},     {"float_power", gpuopt_float_power},
      {"polyadd", gpuopt_polyadd}, {"polysub", gpuopt_polysub}, {"polymul", gpuopt_polymul},
      {"polyval", gpuopt_polyval}};
  static const std::map<std::string, Pair> pair = {{"frexp", gpuopt_frexp}, {"modf", gpuopt_modf}};
  static const std::map<std::string, Pairs> pairs = {{"divmod", gpuopt_divmod}, {"polydiv", gpuopt_polydiv}};
  if (ones.count(name)) return status = ones.at(name)(x[0], r, e), true;
  if (twos.count(name)) return status = twos.at(name)(x[0], x[1], r, e), true;
  if (pair.count(name)) return status = pair.at(name)(x[0], r, r + 1, e), true;
  if (pairs.count(name)) return status = pairs.at(name)(x[0], x[1], r, r + 1, e), true;
  return false;
}

gpuopt_status histogram(const Given &given, gpuopt_array x, gpuopt_array *r, gpuopt_error *e) {
  const auto dims = static_cast<int32_t>(gpuopt_array_shape(x)[1]);
  const std::vector<int64_t> bins(8, given.integer("bins"));
  const std::vector<double> ranges = {-2, 3, -2, 3, -2, 3};
  return gpuopt_histogramdd(x, dims, bins.data(), given.flag("ranges") ? ranges.data() : nullptr, nullptr, 0, r, r + 1,
                            e);
}

// Calls the function of a case, which writes one array or more to `r`.
gpuopt_status call(const std::string &name, const Given &given, const Operands &x, gpuopt_array *r, gpuopt_error *e) {
  gpuopt_status status = GPUOPT_OK;
  if (call_simple(name, x, r, e, status)) return status;
  const auto mode = static_cast<gpuopt_convolve_mode>(given.integer("mode"));
  const auto method = static_cast<gpuopt_convolve_method>(given.integer("method"));
  if (name == "polyder") return gpuopt_polyder(x[0], given.integer("m"), r, e);
  if (name == "polyint" || name == "polyint_k") return gpuopt_polyint(x[0], given.integer("m"), x[1], r, e);
  if (name == "convolve_nd") return gpuopt_convolve_nd(x[0], x[1], mode, method, r, e);
  if (name == "correlate_nd") return gpuopt_correlate_nd(x[0], x[1], mode, method, r, e);
  const int32_t density = given.flag("density");
  if (name == "histogramdd_with") return gpuopt_histogramdd_with(x[0], 2, x.data() + 1, x[3], density, r, e);
  if (name == "histogramdd") return histogram(given, x[0], r, e);
  const int64_t degree = given.integer("degree");
  if (name == "polyfit") return gpuopt_polyfit(x[0], x[1], degree, nullptr, x[2], r, r + 1, r + 2, r + 3, e);
  EXPECT_EQ(name, "polyfit_cov");
  return gpuopt_polyfit_cov(x[0], x[1], degree, nullptr, x[2], given.flag("unscaled"), r, r + 1, e);
}

// Functions that are exact have the very numbers; how others associate their sums is not promised.
double tolerance_of(const std::string &name, gpuopt_dtype dtype) {
  for (const char *const exact : {"frexp", "ldexp", "modf", "divmod", "spacing", "polyder"})
    if (name == exact) return 0;
  if (dtype == GPUOPT_FLOAT16) return 4e-3;
  if (dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64) return name == "roots" ? 2e-5 : 2e-6;
  return name.rfind("polyfit", 0) == 0 || name == "roots" || name == "poly" ? 1e-10 : 4e-14;
}

// Puts zeros into the order of their parts, as the script has.
Array in_order(const Array &x) {
  Result r;
  const int64_t axis = 0;
  return r.take(gpuopt_sort(x.get(), &axis, 0, &r.array, &r.error));
}

// The second operand of some cases is multiplied by a number.
Array multiplied(const Array &x, int64_t by) {
  Result r;
  const Array times(r.take(gpuopt_weak(gpuopt_scalar_int(by), &r.array, &r.error)));
  return r.take(gpuopt_multiply(x.get(), times.get(), &r.array, &r.error));
}

void check(const std::string &text, Layout layout) {
  SCOPED_TRACE(text + ", layout " + std::to_string(static_cast<int>(layout)));
  const int64_t times = Given(pieces(text, " | ").at(1)).integer("times");
  check_case(
      text,
      [&](const Form &form, size_t j) {
        Array x = operand(form, j, layout);
        if (j == 1 && times) x = multiplied(x, times);
        return x;
      },
      call,
      [](const std::string &name, const Array &x, const std::string &answer) {
        const Array ordered = name == "roots" ? in_order(x) : Array();
        expect_answer(ordered ? ordered : x, answer, [&](const Answer &of, Complex expected) {
          return tolerance_of(name, of.form.dtype) * std::fmax(1, std::abs(expected));
        });
      },
      [](const std::string &, const Operands &) { return false; });
}

TEST(Numbers, HaveNumpysAnswers) {
  for (const char *text : kCases) {
    for (const Layout layout : {Layout::PLAIN, Layout::REVERSED, Layout::RECORDED}) check(text, layout);
  }
}

// ---- Convolutions

TEST(Convolutions, OfBoolAreWhetherAnyProductIsTrue) {
  const Array x = cast(support::make({2, 2}, std::vector<double>{1, 0, 0, 1}), GPUOPT_BOOL);
  for (const gpuopt_convolve_method method : {GPUOPT_CONVOLVE_DIRECT, GPUOPT_CONVOLVE_FFT}) {
    Result r;
    const Array y = r.take(gpuopt_convolve_nd(x.get(), x.get(), GPUOPT_CONVOLVE_FULL, method, &r.array, &r.error));
    EXPECT_EQ(gpuopt_array_dtype(y.get()), GPUOPT_BOOL);
    EXPECT_EQ(complex_values(y), (std::vector<Complex>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  }
}

gpuopt_convolve_method chosen(const Array &x, const Array &y) {
  gpuopt_convolve_method method = GPUOPT_CONVOLVE_AUTO;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_choose_conv_method(x.get(), y.get(), GPUOPT_CONVOLVE_FULL, &method, &error), GPUOPT_OK)
      << error.message;
  return method;
}

TEST(Convolutions, AreByTransformsWhereThatIsFasterAndExact) {
  const Array small = support::make({3}, std::vector<double>{1, 2, 3});
  const Array large = support::make({200, 200}, std::vector<double>(40000, 3));
  EXPECT_EQ(chosen(small, small), GPUOPT_CONVOLVE_DIRECT);
  EXPECT_EQ(chosen(large, large), GPUOPT_CONVOLVE_FFT);
  EXPECT_EQ(chosen(cast(large, GPUOPT_BOOL), cast(large, GPUOPT_BOOL)), GPUOPT_CONVOLVE_DIRECT);
  EXPECT_EQ(chosen(cast(large, GPUOPT_INT32), cast(large, GPUOPT_INT8)), GPUOPT_CONVOLVE_FFT);
  const Array huge = cast(support::make({200, 200}, std::vector<double>(40000, 1e9)), GPUOPT_INT64);
  EXPECT_EQ(chosen(huge, huge), GPUOPT_CONVOLVE_DIRECT);
}

// The sum of all products, whichever way they are computed.
TEST(Convolutions, OfBothMethodsAgree) {
  const Array x = operand(Form("float64 scaled 60 40"), 0, Layout::PLAIN);
  const Array y = operand(Form("float64 plain 30 41"), 1, Layout::REVERSED);
  for (gpuopt_convolve_mode mode = 0; mode < 3; ++mode) {
    if (mode == GPUOPT_CONVOLVE_VALID) continue;
    Result r, s;
    const Array a = r.take(gpuopt_convolve_nd(x.get(), y.get(), mode, GPUOPT_CONVOLVE_DIRECT, &r.array, &r.error));
    const Array b = s.take(gpuopt_convolve_nd(x.get(), y.get(), mode, GPUOPT_CONVOLVE_FFT, &s.array, &s.error));
    const std::vector<Complex> direct = complex_values(a), fft = complex_values(b);
    ASSERT_EQ(direct.size(), fft.size());
    for (size_t i = 0; i < fft.size(); ++i) ASSERT_NEAR(direct[i].real(), fft[i].real(), 1e-6) << i;
  }
}

// ---- What fails

TEST(Numbers, OperandsThatAreNoneFail) {
  const Array x = support::make({3}, std::vector<double>{1, 4, 9});
  Result w;
  const Array weak(w.take(gpuopt_weak(gpuopt_scalar_int(2), &w.array, &w.error)));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_array a = nullptr, b = nullptr;
  EXPECT_EQ(gpuopt_frexp(weak.get(), &a, &b, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_frexp(x.get(), &a, nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_divmod(weak.get(), weak.get(), &a, &b, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_float_power(weak.get(), weak.get(), &a, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_xlogy(nullptr, x.get(), &a, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_xlogy(x.get(), nullptr, &a, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_float_power(x.get(), nullptr, &a, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_polyint(x.get(), 10001, nullptr, &a, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_convolve_nd(x.get(), x.get(), 3, 0, &a, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_convolve_nd(x.get(), x.get(), 0, 3, &a, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_convolve_nd(x.get(), weak.get(), 0, 0, &a, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_histogramdd(x.get(), 2, nullptr, nullptr, nullptr, 0, &a, &b, &error), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(gpuopt_histogramdd(x.get(), 0, nullptr, nullptr, nullptr, 0, &a, &b, &error), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(a, nullptr);
}

TEST(Numbers, AcceptWeakOperands) {
  const Array x = support::make({2}, std::vector<double>{0, 5});
  Result w, r;
  const Array two(w.take(gpuopt_weak(gpuopt_scalar_int(2), &w.array, &w.error)));
  EXPECT_EQ(complex_values(r.take(gpuopt_ldexp(x.get(), two.get(), &r.array, &r.error))),
            (std::vector<Complex>{0, 20}));
  EXPECT_EQ(complex_values(r.take(gpuopt_float_power(x.get(), two.get(), &r.array, &r.error))),
            (std::vector<Complex>{0, 25}));
  EXPECT_EQ(complex_values(r.take(gpuopt_polyint(x.get(), 1, two.get(), &r.array, &r.error))),
            (std::vector<Complex>{0, 5, 2}));
  gpuopt_array quotient = nullptr, rest = nullptr;
  ASSERT_EQ(gpuopt_divmod(x.get(), two.get(), &quotient, &rest, nullptr), GPUOPT_OK);
  EXPECT_EQ(complex_values(Array(quotient)), (std::vector<Complex>{0, 2}));
  EXPECT_EQ(complex_values(Array(rest)), (std::vector<Complex>{0, 1}));
}

// ---- apply_along_axis

struct Calls {
  int count = 0, fails_at = -1;
};

gpuopt_status reversed_line(gpuopt_array x, void *context, gpuopt_array *result, gpuopt_error *error) {
  Calls &calls = *static_cast<Calls *>(context);
  if (calls.count++ == calls.fails_at) return GPUOPT_ERR_OVERFLOW;
  return gpuopt_flip(x, 0, nullptr, result, error);
}

gpuopt_status sum_of_line(gpuopt_array x, void *, gpuopt_array *result, gpuopt_error *error) {
  return gpuopt_sum(x, nullptr, result, error);
}

gpuopt_status nothing(gpuopt_array, void *, gpuopt_array *, gpuopt_error *) { return GPUOPT_OK; }

TEST(ApplyAlongAxis, PutsResultsInThePlaceOfLines) {
  const Array x = support::make({2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6});
  Calls calls;
  Result r;
  const Array rows = r.take(gpuopt_apply_along_axis(x.get(), 1, reversed_line, &calls, &r.array, &r.error));
  EXPECT_EQ(complex_values(rows), (std::vector<Complex>{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(calls.count, 2);
  const Array columns = r.take(gpuopt_apply_along_axis(x.get(), 0, reversed_line, &calls, &r.array, &r.error));
  EXPECT_EQ(complex_values(columns), (std::vector<Complex>{4, 5, 6, 1, 2, 3}));
  const Array sums = r.take(gpuopt_apply_along_axis(x.get(), -2, sum_of_line, nullptr, &r.array, &r.error));
  EXPECT_EQ(complex_values(sums), (std::vector<Complex>{5, 7, 9}));
}

TEST(ApplyAlongAxis, FailsAsTheFunctionDoes) {
  const Array x = support::make({2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6});
  const Array none = support::make({0, 3}, std::vector<double>{});
  Calls calls{0, 1};
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_array r = nullptr;
  EXPECT_EQ(gpuopt_apply_along_axis(x.get(), 1, reversed_line, &calls, &r, &error), GPUOPT_ERR_OVERFLOW);
  EXPECT_EQ(gpuopt_apply_along_axis(x.get(), 1, nothing, nullptr, &r, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_apply_along_axis(x.get(), 1, nullptr, nullptr, &r, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_apply_along_axis(none.get(), 1, sum_of_line, nullptr, &r, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_apply_along_axis(x.get(), 2, sum_of_line, nullptr, &r, &error), GPUOPT_ERR_INDEX);
  EXPECT_EQ(r, nullptr);
}

}  // namespace
