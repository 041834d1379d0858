// tests/unit/core_signal_test.cpp -- gradients, interpolation, convolutions, phases and sums without NaN against
// NumPy's answers, on operands of two layouts, computed and still recorded; what fails.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/core_numpy_cases.h"
#include "tests/unit/core_signal_cases.h"

namespace {

using numpy_cases::Complex;
using numpy_cases::Form;
using numpy_cases::Given;
using numpy_cases::Layout;
using support::Array;

gpuopt_status interpolate(const Given &given, const std::vector<gpuopt_array> &x, gpuopt_array *result,
                          gpuopt_error *error) {
  const gpuopt_scalar left = gpuopt_scalar_real(given.number("left")),
                      right = gpuopt_scalar_real(given.number("right"));
  const double period = given.number("period");
  return gpuopt_interp(x[0], x[1], x[2], given.has("left") ? &left : nullptr, given.has("right") ? &right : nullptr,
                       given.has("period") ? &period : nullptr, result, error);
}

// Calls the function of a case.
gpuopt_status call(const std::string &name, const Given &given, const std::vector<gpuopt_array> &x,
                   gpuopt_array *result, gpuopt_error *error) {
  const int64_t axis = given.integer("axis");
  const auto mode = static_cast<gpuopt_convolve_mode>(given.integer("mode"));
  if (name == "gradient") {
    return gpuopt_gradient(x[0], x[1], 0.5, axis, given.flag("edge"), result, error);
  }
  if (name == "interp") return interpolate(given, x, result, error);
  if (name == "convolve") return gpuopt_convolve(x[0], x[1], mode, result, error);
  if (name == "correlate") return gpuopt_correlate(x[0], x[1], mode, result, error);
  if (name == "unwrap")
    return gpuopt_unwrap(x[0], given.number("discont"), given.number("period"), axis, result, error);
  if (name == "nancumsum") return gpuopt_nancumsum(x[0], axis, GPUOPT_DTYPE_DEFAULT, result, error);
  EXPECT_EQ(name, "nancumprod");
  return gpuopt_nancumprod(x[0], axis, GPUOPT_DTYPE_DEFAULT, result, error);
}

// Whether the library sums and multiplies in the order in which NumPy does is not promised.
double tolerance(gpuopt_dtype dtype) {
  if (dtype == GPUOPT_FLOAT16) return 4e-3;
  if (dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64) return 2e-6;
  return dtype == GPUOPT_FLOAT64 || dtype == GPUOPT_COMPLEX128 ? 1e-14 : 0;
}

void check(const std::string &text, Layout layout) {
  SCOPED_TRACE(text + ", layout " + std::to_string(static_cast<int>(layout)));
  numpy_cases::check_case(
      text, [&](const Form &form, size_t j) { return numpy_cases::operand(form, j, layout); }, call,
      [](const std::string &, const Array &x, const std::string &answer) {
        numpy_cases::expect_answer(x, answer, [](const numpy_cases::Answer &of, Complex expected) {
          return tolerance(of.form.dtype) * std::fmax(1, std::abs(expected));
        });
      },
      [](const std::string &, const std::vector<gpuopt_array> &) { return false; });
}

TEST(Signals, HaveNumpysAnswers) {
  for (const char *text : kCases) {
    for (const Layout layout : {Layout::PLAIN, Layout::REVERSED, Layout::RECORDED}) check(text, layout);
  }
}

TEST(Signals, PeriodsOfOtherKindsFail) {
  const Array x = support::make({3}, std::vector<double>{1, 4, 9});
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_array result = nullptr;
  for (const double period : {-1.0, HUGE_VAL, std::nan("")})
    EXPECT_EQ(gpuopt_unwrap(x.get(), 0, period, 0, &result, &error), GPUOPT_ERR_INVALID_ARGUMENT) << period;
  EXPECT_EQ(gpuopt_unwrap(x.get(), std::nan(""), 1, 0, &result, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  const double endless = HUGE_VAL;
  EXPECT_EQ(gpuopt_interp(x.get(), x.get(), x.get(), nullptr, nullptr, &endless, &result, &error),
            GPUOPT_ERR_INVALID_ARGUMENT);
  const gpuopt_scalar imaginary = gpuopt_scalar_complex(0, 1);
  EXPECT_EQ(gpuopt_interp(x.get(), x.get(), x.get(), &imaginary, nullptr, nullptr, &result, &error), GPUOPT_ERR_TYPE);
  EXPECT_EQ(gpuopt_gradient(x.get(), nullptr, 1, 0, 0, &result, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_convolve(x.get(), x.get(), 3, &result, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_convolve(x.get(), nullptr, 0, &result, &error), GPUOPT_ERR_INVALID_ARGUMENT);
}

}  // namespace
