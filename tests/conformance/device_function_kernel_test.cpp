// tests/conformance/device_function_kernel_test.cpp -- printf(), assert(), the heap, recursion, function pointers,
// virtual functions and inline PTX of kernels (tests/kernels/device_functions.h) on the device under test, against
// plain host code.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <gpuopt/gpuopt.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/kernel_fixture.h"
#include "tests/kernels/device_functions.h"

namespace {

namespace gp = gpuopt;
using namespace gpuopt::test;

class DeviceFunctions : public KernelTest {
 protected:
  bool on_cpu() const { return device.backend() == "cpu"; }
};

gp::raw_kernel kernel_of(const DeviceText &text) { return gp::raw_kernel(text.code, text.name); }

int fibonacci(int n) {
  int a = 0, b = 1;
  for (; n > 0; n--) {
    const int next = a + b;
    a = b;
    b = next;
  }
  return a;
}

TEST_F(DeviceFunctions, CallThemselves) {
  const gp::array out = gp::zeros({96}, gp::int32);
  kernel_of(kRecursion)(1, 32, out);
  const std::vector<int32_t> got = values<int32_t>(out);
  for (int t = 0; t < 32; t++) {
    EXPECT_EQ(got[size_t(t)], fibonacci(t % 20)) << t;
    EXPECT_EQ(got[size_t(32 + t)], t % 2 ? 2 : 1) << t;
    EXPECT_EQ(got[size_t(64 + t)], t * (t + 1) * (2 * t + 1) / 6) << t;
  }
}

TEST_F(DeviceFunctions, AreCalledThroughPointers) {
  const gp::array out = gp::zeros({64}, gp::int32);
  kernel_of(kPointers)(1, 32, out);
  const std::vector<int32_t> got = values<int32_t>(out);
  for (int t = 0; t < 32; t++) {
    EXPECT_EQ(got[size_t(t)], t % 3 == 0 ? t + 7 : t % 3 == 1 ? t * 7 : t * 1000) << t;
    EXPECT_EQ(got[size_t(32 + t)], (t % 2 ? t + 3 : t * 3) + 3) << t;
  }
}

TEST_F(DeviceFunctions, StandBesideBuiltInOnes) {
  std::vector<float> x(32);
  for (size_t t = 0; t < 32; t++) x[t] = 1.5f * static_cast<float>(t);
  const gp::array out = gp::zeros({64}, gp::float32);
  kernel_of(kOverloads)(1, 32, gp::array(x), out);
  const std::vector<float> got = values<float>(out);
  for (size_t t = 0; t < 32; t++) {
    EXPECT_EQ(got[t], 6 * x[t] + 2 * static_cast<float>(t) + 8 + 18) << t;
    EXPECT_EQ(got[32 + t], 10 * std::floor(x[t]) + 7) << t;
  }
}

TEST_F(DeviceFunctions, AreAtomicInAnOrder) {
  const gp::array x(std::vector<int32_t>{3, 0, 9, 0, 42}), most = gp::zeros({1}, gp::uint64);
  const gp::array out = gp::zeros({64}, gp::int32);
  kernel_of(kOrdered)(1, 64, x, most, out);
  int bits = 0;
  for (int t = 0; t < 64; t++) bits ^= t + 1;
  EXPECT_EQ(values<int32_t>(x), (std::vector<int32_t>{3 + 64 * 65 / 2, bits, -64, 42, 11}));
  EXPECT_EQ(most.item<uint64_t>(), 1ull << 39);
  const std::vector<int32_t> got = values<int32_t>(out);
  for (size_t t = 0; t < 64; t++) EXPECT_EQ(got[t], t == 0 || t == 2 ? 107 : 7) << t;
}

// Inline PTX: each result is that of the same in C++.
TEST_F(DeviceFunctions, AreWrittenInPtx) {
  std::vector<float> x(128);
  for (size_t k = 0; k < x.size(); k++) x[k] = 0.25f * static_cast<float>(k);
  const gp::array out = gp::zeros({128}, gp::float32), words = gp::zeros({192}, gp::uint32);
  const gp::array sums = gp::zeros({3}, gp::uint32);
  kernel_of(kAssembly)(1, 64, gp::array(x), out, words, sums);
  const std::vector<uint32_t> got = values<uint32_t>(words);
  const std::vector<float> floats = values<float>(out);
  for (uint32_t t = 0; t < 64; t++) {
    EXPECT_EQ(got[t], (63 - (t ^ 1)) % 32 * 10) << t;
    EXPECT_EQ(got[64 + t], t < 32 ? 3u << 30 : ~0u) << t;
    EXPECT_EQ(got[128 + t], t + 1000) << t;
    EXPECT_EQ(floats[2 * t], x[2 * t + 1]) << t;
    EXPECT_EQ(floats[2 * t + 1], x[2 * t] + x[2 * t + 1]) << t;
  }
  EXPECT_EQ(values<uint32_t>(sums), (std::vector<uint32_t>{64 * 63 / 2, 63, 77}));
}

TEST_F(DeviceFunctions, BranchInPtx) {
  std::vector<uint32_t> x;
  for (uint32_t t = 0; t < 64; t++) x.push_back(t * t * 7 + t);
  const gp::array in(x), out = gp::zeros({192}, gp::uint32);
  kernel_of(kBranches)(1, 64, in, out);
  const std::vector<uint32_t> got = values<uint32_t>(out);
  for (uint32_t t = 0; t < 64; t++) {
    uint32_t steps = 0;
    for (uint32_t n = x[t]; n > 1; steps++) n = n % 2 ? 3 * n + 1 : n / 2;
    EXPECT_EQ(got[t], steps) << t;
    EXPECT_EQ(got[64 + t], std::gcd(x[t], t)) << t;
    EXPECT_EQ(got[128 + t], t < 20 ? 1 : t < 40 ? 2 : 3) << t;
  }
}

TEST_F(DeviceFunctions, SayWhatPtxTheCpuLacks) {
  if (!on_cpu()) GTEST_SKIP() << "GPUs have all of it";
  const std::pair<const char *, const char *> texts[] = {
      {"asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(x[0]) : \"f\"(x[1]));", "no instruction ex2.approx.ftz.f32"},
      {"int y; asm(\"mov.u32 %0, %gridid;\" : \"=r\"(y)); x[0] = y;", "the register %gridid is GPUs' own"},
      {"asm volatile(\"bar.sync 1, 64;\");", "k:2: error: asm(\"bar.sync 1, 64;\"): the CPU has no instruction"},
      {"asm volatile(\"bar.sync 1;\");", "a barrier other than 0"},
      {"int y; asm(\"addc.u32 %0, %0, 1;\" : \"+r\"(y)); x[0] = y;", "the carry of another asm statement"},
      {"asm volatile(\"again: bra behind;\");", "it branches to what is no label of it"},
      {"asm volatile(\"a: add.u32 %0, %0, 1; a: \" : \"+r\"(*(int *)x));", "it has two labels a"},
      {"asm volatile(\"ld.shared.f32 %0, [%1];\" : \"=f\"(x[0]) : \"r\"(16));", "an address of 32 bits"},
      {"asm(\"add.u32 t, 1, 2;\");", "no output and no register"}};
  for (const auto &[text, reason] : texts) {
    const gp::raw_kernel kernel("__global__ void k(float *x) {\n  " + std::string(text) + "\n}", "k");
    expect_error(GPUOPT_ERR_COMPILE, reason, [&] { kernel(1, 1, gp::zeros({4}, gp::float32)); });
  }
}

// With these direction vectors of 32 bits a number is its Gray code, read backwards.
TEST_F(DeviceFunctions, DrawNumbersOfSobol) {
  std::vector<uint32_t> directions(32);
  std::vector<uint64_t> wide(64);
  for (size_t k = 0; k < 32; k++) directions[k] = 1u << (31 - k);
  for (size_t k = 0; k < 64; k++) wide[k] = 3ull << (63 - k) | k;
  const auto number = [](const auto &vectors, auto n) {
    auto x = n;
    x = 0;
    for (size_t k = 0; k < vectors.size(); k++)
      if ((n ^ n >> 1) >> k & 1) x ^= vectors[k];
    return x;
  };
  const gp::array out = gp::zeros({80}, gp::uint32), out64 = gp::zeros({64}, gp::uint64);
  const gp::array uniform = gp::zeros({16}, gp::float32);
  kernel_of(kSobol)(1, 16, gp::array(directions), gp::array(wide), out, out64, uniform);
  const std::vector<uint32_t> got = values<uint32_t>(out);
  const std::vector<uint64_t> got64 = values<uint64_t>(out64);
  for (uint32_t t = 0; t < 16; t++) {
    for (uint32_t k = 0; k < 4; k++) {
      EXPECT_EQ(got[4 * t + k], number(directions, t + k)) << t << ' ' << k;
      EXPECT_EQ(got64[4 * t + k], number(wide, uint64_t{t + k}) ^ 5) << t << ' ' << k;
    }
    const double x = number(directions, t + 4);
    EXPECT_EQ(values<float>(uniform)[t], static_cast<float>((x + 0.5) / 4294967296.0)) << t;
    EXPECT_EQ(got[64 + t], number(directions, t + 8)) << t;
  }
}

TEST_F(DeviceFunctions, TakeEveryByteButZeroForTrue) {
  std::vector<uint8_t> mask(32);
  std::vector<int32_t> particles(64);
  for (size_t t = 0; t < 32; t++) {
    mask[t] = static_cast<uint8_t>(t * 50);
    particles[2 * t] = static_cast<int32_t>(t) - 4;
    particles[2 * t + 1] = static_cast<int32_t>(t % 4 * 2);
  }
  const gp::array out = gp::zeros({32}, gp::int32);
  kernel_of(kTruth)(1, 32, gp::reinterpreted(gp::array(mask)), gp::array(particles), out);
  const std::vector<int32_t> got = values<int32_t>(out);
  for (int t = 0; t < 32; t++)
    EXPECT_EQ(got[size_t(t)], (t * 50 % 256 != 0 ? 1 : 0) + (t % 4 != 0 && t > 4 ? 2 : 0)) << t;
}

TEST_F(DeviceFunctions, OfOneNameAreToldByTheirParameters) {
  const char *const two =
      "__global__ void scale(float *x, int n) { x[threadIdx.x] *= n; }\n"
      "__global__ void scale(int *x) { x[threadIdx.x] += 1; }\n";
  const gp::array x(std::vector<float>{1, 2}), y(std::vector<int32_t>{1, 2});
  gp::raw_kernel(two, "scale(float *, int)")(1, 2, x, 3);
  gp::raw_kernel(two, "scale(int *x)")(1, 2, y);
  const char *const one =
      "__global__ void scale(float *x, double n);\n__device__ void scale(int, float);\n"
      "struct Step { int by; };\n"
      "__global__ void scale(Step step, int *x, int) { x[threadIdx.x] += step.by; }\n";
  gp::raw_kernel(one, "scale")(1, 2, 5, y, 0);
  EXPECT_EQ(values<float>(x), (std::vector<float>{3, 6}));
  EXPECT_EQ(values<int32_t>(y), (std::vector<int32_t>{7, 8}));
}

TEST_F(DeviceFunctions, OfClassesAreVirtual) {
  const gp::array out = gp::zeros({64}, gp::int32), ended = gp::zeros({1}, gp::int32);
  kernel_of(kVirtual)(1, 64, out, ended);
  const std::vector<int32_t> got = values<int32_t>(out);
  for (int t = 0; t < 64; t++) EXPECT_EQ(got[size_t(t)], (t % 2 ? t * t * 10 + 4 : (t + 64) * 10) + 5 + 64) << t;
  EXPECT_EQ(ended.item<int>(), 128);
}

TEST_F(DeviceFunctions, ReturnOptionsAndVariants) {
  const gp::array out = gp::zeros({24}, gp::int32);
  kernel_of(kOptions)(1, 8, out);
  const std::vector<int32_t> got = values<int32_t>(out);
  for (int t = 0; t < 8; t++) {
    EXPECT_EQ(got[size_t(t)], t % 2 ? 999 : t / 2 + 100) << t;
    EXPECT_EQ(got[size_t(8 + t)], t % 2 ? 15 + 100 + 1000 : 5 + 7) << t;
    EXPECT_EQ(got[size_t(16 + t)], 20 + t + 4) << t;
  }
}

TEST_F(DeviceFunctions, TrapWhereAnOptionIsEmpty) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has handlers of its own for the signal";
#endif
  const gp::array out = gp::zeros({24}, gp::int32);
  const gp::raw_kernel empty("__global__ void k(int *x) { std::optional<int> none; x[0] = none.value(); }", "k");
  if (on_cpu()) expect_error(GPUOPT_ERR_KERNEL_FAULT, "executes a trap", [&] { empty(1, 1, out); });
}

