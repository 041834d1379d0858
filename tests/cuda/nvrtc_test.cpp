// tests/cuda/nvrtc_test.cpp -- which run-time compiler is taken, and why others are not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "plugins/cuda/compile/choose_compiler.h"
#include "tests/not_here.h"

namespace {

namespace fs = std::filesystem;
using namespace gpuopt::cuda;

// Stands for the environment; nothing is looked for in it but what a test puts there.
SearchInput with(std::map<std::string, std::string> settings) {
  SearchInput input;
  input.setting = [settings](const char *name) { return settings.count(name) ? settings.at(name) : std::string(); };
  input.local = "/nonexistent";
  return input;
}

#if defined(_WIN32)
const std::string kBuiltins = "nvrtc-builtins64_124.dll";
#else
const std::string kBuiltins = "libnvrtc-builtins.so.12.4";
#endif

std::string stub(const std::string &kind) { return GPUOPT_STUB + kind + GPUOPT_LIBRARY_SUFFIX; }

Compiler with_stub(const std::string &kind, int driver = 12040, int capability = 90) {
  return choose_compiler(with({{"GPUOPT_NVRTC", stub(kind)}}), driver, capability);
}

TEST(NvrtcChoice, AGoodOneIsTaken) {
  const Compiler compiler = with_stub("good");
  ASSERT_NE(compiler.nvrtc, nullptr) << compiler.tried;
  EXPECT_EQ(compiler.nvrtc->version(), 12040);
  EXPECT_EQ(fs::canonical(compiler.nvrtc->path()), fs::canonical(stub("good")));
  EXPECT_EQ(compiler.target.option(), "-arch=sm_90");
  EXPECT_EQ(compiler.build, "12.4, Compiler Build ID: STUB-1");
  EXPECT_EQ(compiler.tried, "");
}

TEST(NvrtcChoice, EachOtherIsRefusedWithItsReason) {
  struct {
    const char *kind;
    int driver, capability;
    std::string why;
  } const rows[] = {
      {"major_13", 12040, 90, "NVRTC 13.4 is too new for the driver, which is for CUDA 12.4"},
      {"good", 13000, 70, "NVRTC 12.4 no longer serves a device of compute capability 7.0"},
      {"good", 12020, 100,
       "NVRTC 12.4 knows no cubin for a device of compute capability 10.0, and is too new to give PTX to the driver, "
       "which is for CUDA 12.2"},
      {"no_builtins", 12040, 90, "its " + kBuiltins + " is missing or of another version"},
      {"broken", 12040, 90, "it does not compile an empty kernel: NVRTC_ERROR"},
      {"old", 12040, 90, "it has no nvrtcGetCUBINSize"},
      {"no_code", 12040, 90, "it gives no code for sm_90"},
  };
  for (const auto &row : rows) {
    const Compiler compiler = with_stub(row.kind, row.driver, row.capability);
    EXPECT_EQ(compiler.nvrtc, nullptr) << row.kind;
    EXPECT_EQ(compiler.tried, stub(row.kind) + ": " + row.why);
  }
}

#if defined(_WIN32)
NOT_HERE(NvrtcChoicePosix, "Linux's names of libraries and symbolic links")
#else
// The toolkit of CUDA_PATH is refused, the next place is tried.
TEST(NvrtcChoice, TheSearchGoesOnAfterARefusal) {
  struct {
    const char *kind;
    std::string why;
  } const rows[] = {{"major_13", "NVRTC 13.4 is too new"},
                    {"no_builtins", "its " + kBuiltins + " is missing"},
                    {"broken", "it does not compile an empty kernel"},
                    {"no_code", "it gives no code for sm_90"}};
  for (const auto &row : rows) {
    const fs::path root = fs::temp_directory_path() / ("gpuopt_nvrtc_" + std::to_string(std::rand()));
    fs::create_directories(root / "new/lib64");
    fs::create_directories(root / "local/cuda-12.4/lib64");
    fs::create_symlink(stub(row.kind), root / "new/lib64/libnvrtc.so.13");
    fs::create_symlink(stub("good"), root / "local/cuda-12.4/lib64/libnvrtc.so.12");
    SearchInput input = with({{"CUDA_PATH", (root / "new").string()}});
    input.local = (root / "local").string();
    const Compiler compiler = choose_compiler(input, 12040, 90, {"a kernel", "k.cu"});
    fs::remove_all(root);
    ASSERT_NE(compiler.nvrtc, nullptr) << compiler.tried;
    EXPECT_EQ(fs::canonical(compiler.nvrtc->path()), fs::canonical(stub("good")));
    EXPECT_NE(compiler.tried.find(row.why), std::string::npos) << compiler.tried;
    ASSERT_TRUE(compiler.made) << row.kind;
    EXPECT_EQ(compiler.made->cubin, "cubin") << "of the one that was taken";
  }
}
#endif

}  // namespace
