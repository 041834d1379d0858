// tests/cuda/words_nvrtc_test.cpp -- NVIDIA's own compiler compiles every word of CUDA C++ that kernels may use
// (tests/kernels/words.txt).
#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/kernels/text/kernel_text.h"
#include "tests/cuda/real_nvrtc.h"
#include "tests/kernels/collectives.h"
#include "tests/kernels/device_functions.h"
#include "tests/kernels/library_texts.h"
#include "tests/kernels/textures.h"
#include "tests/kernels/word_cases.h"

namespace {

using gpuopt::UserKernel;
using gpuopt::cuda::Compilation;
using gpuopt::test::WordCase;

using WordsNvrtc = gpuopt::test::RealNvrtc<>;

constexpr size_t kTogether = 40;  // cases of one kernel

// To PTX, for machine code takes several times as long and has nothing to do with words.
TEST_F(WordsNvrtc, Compile) {
  const std::vector<WordCase> cases = gpuopt::test::word_cases(GPUOPT_SOURCE_DIR);
  ASSERT_GT(cases.size(), 700u);
  for (size_t k = 0; k < cases.size(); k += kTogether) {
    UserKernel source;
    source.raw = true;
    source.names = {"compute"};
    source.operation = gpuopt::test::words_kernel(&cases[k], std::min(kTogether, cases.size() - k));
    const Compilation out =
        compiler.nvrtc->compile(gpuopt::raw_text(source), "words.cu", {compiler.nvrtc->archs().front(), true, ""});
    EXPECT_EQ(out.status, NVRTC_SUCCESS) << cases[k].word << '\n' << out.log.substr(0, 2000);
  }
}

// Of the oldest architecture that has all matrices.
void expect_compiled(const gpuopt::cuda::Nvrtc &nvrtc, const char *name, const char *code) {
  UserKernel source;
  source.raw = true;
  source.names = {name};
  source.operation = code;
  const Compilation out = nvrtc.compile(gpuopt::raw_text(source), "words.cu", {80, true, ""});
  EXPECT_EQ(out.status, NVRTC_SUCCESS) << name << '\n' << out.log.substr(0, 2000);
}

TEST_F(WordsNvrtc, CompileKernelsThatUseMoreThanNumbers) {
  for (const auto *text : gpuopt::test::kDeviceTexts) expect_compiled(*compiler.nvrtc, text->name, text->code);
}

TEST_F(WordsNvrtc, CompileTextures) {
  for (const auto *text : gpuopt::test::kTextureTexts) expect_compiled(*compiler.nvrtc, text->name, text->code);
}

TEST_F(WordsNvrtc, CompileCollectives) {
  for (const auto *text : gpuopt::test::kCollectiveTexts) expect_compiled(*compiler.nvrtc, text->name, text->code);
  for (const auto *text : gpuopt::test::kLibraryTexts) expect_compiled(*compiler.nvrtc, text->name, text->code);
}

}  // namespace