TEST_F(DeviceFunctions, TakeMemoryOfTheHeap) {
  const gp::raw_kernel kernel = kernel_of(kHeap);
  const gp::array out = gp::zeros({128}, gp::int32);
  for (int turn = 0; turn < 200; turn++) kernel(1, 64, out);  // nothing leaks, or the heap would be exhausted
  const std::vector<int32_t> got = values<int32_t>(out);
  for (int t = 0; t < 64; t++) {
    EXPECT_EQ(got[size_t(t)], t * (t - 1) / 2 + 2 * t + t + 1 + 6) << t;
    EXPECT_EQ(got[size_t(64 + t)], 3) << t;
  }
}

TEST_F(DeviceFunctions, ExhaustTheHeapAndGiveItBack) {
  const std::vector<gp::raw_kernel> kernels = gp::raw_module(R"(
struct Big { int words[16384]; __device__ Big() { words[0] = 1; } };
__device__ Big *all[1000];
__global__ void fill(int *count) { while (count[0] < 1000 && (all[count[0]] = new Big)) count[0]++; }
__global__ void clear(int *count) { while (count[0] > 0) delete all[--count[0]]; })",
                                                             {"fill", "clear"});
  const gp::array count = gp::zeros({1}, gp::int32);
  kernels[0](1, 1, count);
  const int first = count.item<int>();
  EXPECT_GT(first, 60);
  EXPECT_LE(first, 128);  // 8 MiB
  kernels[1](1, 1, count);
  kernels[0](1, 1, count);
  EXPECT_EQ(count.item<int>(), first);
  kernels[1](1, 1, count);
}

