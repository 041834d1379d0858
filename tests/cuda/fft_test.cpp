// tests/cuda/fft_test.cpp -- the slot fft on the device: the bits of the definition, carried out literally
// (unit/fft_reference.h), for short and long lines, every kind of transform, layouts, and a fault in any call of the
// driver.
#include <cmath>
#include <limits>
#include <random>

#include "tests/cuda/library_support.h"
#include "tests/unit/fft_lines.h"
#include "tests/unit/fft_reference.h"

namespace gpuopt::cuda {
namespace {

using gpo::cplx;
using test::Array;
using test::Layout;
using test::line_of;
using test::LinePositions;
using test::same_bits;
using test::Shape;

const std::vector<int32_t> kKinds = {GPUOPT_CALL_FFT, GPUOPT_CALL_RFFT, GPUOPT_CALL_IRFFT};

template <class T>
constexpr int32_t real_dtype = sizeof(T) == 4 ? GPUOPT_FLOAT32 : GPUOPT_FLOAT64;
template <class T>
constexpr int32_t complex_dtype = sizeof(T) == 4 ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128;

// Random numbers, among them zeros of both signs.
template <class T>
void fill(Array &x, bool complex, unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&] {
    const auto value = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
    return random() % 16 ? value : std::copysign(T(0), value);
  };
  for (int64_t i = 0; i < x.size(); i++) {
    if (complex) {
      const T re = number(), im = number();
      x.set(i, cplx<T>{re, im});
    } else {
      x.set(i, number());
    }
  }
}

class Fft : public LibraryTest {
 protected:
  // Compares a call with the definition, line by line.
  template <class T>
  void check(int32_t kind, const Shape &shape, size_t axis, Layout from, Layout to, bool inverse) {
    const int64_t n = shape[axis], h = n / 2 + 1;
    SCOPED_TRACE("kind " + std::to_string(kind) + " n " + std::to_string(n) + " axis " + std::to_string(axis) +
                 " bytes " + std::to_string(sizeof(T)) + " inverse " + std::to_string(inverse) + " layouts " +
                 std::to_string(static_cast<int>(from)) + " " + std::to_string(static_cast<int>(to)));
    Shape in = shape, out = shape;
    if (kind == GPUOPT_CALL_IRFFT) in[axis] = h;
    if (kind == GPUOPT_CALL_RFFT) out[axis] = h;
    Array x(kind == GPUOPT_CALL_RFFT ? real_dtype<T> : complex_dtype<T>, in, from, 3);
    Array y(kind == GPUOPT_CALL_IRFFT ? real_dtype<T> : complex_dtype<T>, out, to, 4), left = y;
    fill<T>(x, kind != GPUOPT_CALL_RFFT, static_cast<unsigned>(n));
    floats = {1 / std::sqrt(static_cast<double>(n))};
    std::vector<int64_t> ints = {static_cast<int64_t>(axis), inverse};
    ASSERT_EQ((run<&slots::fft>(kind, {&x, &y}, ints, &error)), GPUOPT_OK) << error.message;
    const LinePositions at_in(in, axis), at_out(out, axis);
    for (size_t i = 0; i < at_in.first.size(); i++) {
      ASSERT_TRUE(is_defined<T>(kind, x, y, at_in.first[i], at_in.step, at_out.first[i], at_out.step, n, inverse))
          << "line " << i;
    }
    for (int64_t i = 0; i < y.size(); i++) left.copy_from(i, y, i);
    EXPECT_TRUE(left == y) << "bytes that are no elements";
  }

  template <class T>
  bool is_defined(int32_t kind, Array &x, Array &y, int64_t from, int64_t from_step, int64_t to, int64_t to_step,
                  int64_t n, bool inverse) {
    const int64_t h = n / 2 + 1;
    if (kind == GPUOPT_CALL_FFT) {
      return same_bits(line_of<cplx<T>>(y, to, to_step, n),
                       test::reference_fft(line_of<cplx<T>>(x, from, from_step, n), inverse, floats[0]));
    }
    if (kind == GPUOPT_CALL_RFFT) {
      return same_bits(line_of<cplx<T>>(y, to, to_step, h),
                       test::reference_rfft(line_of<T>(x, from, from_step, n), floats[0]));
    }
    return same_bits(line_of<T>(y, to, to_step, n),
                     test::reference_irfft(line_of<cplx<T>>(x, from, from_step, h), static_cast<size_t>(n), floats[0]));
  }

