// tests/unit/core_fft_test.cpp -- the functions of numpy.fft: NumPy's answers, on operands of several layouts; what
// holds of any transform; a device without transforms; what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <random>
#include <sstream>

#include "tests/unit/core_array_support.h"
#include "tests/unit/core_bare_device.h"
#include "tests/unit/core_fft_cases.h"

namespace {

using support::Array;
using support::bytes_of;
using support::cpu;
using support::make_bytes;
using support::Result;
using support::Shape;
using support::shape_of;
using support::sliced;
using support::transposed;

using Complex = std::complex<double>;

// ---- The cases that make_core_fft_cases.py writes

struct Case {
  std::string op, refused;
  gpuopt_dtype dtype = 0, answer_dtype = 0;
  int layout = 0;
  Shape shape, answer_shape;
  std::vector<int64_t> numbers;
  std::vector<double> values;
};

std::vector<std::string> pieces(const std::string &text, char between) {
  std::vector<std::string> list;
  std::istringstream in(text);
  for (std::string piece; std::getline(in, piece, between);) list.push_back(piece);
  return list;
}

template <class T>
std::vector<T> rest_of(std::istream &in) {
  std::vector<T> list;
  for (T n; in >> n;) list.push_back(n);
  return list;
}

gpuopt_dtype read_dtype(std::istream &in) {
  std::string name;
  in >> name;
  gpuopt_dtype dtype = 0;
  EXPECT_EQ(gpuopt_dtype_from_name(name.c_str(), &dtype, nullptr), GPUOPT_OK) << name;
  return dtype;
}

Case read_case(const char *line) {
  const std::vector<std::string> fields = pieces(line, '|');
  Case c;
  std::istringstream(fields.at(0)) >> c.op;
  std::istringstream operand(fields.at(1)), numbers(fields.at(2));
  c.dtype = read_dtype(operand);
  operand >> c.layout;
  c.shape = rest_of<int64_t>(operand);
  c.numbers = rest_of<int64_t>(numbers);
  std::istringstream(fields.at(4)) >> c.refused;
  if (!c.refused.empty()) return c;
  const std::vector<std::string> sides = pieces(fields.at(3), '=');
  std::istringstream answer(sides.at(0)), values(sides.at(1));
  c.answer_dtype = read_dtype(answer);
  c.answer_shape = rest_of<int64_t>(answer);
  c.values = rest_of<double>(values);
  return c;
}

// ---- Arrays of complex numbers

size_t count(const Shape &shape) {
  size_t n = 1;
  for (int64_t size : shape) n *= static_cast<size_t>(size);
  return n;
}

Array make_complex(const Shape &shape, const std::vector<Complex> &values, gpuopt_device device = cpu()) {
  return make_bytes(GPUOPT_COMPLEX128, shape, values.data(), device);
}

Array cast(const Array &x, gpuopt_dtype dtype) {
  Result r;
  return r.take(gpuopt_astype(x.get(), dtype, GPUOPT_COPY_IF_NEEDED, &r.array, &r.error));
}

std::vector<Complex> complex_values(const Array &x) {
  if (!x) return {};
  const std::vector<unsigned char> bytes = bytes_of(cast(x, GPUOPT_COMPLEX128));
  std::vector<Complex> values(bytes.size() / sizeof(Complex));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<Complex> random_values(size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Complex> values(n);
  for (Complex &z : values) z = {number(random), number(random)};
  return values;
}

// Returns an array of these elements whose memory has the axes in reverse order (1), whose first axis has every second
// element of a larger one, backwards (2), or which is recorded and has not run (3).
Array laid_out(const Array &plain, int layout) {
  Result r;
  if (layout == 1) {
    const Array reversed = transposed(plain);
    return transposed(Array(r.take(gpuopt_copy_array(reversed.get(), &r.array, &r.error))));
  }
  if (layout == 3) return r.take(gpuopt_positive(plain.get(), &r.array, &r.error));
  if (layout == 0 || gpuopt_array_ndim(plain.get()) == 0) return transposed(transposed(plain));
  Shape shape = shape_of(plain);
  shape[0] *= 2;
  const Array larger = r.take(gpuopt_zeros(cpu(), gpuopt_array_dtype(plain.get()), static_cast<int32_t>(shape.size()),
                                           shape.data(), &r.array, &r.error));
  Array part = sliced(larger, GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL, -2);
  EXPECT_EQ(gpuopt_assign(part.get(), plain.get(), &r.error), GPUOPT_OK) << r.error.message;
  return part;
}

Array operand_of(const Case &c) {
  std::vector<Complex> elements(count(c.shape));
  for (size_t k = 0; k < elements.size(); ++k) {
    const double re = static_cast<double>((7 * k + 1) % 23), im = static_cast<double>((5 * k + 2) % 19);
    elements[k] = c.dtype == GPUOPT_BOOL ? Complex(std::fmod(re, 2)) : Complex(re, im);
  }
  return laid_out(cast(make_complex(c.shape, elements), c.dtype), c.layout);
}

// ---- The calls

struct Call {
  gpuopt_array x;
  const std::vector<int64_t> &n;
  gpuopt_array result = reinterpret_cast<gpuopt_array>(1);  // a failing call has to set it to NULL
  gpuopt_error error = GPUOPT_ERROR_INIT;
};

using AlongOne = decltype(&gpuopt_fft);
using AlongAxes = decltype(&gpuopt_fftn);
using Shift = decltype(&gpuopt_fftshift);
using Frequencies = decltype(&gpuopt_fftfreq);

const std::map<std::string, AlongOne> kOne = {{"fft", gpuopt_fft},     {"ifft", gpuopt_ifft}, {"rfft", gpuopt_rfft},
                                              {"irfft", gpuopt_irfft}, {"hfft", gpuopt_hfft}, {"ihfft", gpuopt_ihfft}};
const std::map<std::string, AlongAxes> kAxes = {
    {"fftn", gpuopt_fftn}, {"ifftn", gpuopt_ifftn}, {"rfftn", gpuopt_rfftn}, {"irfftn", gpuopt_irfftn}};
const std::map<std::string, Shift> kShifts = {{"fftshift", gpuopt_fftshift}, {"ifftshift", gpuopt_ifftshift}};
const std::map<std::string, Frequencies> kFrequencies = {{"fftfreq", gpuopt_fftfreq}, {"rfftfreq", gpuopt_rfftfreq}};

gpuopt_status along_axes(AlongAxes function, Call &c) {
  const auto size = static_cast<size_t>(c.n[0]);
  size_t at = 1;
  const auto list = [&]() -> const int64_t * {
    if (!c.n[at++]) return nullptr;
    at += size;
    return c.n.data() + (at - size);
  };
  const int64_t *const s = list(), *const axes = list();
  const auto norm = static_cast<gpuopt_fft_norm>(c.n[at]);
  return function(c.x, static_cast<int32_t>(size), s, axes, norm, &c.result, &c.error);
}

gpuopt_status run(const std::string &op, Call &c) {
  if (kOne.count(op))
    return kOne.at(op)(c.x, c.n[0] ? &c.n[1] : nullptr, c.n[2], static_cast<gpuopt_fft_norm>(c.n[3]), &c.result,
                       &c.error);
  if (kAxes.count(op)) return along_axes(kAxes.at(op), c);
  if (kShifts.count(op))
    return kShifts.at(op)(c.x, static_cast<int32_t>(c.n[0]), c.n[1] ? &c.n[2] : nullptr, &c.result, &c.error);
  return kFrequencies.at(op)(cpu(), c.n[0], 1, GPUOPT_DTYPE_DEFAULT, &c.result, &c.error);
}

double epsilon_of(gpuopt_dtype dtype) {
  if (dtype == GPUOPT_FLOAT16) return 0x1p-10;
  return dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64 ? std::numeric_limits<float>::epsilon()
                                                              : std::numeric_limits<double>::epsilon();
}

double norm_of(const std::vector<Complex> &values) {
  double sum = 0;
  for (const Complex &z : values) sum += std::norm(z);
  return std::sqrt(sum);
}

// Expects the 2-norm of the difference to be within `bound` of that of the expected values.
void expect_near(const std::vector<Complex> &got, const std::vector<Complex> &expected, double bound) {
  ASSERT_EQ(got.size(), expected.size());
  std::vector<Complex> difference(got.size());
  for (size_t k = 0; k < got.size(); ++k) difference[k] = got[k] - expected[k];
  EXPECT_LE(norm_of(difference), bound * norm_of(expected));
}

bool fits(const std::string &refused, gpuopt_status status) {
  if (refused == "AxisError" || refused == "IndexError") return status == GPUOPT_ERR_INDEX;
  if (refused == "TypeError") return status == GPUOPT_ERR_TYPE;
  return status == GPUOPT_ERR_INVALID_ARGUMENT;
}

void expect_answer(const Case &c, const Array &result) {
  EXPECT_EQ(gpuopt_array_dtype(result.get()), c.answer_dtype)
      << gpuopt_dtype_name(gpuopt_array_dtype(result.get())) << ", not " << gpuopt_dtype_name(c.answer_dtype);
  EXPECT_EQ(shape_of(result), c.answer_shape);
  const bool complex = gpuopt_dtype_kind(c.answer_dtype) == 'c';
  std::vector<Complex> expected;
  for (size_t k = 0; k < c.values.size(); k += complex ? 2 : 1)
    expected.emplace_back(c.values[k], complex ? c.values[k + 1] : 0);
  expect_near(complex_values(result), expected, 4 * epsilon_of(c.answer_dtype));
}

void expect_case(const Case &c) {
  const Array x = operand_of(c);
  Call call{x.get(), c.numbers};
  const gpuopt_status status = run(c.op, call);
  if (c.refused.empty()) {
    ASSERT_EQ(status, GPUOPT_OK) << call.error.message;
    return expect_answer(c, Array(call.result));
  }
  EXPECT_TRUE(fits(c.refused, status)) << gpuopt_status_name(status) << ": " << call.error.message;
  EXPECT_GT(std::strlen(call.error.message), 10u);
  EXPECT_EQ(call.result, nullptr);
}

TEST(Fft, GivesNumPysAnswers) {
  for (const char *line : kCases) {
    SCOPED_TRACE(line);
    expect_case(read_case(line));
  }
}

TEST(Fft, HasCasesForEachFunction) {
  std::map<std::string, int> answered;
  for (const char *line : kCases) {
    const Case c = read_case(line);
    answered[c.op] += c.refused.empty();
  }
  EXPECT_EQ(answered.size(), 14u);
  for (const auto &[name, times] : answered) EXPECT_GT(times, 2) << name;
}

// ---- What holds of any transform

Array along(AlongOne function, const Array &x, int64_t axis = -1, const int64_t *n = nullptr,
            gpuopt_fft_norm norm = GPUOPT_FFT_BACKWARD) {
  Result r;
  return r.take(function(x.get(), n, axis, norm, &r.array, &r.error));
}

const int64_t kSizes[] = {1, 2, 3, 8, 30, 37, 64, 97, 128, 720, 1021, 1024, 4099, 10000, 65536};

TEST(Fft, InverseGivesTheElementsBack) {
  for (int64_t n : kSizes) {
    const std::vector<Complex> values = random_values(static_cast<size_t>(3 * n), 1);
    for (gpuopt_dtype dtype : {GPUOPT_COMPLEX64, GPUOPT_COMPLEX128}) {
      const Array x = cast(make_complex({3, n}, values), dtype);
      for (gpuopt_fft_norm norm : {GPUOPT_FFT_BACKWARD, GPUOPT_FFT_ORTHO, GPUOPT_FFT_FORWARD}) {
        const Array back = along(gpuopt_ifft, along(gpuopt_fft, x, 1, nullptr, norm), 1, nullptr, norm);
        SCOPED_TRACE(n);
        expect_near(complex_values(back), complex_values(x), epsilon_of(dtype) * (4 + 2 * std::log2(n)));
      }
    }
  }
}

TEST(Fft, RealInverseGivesTheElementsBack) {
  for (int64_t n : kSizes) {
    const Array x = cast(make_complex({2, n}, random_values(static_cast<size_t>(2 * n), 2)), GPUOPT_FLOAT64);
    const double bound = epsilon_of(GPUOPT_FLOAT64) * (4 + 2 * std::log2(n));
    SCOPED_TRACE(n);
    expect_near(complex_values(along(gpuopt_irfft, along(gpuopt_rfft, x), 1, &n)), complex_values(x), bound);
    expect_near(complex_values(along(gpuopt_hfft, along(gpuopt_ihfft, x), 1, &n)), complex_values(x), bound);
  }
}

// The sum of squares is the same with norm ortho (Parseval), and element 0 is the sum.
TEST(Fft, KeepsTheNorm) {
  for (int64_t n : kSizes) {
    const std::vector<Complex> values = random_values(static_cast<size_t>(n), 3);
    const std::vector<Complex> y =
        complex_values(along(gpuopt_fft, make_complex({n}, values), 0, nullptr, GPUOPT_FFT_ORTHO));
    EXPECT_NEAR(norm_of(y), norm_of(values), 1e-14 * norm_of(values) * (1 + std::log2(n))) << n;
  }
}

TEST(Fft, IsLinear) {
  for (int64_t n : kSizes) {
    const auto size = static_cast<size_t>(n);
    const std::vector<Complex> a = random_values(size, 4), b = random_values(size, 5);
    std::vector<Complex> sum(size), expected(size);
    const Complex factor(0.25, -3);
    for (size_t k = 0; k < size; ++k) sum[k] = a[k] + factor * b[k];
    const std::vector<Complex> fa = complex_values(along(gpuopt_fft, make_complex({n}, a))),
                               fb = complex_values(along(gpuopt_fft, make_complex({n}, b)));
    for (size_t k = 0; k < size; ++k) expected[k] = fa[k] + factor * fb[k];
    SCOPED_TRACE(n);
    expect_near(complex_values(along(gpuopt_fft, make_complex({n}, sum))), expected, 1e-15 * (4 + 2 * std::log2(n)));
  }
}

// A row has the same bits whatever is beside it: alone, among others, and as a column.
TEST(Fft, RowsDoNotDependOnEachOther) {
  for (int64_t n : {5, 16, 37, 64, 100, 1024, 2048}) {
    const auto size = static_cast<size_t>(n);
    const Array rows = make_complex({19, n}, random_values(19 * size, 6));
    Result r;
    const Array columns = transposed(rows);
    const std::vector<unsigned char> all = bytes_of(along(gpuopt_fft, rows, 1));
    const Array laid = r.take(gpuopt_copy_array(columns.get(), &r.array, &r.error));
    EXPECT_EQ(bytes_of(transposed(along(gpuopt_fft, laid, 0))), all) << n;
    for (int64_t i : {0, 7, 18}) {
      const std::vector<unsigned char> one = bytes_of(along(gpuopt_fft, sliced(rows, i, i + 1, 1), 1));
      EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + i * n * int64_t{sizeof(Complex)})) << n << " " << i;
    }
  }
}