TEST_F(DeviceFunctions, AssertWhatHolds) {
  const gp::array x = gp::arange(96, gp::int32), y = gp::zeros({96}, gp::int32);
  kernel_of(kAssert)(3, 32, x, y);
  const std::vector<int32_t> got = values<int32_t>(y);
  for (int i = 0; i < 96; i++) EXPECT_EQ(got[size_t(i)], i / 32 * 32 + 31 - i % 32) << i;
  kernel_of(kNoAssert)(1, 1, y);
  EXPECT_EQ(values<int32_t>(y)[0], 32);
}

TEST_F(DeviceFunctions, AssertWhatDoesNotHold) {
  if (!on_cpu()) GTEST_SKIP() << "the driver gives up the device";
  std::vector<int32_t> numbers(96, 1);
  numbers[71] = -5;
  const gp::array x(numbers), y = gp::zeros({96}, gp::int32);
  const gp::raw_kernel kernel = kernel_of(kAssert);
  expect_error(GPUOPT_ERR_KERNEL_FAULT,
               {"assertion failed: thread (7, 0, 0) of block (2, 0, 0), checked:8: x[i] >= 0 && \"negative\""},
               [&] { kernel(3, 32, x, y); });
  kernel(2, 32, x, y);  // and the next launch works
  EXPECT_EQ(values<int32_t>(y)[0], 1);
  const gp::elementwise_kernel square("float32 x", "float32 y", "assert(x < 3); y = x * x", "square");
  EXPECT_EQ(values<float>(square(gp::array(std::vector<float>{1, 2}))), (std::vector<float>{1, 4}));
  expect_error(GPUOPT_ERR_KERNEL_FAULT, {"assertion failed: the kernel", "square:1: x < 3"}, [&] {
    square(gp::array(std::vector<float>{1, 4})).item<float>();
  });
}

