// tests/unit/api_kernel_names_posix_test.cpp -- a kernel's own names win: whatever the author calls macros, types,
// functions and variables, kernels of all forms compile and compute.
//
// POSIX only: the compiler of kernels for the CPU is not built for Windows.
#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>

#include <gpuopt/gpuopt.hpp>
#include <string>
#include <vector>

#include "tests/kernel_names.h"

namespace {

namespace gp = gpuopt;
using gpuopt::test::kNameUses;
using gpuopt::test::names_of_headers;
using gpuopt::test::NameUse;

std::string made_of(const NameUse &use, const std::set<std::string> &used) {
  return gpuopt::test::declared(names_of_headers(GPUOPT_SOURCE_DIR, used), use.before, use.after);
}
gp::kernel_text with_preamble(const std::string &preamble) {
  gp::kernel_text more;
  more.preamble = preamble;
  return more;
}
const std::vector<float> kTwo = {1, 2};

// x and y are the parameters' names.
TEST(KernelNames, OfElementwiseKernels) {
  for (const NameUse &use : kNameUses) {
    SCOPED_TRACE(use.what);
    const std::string preamble = made_of(use, {"x", "y"});
    const gp::array x(std::vector<float>{1, 2, 3});
    const gp::elementwise_kernel packed("float32 x", "float32 y", "y = x * 2", "k", with_preamble(preamble));
    EXPECT_EQ(packed(x).to_vector<float>(), (std::vector<float>{2, 4, 6}));
    const gp::array strided = gp::ones({4, 4}, gp::float32)(gp::slice(0, 4, 2));
    EXPECT_EQ(packed(strided).to_vector<float>(), std::vector<float>(8, 2));
  }
}

TEST(KernelNames, OfReductions) {
  for (const NameUse &use : kNameUses) {
    SCOPED_TRACE(use.what);
    const std::string preamble = made_of(use, {"x", "y", "a", "b"});
    const gp::reduction_kernel sum("float32 x", "float32 y", "x", "a + b", "y = a", "0", "k", "", preamble);
    EXPECT_EQ(sum(gp::array(std::vector<float>{1, 2, 3})).to_vector<float>()[0], 6);
  }
}

TEST(KernelNames, OfRawKernels) {
  for (const NameUse &use : kNameUses) {
    SCOPED_TRACE(use.what);
    const std::string text = made_of(use, {"x", "y", "n", "j", "scale_", "threadIdx", "blockIdx", "blockDim"}) + R"(
extern "C" __global__ void scale_(const float *x, float *y, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n) y[j] = x[j] * 2;
})";
    const gp::raw_kernel kernel(text, "scale_");
    const gp::array y = gp::zeros({2}, gp::float32);
    kernel(1, 32, gp::array(kTwo), y, 2);
    EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{2, 4}));
  }
}

TEST(KernelNames, OfUfuncs) {
  for (const NameUse &use : kNameUses) {
    SCOPED_TRACE(use.what);
    const std::string text =
        made_of(use, {"f_", "p1_", "p2_"}) + "__device__ float f_(float p1_, float p2_) { return p1_ + p2_; }";
    const gp::ufunc add(text.c_str(), "f_", "float32,float32->float32", "0");
    const gp::array x(kTwo);
    EXPECT_EQ(add(x, x).to_vector<float>(), (std::vector<float>{2, 4}));
    EXPECT_EQ(add.reduce(x).to_vector<float>()[0], 3);
    EXPECT_EQ(add.accumulate(x).to_vector<float>(), (std::vector<float>{1, 3}));
  }
}

TEST(KernelNames, OfStencils) {
  for (const NameUse &use : kNameUses) {
    SCOPED_TRACE(use.what);
    const std::string preamble = made_of(use, {"x", "y"});
    gp::stencil_options options;
    options.preamble = preamble;
    const gp::stencil shift("float32 x", "float32 y", "return x(-1) + x(1);", "k", options);
    EXPECT_EQ(shift(gp::array(std::vector<float>{1, 2, 4})).to_vector<float>()[1], 5);
  }
}

// The names of functions that kernels have, for things that other programs have by these names.
TEST(KernelNames, TypesLikeFunctions) {
  const gp::elementwise_kernel kernel(
      "float32 x", "float32 y", "real r = x; conj<2> c; float abs = 3; y = r + c.size + imag + abs + min(r, 0.5f)", "k",
      with_preamble("typedef float real;\ntemplate <int n> struct conj { static const int size = n; };\n"
                    "__constant__ float imag = 10;"));
  EXPECT_EQ(kernel(gp::array(std::vector<float>{1})).to_vector<float>()[0], 16.5F);
}

// Functions of the author's stand beside ours of the same name, and go first.
TEST(KernelNames, OverloadsBesideOurs) {
  const char *const preamble = R"(
struct pair { float a, b; };
__device__ pair sqrt(pair p) { return {p.a * 10, p.b * 10}; }
__device__ double exp(double x) { return 42; }
template <class T> __device__ T max(T a, T b) { return T(7); }
)";
  const gp::elementwise_kernel kernel("float32 x", "float64 y",
                                      "pair p = sqrt(pair{1, 2}); y = p.a + sqrt(x) + exp(1.0) + max(1, 2)", "k",
                                      with_preamble(preamble));
  EXPECT_EQ(kernel(gp::array(std::vector<float>{9})).to_vector<double>()[0], 10 + 3 + 42 + 7);
}

TEST(KernelNames, AtomicOverloadsBesideOurs) {
  const char *const text = R"(
__device__ float atomicMax(float *address, float value) { *address = 100 + value; return 0; }
#if __CUDA_ARCH__ < 600
__device__ double atomicAdd(int *address, double value) { *address = 1000; return 0; }
#endif
__device__ double atomicAdd(double *address, double value) { *address += 2 * value; return 0; }
extern "C" __global__ void k(int *n, float *x, double *y) {
  atomicMax(n, 5);
  atomicMax(x, 1.0f);
  atomicAdd(n, 1);
  atomicAdd(y, 1.0);
})";
  const gp::raw_kernel kernel(text, "k");
  const gp::array n = gp::zeros({1}, gp::int32), x = gp::zeros({1}, gp::float32), y = gp::zeros({1}, gp::float64);
  kernel(1, 1, n, x, y);
  EXPECT_EQ(n.to_vector<int32_t>()[0], 6);
  EXPECT_EQ(x.to_vector<float>()[0], 101);
  EXPECT_EQ(y.to_vector<double>()[0], 2);
}

}  // namespace
