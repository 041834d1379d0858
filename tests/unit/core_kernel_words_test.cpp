// tests/unit/core_kernel_words_test.cpp -- what of a kernel's text is code, and which indices a stencil uses.
#include <gtest/gtest.h>

#include "core/kernels/text/kernel_overloads.h"
#include "core/kernels/text/kernel_words.h"
#include "core/ufuncs/stencil_text.h"

namespace gpuopt {
namespace {

std::string spaces(size_t count) { return std::string(count, ' '); }

TEST(CodeOnly, BlanksCommentsAndLiterals) {
  EXPECT_EQ(code_only("a // b\nc"), "a" + spaces(5) + "\nc");
  EXPECT_EQ(code_only("a /* b */ c"), "a" + spaces(9) + "c");
  EXPECT_EQ(code_only("f(\"x\\\"y\", 'z', '\\'')"), "f(" + spaces(6) + ", " + spaces(3) + ", " + spaces(4) + ")");
  EXPECT_EQ(code_only("u8'a' + L\"b\""), "u8" + spaces(3) + " + L" + spaces(3));
  EXPECT_EQ(code_only("a /* never closed"), "a" + spaces(16));
  EXPECT_EQ(code_only("a \"never closed"), "a" + spaces(14));
}

TEST(CodeOnly, KeepsDigitSeparators) {
  for (const char *text : {"1'000 + a(5)", "0x1'F + 0b1'0", "x = 1'0.5e3f;", "1'000'000", "a1 + 2'2 + b"})
    EXPECT_EQ(code_only(text), text);
  EXPECT_EQ(code_only("a1 'b' 2"), "a1 " + spaces(3) + " 2");
}

TEST(CodeOnly, KnowsRawStrings) {
  EXPECT_EQ(code_only("R\"(a \" b)\" c"), "R" + spaces(9) + " c");
  EXPECT_EQ(code_only("u8R\"x(a)\")x\" c"), "u8R" + spaces(9) + " c");
  EXPECT_EQ(code_only("R\"(never closed"), "R" + spaces(14));
  EXPECT_EQ(code_only("OTHER\"a\" c"), "OTHER" + spaces(3) + " c");
}

TEST(Variables, AreDeclaredAndNeverCalled) {
  std::set<std::string> found;
  const KernelCode code(
      "float y0 = 1; int norm[3]; void f(double j1, int *y1) { return nan; } const half h; log = log(2);");
  code.collect_variables(found);
  EXPECT_EQ(found, (std::set<std::string>{"y0", "norm", "j1", "h"}));
  found.clear();
  KernelCode("float erf, exp = exp(1) + y0 (2); float y0; using namespace std;").collect_variables(found);
  EXPECT_EQ(found, (std::set<std::string>{"erf"}));
}

TEST(Functions, AreDeclaredAndNeverVariables) {
  std::set<std::string> found;
  const KernelCode code(
      "int f(int x) { return g(x) + sizeof(x); } // int commented(\n__device__ T *h(T *x) {}\n#define macro(x) x\n"
      "float split\\\n(float x); T &r() { return T(2); } int f_and_more(int f); const char *text = \"int in_text(\";");
  code.collect_functions(found);
  EXPECT_EQ(found, (std::set<std::string>{"h", "split", "r", "f_and_more"}));
}

TEST(Macros, AreKeptWhereTheyCanBeRepeated) {
  std::map<std::string, std::string> found;
  const KernelCode code(
      "#define ONE 1 // one\n  #\tdefine TWO(x) \\\n  (x)\n#if ONE\n#define HELD 1\n#endif\n#define AGAIN 1\n"
      "#undef AGAIN\n// #define NONE\n#define\nint x; # define NEITHER\n\f#define LAST");
  code.collect_macros(found);
  const std::map<std::string, std::string> wanted{{"ONE", "#define ONE 1 // one"},
                                                  {"TWO", "  #\tdefine TWO(x)   (x)"},
                                                  {"HELD", ""},
                                                  {"AGAIN", ""},
                                                  {"LAST", "\f#define LAST"}};
  EXPECT_EQ(found, wanted);
}

TEST(GlobalNames, BeginWithColons) {
  for (const char *text : {"return ::nan(\"\");", "using ::min;", "x = ::sin(y);", "::f()", "a ? ::b : c", "(::f)(x)"})
    EXPECT_TRUE(KernelCode(text).has_global_names()) << text;
  for (const char *text : {"std::sin(x)", "a<b>::c", "// ::x", "\"::x\"", "x ? y : z", "N::T::value", "::"})
    EXPECT_FALSE(KernelCode(text).has_global_names()) << text;
}

TEST(Overloads, AreToldByTheirParameters) {
  const OverloadName name("mine::scale (float *x, int n)");
  EXPECT_EQ(name.path, "mine::scale");
  EXPECT_EQ(name.parameters, "(float *x, int n)");
  EXPECT_EQ(function_expression("k(int)", ""), "*static_cast<void (*)(int)>(&k)");
  for (const char *plain : {"k", "k<float>", "k<sizeof(int)>", "(int)", "k(int"}) {
    EXPECT_EQ(OverloadName(plain).parameters, "") << plain;
    EXPECT_EQ(function_expression(plain, "__global__ void k(float *x) {}"), plain);
  }
}

TEST(Overloads, OfWhichOneIsAKernelNeedNoParameters) {
  const char *const declared = "__global__ void k(int *x);\n__global__ void k(float *x, int n) { x[0] = n; }\n";
  EXPECT_EQ(function_expression("k", declared), "*static_cast<void (*)(float* x, int n)>(&k)");
  for (const char *others : {"__global__ void k(int *x) {}\n__global__ void k(float *x) {}\n",
                             "__global__ void k(int *x);\n__global__ void k(int *y) {}\n",
                             "__global__ void k(int *x);\n__global__ void k(float *x, int n = 1) {}\n",
                             "#if A\n__global__ void k(int *x);\n#endif\n__global__ void k(float *x) {}\n",
                             "__global__ void k(int *x);\ntemplate <class T> __global__ void k(T *x) {}\n"})
    EXPECT_EQ(function_expression("k", others), "k") << others;
}

RelativeIndices indices(const std::string &preamble, const std::string &body) {
  return relative_indices("s", preamble, body, {"a", "b"});
}

TEST(RelativeIndices, AreFoundBehindDigitSeparators) {
  const RelativeIndices found = indices("", "y = a(-1) * 1'000 + a(5)");
  EXPECT_TRUE(found.constant);
  EXPECT_EQ(found.reach.low, Dims{-1});
  EXPECT_EQ(found.reach.high, Dims{5});
}

TEST(RelativeIndices, OfMacrosAreNotKnown) {
  EXPECT_TRUE(indices("#define TWICE(a) ((a) + (a))\n", "y = TWICE(a(1))").constant);
  EXPECT_TRUE(indices("#define N 3\n__device__ float f(float a) { return a; }\n", "y = f(a(1))").constant);
  EXPECT_FALSE(indices("#define FAR a(5)\n", "y = a(0) + FAR").constant);
  EXPECT_FALSE(indices("#define FAR \\\n  (a(5))\n", "y = a(0) + FAR").constant);
  EXPECT_FALSE(indices("#define FAR 1\n#undef FAR\n#define FAR a(5)\n", "y = a(0) + FAR").constant);
  EXPECT_TRUE(indices("#define FAR b(5)\n", "y = a(0)").constant) << "b has no index: it is no array here";
}

}  // namespace
}  // namespace gpuopt
