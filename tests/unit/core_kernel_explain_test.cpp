// tests/unit/core_kernel_explain_test.cpp -- what is said of a kernel whose text does not compile for want of a
// function or of a bracket.
#include <gtest/gtest.h>

#include "core/kernels/kernel_explain.h"

using gpuopt::explain_failure;
using gpuopt::UserKernel;

namespace {

UserKernel raw(const std::string &name, const std::string &text) {
  UserKernel kernel;
  kernel.name = name;
  kernel.names = {name};
  kernel.raw = true;
  kernel.operation = text;
  return kernel;
}

const char *const kAdd = "__global__ void add(float *x) {\n  x[0] += 1;\n}\n";

std::string missing(const std::string &name, const std::string &word) {
  return name + ":1: error: the text of the kernel has no function \"" + name + "\": the name \"" + word +
         "\" is not in it\n";
}

TEST(MissingName, IsToldApartFromWordsThatContainIt) {
  EXPECT_EQ(explain_failure(raw("ad", kAdd)), missing("ad", "ad"));
  EXPECT_EQ(explain_failure(raw("add", kAdd)), "");
  EXPECT_EQ(explain_failure(raw("dd", kAdd)), missing("dd", "dd"));
}

TEST(MissingName, OfANamespaceOrOfATemplate) {
  EXPECT_EQ(explain_failure(raw("mine::add", kAdd)), missing("mine::add", "mine"));
  EXPECT_EQ(explain_failure(raw("other<float, 4>", kAdd)), missing("other<float, 4>", "other"));
  EXPECT_EQ(explain_failure(raw("add<std::pair<int, int>>", kAdd)), "");
}

TEST(MissingName, InACommentOrAStringIsMissing) {
  EXPECT_EQ(explain_failure(raw("sub", std::string("// sub\n/* sub */ const char *t = \"sub\";\n") + kAdd)),
            missing("sub", "sub"));
}

TEST(MissingName, IsNotSoughtWhereTheTextPastesNames) {
  EXPECT_EQ(explain_failure(raw("add_f", "#define K(n) __global__ void add_##n() {}\nK(f)\n")), "");
}

TEST(Brackets, ThatAreNeverClosed) {
  EXPECT_EQ(explain_failure(raw("add", "__global__ void add(float *x) {\n  x[0] += 1;\n")),
            "add:1: error: '{' is never closed\n");
}

TEST(Brackets, ThatCloseNothing) {
  EXPECT_EQ(explain_failure(raw("add", std::string(kAdd) + "\n}\n")), "add:5: error: '}' closes nothing\n");
}

TEST(Brackets, OfDifferentKinds) {
  EXPECT_EQ(explain_failure(raw("add", "__global__ void add(float *x) {\n  x[0) = 1;\n}\n")),
            "add:2: error: ')' stands where the '[' of line 2 should be closed\n");
}

TEST(Brackets, InCommentsStringsAndCharactersCountNothing) {
  const char *const text =
      "__global__ void add(int *x) {\n  // }\n  /* {{\n ) */ const char *s = \"}\\\"{\", c = '{';\n"
      "  const char *r = R\"x(})\")x\"; x[0] = 1'000;\n}\n";
  EXPECT_EQ(explain_failure(raw("add", text)), "");
  EXPECT_EQ(explain_failure(raw("add", std::string(text) + ")")), "add:7: error: ')' closes nothing\n");
}

TEST(Brackets, AreNotCountedWhereAnIfChoosesAmongThem) {
  EXPECT_EQ(explain_failure(raw("add", "#ifdef A\nvoid add() {\n#else\nvoid add(int) {\n#endif\n}\n")), "");
}

TEST(Brackets, OfEachPartOfAnElementwiseKernelAndOfAReduction) {
  UserKernel kernel;
  kernel.name = "plus";
  kernel.operation = "y = (x\n + 1";
  EXPECT_EQ(explain_failure(kernel), "plus:1: error: '(' is never closed\n");
  kernel.preamble = "}";
  EXPECT_EQ(explain_failure(kernel), "plus preamble:1: error: '}' closes nothing\n");
  UserKernel sum;
  sum.name = "sum";
  sum.reduces = true;
  sum.operation = "x]";
  EXPECT_EQ(explain_failure(sum), "sum map:1: error: ']' closes nothing\n");
  sum.combine = "(a + b";
  EXPECT_EQ(explain_failure(sum), "sum reduce:1: error: '(' is never closed\n");
}

TEST(Texts, ThatNeverEndAreLeftToTheCompiler) {
  for (const char *text : {"/* add", "\"add", "'add", "R\"(add", "R\"add", "add // \\", "add \"\\"})
    EXPECT_NO_THROW(explain_failure(raw("add", text))) << text;
}

}  // namespace
