// tests/loader/plugins_test.cpp -- every wrong plugin: its exact reason, one warning, and the CPU instead.
#include <gpuopt/gpuopt.h>

#include "tests/loader/child.h"

namespace {

using child::Opened;
using child::Result;

struct Case {
  const char *plugin, *reason;
  const char *detail;  // a part of the detail that says what precisely is wrong
};

const Case kCases[] = {
    {"no_entry", "NO_ENTRY", "does not export gpuopt_plugin_query_v1"},
#if !defined(_WIN32)  // there the linker makes no such library
    {"undefined_symbol", "LOAD_FAILED", "undefined symbol: gpuopt_test_symbol_that_nobody_defines"},
#endif
    {"old_abi", "ABI_MISMATCH", "the plugin speaks interface 1.0 (plugin version 0.1)"},
    {"new_abi", "ABI_MISMATCH", "the plugin speaks interface 1.7 to 1.9 (plugin version 0.1), this library 1.0 to 1.5"},
    {"backward_range", "ABI_MISMATCH", "interface"},
    {"too_short_table", "ABI_MISMATCH", "lacks program_run"},
    {"header_only", "ABI_MISMATCH",
     "lacks probe, device_open, device_close, device_info, memory_allocate, memory_free, stream_create"},
    {"size_zero", "ABI_MISMATCH", "size of 0 bytes"},
    {"size_odd", "ABI_MISMATCH", "which cannot be"},
    {"size_huge", "ABI_MISMATCH", "size of 4294967288 bytes"},
    {"other_major_table", "ABI_MISMATCH", "interface version 2"},
    {"no_probe", "ABI_MISMATCH", "lacks probe"},
    {"no_program_run", "ABI_MISMATCH", "lacks program_run"},
    {"no_several", "ABI_MISMATCH", "lacks memory_free, copy_to_host"},
    {"null_api", "ABI_MISMATCH", "no function table"},
    {"wrong_name", "LOAD_FAILED", "named for backend cuda but says it is rocm"},
    {"no_name", "LOAD_FAILED", "says it is nameless"},
    {"negative_ops", "ABI_MISMATCH", "negative number of operations"},
    {"query_fails", "PROBE_FAILED", "its query returned GPUOPT_ERR_INTERNAL"},
    {"writes_nothing", "LOAD_FAILED", "says it is nameless"},
    {"throws_in_query", "PROBE_FAILED", "its query threw a C++ exception"},
    {"throws_in_probe", "PROBE_FAILED", "probe: the plugin threw a C++ exception"},
    {"throws_in_open", "PROBE_FAILED", "open: the plugin threw a C++ exception"},
    {"throws_in_info", "PROBE_FAILED", "open: the plugin threw a C++ exception"},
    {"throws_in_program", "PROBE_FAILED", "open: no memory"},
    {"zero_devices", "NO_DEVICE", "the backend finds no devices"},
    {"negative_devices", "NO_DEVICE", "the backend finds no devices"},
    {"open_fails", "NO_PERMISSION", "open: the device file cannot be opened"},
    {"open_no_memory", "PROBE_FAILED", "open: context"},
    {"open_unknown_status", "PROBE_FAILED", "open: unknown status"},
    {"no_memory", "PROBE_FAILED", "self-test: 192 bytes"},
    {"wrong_result", "SELFTEST_FAILED", "element 2 of x + y has the bits 00000000 instead of 00800000"},
    {"compiler_missing", "COMPILER_MISSING", "self-test: libnvrtc.so is not there"},
};

// Cases in which the plugin is fine, as far as 1.0 is concerned.
const char *const kGood[] = {"good",       "newer_range", "short_table", "table_of_1_0",
                             "long_table", "no_version",  "many_ops",    "changes_float_mode"};

child::Environment only(const std::string &plugin) { return {{"GPUOPT_PLUGIN_PATH", child::plugin_directory(plugin)}}; }

Opened first(const Result &result) { return child::parse_opened(result.out_lines().at(0)); }

class BadPlugin : public testing::TestWithParam<Case> {};

TEST_P(BadPlugin, GivesTheCpuAndOneWarningOnStandardError) {
  const Case &wrong = GetParam();
  const Result result = child::run({LOADER_PROBE, "cuda", "add"}, only(wrong.plugin));
  ASSERT_EQ(result.exit, 0) << result.out << result.err << " signal " << result.signal;
  EXPECT_EQ(result.out_lines().at(1), "add|cpu:0|40700000 4b800000 00800000 80000000");
  const Opened opened = first(result);
  EXPECT_EQ(opened.status, "GPUOPT_OK");
  EXPECT_EQ(opened.device, "cpu:0");
  EXPECT_EQ(opened.fallback, wrong.reason);
  ASSERT_EQ(result.err_lines().size(), 1u) << result.err;
  const std::string start =
      std::string("gpuopt[W] backend.fallback reason=") + wrong.reason + " requested=cuda using=cpu hw=";
  EXPECT_EQ(result.err.substr(0, start.size()), start) << result.err;
  EXPECT_NE(result.err.find(wrong.detail), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(" plugin=" + child::logged(child::plugin(wrong.plugin)) + " detail=\""), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find(" hint=\""), std::string::npos) << result.err;
}

TEST_P(BadPlugin, WarnsOnceHoweverOftenItIsAskedFor) {
  child::Environment environment = only(GetParam().plugin);
  environment["GPUOPT_TEST_CALLBACK"] = "1";
  const Result result = child::run({LOADER_PROBE, "cuda", "cuda", "cuda,cpu", "cupy:0"}, environment);
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.err, "");
  int callbacks = 0, opened = 0;
  for (const std::string &line : result.out_lines()) {
    callbacks += line.rfind("callback 2 backend.fallback " + std::string(GetParam().reason) + " gpuopt[W]", 0) == 0;
    opened += line.find("|GPUOPT_OK|NONE|cpu:0|" + std::string(GetParam().reason) + "|") != std::string::npos;
  }
  EXPECT_EQ(callbacks, 1) << result.out;
  EXPECT_EQ(opened, 4) << result.out;
}

