// tests/unit/core_numpy_cases.h -- reads the cases that numpy_answers.py and make_core_linalg_cases.py write, and
// compares what the C functions give with NumPy's answers. A case is
//   function | options | operands | answers
// where options are name=number,number...; operands and answers, with ", " between, begin with a dtype and a shape, and
// answers have their elements behind a "=". An operand may have a word for the kind of its elements.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/core_array_support.h"

namespace numpy_cases {

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

// A dtype, a shape and the kind of the elements, which is no number and no dtype's name.
struct Form {
  gpuopt_dtype dtype = 0;
  Shape shape;
  std::string kind;

  Form() = default;
  Form(gpuopt_dtype d, Shape s, std::string k = "") : dtype(d), shape(std::move(s)), kind(std::move(k)) {}
  explicit Form(const std::string &text) {
    std::istringstream in(text);
    for (std::string word; in >> word;) {
      gpuopt_dtype named = 0;
      if (word.find_first_not_of("0123456789") == std::string::npos) {
        shape.push_back(std::stoll(word));
      } else if (gpuopt_dtype_from_name(word.c_str(), &named, nullptr) == GPUOPT_OK) {
        dtype = named;
      } else {
        kind = word;
      }
    }
    EXPECT_NE(dtype, 0) << text;
  }
  size_t size() const {
    size_t n = 1;
    for (const int64_t length : shape) n *= static_cast<size_t>(length);
    return n;
  }
};

inline Array cast(const Array &x, gpuopt_dtype dtype) {
  Result r;
  return r.take(gpuopt_astype(x.get(), dtype, GPUOPT_COPY_ALWAYS, &r.array, &r.error));
}

inline std::vector<Complex> complex_values(const Array &x) {
  const Array wide = cast(x, GPUOPT_COMPLEX128);
  std::vector<Complex> values(static_cast<size_t>(gpuopt_array_size(wide.get())));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_to_host(wide.get(), values.data(), values.size() * sizeof values[0], &error), GPUOPT_OK)
      << error.message;
  return values;
}

// An array of these elements in C order.
inline Array array_of(const Form &form, const std::vector<Complex> &elements) {
  return cast(support::make_bytes(GPUOPT_COMPLEX128, form.shape, elements.data()), form.dtype);
}

// How operands lie in memory: in C order, with the axes in the opposite order, or nowhere yet.
enum class Layout { PLAIN, REVERSED, RECORDED };

inline Array laid_out(const Array &plain, Layout layout) {
  Result r;
  if (layout == Layout::PLAIN) return Array(r.take(gpuopt_copy_array(plain.get(), &r.array, &r.error)));
  if (layout == Layout::RECORDED) {
    const Array mask = cast(plain, GPUOPT_BOOL);
    return r.take(gpuopt_where(mask.get(), plain.get(), plain.get(), &r.array, &r.error));
  }
  const Array other = support::transposed(plain);
  return support::transposed(Array(r.take(gpuopt_copy_array(other.get(), &r.array, &r.error))));
}

// A real number by the formula of numpy_answers.py.
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
  return kind == 'c' ? Complex(number, 0 - 2 * number) : number;
}

// Operand j of a case by that formula.
inline Array operand(const Form &form, size_t j, Layout layout) {
  std::vector<Complex> elements(form.size());
  for (size_t k = 0; k < elements.size(); ++k) elements[k] = element(form, j, k);
  return laid_out(array_of(form, elements), layout);
}

// The options of a case.
class Given {
 public:
  explicit Given(const std::string &text) {
    std::istringstream in(text);
    for (std::string item; in >> item;) {
      const std::vector<std::string> sides = pieces(item, "=");
      for (const std::string &number : pieces(sides.at(1), ",")) {
        if (number.empty()) continue;
        numbers_[sides[0]].push_back(std::strtod(number.c_str(), nullptr));
        integers_[sides[0]].push_back(static_cast<int64_t>(numbers_[sides[0]].back()));
      }
    }
  }
  bool has(const std::string &name) const { return numbers_.count(name) != 0; }
  // 0 where the case does not have the option.
  double number(const std::string &name) const { return has(name) ? numbers_.at(name)[0] : 0; }
  int64_t integer(const std::string &name) const { return has(name) ? integers_.at(name)[0] : 0; }
  int32_t flag(const std::string &name) const { return static_cast<int32_t>(integer(name)); }
  // The numbers of a list, which live as long as this; NULL without it.
  const int64_t *list(const std::string &name) const { return has(name) ? integers_.at(name).data() : nullptr; }
  int32_t length(const std::string &name) const {
    return has(name) ? static_cast<int32_t>(integers_.at(name).size()) : 0;
  }

