// tests/loader/search_test.cpp -- where plugins are looked for, in which order, and where never.
#include "tests/loader/search_support.h"

namespace {

const std::string kFile = child::plugin_file("cuda");

TEST(Search, DecoysInTheWorkingDirectoryAndOnPathsAreNeverOpened) {
  const Marker marker;
  const child::Scratch here;
  for (const char *place : {".", "lib", "gpuopt/1", "plugins"}) {
    copy_file(child::plugin("good"), here.directory(place) + child::kSlash + kFile);
  }
  const child::Environment environment = {{"GPUOPT_TEST_MARKER", marker.file},
                                          {"PATH", here.path()},
                                          {"LD_LIBRARY_PATH", child::path_list({here.path(), here / "lib"})}};
  const Result result = child::run({LOADER_PROBE, "cuda", "auto", "cuda!"}, environment, here.path());
  EXPECT_EQ(opened(result).fallback, "NOT_FOUND") << result.err;
  EXPECT_EQ(opened(result).device, "cpu:0");
  EXPECT_EQ(marker.seen(), Names());
  ASSERT_EQ(result.err_lines().size(), 1u);
  EXPECT_NE(result.err.find("reason=NOT_FOUND requested=cuda using=cpu hw="), std::string::npos);
  EXPECT_NE(
      result.err.find("detail=\"no " + kFile + " in: " + child::escaped(child::native(LIBRARY_DIRECTORY "/gpuopt/1"))),
      std::string::npos)
      << result.err;
}

TEST(Search, RelativeAndEmptyElementsOfTheVariableAreIgnored) {
  const Marker marker;
  const child::Scratch here;
  copy_file(child::plugin("good"), here / kFile);
  copy_file(child::plugin("good"), here.directory("lib") + child::kSlash + kFile);
  const std::string separator = child::kListSeparator;
  for (const std::string &path : {std::string("."), std::string("lib"), std::string("./lib"), std::string(), separator,
                                  separator + separator, kFile, child::path_list({"lib", ".", ""})}) {
    const Result result = child::run({LOADER_PROBE, "cuda"},
                                     {{"GPUOPT_PLUGIN_PATH", path}, {"GPUOPT_TEST_MARKER", marker.file}}, here.path());
    EXPECT_EQ(opened(result).fallback, "NOT_FOUND") << path << result.err;
    EXPECT_EQ(result.err_lines().size(), 1u) << path << result.err;
    const bool relative = path.find_first_not_of(separator) != std::string::npos;
    EXPECT_EQ(result.err.find("(not an absolute path)") != std::string::npos, relative) << path << result.err;
  }
  EXPECT_EQ(marker.seen(), Names());
}

TEST(Search, RelativeOptionsAreIgnored) {
  const Marker marker;
  const child::Scratch here;
  copy_file(child::plugin("good"), here / kFile);
  const Result result = child::run(
      {LOADER_PROBE, "cuda"},
      {{"GPUOPT_TEST_OPTIONS", child::path_list({".", kFile})}, {"GPUOPT_TEST_MARKER", marker.file}}, here.path());
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
  const Result result = child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", child::plugin("good")}});
  EXPECT_EQ(opened(result).device, "cuda:0");
}

TEST(Search, AFileOfAnotherNameIsNotAPlugin) {
  const Marker marker;
  const child::Scratch here;
  copy_file(child::plugin("good"), here / "cuda.so");
  const Result result = child::run({LOADER_PROBE, "cuda", "report"},
                                   {{"GPUOPT_PLUGIN_PATH", here / "cuda.so"}, {"GPUOPT_TEST_MARKER", marker.file}});
  EXPECT_EQ(opened(result).fallback, "NOT_FOUND");
  EXPECT_EQ(marker.seen(), Names());
  EXPECT_NE(result.out.find("neither a directory nor named " + child::plugin_file("<name>")), std::string::npos)
      << result.out;
}

TEST(Search, GoesOnAfterAFileThatIsNoGood) {
  const Marker marker;
  const std::string path =
      child::path_list({plugin_directory("no_entry"), plugin_directory("null_api"), child::kNowhere,
                        plugin_directory("good"), plugin_directory("long_table")});
  const Result result =
      child::run({LOADER_PROBE, "cuda", "report"}, {{"GPUOPT_PLUGIN_PATH", path}, {"GPUOPT_TEST_MARKER", marker.file}});
  EXPECT_EQ(opened(result).device, "cuda:0");
  EXPECT_EQ(opened(result).fallback, "NONE");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(marker.seen(), Names({"no_entry cuda", "null_api cuda", "good cuda"}));
  EXPECT_NE(result.out.find("tried " + child::plugin("no_entry") + ": NO_ENTRY"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("tried " + child::plugin("null_api") + ": ABI_MISMATCH"), std::string::npos) << result.out;
}

TEST(Search, TheFirstFilesTroubleIsTheReason) {
  const std::string path = child::path_list({plugin_directory("no_entry"), plugin_directory("null_api")});
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

}  // namespace
