// tests/unit/cpu_fft_test.cpp -- Fourier transforms of the CPU plugin: the bits of the definition, carried out
// literally, at every level, in every layout and both ways of carrying it out; and the sum in long double.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "plugins/cpu/fft/fft.h"
#include "plugins/cpu/fft/fft_cache.h"
#include "plugins/cpu/fft/fft_rows.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/pool.h"
#include "tests/unit/call_array.h"
#include "tests/unit/cpu_test_host.h"
#include "tests/unit/fft_lines.h"
#include "tests/unit/fft_reference.h"

namespace gpuopt::cpu {
namespace {

using gpo::cplx;
using test::Array;
using test::Layout;
using test::line_of;
using test::LinePositions;
using test::Numbers;
using test::same_bits;
using test::Shape;
using test::Wide;

// The threads of the pool can be given, for the tests that CMakeLists.txt adds.
void install_host() {
  if (const char *const threads = std::getenv("GPUOPT_TEST_THREADS"))
    test::TestHost::set("GPUOPT_NUM_THREADS", threads);
  test::TestHost::install();
}

template <class T>
constexpr int32_t real_dtype = sizeof(T) == 4 ? GPUOPT_FLOAT32 : GPUOPT_FLOAT64;
template <class T>
constexpr int32_t complex_dtype = sizeof(T) == 4 ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128;

template <class T>
T random_number(std::mt19937 &random) {
  return static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
}

template <class T>
Numbers<T> random_numbers(int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  Numbers<T> x(static_cast<size_t>(n));
  for (cplx<T> &z : x) z = {random_number<T>(random), random_number<T>(random)};
  return x;
}

// A call of the slot.
void call_fft(int32_t kind, Array &x, Array &out, int64_t axis, bool inverse, double scale, int level) {
  gpuopt_tensor tensors[] = {x.tensor(), out.tensor()};
  int64_t ints[] = {axis, inverse};
  gpuopt_call call{};
  call.struct_size = sizeof call;
  call.kind = kind;
  call.ntensors = 2, call.nints = 2, call.nfloats = 1;
  call.tensors = tensors, call.ints = ints, call.floats = &scale;
  run_fft(call, level);
}

struct CpuFftTest : testing::TestWithParam<int> {
  void SetUp() override {
    install_host();
    if (GetParam() > detected_isa_level()) GTEST_SKIP() << "this processor is below the level";
  }
};

template <class E>
void fill(Array &x, std::mt19937 &random) {
  using T = gpo::real_of<E>;
  for (int64_t i = 0; i < x.size(); i++) {
    if constexpr (gpo::is_complex<E>) {
      x.set(i, E{random_number<T>(random), random_number<T>(random)});
    } else {
      x.set(i, random_number<T>(random));
    }
  }
}

// Compares a call with the definition, line by line.
template <class T>
void expect_defined_bits(int32_t kind, Shape shape, size_t axis, Layout from, Layout to, bool inverse, int level) {
  std::mt19937 random(7);
  const int64_t n = shape[axis], h = n / 2 + 1;
  Shape in = shape, out = shape;
  if (kind == GPUOPT_CALL_IRFFT) in[axis] = h;
  if (kind == GPUOPT_CALL_RFFT) out[axis] = h;
  Array x(kind == GPUOPT_CALL_RFFT ? real_dtype<T> : complex_dtype<T>, in, from, 3);
  Array y(kind == GPUOPT_CALL_IRFFT ? real_dtype<T> : complex_dtype<T>, out, to, 4);
  kind == GPUOPT_CALL_RFFT ? fill<T>(x, random) : fill<cplx<T>>(x, random);
  const double scale = 1 / std::sqrt(static_cast<double>(n));
  call_fft(kind, x, y, static_cast<int64_t>(axis), inverse, scale, level);
  const LinePositions at_in(in, axis), at_out(out, axis);
  for (size_t i = 0; i < at_in.first.size(); i++) {
    bool same = false;
    if (kind == GPUOPT_CALL_FFT) {
      same = same_bits(line_of<cplx<T>>(y, at_out.first[i], at_out.step, n),
                       test::reference_fft(line_of<cplx<T>>(x, at_in.first[i], at_in.step, n), inverse, scale));
    } else if (kind == GPUOPT_CALL_RFFT) {
      same = same_bits(line_of<cplx<T>>(y, at_out.first[i], at_out.step, h),
                       test::reference_rfft(line_of<T>(x, at_in.first[i], at_in.step, n), scale));
    } else {
      same = same_bits(
          line_of<T>(y, at_out.first[i], at_out.step, n),
          test::reference_irfft(line_of<cplx<T>>(x, at_in.first[i], at_in.step, h), static_cast<size_t>(n), scale));
    }
    ASSERT_TRUE(same) << "kind " << kind << " n " << n << " axis " << axis << " of " << shape.size() << " line " << i
                      << " layouts " << static_cast<int>(from) << " " << static_cast<int>(to) << " inverse " << inverse
                      << " level " << level << " of " << sizeof(T) << " bytes";
  }
}

const int64_t kLengths[] = {1,   2,   3,   4,   5,   6,   7,   8,   9,   10,   12,   13,   14,   15,   16,   17,  25,
                            29,  31,  32,  33,  37,  48,  49,  64,  74,  77,   96,   100,  121,  127,  128,  144, 210,
                            243, 251, 256, 343, 360, 512, 625, 961, 997, 1000, 1024, 1155, 2048, 2187, 2310, 4096};

template <class T>
void expect_defined_lengths(int level) {
  for (int64_t n : kLengths) {
    for (int32_t kind : {GPUOPT_CALL_FFT, GPUOPT_CALL_RFFT, GPUOPT_CALL_IRFFT}) {
      const bool inverse = kind == GPUOPT_CALL_FFT && n % 2 == 1;
      expect_defined_bits<T>(kind, {n}, 0, Layout::kC, Layout::kC, inverse, level);
      expect_defined_bits<T>(kind, {9, n}, 1, Layout::kC, Layout::kC, !inverse, level);
      expect_defined_bits<T>(kind, {n, 17}, 0, Layout::kC, Layout::kC, inverse, level);
    }
  }
}

TEST_P(CpuFftTest, HasTheBitsOfTheDefinition) {
  expect_defined_lengths<float>(GetParam());
  expect_defined_lengths<double>(GetParam());
}

TEST_P(CpuFftTest, HasTheBitsOfTheDefinitionBeyondTheCaches) {
  expect_defined_bits<double>(GPUOPT_CALL_FFT, {600, 1024}, 1, Layout::kC, Layout::kC, false, GetParam());
  expect_defined_bits<float>(GPUOPT_CALL_FFT, {16500, 64}, 1, Layout::kC, Layout::kC, true, GetParam());
}

TEST_P(CpuFftTest, TakesAnyLayout) {
  for (int32_t kind : {GPUOPT_CALL_FFT, GPUOPT_CALL_RFFT, GPUOPT_CALL_IRFFT}) {
    for (Layout from : test::kLayouts) {
      for (Layout to : test::kWritableLayouts) {
        for (size_t axis : {0, 1, 2}) {
          expect_defined_bits<double>(kind, {6, 40, 11}, axis, from, to, axis == 1, GetParam());
          expect_defined_bits<float>(kind, {5, 36, 37}, axis, from, to, axis == 0, GetParam());
        }
      }
    }
  }
}

// Enough lines and elements that several threads share them.
TEST_P(CpuFftTest, SharesWorkAmongThreads) {
  for (int32_t kind : {GPUOPT_CALL_FFT, GPUOPT_CALL_RFFT, GPUOPT_CALL_IRFFT}) {
    expect_defined_bits<double>(kind, {700, 48}, 1, Layout::kC, Layout::kC, false, GetParam());
    expect_defined_bits<float>(kind, {48, 700}, 0, Layout::kC, Layout::kC, true, GetParam());
    expect_defined_bits<double>(kind, {65536}, 0, Layout::kC, Layout::kC, false, GetParam());
    expect_defined_bits<float>(kind, {30030}, 0, Layout::kGaps, Layout::kC, true, GetParam());
    expect_defined_bits<float>(kind, {20011}, 0, Layout::kC, Layout::kReversed, false, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, CpuFftTest, testing::Values(2, 3, 4),
                         [](const auto &level) { return "v" + std::to_string(level.param); });

// Both ways of carrying out a transform.
template <class T>
void expect_same_cut_or_not(int64_t n, int level) {
  const Numbers<T> x = random_numbers<T>(n, 5);
  Numbers<T> uncut(x.size()), cut(x.size());
  for (bool is_cut : {false, true}) {
    const std::shared_ptr<const FftPlan> plan = fft_plan(real_dtype<T>, n, is_cut, level);
    transform_fft_row(*plan, reinterpret_cast<char *>(const_cast<cplx<T> *>(x.data())),
                      reinterpret_cast<char *>(is_cut ? cut.data() : uncut.data()), 1);
  }
  EXPECT_TRUE(same_bits(uncut, cut)) << n;
  EXPECT_TRUE(same_bits(uncut, test::reference_forward(x))) << n;
}

TEST(CpuFftThreadsTest, AreAsManyAsAsked) {
  install_host();
  const char *const threads = std::getenv("GPUOPT_TEST_THREADS");
  if (!threads) GTEST_SKIP() << "no number is given";
  EXPECT_EQ(pool_size(), std::atoi(threads));
}

TEST(CpuFftPlanTest, CutOrNotTheBitsAreTheSame) {
  install_host();
  for (int level = 2; level <= detected_isa_level(); level++) {
    for (int64_t n : kLengths) {
      expect_same_cut_or_not<float>(n, level);
      expect_same_cut_or_not<double>(n, level);
    }
  }
}

TEST(CpuFftPlanTest, TransformsInPlace) {
  install_host();
  for (int64_t n : {1, 4, 7, 24, 64, 1000, 1024, 37}) {
    for (bool cut : {false, true}) {
      Numbers<double> x = random_numbers<double>(n, 6);
      const Numbers<double> expected = test::reference_forward(x);
      char *const data = reinterpret_cast<char *>(x.data());
      transform_fft_row(*fft_plan(GPUOPT_FLOAT64, n, cut, isa_level()), data, data, 1);
      EXPECT_TRUE(same_bits(x, expected)) << n << cut;
    }
  }
}

// ---- Accuracy, of the definition, whose bits the tests above find everywhere

template <class T>
void expect_near_sum(int64_t n, bool inverse) {
  const Numbers<T> x = random_numbers<T>(n, static_cast<unsigned>(n));
  const long double error = test::relative_error(test::reference_fft(x, inverse, 1), test::direct_sum(x, inverse));
  const long double bound = (0.5L + 0.5L * std::log2(static_cast<long double>(n))) * std::numeric_limits<T>::epsilon();
  gpo::fft::Radices radices;
  EXPECT_LE(error, gpo::fft::factorize(n, radices) ? bound : 3 * bound) << n << " of " << sizeof(T) << " bytes";
}

TEST(FftDefinitionTest, IsNearTheSum) {
  std::vector<int64_t> lengths = {97,  101, 127, 128, 131, 210, 243,  256,  257, 360,
                                  499, 509, 512, 521, 625, 997, 1000, 1021, 1024};
  for (int64_t n = 1; n <= 64; n++) lengths.push_back(n);
  for (int64_t n : lengths) {
    for (bool inverse : {false, true}) {
      expect_near_sum<float>(n, inverse);
      expect_near_sum<double>(n, inverse);
    }
  }
}

TEST(FftDefinitionTest, FactorizesEveryLength) {
  for (int64_t n = 1; n <= 5000; n++) {
    gpo::fft::Radices radices;
    const bool smooth = gpo::fft::factorize(n, radices);
    int64_t product = 1, rest = n;
    for (int i = 0; i < radices.count; i++) {
      product *= radices.radix[i];
      EXPECT_TRUE(i == 0 || radices.radix[i] % 2 == 0 || radices.radix[i] <= radices.radix[i - 1]) << n;
    }
    for (int64_t p = 2; p <= gpo::fft::largest_radix; p++) {
      while (rest % p == 0) rest /= p;
    }
    EXPECT_EQ(smooth, rest == 1) << n;
    EXPECT_EQ(product * rest, n);
    const int64_t size = gpo::fft::convolution_size(n);
    EXPECT_GE(size, 2 * n - 1);
    EXPECT_TRUE(gpo::fft::factorize(size, radices)) << size;
  }
  gpo::fft::Radices radices;
  EXPECT_TRUE(gpo::fft::factorize(int64_t{1} << 62, radices));
  EXPECT_LE(radices.count, gpo::fft::most_stages);
}

// ---- The cache, and what is refused

struct Sized {
  int64_t size;
  int64_t bytes() const { return size; }
};

TEST(FftCacheTest, KeepsWhatWasWantedLast) {
  FftCache<int, Sized> cache;
  constexpr int64_t kThird = FftCache<int, Sized>::kMostBytes / 3;
  int made = 0;
  const auto want = [&](int key, int64_t size) {
    return cache.find(key, [&] { return made++, std::make_shared<Sized>(Sized{size}); });
  };
  for (int key : {1, 2, 3, 1}) want(key, kThird);
  EXPECT_EQ(made, 3);
  const auto held = want(2, kThird);
  want(4, kThird);  // 3 has to go
  EXPECT_EQ(made, 4);
  want(1, kThird), want(2, kThird);
  EXPECT_EQ(made, 4);
  want(3, kThird);
  EXPECT_EQ(made, 5);
  want(5, 10 * kThird);  // larger than all that is kept
  want(5, 10 * kThird);
  EXPECT_EQ(made, 6);
  want(2, kThird);
  EXPECT_EQ(made, 7);
  EXPECT_EQ(held->size, kThird);
}

TEST(CpuFftRefusalTest, SaysWhatIsWrong) {
  install_host();
  Array x(GPUOPT_COMPLEX128, {2, 6}), y(GPUOPT_COMPLEX64, {2, 6}), z(GPUOPT_COMPLEX128, {2, 5}),
      r(GPUOPT_FLOAT64, {2, 6});
  const auto status = [](int32_t kind, Array &in, Array &out, const char *words) {
    const std::vector<unsigned char> before = out.storage();
    gpuopt_error error = GPUOPT_ERROR_INIT;
    const gpuopt_status code = test::status_of(&error, [&] { call_fft(kind, in, out, 1, false, 1, isa_level()); });
    EXPECT_NE(std::string(error.message).find(words), std::string::npos) << error.message;
    EXPECT_EQ(out.storage(), before);
    return code;
  };
  EXPECT_EQ(status(GPUOPT_CALL_FFT, x, y, "complex64"), GPUOPT_ERR_TYPE);
  EXPECT_EQ(status(GPUOPT_CALL_FFT, x, z, "5"), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(status(GPUOPT_CALL_RFFT, r, y, "float64"), GPUOPT_ERR_TYPE);
  EXPECT_EQ(status(GPUOPT_CALL_RFFT, r, x, "6"), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(status(GPUOPT_CALL_IRFFT, x, r, "6"), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(status(99, x, x, "99"), GPUOPT_ERR_UNSUPPORTED);
}

}  // namespace
}  // namespace gpuopt::cpu