TEST_F(DeviceFunctions, FreeWhatIsNotTheirs) {
  if (!on_cpu()) GTEST_SKIP() << "not defined there";
  const gp::array x = gp::zeros({1}, gp::int32);
  const gp::raw_kernel twice("__global__ void twice(int *x) { void *p = malloc(3); free(p); free(p); }", "twice");
  const gp::raw_kernel other("__global__ void other(int *x) { free(x); }", "other");
  for (const gp::raw_kernel &kernel : {twice, other})
    expect_error(GPUOPT_ERR_KERNEL_FAULT, {"wrong free: thread (0, 0, 0) of block (0, 0, 0) frees 0x"},
                 [&] { kernel(1, 1, x); });
}

TEST_F(DeviceFunctions, WaitWhereTheCpuCannot) {
  if (!on_cpu()) GTEST_SKIP() << "a GPU can";
  const gp::array x = gp::zeros({1}, gp::int32);
  const gp::raw_kernel kernel(R"(
__device__ int wait(int n) { __syncthreads(); return n ? wait(n - 1) + 1 : 0; }
__global__ void k(int *x) { x[0] = wait(x[0] + 3); })",
                              "k");
  expect_error(GPUOPT_ERR_KERNEL_FAULT, {"waits in wait, which is called through a pointer or calls itself"},
               [&] { kernel(1, 32, x); });
  const gp::raw_kernel pure(R"(
struct Base; __device__ int early(Base *);
struct Base { int x; __device__ Base() { x = early(this); } __device__ virtual int f() = 0; };
__device__ __noinline__ int early(Base *base) { return base->f(); }
struct Derived : Base { __device__ int f() override { return 1; } };
__global__ void k(int *x) { Derived d; x[0] = d.x; })",
                            "k");
  expect_error(GPUOPT_ERR_KERNEL_FAULT, {"pure virtual function"}, [&] { pure(1, 1, x); });
}

