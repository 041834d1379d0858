// tests/unit/core_signal_test.cpp -- gradients, interpolation, convolutions, phases and sums without NaN against
// NumPy's answers, on operands of two layouts, computed and still recorded; what fails.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>
#include <sstream>

#include "tests/unit/core_array_support.h"
#include "tests/unit/core_signal_cases.h"

namespace {

using support::Array;
using support::Result;
using support::Shape;
using support::shape_of;
using support::transposed;
using Complex = std::complex<double>;

std::vector<std::string> pieces(const std::string &text, const std::string &between) {
  std::vector<std::string> list;
  size_t start = 0;
  for (size_t end; (end = text.find(between, start)) != std::string::npos; start = end + between.size()) {
    list.push_back(text.substr(start, end - start));
  }
  list.push_back(text.substr(start));
  return list;
}

// A dtype, a shape and, of an operand, the kind of its elements.
struct Form {
  gpuopt_dtype dtype = 0;
  std::string kind;
  Shape shape;

  explicit Form(const std::string &text, bool has_kind = false) {
    std::istringstream in(text);
    std::string name;
    in >> name;
    if (has_kind) in >> kind;
    EXPECT_EQ(gpuopt_dtype_from_name(name.c_str(), &dtype, nullptr), GPUOPT_OK) << name;
    for (int64_t n; in >> n;) shape.push_back(n);
  }
};

Array cast(const Array &x, gpuopt_dtype dtype) {
  Result r;
  return r.take(gpuopt_astype(x.get(), dtype, GPUOPT_COPY_IF_NEEDED, &r.array, &r.error));
}

// How the operands lie in memory: in C order, with the axes in the opposite order, or nowhere yet.
enum class Layout { PLAIN, REVERSED, RECORDED };

// An element by the generator's formula.
Complex element(const Form &form, size_t j, size_t k) {
  double number = static_cast<double>((7 * k + 13 * j + 1) % 11) - 5;
  const int32_t kind = gpuopt_dtype_kind(form.dtype);
  if (form.kind == "sorted") number = 2.0 * static_cast<double>(k) + static_cast<double>(k % 3) / 2 - 6;
  if (form.kind == "holes" && k % 3 == 2) number = std::nan("");
  if (kind == '?') return number > 0;
  if (kind == 'u') return number + 5;
  return kind == 'c' ? Complex(number, -2 * number) : number;
}

Array operand(const Form &form, size_t j, Layout layout) {
  size_t size = 1;
  for (const int64_t n : form.shape) size *= static_cast<size_t>(n);
  std::vector<Complex> elements(size);
  for (size_t k = 0; k < size; ++k) elements[k] = element(form, j, k);
  Result r;
  const Array plain = cast(support::make_bytes(GPUOPT_COMPLEX128, form.shape, elements.data()), form.dtype);
  if (layout == Layout::PLAIN) return Array(r.take(gpuopt_copy_array(plain.get(), &r.array, &r.error)));
  if (layout == Layout::RECORDED) {
    const Array mask = cast(plain, GPUOPT_BOOL);
    return r.take(gpuopt_where(mask.get(), plain.get(), plain.get(), &r.array, &r.error));
  }
  const Array other = transposed(plain);
  return transposed(Array(r.take(gpuopt_copy_array(other.get(), &r.array, &r.error))));
}

// The options of a case.
class Given {
 public:
  explicit Given(const std::string &text) {
    std::istringstream in(text);
    for (std::string item; in >> item;) {
      const std::vector<std::string> sides = pieces(item, "=");
      values_[sides[0]] = std::stod(sides.at(1));
    }
  }
  bool has(const std::string &name) const { return values_.count(name) != 0; }
  double operator[](const std::string &name) const { return has(name) ? values_.at(name) : 0; }
  int64_t integer(const std::string &name) const { return static_cast<int64_t>((*this)[name]); }