 private:
  std::map<std::string, std::vector<double>> numbers_;
  std::map<std::string, std::vector<int64_t>> integers_;
};

// An answer as it is written.
struct Answer {
  Form form;
  std::vector<Complex> elements;
  double largest = 0;  // of the finite elements' absolute values

  explicit Answer(const std::string &text) {
    const std::vector<std::string> sides = pieces(text, "=");
    form = Form(sides.at(0));
    std::istringstream in(sides.at(1));
    for (std::string re, im; in >> re && (gpuopt_dtype_kind(form.dtype) != 'c' || in >> im);) {
      elements.emplace_back(std::strtod(re.c_str(), nullptr), std::strtod(im.c_str(), nullptr));
      if (std::isfinite(std::abs(elements.back()))) largest = std::fmax(largest, std::abs(elements.back()));
    }
  }
};

// Whether a number is at most so far from what is expected. For 0 it is equal, and zeros have one sign.
inline bool is_near(double a, double expected, double most) {
  if (std::isnan(a) || std::isnan(expected)) return std::isnan(a) && std::isnan(expected);
  if (most == 0) return a == expected && std::signbit(a) == std::signbit(expected);
  return a == expected || std::fabs(a - expected) <= most;
}

// Expects an array to have an answer's dtype, shape and elements: tolerance(answer, element) is how far a component of
// it may be off (is_near).
template <class Tolerance>
void expect_answer(const Array &x, const std::string &text, const Tolerance &tolerance) {
  const Answer answer(text);
  EXPECT_EQ(gpuopt_array_dtype(x.get()), answer.form.dtype);
  ASSERT_EQ(support::shape_of(x), answer.form.shape);
  const std::vector<Complex> got = complex_values(x);
  ASSERT_EQ(got.size(), answer.elements.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const Complex expected = answer.elements[i];
    const double most = tolerance(answer, expected);
    EXPECT_TRUE(is_near(got[i].real(), expected.real(), most) && is_near(got[i].imag(), expected.imag(), most))
        << i << ": " << got[i] << ", not " << expected;
  }
}

// Runs a case. make(form, j) makes operand j, call(name, given, operands, results, error) calls the function, which
// writes one array or more to `results`, and expect(name, array, answer) compares. Missing operands are NULL. A refused
// call leaves NULL in results[0], but if leaves_results(name, operands).
template <class Make, class Call, class Expect, class Leaves>
void check_case(const std::string &text, const Make &make, const Call &call, const Expect &expect,
                const Leaves &leaves_results) {
  constexpr size_t kMost = 8;
  const std::vector<std::string> parts = pieces(text, " | ");
  std::vector<Array> operands;
  std::vector<gpuopt_array> raw;
  for (const std::string &form : pieces(parts.at(2), ", ")) {
    operands.push_back(form == "none" ? Array() : make(Form(form), operands.size()));
    raw.push_back(operands.back().get());
  }
  if (parts[0] != "multi_dot") raw.resize(kMost);  // that one counts them
  const auto untouched = reinterpret_cast<gpuopt_array>(1);
  std::vector<gpuopt_array> results(kMost, untouched);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const gpuopt_status status = call(parts[0], Given(parts[1]), raw, results.data(), &error);
  if (parts.at(3) == "refused" || parts[3] == "singular") {
    EXPECT_NE(status, GPUOPT_OK);
    EXPECT_NE(error.message[0], '\0');
    if (parts[3] == "singular") {
      EXPECT_EQ(status, GPUOPT_ERR_LINALG) << error.message;
    }
    EXPECT_EQ(results[0], leaves_results(parts[0], raw) ? untouched : nullptr);
    return;
  }
  ASSERT_EQ(status, GPUOPT_OK) << error.message;
  size_t k = 0;
  std::vector<Array> answers;
  for (const std::string &answer : pieces(parts[3], ", ")) {
    ASSERT_NE(results[k], untouched);
    answers.emplace_back(results[k++]);
    expect(parts[0], answers.back(), answer);
  }
  EXPECT_EQ(results[k], untouched);
}

}  // namespace numpy_cases
