// tests/unit/api_kernel_lines_test.cpp -- a kernel that does not compile: the error begins with a line of its author's.
#include <gtest/gtest.h>

#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <string>

namespace gp = gpuopt;

namespace {

// What the error of a call says up to its first line feed, behind "NAME: ".
std::string first_line(const std::function<void(const gp::array &)> &call) {
  const gp::with_device scope("cpu!");
  try {
    call(gp::arange(4).astype(gp::float32));
  } catch (const gp::error &e) {
    EXPECT_EQ(e.code(), GPUOPT_ERR_COMPILE) << e.what();
    const std::string what = e.what();
    const size_t begin = what.find(": ") + 2;
    return what.substr(begin, what.find('\n') - begin);
  }
  return "there is no error";
}

std::string raw(const char *code, const char *name) {
  return first_line([&](const gp::array &x) { gp::raw_kernel(code, name)(1, 4, x); });
}
std::string elementwise(const char *operation) {
  return first_line([&](const gp::array &x) { gp::elementwise_kernel("T x", "T y", operation, "plus")(x); });
}
std::string reduction(const char *map, const char *combine, const char *post) {
  return first_line([&](const gp::array &x) { gp::reduction_kernel("T x", "T y", map, combine, post, "0", "l2")(x); });
}

TEST(RawKernel, WithoutTheFunctionItNames) {
  const char *const code = "extern \"C\" __global__ void add(float *x) {\n  x[threadIdx.x] += 1;\n}\n";
  EXPECT_EQ(raw(code, "ad"),
            "ad:1: error: the text of the kernel has no function \"ad\": the name \"ad\" is not in it");
  EXPECT_EQ(raw(code, "mine::add"),
            "mine::add:1: error: the text of the kernel has no function \"mine::add\": the name \"mine\" is not in it");
}

TEST(RawKernel, WithBracketsThatDoNotMatch) {
  EXPECT_EQ(raw("__global__ void add(float *x) {\n  if (x) {\n}\n", "add"), "add:1: error: '{' is never closed");
  EXPECT_EQ(raw("__global__ void add(float *x) {\n}\n}\n", "add"), "add:3: error: '}' closes nothing");
}

TEST(ElementwiseKernel, NamesTheAuthorsLine) {
  EXPECT_EQ(elementwise("y = x +\n  zz"), "plus:2:3: error: use of undeclared identifier 'zz'");
  EXPECT_EQ(elementwise("y = (x + 1"), "plus:1: error: '(' is never closed");
  EXPECT_EQ(elementwise("y = x; }"), "plus:1: error: '}' closes nothing");
  EXPECT_EQ(elementwise("y = x +\n"), "plus:2:1: error: expected expression");
}

TEST(ReductionKernel, NamesTheAuthorsPartAndLine) {
  EXPECT_EQ(reduction("x * q", "a + b", "y = a"), "l2 map:1:5: error: use of undeclared identifier 'q'");
  EXPECT_EQ(reduction("x *", "a + b", "y = a"), "l2 map:1:1: error: expected expression");
  EXPECT_EQ(reduction("x", "a + ", "y = a"), "l2 reduce:1:1: error: expected expression");
  EXPECT_EQ(reduction("x", "a + b", "y = a;}"), "l2 post_map:1: error: '}' closes nothing");
}

TEST(Function, WithoutTheNameItIsCalledBy) {
  const char *const code = "template <class T> T hypot2(T x, T y) {\n  return x;\n}\n";
  EXPECT_EQ(first_line([&](const gp::array &x) { gp::ufunc(code, "hypot3", "float32,float32->float32")(x, x); }),
            "hypot3:1: error: the text of the kernel has no function \"hypot3\": the name \"hypot3\" is not in it");
  EXPECT_EQ(first_line([&](const gp::array &) { gp::cfunc<int(int)>("int32_t f(int32_t x) { return x; }", "g"); }),
            "g:1: error: the text of the kernel has no function \"g\": the name \"g\" is not in it");
}

}  // namespace
