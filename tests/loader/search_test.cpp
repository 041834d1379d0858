// tests/loader/search_test.cpp -- where plugins are looked for, in which order, and where never.
#include <algorithm>

#include "child.h"

namespace {

using child::Opened;
using child::Result;

std::string plugin_directory(const std::string &name) { return std::string(PLUGIN_ROOT) + "/" + name; }
std::string plugin_file(const std::string &name) { return plugin_directory(name) + "/libgpuopt_cuda.so"; }

Opened opened(const Result &result, size_t line = 0) { return child::parse_opened(result.out_lines().at(line)); }

// Which plugins of bad_plugin.cpp were opened by a child: each writes its name into a file.
struct Marker : child::Scratch {
  const std::string file = *this / "marker";
  std::vector<std::string> seen() const { return Result::lines(child::read_file(file)); }
};

using Names = std::vector<std::string>;

TEST(Search, DecoysInTheWorkingDirectoryAndOnPathsAreNeverOpened) {
  const Marker marker;
  const child::Scratch here;
  for (const char *place : {".", "lib", "gpuopt/1", "plugins"}) {
    std::filesystem::copy_file(plugin_file("good"), here.directory(place) + "/libgpuopt_cuda.so");
  }
  const child::Environment environment = {{"GPUOPT_TEST_MARKER", marker.file},
                                          {"PATH", here.path()},
                                          {"LD_LIBRARY_PATH", here.path() + ":" + (here / "lib")}};
  const Result result = child::run({LOADER_PROBE, "cuda", "auto", "cuda!"}, environment, here.path());
  EXPECT_EQ(opened(result).fallback, "NOT_FOUND") << result.err;
  EXPECT_EQ(opened(result).device, "cpu:0");
  EXPECT_EQ(marker.seen(), Names());
  ASSERT_EQ(result.err_lines().size(), 1u);
  EXPECT_NE(result.err.find("reason=NOT_FOUND requested=cuda using=cpu hw="), std::string::npos);
  EXPECT_NE(result.err.find("detail=\"no libgpuopt_cuda.so in: " LIBRARY_DIRECTORY "/gpuopt/1"), std::string::npos)
      << result.err;
}

TEST(Search, RelativeAndEmptyElementsOfTheVariableAreIgnored) {
  const Marker marker;
  const child::Scratch here;
  std::filesystem::copy_file(plugin_file("good"), here / "libgpuopt_cuda.so");
  std::filesystem::copy_file(plugin_file("good"), here.directory("lib") + "/libgpuopt_cuda.so");
  for (const char *path : {".", "lib", "./lib", "", ":", "::", "libgpuopt_cuda.so", "lib:.:"}) {
    const Result result = child::run({LOADER_PROBE, "cuda"},
                                     {{"GPUOPT_PLUGIN_PATH", path}, {"GPUOPT_TEST_MARKER", marker.file}}, here.path());
    EXPECT_EQ(opened(result).fallback, "NOT_FOUND") << path << result.err;
    EXPECT_EQ(result.err_lines().size(), 1u) << path << result.err;
    const bool relative = std::string(path).find_first_not_of(':') != std::string::npos;
    EXPECT_EQ(result.err.find("(not an absolute path)") != std::string::npos, relative) << path << result.err;
  }
  EXPECT_EQ(marker.seen(), Names());
}

TEST(Search, RelativeOptionsAreIgnored) {
  const Marker marker;
  const child::Scratch here;
  std::filesystem::copy_file(plugin_file("good"), here / "libgpuopt_cuda.so");
  const Result result =
      child::run({LOADER_PROBE, "cuda"},
                 {{"GPUOPT_TEST_OPTIONS", ".:libgpuopt_cuda.so"}, {"GPUOPT_TEST_MARKER", marker.file}}, here.path());
  EXPECT_EQ(opened(result).fallback, "NOT_FOUND");
  EXPECT_EQ(marker.seen(), Names());
}

TEST(Search, OptionsComeBeforeTheVariable) {
  const Marker marker;
  const Result result = child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_TEST_OPTIONS", plugin_directory("good")},
                                                            {"GPUOPT_PLUGIN_PATH", plugin_directory("long_table")},
                                                            {"GPUOPT_TEST_MARKER", marker.file}});
  EXPECT_EQ(opened(result).device, "cuda:0");
  EXPECT_EQ(marker.seen(), Names({"good cuda"}));
}

