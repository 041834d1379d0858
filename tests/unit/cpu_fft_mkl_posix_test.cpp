// tests/unit/cpu_fft_mkl_posix_test.cpp -- transforms that are left to MKL (GPUOPT_FFT=fast), with a stand-in for it,
// against the definition; and when they are not. Each choice in a child process, as it is made once per process.
//
// POSIX only: each choice needs a forked process
//
// GPUOPT_TEST_MKL=/path/of/libmkl_rt.so.3 tries MKL itself (with MKL_THREADING_LAYER=SEQUENTIAL, and LD_LIBRARY_PATH
// where the others of its libraries are not beside it).
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "plugins/cpu/fft/fft.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "tests/unit/call_array.h"
#include "tests/unit/cpu_test_host.h"
#include "tests/unit/fft_lines.h"

namespace gpuopt::cpu {
namespace {

using test::Array;
using test::Call;
using test::Layout;
using test::LinePositions;
using test::Shape;
using test::TestHost;
using Number = std::complex<double>;

// Runs in a child with a library in MKL's place: the one that is named, else the stand-in.
bool holds_in_child(const std::function<bool()> &check) {
  const pid_t child = fork();
  if (child == 0) {
    TestHost::install();
    const char *const other = std::getenv("GPUOPT_TEST_MKL");
    TestHost::set("GPUOPT_BLAS", other ? other : GPUOPT_FAKE_MKL);
    TestHost::set("GPUOPT_FFT", "fast");
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

// How many transforms the stand-in has done; -1 if it is not there.
int count_of_transforms() {
  void *const library = dlopen(GPUOPT_FAKE_MKL, RTLD_NOW | RTLD_NOLOAD);
  const auto count = library ? static_cast<const int *>(dlsym(library, "fake_mkl_transforms")) : nullptr;
  return count ? *count : -1;
}

bool is_single(int32_t dtype) { return dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64; }
bool is_complex(int32_t dtype) { return dtype == GPUOPT_COMPLEX64 || dtype == GPUOPT_COMPLEX128; }

Number number_of(Array &x, int32_t dtype, int64_t i) {
  switch (dtype) {
    case GPUOPT_FLOAT32:
      return static_cast<double>(x.get<float>(i));
    case GPUOPT_FLOAT64:
      return x.get<double>(i);
    case GPUOPT_COMPLEX64:
      return Number(x.get<std::complex<float>>(i));
    default:
      return x.get<Number>(i);
  }
}

void fill(Array &x, int32_t dtype, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int64_t i = 0; i < x.size(); i++) {
    const Number z(uniform(random), uniform(random));
    if (is_single(dtype))
      is_complex(dtype) ? x.set(i, std::complex<float>(z)) : x.set(i, static_cast<float>(z.real()));
    else
      is_complex(dtype) ? x.set(i, z) : x.set(i, z.real());
  }
}

struct Transform {
  int32_t kind, dtype;  // of the input
  bool inverse;

  int32_t output() const {
    const bool single = is_single(dtype);
    if (kind == GPUOPT_CALL_IRFFT) return single ? GPUOPT_FLOAT32 : GPUOPT_FLOAT64;
    return single ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128;
  }
};

// The definition: of half of a Hermitian line the other half are conjugates.
std::vector<Number> expected_of(const Transform &t, const std::vector<Number> &line, int64_t n, double scale) {
  std::vector<Number> x(line), y;
  if (t.kind == GPUOPT_CALL_IRFFT) {
    x.resize(static_cast<size_t>(n));
    x[0].imag(0);
    if (n % 2 == 0) x[static_cast<size_t>(n / 2)].imag(0);
    for (int64_t k = n / 2 + 1; k < n; k++) x[static_cast<size_t>(k)] = std::conj(x[static_cast<size_t>(n - k)]);
  }
  for (int64_t k = 0; k < (t.kind == GPUOPT_CALL_RFFT ? n / 2 + 1 : n); k++) {
    Number sum = 0;
    for (int64_t j = 0; j < n; j++)
      sum += x[static_cast<size_t>(j)] *
             std::polar(1.0, (t.inverse ? 2 : -2) * std::acos(-1.0) * static_cast<double>(j * k % n) / double(n));
    y.push_back(sum * scale);
  }
  return y;
}

bool is_right(const Transform &t, Shape shape, size_t axis, Layout layout) {
  const int64_t n = shape[axis];
  Shape in = shape, out = shape;
  if (t.kind == GPUOPT_CALL_IRFFT) in[axis] = n / 2 + 1;
  if (t.kind == GPUOPT_CALL_RFFT) out[axis] = n / 2 + 1;
  Array x(t.dtype, in, layout, 3), y(t.output(), out, layout == Layout::kBroadcast ? Layout::kC : layout, 4);
  fill(x, t.dtype, 5);
  const std::vector<unsigned char> before = x.storage();
  const Call call(t.kind, {x.tensor(), y.tensor()}, {static_cast<int64_t>(axis), t.inverse}, {0.5});
  run_fft(*call, isa_level());
  bool right = x.storage() == before;
  const LinePositions from(in, axis), to(out, axis);
  for (size_t i = 0; i < from.first.size(); i++) {
    std::vector<Number> line;
    for (int64_t j = 0; j < in[axis]; j++) line.push_back(number_of(x, t.dtype, from.first[i] + j * from.step));
    const std::vector<Number> expected = expected_of(t, line, n, 0.5);
    for (int64_t k = 0; k < out[axis]; k++) {
      const Number got = number_of(y, t.output(), to.first[i] + k * to.step);
      Number wanted = expected[static_cast<size_t>(k)];
      if (!is_complex(t.output())) wanted.imag(0);
      right = right && std::abs(got - wanted) < (is_single(t.dtype) ? 1e-5 : 1e-13) * static_cast<double>(n + 4);
    }
  }
  if (!right) ADD_FAILURE() << "kind " << t.kind << " dtype " << t.dtype << " n " << n << " axis " << axis;
  return right;
}

const Transform kTransforms[] = {
    {GPUOPT_CALL_FFT, GPUOPT_COMPLEX64, false},  {GPUOPT_CALL_FFT, GPUOPT_COMPLEX128, true},
    {GPUOPT_CALL_RFFT, GPUOPT_FLOAT32, false},   {GPUOPT_CALL_RFFT, GPUOPT_FLOAT64, false},
    {GPUOPT_CALL_IRFFT, GPUOPT_COMPLEX64, true}, {GPUOPT_CALL_IRFFT, GPUOPT_COMPLEX128, true},
    {GPUOPT_CALL_FFT, GPUOPT_COMPLEX128, false}};

TEST(MklFftTest, TransformsAreRight) {
  EXPECT_TRUE(holds_in_child([] {
    bool right = true;
    for (const Transform &t : kTransforms) {
      for (const Layout layout : {Layout::kC, Layout::kFortran, Layout::kGaps}) {
        right = is_right(t, {12}, 0, layout) && right;
        right = is_right(t, {4, 9}, 1, layout) && is_right(t, {9, 4}, 0, layout) && right;
        right = is_right(t, {3, 8, 2}, 1, layout) && is_right(t, {1, 1, 5}, 2, layout) && right;
        right = is_right(t, {2, 1}, 1, layout) && right;
      }
    }
    const bool done = std::getenv("GPUOPT_TEST_MKL") || count_of_transforms() > 0;
    return right && done && TestHost::get().logged("cpu.fft");
  }));
}

// What lies backwards or twice in one place, and what MKL refuses.
TEST(MklFftTest, OthersAreTransformedAllTheSame) {
  EXPECT_TRUE(holds_in_child([] {
    bool right = true;
    for (const Transform &t : kTransforms) {
      for (const Layout layout : {Layout::kReversed, Layout::kBroadcast})
        right = is_right(t, {3, 5, 2}, 1, layout) && right;
      right = is_right(t, {4, 13}, 1, Layout::kC) && right;
    }
    return right;
  }));
}

TEST(MklFftTest, ExactOnesLookForNone) {
  EXPECT_TRUE(holds_in_child([] {
    TestHost::set("GPUOPT_FFT", "exact");
    return is_right(kTransforms[1], {4, 9}, 1, Layout::kC) && !TestHost::get().logged("cpu.blas");
  }));
}

TEST(MklFftTest, AnotherBlasHasNone) {
  EXPECT_TRUE(holds_in_child([] {
    TestHost::set("GPUOPT_BLAS", "none");
    return is_right(kTransforms[1], {4, 9}, 1, Layout::kC) && TestHost::get().logged("cpu.fft");
  }));
}

}  // namespace
}  // namespace gpuopt::cpu
