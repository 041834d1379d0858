// tests/unit/numpy_case.h -- a case that a script has written with NumPy's answer: its operands and options as they are
// in make_core_numbers_cases.py, and the comparison of arrays with what is expected.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>
#include <sstream>

#include "tests/unit/core_array_support.h"

namespace numpy_case {

using support::Array;
using support::Result;
using support::Shape;
using Complex = std::complex<double>;

inline std::vector<std::string> pieces(const std::string &text, const std::string &between) {
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
  size_t size() const {
    size_t size = 1;
    for (const int64_t n : shape) size *= static_cast<size_t>(n);
    return size;
  }
};

inline Array cast(const Array &x, gpuopt_dtype dtype) {
  Result r;
  return r.take(gpuopt_astype(x.get(), dtype, GPUOPT_COPY_IF_NEEDED, &r.array, &r.error));
}

// How the operands lie in memory: in C order, with the axes in the opposite order, or nowhere yet.
enum class Layout { PLAIN, REVERSED, RECORDED };

// A real number by the generator's formula.
inline double plain_number(const Form &form, size_t j, size_t k) {
  static const double special[] = {0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 1,       -1,    0.5,
                                   2, -8,   3,        5e-324,    -2.5e-310,    1.7e308, 1e-40, 65504};
  const double number = static_cast<double>((7 * k + 13 * j + 1) % 11) - 5;
  if (form.kind == "sorted") return 2.0 * static_cast<double>(k) + static_cast<double>(k % 3) / 2 - 6;
  if (form.kind == "holes" && k % 3 == 2) return std::nan("");
  if (form.kind == "scaled") return std::ldexp(number, static_cast<int>((37 * k) % 41) - 20);
  if (form.kind == "zeros" && (k < 2 || k + 1 == form.size())) return 0;
  if (form.kind == "large") return 300 * (1 - 2 * static_cast<double>(k / 2 % 2)) + number;
  return form.kind == "special" ? special[k % std::size(special)] : number;
}

inline Complex element(const Form &form, size_t j, size_t k) {
  const double number = plain_number(form, j, k);
  const int32_t kind = gpuopt_dtype_kind(form.dtype);
  if (kind == '?') return number > 0;
  if (kind == 'u') return number + 5;
  return kind == 'c' ? Complex(number, -2 * number) : number;
}

inline Array operand(const Form &form, size_t j, Layout layout) {
  std::vector<Complex> elements(form.size());
  for (size_t k = 0; k < elements.size(); ++k) elements[k] = element(form, j, k);
  Result r;
  const Array plain = cast(support::make_bytes(GPUOPT_COMPLEX128, form.shape, elements.data()), form.dtype);
  if (layout == Layout::PLAIN) return Array(r.take(gpuopt_copy_array(plain.get(), &r.array, &r.error)));
  if (layout == Layout::RECORDED) {
    const Array mask = cast(plain, GPUOPT_BOOL);
    return r.take(gpuopt_where(mask.get(), plain.get(), plain.get(), &r.array, &r.error));
  }
  const Array other = support::transposed(plain);
  return support::transposed(Array(r.take(gpuopt_copy_array(other.get(), &r.array, &r.error))));
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
  int64_t operator[](const std::string &name) const {
    return values_.count(name) ? static_cast<int64_t>(values_.at(name)) : 0;
  }

 private:
  std::map<std::string, double> values_;
};

// Whether the numbers are within a tolerance of each other, relative to the greater one of the expected number and
// `unit`; for tolerance 0 they are equal, and zeros have one sign.
inline bool near_enough(double a, double b, double size, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (tolerance == 0) return a == b && std::signbit(a) == std::signbit(b);
  return a == b || std::fabs(a - b) <= tolerance * size;
}

inline std::vector<Complex> elements_of(const Array &x) {
  const Array wide = cast(x, GPUOPT_COMPLEX128);
  std::vector<Complex> got(static_cast<size_t>(gpuopt_array_size(wide.get())));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_to_host(wide.get(), got.data(), got.size() * sizeof got[0], &error), GPUOPT_OK) << error.message;
  return got;
}

inline std::vector<Complex> numbers_in(const std::string &text, bool complex) {
  std::vector<Complex> expected;
  std::istringstream in(text);
  const auto number = [&](double &to) {
    std::string word;
    if (!(in >> word)) return false;
    to = std::strtod(word.c_str(), nullptr);
    return true;
  };
  for (double re = 0, im = 0; number(re) && (!complex || number(im));) expected.emplace_back(re, im);
  return expected;
}

// Compares an array with "dtype shape = elements".
inline void expect_answer(const Array &x, const std::string &answer, double tolerance) {
  const std::vector<std::string> sides = pieces(answer, "=");
  const Form form(sides.at(0));
  EXPECT_EQ(gpuopt_array_dtype(x.get()), form.dtype);
  ASSERT_EQ(support::shape_of(x), form.shape);
  const std::vector<Complex> got = elements_of(x);
  const std::vector<Complex> expected = numbers_in(sides.at(1), gpuopt_dtype_kind(form.dtype) == 'c');
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const double size = std::fmax(1, std::abs(expected[i]));
    EXPECT_TRUE(near_enough(got[i].real(), expected[i].real(), size, tolerance) &&
                near_enough(got[i].imag(), expected[i].imag(), size, tolerance))
        << i << ": " << got[i] << ", not " << expected[i];
  }
}

}  // namespace numpy_case
