// tests/cuda/math_nvrtc_test.cpp -- NVRTC accepts the scalar definitions without a single header and contracts nothing
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/cuda/real_nvrtc.h"

namespace {

using gpuopt::cuda::Compilation;
using gpuopt::cuda::Target;

// One kernel that applies every row to every loop dtype its kinds name.
std::string every_op_source() {
  std::string body;
  const std::map<char, std::vector<const char *>> types = {{'?', {"bool"}},
                                                           {'i', {"i8", "i16", "i32", "i64"}},
                                                           {'u', {"u8", "u16", "u32", "u64"}},
                                                           {'f', {"float", "double"}},
                                                           {'c', {"c64", "c128"}}};
  const auto add = [&](const char *name, int inputs, const std::string &kinds, const std::string &result) {
    for (char kind : kinds) {
      for (const std::string type : types.at(kind)) {
        const std::string x = "((" + type + "*)p)[";
        const std::string first = result == "SELECT" ? "((bool*)p)[i]" : x + "i]";
        body += "case __LINE__: { auto r = ops::" + std::string(name) + "::apply(" + first;
        for (int k = 1; k < inputs; ++k) body += ", " + x + "i + " + std::to_string(k) + "]";
        body += "); ((decltype(r)*)q)[i] = r; break; }\n";
      }
    }
  };
#define GPUOPT_OP(name, nin, kinds, result, doc) add(#name, nin, kinds, #result);
#include "gpuopt/ops.def"
  return "#include \"plugins/shared/scalar_ops.h\"\n#include \"plugins/shared/reduce_ops.h\"\nusing namespace gpo;\n"
         "extern \"C\" __global__ void every_op(int op, void* p, void* q, int i) {\nswitch (op) {\n" +
         body + "}\n}\n";
}

// A statement that applies a row to float, or else int, or else bool.
std::string call(const std::string &name, int inputs, const std::string &kinds, const std::string &result) {
  const char *const array = kinds.find('f') != kinds.npos ? "f" : kinds.find('i') != kinds.npos ? "n" : "c";
  std::string text = std::string(array) + "[0] = ops::" + name + "::apply(";
  for (int k = 0; k < inputs; ++k) {
    text +=
        (k ? ", " : "") + std::string(k == 0 && result == "SELECT" ? "c" : array) + "[" + std::to_string(k + 1) + "]";
  }
  return text + ");\n";
}

class NvrtcTest : public gpuopt::test::RealNvrtc<testing::TestWithParam<int>> {
 protected:
  Compilation compile(const std::string &source) const {
    return compiler.nvrtc->compile(source, "kernel.cu", Target{GetParam(), false, ""});
  }
};

TEST_P(NvrtcTest, CompilesEveryOpWithoutHeaders) {
  const Compilation out = compile(every_op_source());
  ASSERT_EQ(out.status, NVRTC_SUCCESS) << out.log;
  // A multiply or add without .rn is one that ptxas may contract.
  static const std::regex contractible("\\b(mul|add|sub)\\.f(32|64)");
  std::smatch match;
  EXPECT_FALSE(std::regex_search(out.ptx, match, contractible)) << match.str();
  EXPECT_EQ(out.ptx.find(".ftz"), std::string::npos);
}

// op_headers.def promises that a row's own header is enough for its real loops.
TEST_P(NvrtcTest, EachOpHeaderStandsAlone) {
  std::map<std::string, std::string> header_of, body_of;
#define GPO_OP_HEADER(name, header) header_of[#name] = header;
#include "plugins/shared/op_headers.def"
#define GPUOPT_OP(name, nin, kinds, result, doc)                                  \
  ASSERT_EQ(header_of.count(#name), 1u) << #name " has no row in op_headers.def"; \
  body_of[header_of[#name]] += call(#name, nin, kinds, #result);
#include "gpuopt/ops.def"
  for (const auto &[header, body] : body_of) {
    const std::string source = "#include \"" + header + "\"\nusing namespace gpo;\n" +
                               "extern \"C\" __global__ void k(float* f, int* n, bool* c) {\n" + body + "}\n";
    const Compilation out = compile(source);
    EXPECT_EQ(out.status, NVRTC_SUCCESS) << header << '\n' << out.log;
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, NvrtcTest, testing::Values(75, 90));

}  // namespace
