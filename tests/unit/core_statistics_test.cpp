// tests/unit/core_statistics_test.cpp -- differences, averages, covariances and some products against NumPy's answers,
// on operands of two layouts, computed and still recorded; what fails.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/core_numpy_cases.h"
#include "tests/unit/core_statistics_cases.h"

namespace {

using numpy_cases::Complex;
using numpy_cases::Form;
using numpy_cases::Given;
using numpy_cases::Layout;
using support::Array;
using support::Result;

// Options with the axes that stand under this name.
gpuopt_reduce_options reduce_options(const Given &given, const std::string &name) {
  gpuopt_reduce_options options{};
  options.struct_size = sizeof options;
  options.axes = given.list(name);
  options.naxes = given.length(name);
  options.keepdims = given.flag("keepdims");
  return options;
}

// Calls the function of a case, which writes one array or more to `results`.
gpuopt_status call(const std::string &name, const Given &given, const std::vector<gpuopt_array> &x,
                   gpuopt_array *results, gpuopt_error *error) {
  if (name == "diff") return gpuopt_diff(x[0], given.integer("n"), given.integer("axis"), x[1], x[2], results, error);
  if (name == "trapezoid") return gpuopt_trapezoid(x[0], x[1], 0.5, given.integer("axis"), results, error);
  if (name == "cross") return gpuopt_cross(x[0], x[1], given.integer("axis"), results, error);
  if (name == "kron") return gpuopt_kron(x[0], x[1], results, error);
  if (name == "nonzero") return gpuopt_nonzero(x[0], results, error);
  if (name == "trace") {
    return gpuopt_trace(x[0], given.integer("offset"), given.integer("axis1"), given.integer("axis2"),
                        GPUOPT_DTYPE_DEFAULT, results, error);
  }
  if (name == "corrcoef") return gpuopt_corrcoef(x[0], x[1], given.flag("columns"), results, error);
  if (name == "cov") {
    gpuopt_cov_options options{};
    options.struct_size = sizeof options;
    options.fweights = x[2];
    options.aweights = x[3];
    options.columns = given.flag("columns");
    options.bias = 1 - static_cast<double>(given.integer("ddof"));
    return gpuopt_cov(x[0], x[1], &options, results, error);
  }
  const gpuopt_reduce_options options = reduce_options(given, name == "ptp" ? "axis" : "axes");
  if (name == "ptp") return gpuopt_ptp(x[0], &options, results, error);
  EXPECT_EQ(name, "average");
  return gpuopt_average(x[0], x[1], &options, &results[0], &results[1], error);
}

// Whether the library sums and multiplies in the order in which NumPy does is not promised for what has a tolerance.
double tolerance(const std::string &name, gpuopt_dtype dtype) {
  if (name != "average" && name != "cov" && name != "corrcoef" && name != "trapezoid") return 0;
  if (dtype == GPUOPT_FLOAT16) return 2e-3;
  return dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64 ? 1e-6 : 1e-14;
}

void check(const std::string &text, Layout layout) {
  SCOPED_TRACE(text + ", layout " + std::to_string(static_cast<int>(layout)));
  numpy_cases::check_case(
      text, [&](const Form &form, size_t j) { return numpy_cases::operand(form, j, layout); }, call,
      [](const std::string &name, const Array &x, const std::string &answer) {
        numpy_cases::expect_answer(x, answer, [&](const numpy_cases::Answer &of, Complex expected) {
          return tolerance(name, of.form.dtype) * std::fmax(1, std::abs(expected));
        });
      },
      [](const std::string &name, const std::vector<gpuopt_array> &x) {
        return name == "nonzero" && gpuopt_array_ndim(x[0]) == 0;
      });
}

TEST(Statistics, HaveNumpysAnswers) {
  for (const char *text : kCases) {
    for (const Layout layout : {Layout::PLAIN, Layout::REVERSED, Layout::RECORDED}) check(text, layout);
  }
}

TEST(Statistics, DifferencesJoinNumbers) {
  const Array x = support::make({3}, std::vector<double>{1, 4, 9});
  const Array before = support::weak(gpuopt_scalar_int(1)), after = support::weak(gpuopt_scalar_real(2.5));
  Result r;
  const Array y = r.take(gpuopt_diff(x.get(), 1, 0, before.get(), after.get(), &r.array, &r.error));
  EXPECT_EQ(support::values_of<double>(y), (std::vector<double>{0, 3, 5, -6.5}));
}

TEST(Statistics, OfOtherArraysFail) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_array result = nullptr;
  EXPECT_EQ(gpuopt_diff(nullptr, 1, 0, nullptr, nullptr, &result, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  const Array flags = support::make<bool>({2}, {true, false});
  EXPECT_EQ(gpuopt_ptp(flags.get(), nullptr, &result, &error), GPUOPT_ERR_TYPE);
  EXPECT_EQ(gpuopt_nonzero(flags.get(), nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  gpuopt_reduce_options options{};
  options.struct_size = sizeof options;
  options.correction = 1;
  EXPECT_EQ(gpuopt_average(flags.get(), nullptr, &options, &result, nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_cov(flags.get(), nullptr, nullptr, nullptr, &error), GPUOPT_ERR_INVALID_ARGUMENT);
}

}  // namespace
