// tests/unit/cpu_matmul_blas_posix_test.cpp -- which BLAS is chosen. Each choice in a child process, as it is made
// once per process.
//
// POSIX only: each choice needs a forked process, and Debian has no BLAS for Windows
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "plugins/cpu/products/blas.h"
#include "plugins/cpu/products/matmul.h"
#include "plugins/cpu/runtime/tensor.h"
#include "tests/unit/call_array.h"
#include "tests/unit/cpu_test_host.h"

namespace gpuopt::cpu {
namespace {

#if defined(__aarch64__)
#define GPUOPT_DEBIAN_TRIPLET "aarch64-linux-gnu"
#else
#define GPUOPT_DEBIAN_TRIPLET "x86_64-linux-gnu"
#endif

using test::Array;
using test::Call;
using test::TestHost;

bool holds_in_child(const std::function<bool()> &check) {
  const pid_t child = fork();
  if (child == 0) {
    TestHost::install();
    TestHost::set("GPUOPT_MATMUL", "fast");
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

// A product with a known answer, for every type of the BLAS: rows of ones times columns of ones.
bool multiplies() {
  for (int32_t dtype : {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128}) {
    const bool single = dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_COMPLEX64;
    const bool is_complex = dtype == GPUOPT_COMPLEX64 || dtype == GPUOPT_COMPLEX128;
    Array a(dtype, {9, 70}), b(dtype, {70, 8}), x(dtype, {70, 1}), c(dtype, {9, 8}), y(dtype, {9, 1});
    for (Array *array : {&a, &b, &x}) {
      for (int64_t i = 0; i < array->size(); i++) {
        std::memset(array->at(i), 0, static_cast<size_t>(element_size(dtype)));
        single ? array->set<float>(i, 1) : array->set<double>(i, 1);
      }
    }
    const Call product(GPUOPT_CALL_MATMUL, {a.tensor(), b.tensor(), c.tensor()});
    const Call vector(GPUOPT_CALL_MATMUL, {a.tensor(), x.tensor(), y.tensor()});
    run_matmul(*product);
    run_matmul(*vector);
    for (Array *array : {&c, &y}) {
      for (int64_t i = 0; i < array->size(); i++) {
        const unsigned char *imaginary = array->at(i) + element_size(dtype) / 2;
        const double real = single ? array->get<float>(i) : array->get<double>(i);
        if (real != 70 || (is_complex && imaginary[element_size(dtype) / 2 - 1] & 0x7F)) return false;
      }
    }
  }
  return true;
}

// Whether a product with this mode looks for a BLAS, which is logged.
bool looks_for_blas(const char *setting, std::vector<int64_t> integers) {
  return holds_in_child([&] {
    TestHost::set("GPUOPT_MATMUL", setting);
    Array a(GPUOPT_FLOAT32, {2, 2}), b(GPUOPT_FLOAT32, {2, 2}), c(GPUOPT_FLOAT32, {2, 2});
    for (Array *array : {&a, &b}) std::memset(array->at(0), 0, 16);
    const Call product(GPUOPT_CALL_MATMUL, {a.tensor(), b.tensor(), c.tensor()}, integers);
    run_matmul(*product);
    return TestHost::get().logged("cpu.blas");
  });
}

TEST(BlasChoiceTest, TheCallSaysWhoMultiplies) {
  EXPECT_TRUE(looks_for_blas("fast", {}));
  EXPECT_TRUE(looks_for_blas("fast", {GPUOPT_PRODUCT_DEFAULT}));
  EXPECT_FALSE(looks_for_blas("fast", {GPUOPT_PRODUCT_EXACT}));
  EXPECT_FALSE(looks_for_blas("exact", {}));
  EXPECT_FALSE(looks_for_blas("exact", {GPUOPT_PRODUCT_DEFAULT}));
  EXPECT_TRUE(looks_for_blas("exact", {GPUOPT_PRODUCT_FAST}));
}

TEST(BlasChoiceTest, NoneMeansOwnKernels) {
  EXPECT_TRUE(holds_in_child([] {
    TestHost::set("GPUOPT_BLAS", "none");
    return !blas() && !*blas_name() && TestHost::get().logged("cpu.blas") && multiplies();
  }));
}

TEST(BlasChoiceTest, WhatIsFoundIsLoggedOnce) {
  EXPECT_TRUE(holds_in_child([] {
    const bool found = blas() != nullptr;
    if (!multiplies()) return false;
    int lines = 0;
    for (const test::LogLine &line : TestHost::get().lines) lines += line.event == "cpu.blas";
    return lines == 1 && (blas() != nullptr) == found && (!found || blas()->name == blas_name());
  }));
}

TEST(BlasChoiceTest, UnusablePathsAreIgnoredWithAWarning) {
  for (const char *path :
       {"/no/such/library.so", "libopenblas.so.0", "./libopenblas.so.0", "/lib/" GPUOPT_DEBIAN_TRIPLET "/libm.so.6"}) {
    EXPECT_TRUE(holds_in_child([&] {
      TestHost::set("GPUOPT_BLAS", path);
      return multiplies() && TestHost::get().logged("setting.ignored");
    })) << path;
  }
}

// The reference implementation speaks the plain Fortran interface and nothing else.
TEST(BlasChoiceTest, AnAbsolutePathIsTaken) {
  const std::string path = "/usr/lib/" GPUOPT_DEBIAN_TRIPLET "/blas/libblas.so.3";
  if (access(path.c_str(), R_OK) != 0) GTEST_SKIP() << path << " is not installed";
  EXPECT_TRUE(holds_in_child([&] {
    TestHost::set("GPUOPT_BLAS", path);
    return blas() && blas()->name == path && multiplies() && !TestHost::get().logged("setting.ignored");
  }));
}

}  // namespace
}  // namespace gpuopt::cpu
