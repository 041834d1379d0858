// tests/cuda/fast_fft_test.cpp -- transforms by a fake cuFFT (GPUOPT_FFT=fast) against the definition: every kind,
// layouts, lengths that it refuses, plans that are kept, a fault in any call of the driver and of cuFFT; and what
// becomes of the same calls without it.
#include "plugins/cuda/vendor/cufft.h"
#include "tests/cuda/library_support.h"
#include "tests/unit/fft_definition.h"

namespace gpuopt::cuda {
namespace {

using test::Array;
using test::Layout;
using test::Shape;
using test::fft_definition::kTransforms;
using test::fft_definition::Transform;

class FastFft : public LibraryTest {
 protected:
  void SetUp() override {
    LibraryTest::SetUp();
    test::TestHost::set("GPUOPT_FFT", "fast");
  }
  void TearDown() override {
    for (const char *const name : {"FAKE_CUFFT_FAIL", "FAKE_CUFFT_RESULT", "FAKE_CUFFT_MAJOR"}) unsetenv(name);
    test::TestHost::set("GPUOPT_FFT", "exact");
    LibraryTest::TearDown();
    EXPECT_EQ(asked("fake_cufft_plans"), 0);
  }

  // What the fake says of itself; 0 as long as it is not loaded.
  static int asked(const char *name) {
    void *const library = dlopen(std::getenv("GPUOPT_CUFFT"), RTLD_NOW | RTLD_NOLOAD);
    return library ? reinterpret_cast<int (*)()>(dlsym(library, name))() : 0;
  }

  bool is_right(const Transform &t, const Shape &shape, size_t axis, Layout layout, double scale = 0.5) {
    return test::fft_definition::is_right(
        t, shape, axis, layout,
        [&](Array &x, Array &y, std::vector<int64_t> ints, const std::vector<double> &numbers) {
          floats = numbers;
          EXPECT_EQ((run<&slots::fft>(t.kind, {&x, &y}, ints, &error)), GPUOPT_OK) << error.message;
        },
        scale);
  }
  // Whether it is, and by as many transforms of cuFFT's.
  bool is_right_by(int transforms, const Transform &t, const Shape &shape, size_t axis, Layout layout,
                   double scale = 0.5) {
    const int done = asked("fake_cufft_transforms");
    const bool right = is_right(t, shape, axis, layout, scale);
    EXPECT_EQ(asked("fake_cufft_transforms") - done, transforms);
    return right;
  }

