// tests/loader/search_posix_test.cpp -- the search list where the library is found through links, relative paths and
// LD_LIBRARY_PATH, and where a program has more rights than its user.
//
// POSIX only: LD_LIBRARY_PATH, symbolic links and set-user-id, of which search_windows_test has what corresponds
#include <algorithm>

#include "tests/loader/search_support.h"

namespace {

// Copies of the library and the CPU plugin, to be found through links and relative paths.
void install(const child::Scratch &place, const std::string &name) {
  const std::string libraries = LIBRARY_DIRECTORY;
  std::filesystem::copy_file(libraries + "/libgpuopt.so.1", place.directory(name) + "/libgpuopt.so.1");
  std::filesystem::copy_file(libraries + "/gpuopt/1/libgpuopt_cpu.so",
                             place.directory(name + "/gpuopt/1") + "/libgpuopt_cpu.so");
}

TEST(Search, IsRelativeToTheRealFileOfTheLibrary) {
  const child::Scratch place;
  install(place, "real");
  std::filesystem::create_symlink("../real/libgpuopt.so.1", place.directory("link") + "/libgpuopt.so.1");
  const Result result = child::run({LOADER_PROBE, "cpu", "report"}, {{"LD_LIBRARY_PATH", place / "link"}});
  EXPECT_EQ(opened(result).device, "cpu:0") << result.out;
  EXPECT_NE(result.out.find("plugin: " + (place / "real/gpuopt/1/libgpuopt_cpu.so")), std::string::npos) << result.out;
}

TEST(Search, DoesNotFollowTheWorkingDirectoryWhereTheLibraryWasLoadedByARelativePath) {
  const Marker marker;
  const child::Scratch place;
  install(place, "first");
  std::filesystem::copy_file(plugin_directory("replaced_cpu") + "/libgpuopt_cpu.so",
                             place.directory("second/gpuopt/1") + "/libgpuopt_cpu.so");
  std::filesystem::copy_file(plugin_directory("replaced_cpu") + "/libgpuopt_cpu.so", place / "second/libgpuopt.so.1");
  const Result result = child::run({LOADER_PROBE, "chdir:" + (place / "second"), "cpu", "report"},
                                   {{"LD_LIBRARY_PATH", "."}, {"GPUOPT_TEST_MARKER", marker.file}}, place / "first");
  EXPECT_EQ(opened(result).device, "cpu:0") << result.out << result.err;
  EXPECT_NE(result.out.find("plugin: " + (place / "first/gpuopt/1/libgpuopt_cpu.so")), std::string::npos) << result.out;
  EXPECT_EQ(marker.seen(), Names());
}

TEST(Search, AMissingCpuIsAnErrorWithAReason) {
  const child::Scratch place;
  std::filesystem::copy_file(LIBRARY_DIRECTORY "/libgpuopt.so.1", place / "libgpuopt.so.1");
  const Result result = child::run({LOADER_PROBE, "cpu", "cuda", "auto", "-"}, {{"LD_LIBRARY_PATH", place.path()}});
  EXPECT_EQ(result.err, "");
  for (size_t line = 0; line < 4; ++line) {
    EXPECT_EQ(opened(result, line).status, "GPUOPT_ERR_UNAVAILABLE");
    EXPECT_EQ(opened(result, line).reason, "NOT_FOUND");
    EXPECT_NE(opened(result, line).message.find("no libgpuopt_cpu.so in: " + place.path()), std::string::npos)
        << opened(result, line).message;
  }
}

TEST(Search, RaisedRightsDoNotFollowTheEnvironment) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make a setuid program";
  const Marker marker;
  const child::Scratch place;
  const std::string probe = place / "probe";
  std::filesystem::copy_file(LOADER_PROBE, probe);
  ASSERT_EQ(chmod(place.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(probe.c_str(), 04755), 0);
  const Result result = child::run({probe, "secure", "cuda", "cuda", "-"},
                                   {{"GPUOPT_PLUGIN_PATH", plugin_directory("good")},
                                    {"GPUOPT_TEST_MARKER", marker.file},
                                    {"GPUOPT_BACKEND", "bogus"}},
                                   "/", 65534);
  if (result.exit != 0 || result.out_lines().at(0) != "secure|1")
    GTEST_SKIP() << "set-user-id programs do not work here: " << result.err;
  EXPECT_EQ(opened(result, 1).device, "cpu:0");
  EXPECT_EQ(opened(result, 1).fallback, "NOT_FOUND");
  EXPECT_EQ(opened(result, 3).device, "cpu:0");  // GPUOPT_BACKEND is not read
  EXPECT_EQ(marker.seen(), Names());
  const std::vector<std::string> lines = result.err_lines();
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string &line) {
                            return line.rfind("gpuopt[W] plugin_path.ignored reason=UNTRUSTED_PATH", 0) == 0;
                          }),
            1)
      << result.err;
  EXPECT_EQ(lines.size(), 2u) << result.err;
}

}  // namespace
