// tests/unit/core_statistics_test.cpp -- differences, averages, covariances and some products against NumPy's answers,
// on operands of two layouts, computed and still recorded; what fails.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>
#include <sstream>

#include "tests/unit/core_array_support.h"
#include "tests/unit/core_statistics_cases.h"

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

// A dtype and a shape, as both stand in front of the elements.
struct Form {
  gpuopt_dtype dtype = 0;
  Shape shape;

  explicit Form(const std::string &text) {
    std::istringstream in(text);
    std::string name;
    in >> name;
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

// The elements of the generator's formula.
Array operand(const Form &form, size_t j, Layout layout) {
  size_t size = 1;
  for (const int64_t n : form.shape) size *= static_cast<size_t>(n);
  std::vector<Complex> elements(size);
  for (size_t k = 0; k < size; ++k) {
    const double number = static_cast<double>((7 * k + 13 * j + 1) % 11) - 5;
    const int32_t kind = gpuopt_dtype_kind(form.dtype);
    elements[k] = kind == '?'   ? number > 0
                  : kind == 'u' ? number + 5
                  : kind == 'c' ? Complex(number, -2 * number)
                                : number;
  }
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
      for (const std::string &number : pieces(sides.at(1), ",")) {
        if (!number.empty()) values_[sides[0]].push_back(std::stoll(number));
      }
    }
  }
  bool has(const std::string &name) const { return values_.count(name) != 0; }
  int64_t operator[](const std::string &name) const { return has(name) ? values_.at(name)[0] : 0; }
  // Options with the axes that stand under this name.
  gpuopt_reduce_options reduce(const std::string &name) const {
    gpuopt_reduce_options options{};
    options.struct_size = sizeof options;
    if (has(name)) {
      options.axes = values_.at(name).data();
      options.naxes = static_cast<int32_t>(values_.at(name).size());
    }
    options.keepdims = static_cast<int32_t>((*this)["keepdims"]);
    return options;
  }

 private:
  std::map<std::string, std::vector<int64_t>> values_;
};

// Calls the function of a case, which writes one array or more to `results`.
gpuopt_status call(const std::string &name, const Given &given, const std::vector<gpuopt_array> &x,
                   gpuopt_array *results, gpuopt_error *error) {
  if (name == "diff") return gpuopt_diff(x[0], given["n"], given["axis"], x[1], x[2], results, error);
  if (name == "trapezoid") return gpuopt_trapezoid(x[0], x[1], 0.5, given["axis"], results, error);
  if (name == "cross") return gpuopt_cross(x[0], x[1], given["axis"], results, error);
  if (name == "kron") return gpuopt_kron(x[0], x[1], results, error);
  if (name == "nonzero") return gpuopt_nonzero(x[0], results, error);
  if (name == "trace") {
    return gpuopt_trace(x[0], given["offset"], given["axis1"], given["axis2"], GPUOPT_DTYPE_DEFAULT, results, error);
  }
  if (name == "corrcoef") return gpuopt_corrcoef(x[0], x[1], static_cast<int32_t>(given["columns"]), results, error);
  if (name == "cov") {
    gpuopt_cov_options options{};
    options.struct_size = sizeof options;
    options.fweights = x[2];
    options.aweights = x[3];
    options.columns = static_cast<int32_t>(given["columns"]);
    options.bias = 1 - static_cast<double>(given["ddof"]);
    return gpuopt_cov(x[0], x[1], &options, results, error);
  }
  const gpuopt_reduce_options options = given.reduce(name == "ptp" ? "axis" : "axes");
  if (name == "ptp") return gpuopt_ptp(x[0], &options, results, error);
  EXPECT_EQ(name, "average");
  return gpuopt_average(x[0], x[1], &options, &results[0], &results[1], error);
}

bool same(Complex got, Complex expected, double tolerance) {
  const auto near = [&](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b)) ||
           std::fabs(a - b) <= tolerance * std::fmax(1, std::abs(expected));
  };
  return near(got.real(), expected.real()) && near(got.imag(), expected.imag());
}

// Whether the library sums and multiplies in the order in which NumPy does is not promised for what has a tolerance.
double tolerance(const std::string &name, gpuopt_dtype dtype) {
  if (name != "average" && name != "cov" && name != "corrcoef" && name != "trapezoid") return 0;
  if (dtype == GPUOPT_FLOAT16) return 2e-3;
  return dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64 ? 1e-6 : 1e-14;
}

void expect_answer(const Array &x, const std::string &name, const std::string &answer) {
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
    EXPECT_TRUE(same(got[i], expected[i], tolerance(name, form.dtype)))
        << i << ": " << got[i] << ", not " << expected[i];
}

void check(const std::string &text, Layout layout) {
  SCOPED_TRACE(text + ", layout " + std::to_string(static_cast<int>(layout)));
  const std::vector<std::string> parts = pieces(text, " | ");
  std::vector<Array> operands;
  std::vector<gpuopt_array> raw;
  for (const std::string &form : pieces(parts.at(2), ", ")) {
    operands.push_back(form == "none" ? Array() : operand(Form(form), operands.size(), layout));
    raw.push_back(operands.back().get());
  }
  raw.resize(4);
  const auto untouched = reinterpret_cast<gpuopt_array>(1);
  gpuopt_array results[8];
  std::fill_n(results, 8, untouched);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const gpuopt_status status = call(parts[0], Given(parts[1]), raw, results, &error);
  if (parts.at(3) == "refused") {
    EXPECT_NE(status, GPUOPT_OK);
    EXPECT_NE(error.message[0], '\0');
    const bool written = parts[0] != "nonzero" || gpuopt_array_ndim(raw[0]) > 0;
    EXPECT_EQ(results[0], written ? nullptr : untouched);
    return;
  }
  ASSERT_EQ(status, GPUOPT_OK) << error.message;
  size_t k = 0;
  std::vector<Array> answers;
  for (const std::string &answer : pieces(parts[3], ", ")) {
    ASSERT_NE(results[k], untouched);
    answers.emplace_back(results[k++]);
    expect_answer(answers.back(), parts[0], answer);
  }
  EXPECT_EQ(results[k], untouched);
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