std::string formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));
std::string formatted(const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

// Blocks in their order, and the threads of a block in theirs, from barrier to barrier.
std::string printed_by(int blocks, int threads) {
  std::string all;
  for (int block = 0; block < blocks; block++) {
    const int first = block * threads;
    for (int i = first; i < first + threads; i++)
      all += formatted("%d: %5.2f|%-6s|%c|%x|%lld|%+d%%\n", i, i * 0.5, "word", 'a' + i % 26, 255u + unsigned(i),
                       1234567890123ll + i, 200);
    for (int i = first; i < first + threads; i++) {
      if (i % 32 == 5) all += formatted("%*d|%.*e|%hd|", 6, -i, 3, 1.0 / 3, short(1)) + "(null)\n";
      if (i == 0) all += "no arguments\n";
    }
  }
  return all;
}

TEST_F(DeviceFunctions, Print) {
  const gp::raw_kernel kernel = kernel_of(kPrint);
  const gp::array counts = gp::zeros({4096}, gp::int32);
  for (const auto &[blocks, threads] : {std::pair(2, 32), std::pair(64, 64), std::pair(1, 1024)}) {
    testing::internal::CaptureStdout();
    kernel(unsigned(blocks), unsigned(threads), counts);
    device.synchronize();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), printed_by(blocks, threads));
    std::vector<int32_t> got = values<int32_t>(counts);
    got.resize(size_t(blocks) * size_t(threads));
    EXPECT_EQ(got, std::vector<int32_t>(got.size(), 7));
  }
}