  template <class T>
  void check_lengths(const std::vector<int64_t> &lengths, int64_t lines, const std::vector<int32_t> &kinds) {
    for (int64_t n : lengths) {
      for (int32_t kind : kinds) {
        check<T>(kind, {lines, n}, 1, Layout::kC, Layout::kC, false);
        if (kind == GPUOPT_CALL_FFT) check<T>(kind, {lines, n}, 1, Layout::kC, Layout::kC, true);
        if (HasFailure()) return;
      }
    }
  }
};

// Lines that a block transforms: every radix, and orders of several.
TEST_F(Fft, ShortLines) {
  const std::vector<int64_t> lengths = {1,  2,  3,  4,  5,  6,  7,   8,   9,   11,  12,  13,  16,  17,  19,
                                        23, 29, 31, 32, 58, 64, 105, 128, 243, 256, 360, 512, 625, 961, 1024};
  check_lengths<float>(lengths, 5, kKinds);
  check_lengths<double>(lengths, 5, kKinds);
}

// Lines that go through global memory, the first of which are longer than those that a block has room for.
TEST_F(Fft, LongLines) {
  check_lengths<float>({2049, 2052, 4096, 4100, 8190, 29791}, 2, kKinds);
  check_lengths<double>({1025, 1026, 2048, 2052, 6561, 32768}, 2, {GPUOPT_CALL_FFT});
}

// Large prime factors.
TEST_F(Fft, Convolutions) {
  check_lengths<float>({37, 74, 1009, 2018, 4099}, 3, kKinds);
  check_lengths<double>({37, 74, 127, 254, 2053}, 3, {GPUOPT_CALL_FFT});
}

TEST_F(Fft, EveryAxisAndLayout) {
  unsigned seed = 0;
  for (const Shape &shape : {Shape{3, 4, 6}, Shape{1, 7, 1}, Shape{40, 10}, Shape{3, 37}, Shape{2100, 3}}) {
    for (Layout layout : test::kLayouts) {
      for (size_t axis = 0; axis < shape.size(); axis++) {
        const int32_t kind = kKinds[++seed % 2];
        check<float>(kind, shape, axis, layout, test::kWritableLayouts[seed % 5], seed % 2 == 0);
        if (HasFailure()) return;
      }
    }
  }
  check<float>(GPUOPT_CALL_FFT, {5, 12}, 1, Layout::kOffAlignment, Layout::kOffAlignment, false);
}

// More lines than a block takes at once, and as many as keep all processors busy.
TEST_F(Fft, ManyLines) {
  check<float>(GPUOPT_CALL_FFT, {3000, 8}, 1, Layout::kC, Layout::kC, false);
  check<float>(GPUOPT_CALL_FFT, {8, 3000}, 0, Layout::kC, Layout::kC, true);
  check<double>(GPUOPT_CALL_FFT, {2000, 1}, 1, Layout::kC, Layout::kC, false);
}

TEST_F(Fft, InfinityAndNaNGoWhereTheDefinitionSendsThem) {
  Array x(GPUOPT_COMPLEX128, {64}), y(GPUOPT_COMPLEX128, {64});
  fill<double>(x, true, 9);
  x.set(5, cplx<double>{std::numeric_limits<double>::infinity(), -0.0});
  floats = {1};
  std::vector<int64_t> ints = {0, 0};
  ASSERT_EQ((run<&slots::fft>(GPUOPT_CALL_FFT, {&x, &y}, ints, &error)), GPUOPT_OK) << error.message;
  const auto expected = test::reference_fft(line_of<cplx<double>>(x, 0, 1, 64), false, 1.0);
  for (int64_t i = 0; i < 64; i++) {
    const auto got = y.get<cplx<double>>(i), wanted = expected[static_cast<size_t>(i)];
    EXPECT_TRUE(std::isnan(wanted.re) ? std::isnan(got.re) : got.re == wanted.re) << i;
    EXPECT_TRUE(std::isnan(wanted.im) ? std::isnan(got.im) : got.im == wanted.im) << i;
  }
}

TEST_F(Fft, AFaultInAnyCallIsReportedAndTheNextCallWorks) {
  floats = {0.5};
  for (const int64_t n : {12, 37}) {
    Array x(GPUOPT_COMPLEX64, {2, n});
    fill<float>(x, true, 1);
    const Array y(GPUOPT_COMPLEX64, {2, n});
    const std::vector<Array> given = {x, y};
    expect_faults_reported<&slots::fft>(GPUOPT_CALL_FFT, [&] { return given; }, {1, 0});
  }
}

TEST_F(Fft, UnknownKindsAreUnsupported) {
  std::vector<int64_t> none;
  EXPECT_EQ((run<&slots::fft>(GPUOPT_CALL_MATMUL, {}, none, &error)), GPUOPT_ERR_UNSUPPORTED);
}

}  // namespace
}  // namespace gpuopt::cuda
