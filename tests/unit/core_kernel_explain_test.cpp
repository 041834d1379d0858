// tests/unit/core_kernel_explain_test.cpp -- what is said of a kernel whose text does not compile for want of a
// function or of a bracket.
#include <gtest/gtest.h>

#include "core/kernels/text/kernel_explain.h"

using gpuopt::UserKernel;

namespace {

// What is said where the compiler's log says nothing.
std::string explain_failure(const UserKernel &kernel) { return gpuopt::explain_failure(kernel, ""); }

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

// What NVRTC prints of names that are no kernels.
TEST(NameOfNoKernel, IsSeenInTheMessagesOfNvrtc) {
  const std::string start = "bar:1: error: \"bar\" is in the text, but is no kernel: ";
  const char *const name_map =
      "__nv_name_map(2): error: Name expression cannot form address of a non-__global__ function. Input name "
      "expression "
      "was: \" bar\"\n  #pragma nv_mangled_name bar\n                          ^\n";
  EXPECT_EQ(gpuopt::explain_failure(raw("bar", "__device__ void bar(float *x) {}\n"), name_map),
            start + "it is a function that is not declared __global__; a kernel is declared \"__global__ void\"\n");
  const char *const signature =
      "gpuopt(6): error: cannot determine which instance of function template \"gpuopt_kernel::gpuopt_text::bar\" is "
      "intended\n  __device__ gpuopt_signature_type<decltype(&bar)> gpuopt_signature_0\n";
  EXPECT_EQ(gpuopt::explain_failure(raw("bar", "template <class T> __global__ void bar(T *x) {}\n"), signature),
            start + "it is a template of <class T>, so name it as in \"bar<float>\"\n");
  const char *const using_it =
      "gpuopt(3): error: namespace \"gpuopt_kernel::gpuopt_text\" has no member \"bar\"\n"
      "  using gpuopt_kernel::gpuopt_text::bar;\n";
  EXPECT_EQ(gpuopt::explain_failure(raw("bar", "namespace n { __global__ void bar(float *x) {} }\n"), using_it),
            start + "the function is in another scope; name it \"n::bar\"\n");
}

TEST(NameOfNoKernel, IsNotSoughtWhereTheAuthorsLinesHaveTheFirstError) {
  const std::string later = "gpuopt:6:43: error: no\n decltype(&add)\n";
  EXPECT_NE(gpuopt::explain_failure(raw("add", kAdd), later), "");
  EXPECT_EQ(gpuopt::explain_failure(raw("add", kAdd), "add:2:3: error: no\n" + later), "");
  EXPECT_EQ(gpuopt::explain_failure(raw("add", kAdd), "gpuopt:6:43: error: no\n decltype(&other)\n"), "");
  EXPECT_EQ(gpuopt::explain_failure(raw("add", kAdd), "gpuopt:6:43: error: no\n decltype(&add_more)\n"), "");
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