TEST_P(BadPlugin, IsAnErrorWithoutALogLineWhenRequired) {
  const Result result = child::run({LOADER_PROBE, "cuda!"}, only(GetParam().plugin));
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const Opened opened = first(result);
  EXPECT_EQ(opened.status, "GPUOPT_ERR_UNAVAILABLE");
  EXPECT_EQ(opened.reason, GetParam().reason);
  EXPECT_EQ(opened.device, "none");
  EXPECT_NE(opened.message.find(GetParam().detail), std::string::npos) << opened.message;
}

INSTANTIATE_TEST_SUITE_P(All, BadPlugin, testing::ValuesIn(kCases),
                         [](const auto &test) { return std::string(test.param.plugin); });

class GoodPlugin : public testing::TestWithParam<const char *> {};

TEST_P(GoodPlugin, IsUsedSilently) {
  const Result result = child::run({LOADER_PROBE, "cuda", "cuda:1", "auto", "cuda!", "synchronize"}, only(GetParam()));
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const std::vector<std::string> lines = result.out_lines();
  ASSERT_EQ(lines.size(), 6u) << result.out;
  EXPECT_EQ(child::parse_opened(lines[0]).device, "cuda:0");
  EXPECT_EQ(child::parse_opened(lines[1]).device, "cuda:1");
  EXPECT_EQ(child::parse_opened(lines[2]).device, "cuda:0");
  EXPECT_EQ(child::parse_opened(lines[3]).device, "cuda:0");
  EXPECT_EQ(lines[4], "synchronize|GPUOPT_OK|GPUOPT_OK");  // none of them has the slot of 1.1 for it
  EXPECT_EQ(lines[5], "float mode|exact");
}

INSTANTIATE_TEST_SUITE_P(All, GoodPlugin, testing::ValuesIn(kGood),
                         [](const auto &test) { return std::string(test.param); });

// ---- What probe says

class ProbeReason : public testing::TestWithParam<int> {};