  gpuopt_status attempt(const Transform &t = kTransforms[0]) {
    Array x(t.dtype, {2, 6}), y(t.output(), {2, 6});
    floats = {1};
    std::vector<int64_t> ints = {1, t.inverse};
    return run<&slots::fft>(t.kind, {&x, &y}, ints, &error);
  }
};

TEST_F(FastFft, TransformsAreRight) {
  for (const Transform &t : kTransforms) {
    for (const Layout layout : test::kLayouts) {
      EXPECT_TRUE(is_right_by(1, t, {12}, 0, layout));
      EXPECT_TRUE(is_right_by(1, t, {4, 9}, 1, layout) && is_right_by(1, t, {9, 4}, 0, layout));
      EXPECT_TRUE(is_right_by(1, t, {3, 8, 2}, 1, layout) && is_right_by(1, t, {1, 1, 5}, 2, layout));
      EXPECT_TRUE(is_right_by(1, t, {2, 1}, 1, layout) && is_right_by(1, t, {1, 2, 3, 7}, 3, layout));
      if (HasFailure()) return;
    }
    EXPECT_TRUE(is_right_by(1, t, {300, 5}, 1, Layout::kC, 1));
    EXPECT_TRUE(is_right_by(1, t, {5, 6}, 1, Layout::kOffAlignment, 1));
    EXPECT_TRUE(is_right_by(1, t, {5, 6}, 0, Layout::kOddRows, -3));
  }
  EXPECT_TRUE(test::TestHost::get().logged("cuda.cufft"));
}

TEST_F(FastFft, WhatCufftDoesNotTakeOurOwnKernelsTransform) {
  for (const Transform &t : kTransforms) EXPECT_TRUE(is_right_by(0, t, {4, 13}, 1, Layout::kC));
  for (const char *const result : {"8", "14", "16"}) {
    setenv("FAKE_CUFFT_FAIL", "cufftMakePlanMany64", 1);
    setenv("FAKE_CUFFT_RESULT", result, 1);
    EXPECT_TRUE(is_right_by(0, kTransforms[0], {4, 11}, 1, Layout::kC));
  }
}

TEST_F(FastFft, ExactOnesAreNotLeftToIt) {
  test::TestHost::set("GPUOPT_FFT", "exact");
  EXPECT_TRUE(is_right_by(0, kTransforms[0], {4, 12}, 1, Layout::kC));
}

TEST_F(FastFft, EmptyArraysAskForNothing) {
  Array x(GPUOPT_COMPLEX64, {0, 6}), y(GPUOPT_COMPLEX64, {0, 6});
  floats = {1};
  std::vector<int64_t> ints = {1, 0};
  EXPECT_EQ((run<&slots::fft>(GPUOPT_CALL_FFT, {&x, &y}, ints, &error)), GPUOPT_OK) << error.message;
}

// As many as cufft.h says, and those that were used last.
TEST_F(FastFft, PlansAreKept) {
  const auto plans = [] { return asked("fake_cufft_plans"); };
  EXPECT_TRUE(is_right(kTransforms[0], {3, 4}, 1, Layout::kC) && is_right(kTransforms[0], {3, 4}, 1, Layout::kC));
  EXPECT_EQ(plans(), 1);
  setenv("FAKE_CUFFT_FAIL", "cufftCreate", 1);
  EXPECT_TRUE(is_right(kTransforms[0], {3, 4}, 1, Layout::kC));
  unsetenv("FAKE_CUFFT_FAIL");
  for (int64_t n = 20; n < 60; n++) EXPECT_TRUE(is_right(kTransforms[1], {n}, 0, Layout::kC));
  EXPECT_EQ(plans(), 32);
  setenv("FAKE_CUFFT_FAIL", "cufftCreate", 1);
  EXPECT_TRUE(is_right(kTransforms[1], {59}, 0, Layout::kC) && is_right(kTransforms[1], {28}, 0, Layout::kC));
  EXPECT_EQ(attempt(), GPUOPT_ERR_INTERNAL);  // there is no plan of it
}

TEST_F(FastFft, AFaultInAnyCallOfTheDriverIsReportedAndTheNextCallWorks) {
  floats = {0.5};
  const Array x(GPUOPT_COMPLEX64, {2, 7}, Layout::kReversed), y(GPUOPT_COMPLEX64, {2, 7}, Layout::kReversed);
  const std::vector<Array> given = {x, y};
  expect_faults_reported<&slots::fft>(GPUOPT_CALL_FFT, [&] { return given; }, {1, 0});
}

TEST_F(FastFft, AFaultInAnyFunctionOfCufftIsReported) {
  for (const char *const name : {"cufftCreate", "cufftSetAutoAllocation", "cufftMakePlanMany64", "cufftSetStream",
                                 "cufftSetWorkArea", "cufftExecC2C"}) {
    for (const auto &[result, expected] : {std::pair{"2", GPUOPT_ERR_OUT_OF_MEMORY},
                                           std::pair{"6", GPUOPT_ERR_INTERNAL}, std::pair{"4", GPUOPT_ERR_INTERNAL}}) {
      setenv("FAKE_CUFFT_FAIL", name, 1);
      setenv("FAKE_CUFFT_RESULT", result, 1);
      EXPECT_EQ(attempt(), expected) << name << ": " << error.message;
      EXPECT_NE(std::string(error.message).find("cuda:0: fft: cuFFT says cufft"), std::string::npos) << error.message;
      EXPECT_EQ(error.backend_code, std::atoi(result));
    }
  }
  EXPECT_STREQ(error.message, "cuda:0: fft: cuFFT says cufftExec: CUFFT_INVALID_VALUE (4)");
  unsetenv("FAKE_CUFFT_FAIL");
  EXPECT_EQ(attempt(), GPUOPT_OK) << error.message;
}

// ---- Finding cuFFT

SearchInput only_at(const std::string &place) {
  SearchInput input;
  input.setting = [place](const char *name) { return std::string(name) == "GPUOPT_CUFFT" ? place : std::string(); };
  return input;
}

TEST_F(FastFft, OneThatFitsTheDriverIsTaken) {
  const std::string path = std::getenv("GPUOPT_CUFFT"), other = std::getenv("GPUOPT_CUBLAS");
  const std::string begin = "no cuFFT (libcufft.so.12, libcufft.so.11, libcufft.so.10) works here: ";
  std::string problem = "?";
  EXPECT_NE(find_cufft(only_at(path), 13000, problem).cufftCreate, nullptr);
  EXPECT_EQ(problem, "");
  find_cufft(only_at(path), 12080, problem);
  EXPECT_EQ(problem, begin + path + ": it is of CUDA 13, newer than the driver's 12");
  setenv("FAKE_CUFFT_MAJOR", "11", 1);  // that of CUDA 12
  find_cufft(only_at(path), 12080, problem);
  EXPECT_EQ(problem, "");
  find_cufft(only_at("/nowhere/libcufft.so.12"), 13000, problem);
  EXPECT_NE(problem.find("/nowhere/libcufft.so.12"), std::string::npos) << problem;
  find_cufft(only_at(other), 13000, problem);
  EXPECT_NE(problem.find(other + ": it has no cufftGetProperty"), std::string::npos) << problem;
}

// Run by itself with a GPUOPT_CUFFT that does not exist: one line says so, and our own kernels transform.
TEST_F(FastFft, DISABLED_NoCufft) {
  EXPECT_TRUE(is_right(kTransforms[0], {4, 9}, 1, Layout::kC) && is_right(kTransforms[2], {4, 9}, 1, Layout::kC));
  int lines = 0;
  for (const test::LogLine &line : test::TestHost::get().lines) lines += line.event == "cuda.cufft";
  EXPECT_EQ(lines, 1);
}

}  // namespace
}  // namespace gpuopt::cuda
