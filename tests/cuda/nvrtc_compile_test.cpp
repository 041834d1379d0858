// tests/cuda/nvrtc_compile_test.cpp -- what the real run-time compiler makes of our sources, for every architecture.
#include <gtest/gtest.h>

#include <string>

#include "plugins/cuda/compile/embedded.h"
#include "tests/cuda/real_nvrtc.h"

namespace {

using namespace gpuopt::cuda;

using NvrtcCompiles = gpuopt::test::RealNvrtc<>;

const char *const kKernel = R"(
#include "plugins/cuda/text/words.h"
#include "plugins/shared/ops/scalar_ops.h"
extern "C" __global__ void k(const gpo::Words<2> p) {
  reinterpret_cast<float *>(p.w[0])[threadIdx.x] = gpo::ops::exp::apply(reinterpret_cast<float *>(p.w[1])[threadIdx.x]);
}
)";

TEST_F(NvrtcCompiles, CubinAndPtxForEveryArchitecture) {
  ASSERT_FALSE(compiler.nvrtc->archs().empty());
  for (const int arch : compiler.nvrtc->archs()) {
    const Compilation binary = compiler.nvrtc->compile(kKernel, "k.cu", {arch, false, ""});
    EXPECT_EQ(binary.status, NVRTC_SUCCESS) << arch << binary.log;
    EXPECT_EQ(binary.log, "") << arch;
    EXPECT_EQ(binary.cubin.substr(1, 3), "ELF") << arch;
    const Compilation text = compiler.nvrtc->compile(kKernel, "k.cu", {arch, true, ""});
    EXPECT_EQ(text.log, "") << arch;
    EXPECT_EQ(text.cubin, "") << arch;
    EXPECT_NE(text.ptx.find(".target sm_" + std::to_string(arch)), std::string::npos) << arch;
    EXPECT_NE(text.ptx.find(".param .align 8 .b8 k_param_0[16]"), std::string::npos) << text.ptx;
    EXPECT_EQ(text.ptx.find('\0'), std::string::npos);
  }
}

// The prelude and all that is made of it: each header alone, and for every architecture all of them in one text. What
// has no kernel has no machine code. A PCG64 generator is sequential and stays on the CPU.
TEST_F(NvrtcCompiles, EveryHeader) {
  std::string all;
  for (const EmbeddedHeader &header : embedded_headers()) {
    if (header.name == std::string("plugins/shared/random/pcg64.h")) continue;
    const std::string text = std::string("#include \"") + header.name + "\"\n";
    const Compilation alone = compiler.nvrtc->compile(text, "alone.cu", {compiler.target.arch, true, ""});
    EXPECT_EQ(alone.status, NVRTC_SUCCESS) << header.name;
    EXPECT_EQ(alone.log, "") << header.name;
    all += text;
  }
  for (const int arch : compiler.nvrtc->archs()) {
    const Compilation together = compiler.nvrtc->compile(all, "all.cu", {arch, true, ""});
    EXPECT_EQ(together.status, NVRTC_SUCCESS) << arch;
    EXPECT_EQ(together.log, "") << arch;
  }
}

TEST_F(NvrtcCompiles, AnErrorComesWithTheCompilersWords) {
  const Compilation failed = compiler.nvrtc->compile("nonsense;", "wrong.cu", compiler.target);
  EXPECT_EQ(failed.status, NVRTC_ERROR_COMPILATION);
  EXPECT_NE(failed.log.find("wrong.cu(1): error"), std::string::npos) << failed.log;
  EXPECT_EQ(failed.cubin + failed.ptx, "");
}

TEST_F(NvrtcCompiles, NoHeaderButOursIsFound) {
  const Compilation failed = compiler.nvrtc->compile("#include <vector>\n", "wrong.cu", compiler.target);
  EXPECT_EQ(failed.status, NVRTC_ERROR_COMPILATION);
}

TEST_F(NvrtcCompiles, TheBuildIsTold) {
  gpuopt::cuda::SearchInput this_one;
  this_one.setting = [&](const char *) { return compiler.nvrtc->path(); };
  EXPECT_EQ(choose_compiler(this_one, 99000, 90, {kKernel, "k.cu"}).build, compiler.build)
      << "the same, by whatever kernel";
  EXPECT_NE(compiler.build.find("Compiler Build ID"), std::string::npos) << compiler.build;
  EXPECT_NE(compiler.build.find("release " + version_text(compiler.nvrtc->version())), std::string::npos)
      << compiler.build;
}

}  // namespace
