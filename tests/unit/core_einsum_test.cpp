// tests/unit/core_einsum_test.cpp -- Einstein's sums against NumPy's answers, on operands of two layouts; the order of
// the sums; what the results share; what fails.
#include <gtest/gtest.h>

#include <complex>
#include <sstream>

#include "tests/unit/core_array_support.h"
#include "tests/unit/core_einsum_cases.h"

namespace {

using support::Array;
using support::make;
using support::Result;
using support::Shape;
using support::shape_of;
using support::transposed;
using support::values_of;

// ---- The cases that make_core_einsum_cases.py writes

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

// The elements of the generator's formula; with `reversed` in memory whose axes have the opposite order.
Array operand(const Form &form, size_t j, bool reversed) {
  size_t size = 1;
  for (const int64_t n : form.shape) size *= static_cast<size_t>(n);
  std::vector<std::complex<double>> elements(size);
  for (size_t k = 0; k < size; ++k) {
    const double number = static_cast<double>((7 * k + 13 * j + 1) % 11) - 5;
    const int32_t kind = gpuopt_dtype_kind(form.dtype);
    elements[k] = kind == '?'   ? number > 0
                  : kind == 'u' ? number + 5
                  : kind == 'c' ? std::complex(number, -2 * number)
                                : number;
  }
  Array plain = cast(support::make_bytes(GPUOPT_COMPLEX128, form.shape, elements.data()), form.dtype);
  if (!reversed) return plain;
  Result r;
  const Array other = transposed(plain);
  return transposed(Array(r.take(gpuopt_copy_array(other.get(), &r.array, &r.error))));
}

gpuopt_status einsum(const std::string &subscripts, const std::vector<gpuopt_array> &operands, Result &r) {
  r.array = reinterpret_cast<gpuopt_array>(1);  // a failing call has to set it to NULL
  return gpuopt_einsum(subscripts.c_str(), static_cast<int32_t>(operands.size()), operands.data(), &r.array, &r.error);
}

void expect_answer(const Array &x, const std::string &answer) {
  const std::vector<std::string> sides = pieces(answer, "=");
  const Form form(sides.at(0));
  EXPECT_EQ(gpuopt_array_dtype(x.get()), form.dtype);
  EXPECT_EQ(shape_of(x), form.shape);
  std::vector<std::complex<double>> expected;
  std::istringstream in(sides.at(1));
  for (double re, im = 0; in >> re && (gpuopt_dtype_kind(form.dtype) != 'c' || in >> im);)
    expected.emplace_back(re, im);
  const Array wide = cast(x, GPUOPT_COMPLEX128);
  std::vector<std::complex<double>> got(expected.size());
  ASSERT_EQ(gpuopt_array_size(wide.get()), static_cast<int64_t>(expected.size()));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  ASSERT_EQ(gpuopt_to_host(wide.get(), got.data(), got.size() * sizeof got[0], &error), GPUOPT_OK) << error.message;
  EXPECT_EQ(got, expected);
}

void expect_case(const std::string &line, bool reversed) {
  const std::vector<std::string> fields = pieces(line, " | ");
  std::vector<Array> operands;
  for (const std::string &text : pieces(fields.at(1), ","))
    operands.push_back(operand(Form(text), operands.size(), reversed));
  Result r;
  std::vector<gpuopt_array> raw;
  for (const Array &x : operands) raw.push_back(x.get());
  const gpuopt_status status = einsum(fields.at(0), raw, r);
  if (fields.at(2) == "refused") {
    EXPECT_TRUE(status == GPUOPT_ERR_INVALID_ARGUMENT || status == GPUOPT_ERR_SHAPE) << r.error.message;
    EXPECT_EQ(r.array, nullptr);
  } else {
    expect_answer(r.take(status), fields.at(2));
  }
}

TEST(Einsum, AnswersAsNumPy) {
  for (const char *line : kCases) {
    SCOPED_TRACE(line);
    for (const bool reversed : {false, true}) expect_case(line, reversed);
  }
}

// ---- What is promised beside the values

Array answer(const std::string &subscripts, const std::vector<gpuopt_array> &operands) {
  Result r;
  return r.take(einsum(subscripts, operands, r));
}

template <class T>
std::vector<T> halves(size_t count, T first) {
  std::vector<T> values(count);
  for (size_t k = 0; k < count; ++k) values[k] = first / static_cast<T>(k + 3);
  return values;
}

// Bit for bit: values_of compares.
TEST(Einsum, SumsOfProductsAreThoseOfMatmul) {
  const Array a = make<float>({7, 600}, halves<float>(4200, 1)), b = make<float>({600, 5}, halves<float>(3000, -2));
  Result r;
  const Array product = r.take(gpuopt_matmul(a.get(), b.get(), &r.array, &r.error));
  EXPECT_EQ(values_of<float>(answer("ij,jk->ik", {a.get(), b.get()})), values_of<float>(product));
  const Array at = transposed(a), bt = transposed(b);
  EXPECT_EQ(values_of<float>(answer("ji,kj->ik", {at.get(), bt.get()})), values_of<float>(product));
}

TEST(Einsum, CommonAxesAloneAreThoseOfVecdot) {
  const Array a = make<float>({3, 900}, halves<float>(2700, 1)), b = make<float>({3, 900}, halves<float>(2700, -2));
  Result r;
  const Array dots = r.take(gpuopt_vecdot(a.get(), b.get(), -1, &r.array, &r.error));
  EXPECT_EQ(values_of<float>(answer("bi,bi->b", {a.get(), b.get()})), values_of<float>(dots));
}

TEST(Einsum, ResultsShareNoMemoryWithOperands) {
  const Array x = make<double>({2, 2}, {1, 2, 3, 4});
  for (const char *subscripts : {"ij", "ij->ji", "ii->i", "..."}) {
    const Array y = answer(subscripts, {x.get()});
    Result r;
    ASSERT_EQ(gpuopt_fill(y.get(), gpuopt_scalar_real(9), &r.error), GPUOPT_OK) << r.error.message;
    EXPECT_EQ(values_of<double>(x), (std::vector<double>{1, 2, 3, 4})) << subscripts;
  }
}

TEST(Einsum, RecordedOperandsAndOneArrayTwice) {
  const Array x = make<double>({2, 2}, {1, 2, 3, 4});
  Result r;
  const Array sum = r.take(gpuopt_add(x.get(), x.get(), &r.array, &r.error));
  EXPECT_EQ(values_of<double>(answer("ij,jk->ik", {sum.get(), sum.get()})), (std::vector<double>{28, 40, 60, 88}));
  EXPECT_EQ(values_of<double>(answer("ij,ij->ij", {sum.get(), x.get()})), (std::vector<double>{2, 8, 18, 32}));
}

TEST(Einsum, MissingArguments) {
  const Array x = make<double>({2}, {1, 2});
  const gpuopt_array one = x.get(), null = nullptr;
  gpuopt_array result = nullptr;
  EXPECT_EQ(gpuopt_einsum(nullptr, 1, &one, &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_einsum("i", 0, &one, &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_einsum("i", -1, &one, &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_einsum("i", 1, nullptr, &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_einsum("i", 1, &null, &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_einsum("i,i", 1, &one, &result, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

}  // namespace