TEST(Fft, OneNaNOrInfinityIsEverywhereInItsRowAlone) {
  for (double special : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (int64_t n : {8, 37, 64, 1000}) {
      std::vector<Complex> values = random_values(static_cast<size_t>(3 * n), 7);
      values[static_cast<size_t>(n + 3)] = special;
      const std::vector<Complex> y = complex_values(along(gpuopt_fft, make_complex({3, n}, values), 1));
      for (size_t k = 0; k < y.size(); ++k) {
        const bool inside = static_cast<int64_t>(k) / n == 1;
        EXPECT_EQ(std::isfinite(y[k].real()) && std::isfinite(y[k].imag()), !inside) << n << " " << k;
      }
    }
  }
}

TEST(Fft, OfOneElementItIsTheElement) {
  const std::vector<Complex> values = {{-0.0, 3}, {2, -0.0}};
  const Array x = make_complex({2, 1}, values);
  for (AlongOne function : {gpuopt_fft, gpuopt_ifft}) EXPECT_EQ(bytes_of(along(function, x)), bytes_of(x));
}

// ---- Devices, and what is refused

struct FftOnDevices : support::OnBothDevices {};

TEST_P(FftOnDevices, HasTheSameBits) {
  const std::vector<Complex> values = random_values(3 * 40, 8);
  const Array here = make_complex({3, 40}, values), there = make_complex({3, 40}, values, device());
  EXPECT_EQ(bytes_of(along(gpuopt_fft, there, 0)), bytes_of(along(gpuopt_fft, here, 0)));
  EXPECT_EQ(bytes_of(along(gpuopt_irfft, there)), bytes_of(along(gpuopt_irfft, here)));
  const int64_t more = 50;
  EXPECT_EQ(bytes_of(along(gpuopt_ifft, there, 1, &more)), bytes_of(along(gpuopt_ifft, here, 1, &more)));
  Result r;
  const Array frequencies = r.take(gpuopt_fftfreq(device(), 5, 0.5, GPUOPT_FLOAT32, &r.array, &r.error));
  EXPECT_EQ(support::values_of<float>(frequencies), (std::vector<float>{0, 0.4f, 0.8f, -0.8f, -0.4f}));
}

