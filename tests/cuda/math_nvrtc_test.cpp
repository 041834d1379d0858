// tests/cuda/math_nvrtc_test.cpp -- the header of an operation, as the plugin includes it, is all NVRTC needs for it
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/cuda/real_nvrtc.h"

namespace {

using gpuopt::cuda::Compilation;

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

using MathNvrtc = gpuopt::test::RealNvrtc<>;

// op_headers.def promises that a row's own header is enough for its real loops.
TEST_F(MathNvrtc, EachOpHeaderStandsAlone) {
  std::map<std::string, std::string> header_of, body_of;
#define GPO_OP_HEADER(name, header) header_of[#name] = header;
#include "plugins/shared/ops/op_headers.def"
#define GPUOPT_OP(name, nin, kinds, result, doc)                                  \
  ASSERT_EQ(header_of.count(#name), 1u) << #name " has no row in op_headers.def"; \
  body_of[header_of[#name]] += call(#name, nin, kinds, #result);
#include "gpuopt/ops.def"
  for (const auto &[header, body] : body_of) {
    const std::string source = "#include \"" + header + "\"\nusing namespace gpo;\n" +
                               "extern \"C\" __global__ void k(float* f, int* n, bool* c) {\n" + body + "}\n";
    const Compilation out = compiler.nvrtc->compile(source, "header.cu", compiler.target);
    EXPECT_EQ(out.status, NVRTC_SUCCESS) << header << '\n' << out.log;
  }
}

}  // namespace