TEST_F(DeviceFunctions, PrintAtMost32Arguments) {
  std::string format, arguments;
  for (int k = 0; k < 40; k++) {
    format += "%d ";
    arguments += ", " + std::to_string(k);
  }
  const gp::raw_kernel kernel("#include <stdio.h>\n__global__ void k(int *x) { x[0] = printf(\"" + format + "\"" +
                                  arguments + "); x[1] = printf(nullptr); x[2] = printf(\"%q %5 %d\\n\"); }",
                              "k");
  if (!on_cpu()) GTEST_SKIP() << "what is beyond CUDA's limits differs between its versions";
  const gp::array x = gp::zeros({3}, gp::int32);
  testing::internal::CaptureStdout();
  kernel(1, 1, x);
  std::string want;
  for (int k = 0; k < 32; k++) want += std::to_string(k) + " ";
  for (int k = 32; k < 40; k++) want += "%d ";
  EXPECT_EQ(testing::internal::GetCapturedStdout(), want + "%q %5 %d\n");
  EXPECT_EQ(values<int32_t>(x), (std::vector<int32_t>{32, -1, 0}));
}

// ---- Poisson ----

// The numbers that uniform ones give by the two algorithms of plugins/shared/words/curand/curand_poisson.h, in long
// double.
class Poisson {
 public:
  explicit Poisson(const double *uniform) : next_(uniform) {}
  unsigned draw(double mean) { return !(mean > 0) ? 0 : mean < 10 ? by_products(mean) : by_rejection(mean); }

 private:
  unsigned by_products(long double mean) {
    unsigned k = 0;
    for (long double product = *next_++; product > std::exp(-mean); k++) product *= *next_++;
    return k;
  }
  unsigned by_rejection(long double mean) {
    const long double b = 0.931L + 2.53L * std::sqrt(mean), a = -0.059L + 0.02483L * b;
    const long double inverse_alpha = 1.1239L + 1.1328L / (b - 3.4L), limit = 0.9277L - 3.6224L / (b - 2);
    for (;;) {
      const long double u = *next_++ - 0.5L, v = *next_++, side = 0.5L - std::fabs(u);
      const long double k = std::floor((2 * a / side + b) * u + mean + 0.43L);
      if (k < 0) continue;
      if (side >= 0.07L && v <= limit) return static_cast<unsigned>(k);
      if (side < 0.013L && v > side) continue;
      if (std::log(v * inverse_alpha / (a / (side * side) + b)) <= k * std::log(mean) - mean - std::lgamma(k + 1))
        return static_cast<unsigned>(k);
    }
  }

  const double *next_;
};

TEST_F(DeviceFunctions, DrawOfPoissonDistributions) {
  std::vector<double> means = {0, -1, 0.01, 0.5, 3, 9.99, 10, 11.5, 64, 1000, 123456.7, 1e9};
  while (means.size() < 256) means.push_back(20.0);
  const gp::raw_kernel kernel = kernel_of(kPoisson);
  for (int kind = 0; kind < 3; kind++) {
    const gp::array out = gp::zeros({256 * 20}, gp::uint32), uniform = gp::zeros({256 * 1000});
    kernel(1, 256, gp::array(means), kind, out, uniform);
    const std::vector<uint32_t> got = values<uint32_t>(out);
    const std::vector<double> numbers = values<double>(uniform);
    double sum = 0;
    for (size_t t = 0; t < 256; t++) {
      Poisson poisson(&numbers[1000 * t]);
      for (size_t k = 0; k < 20; k++) ASSERT_EQ(got[20 * t + k], poisson.draw(means[t])) << means[t] << ' ' << k;
      for (size_t k = 0; k < 20; k++) sum += t < 12 ? 0 : got[20 * t + k];
    }
    EXPECT_NEAR(sum / (244 * 20), 20, 5 * std::sqrt(20.0 / (244 * 20)));
  }
}

}  // namespace
