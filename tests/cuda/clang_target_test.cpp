// tests/cuda/clang_target_test.cpp -- for which architecture Clang writes PTX, and why it cannot be had.
#include <gtest/gtest.h>

#include "plugins/cuda/compile/choose_compiler.h"

namespace gpuopt::cuda {
namespace {

TEST(ClangTarget, NewestOfTheDeviceAndTheDriver) {
  const struct {
    int driver, capability, arch;
  } rows[] = {{13000, 120, 90}, {12040, 90, 90}, {11080, 89, 89}, {11070, 90, 86}, {11000, 86, 80},
              {10000, 80, 75},  {9020, 75, 70},  {13000, 72, 70}, {13000, 87, 86}};
  for (const auto &row : rows) {
    const Target target = choose_ptx_target(row.driver, row.capability);
    EXPECT_EQ(target.problem, "") << row.driver << " " << row.capability;
    EXPECT_EQ(target.arch, row.arch) << row.driver << " " << row.capability;
    EXPECT_TRUE(target.ptx);
  }
}

TEST(ClangTarget, SaysWhyThereIsNone) {
  for (const auto &[driver, capability] : {std::pair(13000, 61), std::pair(9000, 70)})
    EXPECT_NE(choose_ptx_target(driver, capability).problem.find("writes no PTX"), std::string::npos);
}

TEST(ClangTarget, SettingChooses) {
  SearchInput input;
  std::string wished = "clang";
  input.setting = [&](const char *name) {
    return std::string(name) == "GPUOPT_CUDA_COMPILER" ? wished
           : std::string(name) == "GPUOPT_JIT"         ? std::string("/nonexistent/libgpuopt_jit.so")
           : std::string(name) == "GPUOPT_NVRTC"       ? std::string("/nonexistent/libnvrtc.so.13")
                                                       : std::string();
  };
  const Compiler clang = choose_compiler(input, 13000, 90);
  EXPECT_FALSE(clang.found());
  EXPECT_NE(clang.why_not_clang.find("/nonexistent/libgpuopt_jit.so"), std::string::npos) << clang.why_not_clang;
  EXPECT_EQ(clang.tried, "GPUOPT_CUDA_COMPILER is clang");
  wished = "nvrtc";
  EXPECT_EQ(choose_compiler(input, 13000, 90).why_not_clang, "");
  wished = "";
  const Compiler neither = choose_compiler(input, 13000, 90);
  EXPECT_NE(neither.tried.find("libnvrtc"), std::string::npos) << neither.tried;
  EXPECT_NE(neither.why_not_clang, "");
}

}  // namespace
}  // namespace gpuopt::cuda
