// tests/unit/api_kernel_texts_test.cpp -- parameter lists, signatures, types and bodies of kernels with random mistakes
// in them: each makes a kernel, or an error that says what is wrong, and nothing else.
#include <gpuopt/gpuopt.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using Make = std::function<gpuopt_status(const std::string &, gpuopt_kernel *, gpuopt_error *)>;

class Mistakes {
 public:
  explicit Mistakes(unsigned seed) : random_(seed) {}
  std::string in(std::string text) {
    for (size_t left = 1 + pick(4); left > 0; left--) make_one(text);
    return text;
  }

 private:
  size_t pick(size_t n) { return random_() % n; }
  void make_one(std::string &text) {
    static const std::string kPieces[] = {"(",  ")",  ",",  "->", " ",        "raw ", "T ",          "x", "float32",
                                          "_",  "1",  "-1", "[",  "]",        "{",    ";",           "?", "\"",
                                          "\n", "/*", "//", "\\", "\xc3\xa4", "i",    "999999999999"};
    const size_t at = pick(text.size() + 1), length = std::min(pick(4), text.size() - at);
    switch (pick(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text.insert(at, 1, static_cast<char>(1 + pick(255)));
        break;
      default:
        text.insert(at, kPieces[pick(std::size(kPieces))]);
    }
  }
  std::mt19937 random_;
};

// Some become kernels, most do not; how many of each is told, so that neither is what never happens.
void expect_kernels_or_errors(const std::vector<std::string> &texts, const Make &make) {
  Mistakes mistakes(7);
  int made = 0, refused = 0;
  for (const std::string &right : texts) {
    gpuopt_error error = GPUOPT_ERROR_INIT;
    gpuopt_kernel kernel = nullptr;
    ASSERT_EQ(make(right, &kernel, &error), GPUOPT_OK) << right << ": " << error.message;
    gpuopt_kernel_release(kernel);
    for (int k = 0; k < 4000 / GPUOPT_TEST_SHARE; k++) {
      const std::string text = mistakes.in(right);
      error = GPUOPT_ERROR_INIT;
      kernel = nullptr;
      const gpuopt_status status = make(text, &kernel, &error);
      (status == GPUOPT_OK ? made : refused)++;
      EXPECT_EQ(kernel != nullptr, status == GPUOPT_OK) << text;
      if (status != GPUOPT_OK) {
        EXPECT_EQ(error.code, status) << text;
        EXPECT_NE(status, GPUOPT_ERR_INTERNAL) << text << ": " << error.message;
        EXPECT_GT(strnlen(error.message, sizeof error.message), 10u) << text;
      }
      gpuopt_kernel_release(kernel);
    }
  }
  EXPECT_GT(made, 0);
  EXPECT_GT(refused, 0);
}

TEST(KernelTexts, ParametersOfElementwiseKernels) {
  expect_kernels_or_errors({"T x, raw T table, int32 n", "float32 a, S b, raw complex64 c", ""},
                           [](const std::string &text, gpuopt_kernel *kernel, gpuopt_error *error) {
                             return gpuopt_elementwise_kernel(text.c_str(), "float64 y", "y = 1", "k", nullptr, kernel,
                                                              error);
                           });
}

TEST(KernelTexts, OutputsOfElementwiseKernels) {
  expect_kernels_or_errors({"T y, raw int64 z", "bool flag"},
                           [](const std::string &text, gpuopt_kernel *kernel, gpuopt_error *error) {
                             return gpuopt_elementwise_kernel("T x", text.c_str(), "", "k", nullptr, kernel, error);
                           });
}

TEST(KernelTexts, ReductionKernels) {
  expect_kernels_or_errors({"a + b", "max(a, b)"},
                           [](const std::string &text, gpuopt_kernel *kernel, gpuopt_error *error) {
                             return gpuopt_reduction_kernel("T x", "T y", text.c_str(), text.c_str(), text.c_str(),
                                                            text.c_str(), "k", nullptr, kernel, error);
                           });
}

TEST(KernelTexts, TypesOfVectorize) {
  expect_kernels_or_errors({"float64,float64->float64; float32,float32->float32", "int64,int64->int64"},
                           [](const std::string &text, gpuopt_kernel *kernel, gpuopt_error *error) {
                             return gpuopt_vectorize("template <class T> T f(T a, T b) { return a + b; }", "f",
                                                     text.c_str(), nullptr, kernel, error);
                           });
}

TEST(KernelTexts, SignaturesOfGuvectorize) {
  expect_kernels_or_errors({"(m,n),(n,p)->(m,p)", "(3),(k)->()", "(),(n)->(n)"},
                           [](const std::string &text, gpuopt_kernel *kernel, gpuopt_error *error) {
                             return gpuopt_guvectorize("void f(int a, int b, int c) {}", "f",
                                                       "float64,float64->float64", text.c_str(), kernel, error);
                           });
}

TEST(KernelTexts, BodiesOfStencils) {
  expect_kernels_or_errors({"return a(-1, 0) + a(1, 0) * w[2];", "return (a(0, 1) + a(0, -1)) / 2;"},
                           [](const std::string &text, gpuopt_kernel *kernel, gpuopt_error *error) {
                             return gpuopt_stencil("T a, raw T w", "T y", text.c_str(), "s", nullptr, kernel, error);
                           });
}

}  // namespace
