// tests/loader/search_windows_test.cpp -- the search list on Windows: names that are not ASCII, libraries a plugin
// needs, and a program that has more rights than its user.
#include "tests/loader/search_support.h"

namespace {

namespace fs = std::filesystem;

// The probe in a folder of its own with the library and the CPU plugin, as they are installed.
struct Installation : child::Scratch {
  explicit Installation(bool with_cpu = true) {
    const std::string from = LIBRARY_DIRECTORY "/";
    copy_file(LOADER_PROBE, program);
    copy_file(from + LIBRARY_FILE, *this / LIBRARY_FILE);
    if (with_cpu) copy_file(from + "gpuopt/1/gpuopt_cpu.dll", directory("gpuopt/1") + "\\gpuopt_cpu.dll");
  }
  const std::string program = *this / "probe.exe";
};

TEST(SearchOnWindows, FoldersMayHaveAnyName) {
  const Installation here;
  const child::Scratch plugins;
  copy_file(child::plugin("good"), plugins.directory("\xD0\xB6 \xE4\xBA\xAC") + "\\gpuopt_cuda.dll");
  const Result result = child::run({here.program, "cuda", "add", "report"},
                                   {{"GPUOPT_PLUGIN_PATH", plugins / "\xD0\xB6 \xE4\xBA\xAC"}}, "C:\\");
  EXPECT_EQ(opened(result).device, "cuda:0") << result.err;
  EXPECT_NE(result.out.find("plugin: " + (here / "gpuopt/1/gpuopt_cpu.dll")), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("plugin: " + (plugins / "\xD0\xB6 \xE4\xBA\xAC/gpuopt_cuda.dll")), std::string::npos)
      << result.out;
}

TEST(SearchOnWindows, SlashesOfBothKindsWill) {
  std::string path = child::plugin_directory("good");
  for (char &c : path) c = c == '\\' ? '/' : c;
  EXPECT_EQ(opened(child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", path}})).device, "cuda:0");
  EXPECT_EQ(opened(child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", path + "/"}})).device, "cuda:0");
}

// "\dir" and "C:dir" depend on the current drive and directory.
TEST(SearchOnWindows, HalfOfAPathIsNoAbsoluteOne) {
  const child::Scratch here;
  copy_file(child::plugin("good"), here.directory("lib") + "\\gpuopt_cuda.dll");
  const std::string drive = here.path().substr(0, 2), rest = here.path().substr(2) + "\\lib";
  for (const std::string &path : {rest, drive + "lib"}) {
    const Result result = child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", path}}, here.path());
    EXPECT_EQ(opened(result).fallback, "NOT_FOUND") << path;
    EXPECT_NE(result.err.find("(not an absolute path)"), std::string::npos) << result.err;
  }
}

TEST(SearchOnWindows, WhatAPluginNeedsIsFoundBesideItAndNowhereElse) {
  const child::Scratch whole, lacking;
  copy_file(child::plugin("needs_library"), whole / "gpuopt_cuda.dll");
  copy_file(child::plugin_directory("needs_library") + "\\gpuopt_needed.dll", whole / "gpuopt_needed.dll");
  EXPECT_EQ(opened(child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", whole.path()}}, "C:\\")).device,
            "cuda:0");
  // Planted in the working directory and on PATH, it is not taken.
  copy_file(child::plugin("needs_library"), lacking.directory("plugins") + "\\gpuopt_cuda.dll");
  copy_file(child::plugin_directory("needs_library") + "\\gpuopt_needed.dll", lacking / "gpuopt_needed.dll");
  const Result result = child::run(
      {LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", lacking / "plugins"}, {"PATH", lacking.path()}}, lacking.path());
  EXPECT_EQ(opened(result).fallback, "LOAD_FAILED") << result.err;
  EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
  EXPECT_NE(result.err.find("(Windows error 126)"), std::string::npos) << result.err;
}

TEST(SearchOnWindows, AMissingCpuIsAnErrorWithAReason) {
  const Installation here(false);
  const Result result = child::run({here.program, "cpu", "cuda", "auto", "-"});
  EXPECT_EQ(result.err, "");
  for (size_t line = 0; line < 4; ++line) {
    EXPECT_EQ(opened(result, line).status, "GPUOPT_ERR_UNAVAILABLE");
    EXPECT_EQ(opened(result, line).reason, "NOT_FOUND");
    EXPECT_NE(opened(result, line).message.find("no gpuopt_cpu.dll in: " + here.path()), std::string::npos)
        << opened(result, line).message;
  }
}

TEST(SearchOnWindows, RaisedRightsDoNotFollowTheEnvironment) {
  const HANDLE ordinary = child::ordinary_rights();
  if (!ordinary) GTEST_SKIP() << "this process has no raised rights to give";
  CloseHandle(ordinary);
  const Marker marker;
  const Result result =
      child::run({LOADER_PROBE, "cuda", "cuda"},
                 {{"GPUOPT_PLUGIN_PATH", child::plugin_directory("good")}, {"GPUOPT_TEST_MARKER", marker.file}}, "",
                 child::Rights::own);
  EXPECT_EQ(opened(result).device, "cpu:0");
  EXPECT_EQ(opened(result).fallback, "NOT_FOUND");
  EXPECT_EQ(marker.seen(), Names());
  const std::vector<std::string> lines = result.err_lines();
  ASSERT_EQ(lines.size(), 2u) << result.err;
  EXPECT_EQ(lines[0].rfind("gpuopt[W] plugin_path.ignored reason=UNTRUSTED_PATH", 0), 0u) << result.err;
}

}  // namespace