INSTANTIATE_TEST_SUITE_P(Devices, FftOnDevices, testing::Bool(), support::device_title);

TEST(Fft, RefusesWhatMakesNoSense) {
  const Array x = make_complex({2, 3}, random_values(6, 9));
  // The result is looked at after the call, whichever argument comes first.
  const auto refused = [](gpuopt_status status, const gpuopt_array &result) {
    EXPECT_EQ(result, nullptr);
    return status;
  };
  gpuopt_array out = reinterpret_cast<gpuopt_array>(1);
  EXPECT_EQ(refused(gpuopt_fft(x.get(), nullptr, 0, 3, &out, nullptr), out), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(refused(gpuopt_fftn(x.get(), 0, nullptr, nullptr, -1, &out, nullptr), out), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(refused(gpuopt_fft(nullptr, nullptr, 0, 0, &out, nullptr), out), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(refused(gpuopt_rfft(x.get(), nullptr, 0, 0, &out, nullptr), out), GPUOPT_ERR_TYPE);
  const int64_t axes[] = {0};
  EXPECT_EQ(refused(gpuopt_fftn(x.get(), -1, nullptr, axes, 0, &out, nullptr), out), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(refused(gpuopt_fftshift(x.get(), -1, axes, &out, nullptr), out), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(refused(gpuopt_fftfreq(cpu(), 0, 1, 0, &out, nullptr), out), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(refused(gpuopt_fftfreq(cpu(), 4, 0, 0, &out, nullptr), out), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(refused(gpuopt_rfftfreq(cpu(), 4, 1, GPUOPT_INT32, &out, nullptr), out), GPUOPT_ERR_TYPE);
  EXPECT_EQ(refused(gpuopt_rfftfreq(nullptr, 4, 1, 0, &out, nullptr), out), GPUOPT_ERR_INVALID_ARGUMENT);
  const int64_t huge = int64_t{1} << 58;
  EXPECT_EQ(refused(gpuopt_fft(x.get(), &huge, 0, 0, &out, nullptr), out), GPUOPT_ERR_OUT_OF_MEMORY);
}

}  // namespace