 private:
  std::map<std::string, double> values_;
};

gpuopt_status interpolate(const Given &given, const std::vector<gpuopt_array> &x, gpuopt_array *result,
                          gpuopt_error *error) {
  const gpuopt_scalar left = gpuopt_scalar_real(given["left"]), right = gpuopt_scalar_real(given["right"]);
  const double period = given["period"];
  return gpuopt_interp(x[0], x[1], x[2], given.has("left") ? &left : nullptr, given.has("right") ? &right : nullptr,
                       given.has("period") ? &period : nullptr, result, error);
}

// Calls the function of a case.
gpuopt_status call(const std::string &name, const Given &given, const std::vector<gpuopt_array> &x,
                   gpuopt_array *result, gpuopt_error *error) {
  const int64_t axis = given.integer("axis");
  const auto mode = static_cast<gpuopt_convolve_mode>(given.integer("mode"));
  if (name == "gradient") {
    return gpuopt_gradient(x[0], x[1], 0.5, axis, static_cast<int32_t>(given.integer("edge")), result, error);
  }
  if (name == "interp") return interpolate(given, x, result, error);
  if (name == "convolve") return gpuopt_convolve(x[0], x[1], mode, result, error);
  if (name == "correlate") return gpuopt_correlate(x[0], x[1], mode, result, error);
  if (name == "unwrap") return gpuopt_unwrap(x[0], given["discont"], given["period"], axis, result, error);
  if (name == "nancumsum") return gpuopt_nancumsum(x[0], axis, GPUOPT_DTYPE_DEFAULT, result, error);
  EXPECT_EQ(name, "nancumprod");
  return gpuopt_nancumprod(x[0], axis, GPUOPT_DTYPE_DEFAULT, result, error);
}

bool same(Complex got, Complex expected, double tolerance) {
  const auto near = [&](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b)) ||
           std::fabs(a - b) <= tolerance * std::fmax(1, std::abs(expected));
  };
  return near(got.real(), expected.real()) && near(got.imag(), expected.imag());
}

// Whether the library sums and multiplies in the order in which NumPy does is not promised.
double tolerance(gpuopt_dtype dtype) {
  if (dtype == GPUOPT_FLOAT16) return 4e-3;
  if (dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64) return 2e-6;
  return dtype == GPUOPT_FLOAT64 || dtype == GPUOPT_COMPLEX128 ? 1e-14 : 0;
}

void expect_answer(const Array &x, const std::string &answer) {
  const std::vector<std::string> sides = pieces(answer, "=");
  const Form form(sides.at(0));
  EXPECT_EQ(gpuopt_array_dtype(x.get()), form.dtype);
  ASSERT_EQ(shape_of(x), form.shape);
  std::vector<Complex> expected;
  std::istringstream in(sides.at(1));
  const auto number = [&](double &to) {
    std::string text;
    if (!(in >> text)) return false;
    to = std::stod(text);
    return true;
  };
  for (double re = 0, im = 0; number(re) && (gpuopt_dtype_kind(form.dtype) != 'c' || number(im));)
    expected.emplace_back(re, im);
  const Array wide = cast(x, GPUOPT_COMPLEX128);
  std::vector<Complex> got(static_cast<size_t>(gpuopt_array_size(wide.get())));
  ASSERT_EQ(got.size(), expected.size());
  gpuopt_error error = GPUOPT_ERROR_INIT;
  ASSERT_EQ(gpuopt_to_host(wide.get(), got.data(), got.size() * sizeof got[0], &error), GPUOPT_OK) << error.message;
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(same(got[i], expected[i], tolerance(form.dtype))) << i << ": " << got[i] << ", not " << expected[i];
}

void check(const std::string &text, Layout layout) {
  SCOPED_TRACE(text + ", layout " + std::to_string(static_cast<int>(layout)));
  const std::vector<std::string> parts = pieces(text, " | ");
  std::vector<Array> operands;
  std::vector<gpuopt_array> raw;
  for (const std::string &form : pieces(parts.at(2), ", ")) {
    operands.push_back(form == "none" ? Array() : operand(Form(form, true), operands.size(), layout));
    raw.push_back(operands.back().get());
  }
  raw.resize(3);
  gpuopt_array result = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const gpuopt_status status = call(parts[0], Given(parts[1]), raw, &result, &error);
  if (parts.at(3) == "refused") {
    EXPECT_NE(status, GPUOPT_OK);
    EXPECT_NE(error.message[0], '\0');
    EXPECT_EQ(result, nullptr);
    return;
  }
  ASSERT_EQ(status, GPUOPT_OK) << error.message;
  expect_answer(Array(result), parts[3]);
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