TEST_P(ProbeReason, IsPassedOnExactly) {
  child::Environment environment = only("probe_refuses");
  environment["GPUOPT_TEST_REASON"] = std::to_string(GetParam());
  const std::string expected = GetParam() == GPUOPT_REASON_NONE ? "PROBE_FAILED" : gpuopt_reason_name(GetParam());
  const Result result = child::run({LOADER_PROBE, "cuda", "cuda!"}, environment);
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(first(result).fallback, expected);
  EXPECT_EQ(child::parse_opened(result.out_lines().at(1)).reason, expected);
  ASSERT_EQ(result.err_lines().size(), 1u) << result.err;
  EXPECT_NE(result.err.find("reason=" + expected + " requested=cuda using=cpu hw=nvidia-present"), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("detail=\"probe: refused as the test asked, code 100\""), std::string::npos) << result.err;
}

INSTANTIATE_TEST_SUITE_P(Every, ProbeReason, testing::Range(0, static_cast<int>(GPUOPT_REASON_COUNT)));

TEST(Probe, ReasonsThatDoNotExistBecomeProbeFailed) {
  for (const char *reason : {"-1", "9999"}) {
    child::Environment environment = only("probe_refuses");
    environment["GPUOPT_TEST_REASON"] = reason;
    EXPECT_EQ(first(child::run({LOADER_PROBE, "cuda"}, environment)).fallback, "PROBE_FAILED");
  }
}

TEST(Probe, AutoIsQuietIfTheHardwareIsAbsentAndWarnsIfItIsThere) {
  child::Environment environment = only("probe_refuses");
  environment["GPUOPT_TEST_REASON"] = std::to_string(GPUOPT_REASON_DRIVER_MISSING);
  environment["GPUOPT_TEST_HARDWARE"] = "0";
  Result result = child::run({LOADER_PROBE, "auto"}, environment);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(first(result).device, "cpu:0");
  EXPECT_EQ(first(result).fallback, "NONE");
  environment["GPUOPT_LOG"] = "info";
  result = child::run({LOADER_PROBE, "auto", "auto"}, environment);
  EXPECT_EQ(
      result.err.rfind("gpuopt[I] backend.fallback reason=DRIVER_MISSING requested=cuda using=cpu hw=nvidia-absent", 0),
      0u)
      << result.err;
  EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
  environment.erase("GPUOPT_LOG");
  environment["GPUOPT_TEST_HARDWARE"] = "1";
  result = child::run({LOADER_PROBE, "auto", "auto"}, environment);
  EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
  EXPECT_EQ(result.err.rfind("gpuopt[W] backend.fallback reason=DRIVER_MISSING", 0), 0u) << result.err;
  EXPECT_EQ(first(result).fallback, "DRIVER_MISSING");
}

TEST(Probe, AnAbsentDeviceNumberFallsBackToTheCpu) {
  const Result result = child::run({LOADER_PROBE, "cuda:2", "cuda:2!", "cuda"}, only("good"));
  const std::vector<std::string> lines = result.out_lines();
  EXPECT_EQ(child::parse_opened(lines.at(0)).device, "cpu:0");
  EXPECT_EQ(child::parse_opened(lines.at(0)).fallback, "NO_DEVICE");
  EXPECT_NE(result.err.find("requested=cuda:2 using=cpu"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("device 2 was asked for, the backend finds 2 devices"), std::string::npos) << result.err;
  EXPECT_EQ(child::parse_opened(lines.at(1)).reason, "NO_DEVICE");
  EXPECT_EQ(child::parse_opened(lines.at(2)).device, "cuda:0");
}

TEST(Host, GivesPluginsTheLog) {
  child::Environment environment = only("warns_in_probe");
  Result result = child::run({LOADER_PROBE, "cuda", "cuda:1"}, environment);  // probed twice
  EXPECT_EQ(result.err, "gpuopt[W] test.once reason=DRIVER_TOO_OLD detail=\"said once\"\n");
  environment["GPUOPT_LOG"] = "debug";
  result = child::run({LOADER_PROBE, "cuda"}, environment);
  EXPECT_NE(result.err.find("gpuopt[D] test.debug detail=\"not shown by default\"\n"), std::string::npos) << result.err;
  environment["GPUOPT_LOG"] = "off";
  EXPECT_EQ(child::run({LOADER_PROBE, "cuda"}, environment).err, "");
}

}  // namespace
