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

// What is said of a name that is in the text, in its given line.
std::string no_kernel(const std::string &name, int line, const std::string &reason) {
  return name + ":" + std::to_string(line) + ": error: \"" + name + "\" is in the text, but is no kernel: " + reason;
}

const char *const kTemplate = "// A template.\ntemplate <typename T, int N>\n__global__ void bar(T *x) { x[0] = N; }\n";

TEST(RawKernel, NamedByATemplate) {
  EXPECT_EQ(raw(kTemplate, "bar"),
            no_kernel("bar", 3, "it is a template of <typename T, int N>, so name it as in \"bar<float, 1>\""));
  for (const std::string arguments : {"<flaot, 1>", "<float>", "<1, 1>", "<float, 1, 1>"})
    EXPECT_EQ(raw(kTemplate, ("bar" + arguments).c_str()),
              no_kernel("bar" + arguments, 3,
                        arguments + " does not fit its parameters <typename T, int N>: give a type or value that is "
                                    "known there for each of them, as in \"bar<float, 1>\""));
  EXPECT_EQ(raw("__global__ void k(float *x) {}\n", "k<float>"),
            no_kernel("k<float>", 1, "the function is no template; name it without arguments, \"k\""));
}

TEST(RawKernel, NamedByAnOverloadedName) {
  EXPECT_EQ(
      raw("__global__ void k(float *x) {}\n__global__ void k(int *x) {}\n", "k"),
      no_kernel(
          "k", 2,
          "line 1 has another function of this name; name the kernel with its parameters, as in \"k(float* x)\""));
  EXPECT_EQ(raw("__global__ void k(float *x) {}\n__global__ void k(int *x) {}\n", "k(char *)"),
            no_kernel("k(char *)", 1,
                      "no function of this name has these parameters; name the kernel with its parameters, as in "
                      "\"k(float* x)\""));
}

TEST(RawKernel, WithAMacroRightBehindALiteral) {
  EXPECT_EQ(raw("#define N \"!\"\n__global__ void k(float *x) { if (x[0] > 9) printf(\"%d\"N, 1); }\n", "k"),
            "there is no error");
}

TEST(RawKernel, ThatUsesWhatKernelsDoNotHaveOfCudasRuntime) {
  const std::string reason =
      "of CUDA's runtime, kernels have launches (<<<>>>), cudaGetLastError(), streams for these, cudaMalloc() and "
      "cudaFree(), but nothing that waits, no graphs, events or copies: launch what depends on a kernel's results "
      "behind it, from the host or in "
      "cudaStreamTailLaunch";
  EXPECT_EQ(raw("__global__ void k(float *x) {\n  cudaEvent_t s;\n}\n", "k"), "k:2: error: cudaEvent_t: " + reason);
  EXPECT_EQ(raw("__global__ void k(float *x) {\n  cudaDeviceSynchronize();\n}\n", "k"),
            "k:2: error: cudaDeviceSynchronize: " + reason);
}

TEST(RawKernel, NamedByWhatIsNoFunction) {
  const auto of = [](const std::string &line, const char *name) {
    return raw(("\n" + line + "\n__global__ void k(float *x) { x[0] = 1; }\n").c_str(), name);
  };
  EXPECT_EQ(of("#define M(n) n", "M"),
            no_kernel("M", 2, "it is a macro; name the function that the macro stands for or defines"));
  EXPECT_EQ(of("namespace ns { int i; }", "ns"),
            no_kernel("ns", 2, "it is a namespace; name a function in it, as in \"ns::kernel\""));
  for (const char *type : {"struct S { int i; };", "class S;", "enum S { a };", "using S = int;", "typedef int S;"})
    EXPECT_EQ(of(type, "S"), no_kernel("S", 2, "it is a type; a kernel is declared \"__global__ void\"")) << type;
  EXPECT_EQ(of("__device__ float v;", "v"),
            no_kernel("v", 2, "it is a variable; a kernel is declared \"__global__ void\""));
  const char *const none = "the compiler finds no function of this name; a kernel is declared \"__global__ void\"";
  EXPECT_EQ(of("", "x"), no_kernel("x", 3, none));
  EXPECT_EQ(of("", "float"), no_kernel("float", 3, none));
}

TEST(RawKernel, NamedByAFunctionThatIsNone) {
  EXPECT_EQ(
      raw("\n__device__ float f(float x) { return x; }\n", "f"),
      no_kernel("f", 2, "it is a function that is not declared __global__; a kernel is declared \"__global__ void\""));
  EXPECT_EQ(raw("\n__global__ int *f(int *x) { return x; }\n", "f"),
            no_kernel("f", 2, "it does not return void; a kernel is declared \"__global__ void\""));
  EXPECT_EQ(raw("\n__global__ void f(int *x);\n", "f"),
            no_kernel("f", 2, "it is only declared; define it in the same text"));
  EXPECT_EQ(raw("#if 0\n__global__ void f(int *x) {}\n#endif\n", "f"),
            no_kernel("f", 2,
                      "the compiler finds no function of this name, which an #if may leave out; a kernel is declared "
                      "\"__global__ void\""));
}

TEST(RawKernel, NamedWithAnotherNamespace) {
  const char *const code = "namespace a {\nnamespace b {\n__global__ void k(float *x) {}\n}\n}\n";
  for (const char *name : {"k", "b::k"})
    EXPECT_EQ(raw(code, name), no_kernel(name, 3, "the function is in another scope; name it \"a::b::k\""));
  EXPECT_EQ(raw("namespace a { int i; }\n__global__ void k(float *x) {}\n", "a::k"),
            no_kernel("a::k", 2, "the function is in no such scope; name it \"k\""));
}

TEST(RawKernel, NamedRightly) {
  EXPECT_EQ(raw(kTemplate, "bar<float, 2>"), "there is no error");
  for (const char *name : {"k", "::k", "S::k", "n::k", "n::t<float>", "alias"})
    EXPECT_EQ(raw("struct S { static void k(float *x) {} };\nnamespace n {\n__global__ void k(float *x) {}\n"
                  "template <class T> __global__ void t(T *x) {}\n}\n__device__ void k(float *x) {}\n"
                  "#define alias k\n",
                  name),
              "there is no error")
        << name;
}

TEST(RawKernel, WhoseTextHasAnErrorIsNotExplainedByItsName) {
  for (const std::string name : {"entry", "gpuopt", "k"})
    EXPECT_EQ(raw(("__global__ void " + name + "(float *x) {\n  x[0] = zz;\n}\n").c_str(), name.c_str()),
              name + ":2:10: error: use of undeclared identifier 'zz'");
}

TEST(RawKernel, OfAModuleIsToldByItsOwnName) {
  const char *const code = "__global__ void a(float *x) {}\n\n__device__ int b() { return 1; }\n";
  EXPECT_EQ(first_line([&](const gp::array &x) {
              gp::raw_module(code, {"a", "b"})[1](1, 4, x);
            }),
            "a:3: error: \"b\" is in the text, but is no kernel: it is a function that is not declared __global__; a "
            "kernel is declared \"__global__ void\"");
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
