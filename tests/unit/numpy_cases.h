// tests/unit/numpy_cases.h -- reads the cases that make_selection_cases.py and make_creation_cases.py write, makes
// their operands, and compares answers with NumPy's.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace numpy_cases {

namespace gp = gpuopt;
using Arrays = std::vector<gp::array>;
using Complex = std::complex<double>;

inline std::vector<std::string> pieces(const std::string &text, const std::string &between) {
  std::vector<std::string> list;
  size_t start = 0;
  for (size_t end; (end = text.find(between, start)) != std::string::npos; start = end + between.size())
    list.push_back(text.substr(start, end - start));
  list.push_back(text.substr(start));
  return list;
}

// Unlike std::stod() it takes numbers that are smaller than normal ones.
inline double real(const std::string &text) { return std::strtod(text.c_str(), nullptr); }

inline gp::dtype dtype_named(const std::string &name) {
  gpuopt_dtype dtype = 0;
  EXPECT_EQ(gpuopt_dtype_from_name(name.c_str(), &dtype, nullptr), GPUOPT_OK) << name;
  return gp::dtype{dtype};
}

// The dtype and the shape that stand in front of elements.
struct Form {
  std::string dtype;
  std::vector<int64_t> shape;
  explicit Form(std::istringstream &in) {
    in >> dtype;
    for (std::string word; in >> word && word != "=";) shape.push_back(std::stoll(word));
  }
  size_t size() const {
    size_t n = 1;
    for (const int64_t length : shape) n *= static_cast<size_t>(length);
    return n;
  }
};

// How operands lie in memory: in C order, with their axes in the opposite order, or still recorded.
enum class Layout { kPlain, kReversed, kRecorded };

// Operand number j, by the formula of the generators.
inline gp::array operand(const std::string &text, size_t j, Layout layout) {
  std::istringstream in(text);
  const Form form(in);
  const bool modulo = form.dtype.rfind("mod", 0) == 0;
  const gp::dtype dtype = modulo ? gp::int64 : dtype_named(form.dtype);
  const int32_t kind = gpuopt_dtype_kind(static_cast<gpuopt_dtype>(dtype));
  std::vector<Complex> elements(form.size());
  for (size_t k = 0; k < elements.size(); ++k) {
    const auto number = static_cast<int64_t>((7 * k + 13 * j + 1) % 11);
    const auto centred = static_cast<double>(number - 5);
    elements[k] = modulo        ? static_cast<double>(number % std::stoll(form.dtype.substr(3)))
                  : kind == '?' ? static_cast<double>(number > 5)
                  : kind == 'u' ? static_cast<double>(number)
                  : kind == 'c' ? Complex(centred, -2 * centred)
                                : centred;
  }
  const gp::array plain =
      gp::detail::from_memory(elements.data(), gp::dims(form.shape), gp::device("cpu")).astype(dtype).copy();
  if (layout == Layout::kReversed) return plain.transpose().copy().transpose();
  if (layout == Layout::kRecorded) return gp::where(plain.astype(gp::bool_), plain, plain);
  return plain;
}

// The options of a case, "name=1,2".
class Given {
 public:
  explicit Given(const std::string &text) {
    for (const std::string &option : pieces(text, " ")) {
      const size_t equals = option.find('=');
      values_[option.substr(0, equals)] = equals == std::string::npos ? "" : option.substr(equals + 1);
    }
  }
  const std::string &text(const std::string &name) const { return values_.at(name); }
  int64_t integer(const std::string &name) const { return text(name) == "none" ? gp::none : std::stoll(text(name)); }
  double number(const std::string &name) const { return real(text(name)); }
  std::vector<int64_t> list(const std::string &name) const {
    std::vector<int64_t> numbers;
    if (text(name).empty()) return numbers;
    for (const std::string &one : pieces(text(name), ",")) numbers.push_back(std::stoll(one));
    return numbers;
  }

 private:
  std::map<std::string, std::string> values_;
};

// Expects an array as it is written: dtype, shape, and elements within a few units of what the dtype keeps.
inline void expect_written(const gp::array &x, const std::string &text, const std::string &of, double slack = 8) {
  std::istringstream in(text);
  const Form form(in);
  EXPECT_EQ(gp::name(x.dtype()), form.dtype) << of;
  ASSERT_EQ(x.shape(), gp::dims(form.shape)) << of;
  const bool is_complex = form.dtype[0] == 'c', exact = std::string("biu").find(form.dtype[0]) != std::string::npos;
  const double step = exact                       ? 0
                      : form.dtype == "float16"   ? 1e-3
                      : form.dtype == "float32"   ? 1.2e-7
                      : form.dtype == "complex64" ? 1.2e-7
                                                  : 2.3e-16;
  const std::vector<Complex> got = x.astype(gp::complex128).to_vector<Complex>();
  for (const Complex &element : got) {
    std::string re, im = "0";
    in >> re;
    if (is_complex) in >> im;
    const Complex wanted(real(re), real(im));
    if (std::isnan(wanted.real())) {
      EXPECT_TRUE(std::isnan(element.real())) << of;
    } else if (element != wanted) {
      EXPECT_LE(std::abs(element - wanted), slack * step * std::abs(wanted)) << of << ": " << element << " " << wanted;
    }
  }
}

// Runs a case: calls the function of its name, which writes to its first operand or returns arrays.
template <class Functions>
void check_case(const std::string &text, const Functions &functions, Layout layout, double slack = 8) {
  const std::vector<std::string> parts = pieces(text, " | ");
  ASSERT_EQ(parts.size(), 4U) << text;
  Arrays operands;
  if (!parts[2].empty())
    for (const std::string &one : pieces(parts[2], ", ")) operands.push_back(operand(one, operands.size(), layout));
  ASSERT_TRUE(functions.count(parts[0])) << text;
  Arrays results;
  bool refused = false;
  try {
    results = functions.at(parts[0])(operands, Given(parts[1]));
  } catch (const gp::error &failure) {
    refused = true;
    EXPECT_EQ(parts[3], "refused") << text << ": " << failure.what();
  }
  if (refused) return;
  ASSERT_NE(parts[3], "refused") << text;
  const std::vector<std::string> wanted = pieces(parts[3], ", ");
  ASSERT_EQ(results.size(), wanted.size()) << text;
  for (size_t i = 0; i < results.size(); ++i) expect_written(results[i], wanted[i], text, slack);
}

}  // namespace numpy_cases
