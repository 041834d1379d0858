// tests/unit/api_float_kernels_posix_test.cpp -- kernels of the user's own give the same bits in whatever
// floating-point environment the program is, on all threads and however they come to be compiled.
// POSIX only: the compiler of kernels is not built for Windows
#include <gtest/gtest.h>

#include <cstdlib>
#include <gpuopt/gpuopt.hpp>

#include "tests/unit/float_modes.h"

namespace gp = gpuopt;
using namespace float_modes;

namespace {

// Enough for several threads (kernel.cpp), with denormals among it.
constexpr int64_t kMany = 100000;

gp::array evaluated(const gp::array &x) {
  x.eval();
  return x;
}

class FloatKernels : public testing::Test {
 protected:
  const gp::array x_ = evaluated(gp::linspace(-1, 1, kMany)), tiny_ = evaluated(gp::linspace(0, 1e-310, kMany));
  const gp::array small_ = gp::array(std::vector<float>{0.1f, 1e-45f, 3e-39f, 1e38f, 0, -7, 2.5f, 1e-20f});

  static Bytes doubles(const gp::array &x) { return bytes_of(x.to_vector<double>()); }
  static Bytes floats(const gp::array &x) { return bytes_of(x.to_vector<float>()); }
};

TEST_F(FloatKernels, Elementwise) {
  const gp::elementwise_kernel kernel("T x, T y", "T z", "z = x / 3 + y * x + sqrt(y)", "mixed");
  const gp::elementwise_kernel quotient("T x, T y", "T z", "z = x / y", "quotient");
  expect_no_difference({
      {"a kernel that divides by zero", [&] { return doubles(quotient(x_, tiny_)); }},
      {"an elementwise kernel", [&] { return doubles(kernel(x_, tiny_)); }},
      {"an elementwise kernel of float32", [&] { return floats(kernel(small_, small_)); }},
      {"an elementwise kernel and a number", [&] { return floats(kernel(small_, 1e-42)); }},
  });
}

TEST_F(FloatKernels, Reduction) {
  const gp::reduction_kernel kernel("T x", "T y", "x * x / 3", "a + b", "y = sqrt(a)", "0", "norm_of_thirds");
  expect_no_difference({
      {"a reduction kernel", [&] { return doubles(kernel(x_).reshape(1)); }},
      {"a reduction kernel of denormals", [&] { return floats(kernel(small_).reshape(1)); }},
  });
}

// One whose threads are independent of each other, and one whose threads wait for each other.
TEST_F(FloatKernels, Raw) {
  const gp::raw_kernel scale(R"(extern "C" __global__ void scale(const double *x, const double *y, double *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = exp(x[i]) / 3 + y[i] * 0.7;
  })",
                             "scale");
  const gp::raw_kernel turn(R"(extern "C" __global__ void turn(const double *x, double *z, int n) {
    __shared__ double part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] / 3 : 0;
    __syncthreads();
    if (i < n) z[i] = part[blockDim.x - 1 - threadIdx.x] * 1e-300;
  })",
                            "turn");
  const auto n = static_cast<int>(kMany);
  const uint32_t blocks = (n + 127) / 128;
  expect_no_difference({
      {"a raw kernel",
       [&] {
         const gp::array z = gp::zeros({kMany});
         scale(blocks, 128, x_, tiny_, z, n);
         return doubles(z);
       }},
      {"a raw kernel with barriers",
       [&] {
         const gp::array z = gp::zeros({kMany});
         turn(blocks, 128, x_, z, n);
         return doubles(z);
       }},
  });
}

TEST_F(FloatKernels, UfuncsAndStencils) {
  const gp::ufunc thirds("template <class T> T thirds(T x, T y) { return x / 3 + y * x; }", "thirds",
                         "float32,float32->float32; float64,float64->float64");
  const gp::gufunc scaled(R"(template <class T> void scaled(array<const T, 1> a, array<T, 1> c) {
    T sum = 0;
    for (int i = 0; i < a.shape(0); i++) sum += a(i) / 3;
    for (int i = 0; i < a.shape(0); i++) c(i) = a(i) * sum;
  })",
                          "scaled", "float64->float64", "(n)->(n)");
  const gp::stencil blur("T a", "T out", "return (a(-1) + a(0) + a(1)) / 3;", "blur");
  const gp::array rows = evaluated(x_.reshape({kMany / 10, 10}));
  expect_no_difference({
      {"a ufunc", [&] { return doubles(thirds(x_, tiny_)); }},
      {"a ufunc of float32", [&] { return floats(thirds(small_, small_)); }},
      {"accumulate of a ufunc", [&] { return floats(thirds.accumulate(small_)); }},
      {"outer of a ufunc", [&] { return floats(thirds.outer(small_, small_)); }},
      {"a gufunc", [&] { return doubles(scaled(rows)); }},
      {"a stencil", [&] { return doubles(blur(tiny_)); }},
  });
}

// Each text is compiled, in this test and in every run of it.
const bool kNothingIsCached = setenv("GPUOPT_CACHE_MAX_BYTES", "0", 1) == 0;

// The compiler computes constants, too. Each text is compiled in the mode it is called in.
TEST_F(FloatKernels, CompiledInAnyMode) {
  ASSERT_TRUE(kNothingIsCached);
  int number = 0;
  expect_no_difference({{"a kernel of its own", [&] {
                           const std::string name = "constants_" + std::to_string(number++);
                           const std::string operation =
                               "const T third = T(1) / T(3), small = T(1e-310) / 3; y = x * third + small * 0.7; // " +
                               name;
                           return doubles(gp::elementwise_kernel("T x", "T y", operation, name)(tiny_));
                         }}});
}

}  // namespace