TEST(Search, TheVariableComesBeforeTheLibrarysOwnDirectory) {
  const Marker marker;
  const Result result = child::run({LOADER_PROBE, "cpu"}, {{"GPUOPT_PLUGIN_PATH", plugin_directory("replaced_cpu")},
                                                           {"GPUOPT_TEST_MARKER", marker.file}});
  EXPECT_EQ(opened(result).device, "cpu:0");
  EXPECT_EQ(marker.seen(), Names({"good cpu"}));
}

TEST(Search, AnEntryMayBeAFile) {
  const Result result = child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", plugin_file("good")}});
  EXPECT_EQ(opened(result).device, "cuda:0");
}

TEST(Search, AFileOfAnotherNameIsNotAPlugin) {
  const Marker marker;
  const child::Scratch here;
  std::filesystem::copy_file(plugin_file("good"), here / "cuda.so");
  const Result result = child::run({LOADER_PROBE, "cuda", "report"},
                                   {{"GPUOPT_PLUGIN_PATH", here / "cuda.so"}, {"GPUOPT_TEST_MARKER", marker.file}});
  EXPECT_EQ(opened(result).fallback, "NOT_FOUND");
  EXPECT_EQ(marker.seen(), Names());
  EXPECT_NE(result.out.find("neither a directory nor named libgpuopt_<name>.so"), std::string::npos) << result.out;
}

TEST(Search, GoesOnAfterAFileThatIsNoGood) {
  const Marker marker;
  const std::string path = plugin_directory("undefined_symbol") + ":" + plugin_directory("null_api") +
                           ":/nonexistent:" + plugin_directory("good") + ":" + plugin_directory("long_table");
  const Result result =
      child::run({LOADER_PROBE, "cuda", "report"}, {{"GPUOPT_PLUGIN_PATH", path}, {"GPUOPT_TEST_MARKER", marker.file}});
  EXPECT_EQ(opened(result).device, "cuda:0");
  EXPECT_EQ(opened(result).fallback, "NONE");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(marker.seen(), Names({"null_api cuda", "good cuda"}));
  EXPECT_NE(result.out.find("tried " + plugin_file("undefined_symbol") + ": LOAD_FAILED"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("tried " + plugin_file("null_api") + ": ABI_MISMATCH"), std::string::npos) << result.out;
}

TEST(Search, TheFirstFilesTroubleIsTheReason) {
  const std::string path = plugin_directory("no_entry") + ":" + plugin_directory("null_api");
  EXPECT_EQ(opened(child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", path}})).fallback, "NO_ENTRY");
}

TEST(Search, AskingForTheCpuOpensNothingElse) {
  const Marker marker;
  const Result result =
      child::run({LOADER_PROBE, "cpu", "-", "numpy", "cpu:0"},
                 {{"GPUOPT_PLUGIN_PATH", plugin_directory("good")}, {"GPUOPT_TEST_MARKER", marker.file}});
  EXPECT_EQ(result.err, "");
  for (size_t line = 0; line < 4; ++line) EXPECT_EQ(opened(result, line).device, "cpu:0");
  EXPECT_EQ(marker.seen(), Names());
}

TEST(Search, ABackendTheCoreHasNeverHeardOfIsFoundByItsFile) {
  const Result result =
      child::run({LOADER_PROBE, "foo", "foo:1", "foo!"}, {{"GPUOPT_PLUGIN_PATH", plugin_directory("third_party")}});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(opened(result, 0).device, "foo:0");
  EXPECT_EQ(opened(result, 1).device, "foo:1");
  EXPECT_EQ(opened(result, 2).device, "foo:0");
}

TEST(Search, ANameWithoutAFileIsAnErrorThatListsTheNames) {
  const child::Environment environment = {{"GPUOPT_PLUGIN_PATH", plugin_directory("third_party")}};
  for (const char *request : {"gpu", "gpu!", "cpu,gpu", "cuda,gpu", "CUDA", "../foo", "foo/1", "hip:0"}) {
    const Result result = child::run({LOADER_PROBE, request}, environment);
    EXPECT_EQ(opened(result).status, "GPUOPT_ERR_INVALID_ARGUMENT") << request;
    EXPECT_EQ(opened(result).device, "none");
    EXPECT_EQ(result.err, "") << request;
    EXPECT_NE(opened(result).message.find("valid names: cpu, cuda, foo, numpy, cupy, auto"), std::string::npos)
        << opened(result).message;
  }
}

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
