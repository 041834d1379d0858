// tests/loader/faults_posix_test.cpp -- every slot of a plugin misbehaving in every way: the program goes on, each
// failure is an error with a text, and other backends are not concerned.
//
// POSIX only: the plugin stands before the CPU backend, which it opens by dlopen
#include <gpuopt/gpuopt_plugin.h>
#include <gpuopt_test_paths.h>

#include "tests/loader/child.h"

namespace {

using child::Result;

struct Slot {
  const char *name;
  bool is_void;
};
constexpr bool kStatus = false, kNone = true;
const Slot kSlots[] = {
#define SLOT_status kStatus
#define SLOT_none kNone
#define GPUOPT_SLOT(need, result, name, args) {#name, SLOT_##result},
#include <gpuopt/plugin_slots.def>
};

// Those that a void slot can have, too, come first.
const char *const kFaults[] = {"throws",       "throws_int", "throws_no_memory", "nothing",
                               "opens_device", "status_-1",  "status_12345",     "fails_wildly",
                               "null_output",  "misaligned", "huge_numbers",     "negative_numbers"};
constexpr size_t kFaultsOfVoid = 5;

struct Case {
  std::string slot, fault;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Slot &slot : kSlots) {
    size_t known = 0;
    for (const char *fault : kFaults)
      if (!slot.is_void || known++ < kFaultsOfVoid) cases.push_back({slot.name, fault});
  }
  for (const char *fault : kFaults) cases.push_back({"query", fault});
  return cases;
}

child::Environment environment_of(const Case &which, int from) {
  static const child::Scratch *const cache = new child::Scratch;  // kernels are compiled once for all cases
  return {{"GPUOPT_PLUGIN_PATH", child::plugin_directory("faulty")},
          {"GPUOPT_TEST_SLOT", which.slot},
          {"GPUOPT_TEST_FAULT", which.fault},
          {"GPUOPT_TEST_FROM", std::to_string(from)},
          {"GPUOPT_CACHE_DIR", cache->path()},
          {"ASAN_OPTIONS", "detect_leaks=0"},  // what a faulty slot does not free is lost
          {"GPUOPT_LOG", "off"}};
}

class FaultySlot : public testing::TestWithParam<Case> {};

TEST_P(FaultySlot, IsAnErrorAndNoMore) {
  for (const int from : {1, 3}) {  // when the device is opened, and later
    SCOPED_TRACE("from call " + std::to_string(from));
    const Result result = child::run({EXERCISE, EXERCISE_WITH}, environment_of(GetParam(), from));
    ASSERT_EQ(result.exit, 0) << "signal " << result.signal << "\n" << result.out << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.out.find("wild|"), std::string::npos) << result.out;
    ASSERT_EQ(result.out_lines().size(), 3u) << result.out;
    EXPECT_EQ(result.out_lines().at(2), "cpu|3 5");
  }
}

INSTANTIATE_TEST_SUITE_P(Every, FaultySlot, testing::ValuesIn(all_cases()), [](const auto &test) {
  std::string name = test.param.slot + "_" + test.param.fault;
  for (char &c : name) c = c == '-' ? 'm' : c;
  return name;
});

TEST(FaultyPlugin, WithoutAFaultEverythingWorks) {
  const Result result = child::run({EXERCISE, EXERCISE_WITH}, environment_of({"", ""}, 1));
  ASSERT_EQ(result.out_lines().size(), 3u) << result.out << result.err;
  EXPECT_EQ(result.out_lines().at(0), "opened|cuda:0");
  EXPECT_EQ(result.out_lines().at(1), "failed|0|");
}

// The message of the first failure, with a fault from a call on.
std::string first_failure(const char *slot, const char *fault, int from = 1) {
  const Result result = child::run({EXERCISE, EXERCISE_WITH}, environment_of({slot, fault}, from));
  if (result.out_lines().size() != 3) return "signal " + std::to_string(result.signal);
  return result.out_lines().at(1);
}

void expect_said(const std::string &said, const std::string &part) {
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

TEST(FaultyPlugin, MessagesSayWhatThePluginDid) {
  expect_said(first_failure("memory_allocate", "null_output"),
              "the plugin said that it has allocated 192 bytes, and gave NULL");
  expect_said(first_failure("memory_allocate", "null_output", 3), "and gave NULL");
  expect_said(first_failure("memory_allocate", "misaligned"), "is not aligned to 16 bytes");
  expect_said(first_failure("device_open", "null_output"), "the plugin said that the device is open, and gave none");
  expect_said(first_failure("device_open", "nothing"), "the plugin said that the device is open, and gave none");
  expect_said(first_failure("stream_create", "nothing"), "the plugin said that it has made a stream, and gave none");
  expect_said(first_failure("probe", "huge_numbers"), "2147483647 devices");
  expect_said(first_failure("program_run", "throws", 2), "the plugin threw a C++ exception");
  expect_said(first_failure("matmul", "throws"), "the plugin threw a C++ exception");
  expect_said(first_failure("gather", "huge_numbers"), "true elements");
  expect_said(first_failure("query", "throws"), "its query threw a C++ exception");
}

TEST(FaultyPlugin, WhatAVoidSlotThrowsIsLogged) {
  for (const char *slot : {"memory_free", "stream_destroy", "event_destroy"}) {
    child::Environment environment = environment_of({slot, "throws"}, 1);
    environment["GPUOPT_LOG"] = "error";
    const Result result = child::run({EXERCISE, EXERCISE_WITH}, environment);
    EXPECT_EQ(result.exit, 0) << slot << result.signal;
    EXPECT_NE(result.err.find("plugin.threw"), std::string::npos) << slot << result.err;
    EXPECT_NE(result.err.find(std::string("cuda: ") + slot), std::string::npos) << result.err;
  }
}

// ---- Plugins that open devices while they are opened

TEST(Reentry, IsAnErrorForThePluginAndNoDeadlock) {
  for (const char *slot : {"query", "probe", "device_open", "device_info", "load"}) {
    SCOPED_TRACE(slot);
    child::Environment environment = environment_of({slot, "opens_device"}, 1);
    environment["GPUOPT_OPEN_TIMEOUT"] = "30";
    const Result result = child::run({EXERCISE}, environment);
    ASSERT_EQ(result.exit, 0) << result.signal;
    EXPECT_EQ(result.out_lines().at(0), "opened|cuda:0") << result.out;
  }
}

// ---- Plugins that never answer

TEST(Hanging, IsGivenUpAfterTheTimeTheSettingAllows) {
  for (const char *slot : {"query", "probe", "device_open", "device_info", "stream_create", "program_run"}) {
    SCOPED_TRACE(slot);
    child::Environment environment = environment_of({slot, "hangs"}, 1);
    environment["GPUOPT_OPEN_TIMEOUT"] = "1";
    const Result result = child::run({EXERCISE}, environment);
    ASSERT_EQ(result.exit, 0) << result.signal;
    EXPECT_EQ(result.out_lines().at(0), "opened|none") << result.out;
    expect_said(result.out_lines().at(1), "1 second (GPUOPT_OPEN_TIMEOUT)");
    EXPECT_EQ(result.out_lines().at(2), "cpu|3 5");
  }
}

TEST(Hanging, IsNotCalledAgainThoughItWouldAnswer) {
  for (const char *slot : {"query", "probe", "device_open"}) {
    child::Environment environment = environment_of({slot, "hangs_once"}, 1);
    environment["GPUOPT_OPEN_TIMEOUT"] = "1";
    environment["GPUOPT_LOG"] = "warn";
    const Result result = child::run({LOADER_PROBE, "cuda", "cuda", "cuda:1", "cuda!", "cuda!"}, environment);
    EXPECT_EQ(child::parse_opened(result.out_lines().at(0)).fallback, "PROBE_FAILED");
    EXPECT_EQ(child::parse_opened(result.out_lines().at(4)).reason, "PROBE_FAILED");
    EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
  }
}

TEST(Hanging, APluginThatWaitsForAThreadThatOpensADeviceIsGivenUp) {
  child::Environment environment = environment_of({"probe", "opens_device_in_thread"}, 1);
  environment["GPUOPT_OPEN_TIMEOUT"] = "1";
  const Result result = child::run({EXERCISE}, environment);
  ASSERT_EQ(result.exit, 0) << result.signal;
  EXPECT_EQ(result.out_lines().at(2), "cpu|3 5");
}

TEST(Hanging, TheSettingIsANumberOfSeconds) {
  child::Environment environment = {{"GPUOPT_PLUGIN_PATH", child::plugin_directory("good")},
                                    {"GPUOPT_OPEN_TIMEOUT", "soon"}};
  const Result wrong = child::run({LOADER_PROBE, "cuda", "cuda:1"}, environment);
  EXPECT_EQ(child::parse_opened(wrong.out_lines().at(0)).device, "cuda:0");
  EXPECT_EQ(wrong.err_lines().size(), 1u) << wrong.err;
  expect_said(wrong.err,
              "GPUOPT_OPEN_TIMEOUT=soon is not a number of seconds below 2^30; it is ignored (default: 120)");
  environment["GPUOPT_OPEN_TIMEOUT"] = "0";  // no limit
  const Result none = child::run({LOADER_PROBE, "cuda"}, environment);
  EXPECT_EQ(child::parse_opened(none.out_lines().at(0)).device, "cuda:0");
  EXPECT_EQ(none.err, "");
}

TEST(Settings, TheCoreIgnoresWhatMeansNothingAndSaysSoOnce) {
  const Result result = child::run({LOADER_PROBE, "cpu", "cpu"}, {{"GPUOPT_PLUGIN_PATH", GPUOPT_BUILT_PLUGINS},
                                                                  {"GPUOPT_SMALL_OPERATIONS", "maybe"},
                                                                  {"GPUOPT_PINNED_BYTES", "lots"}});
  EXPECT_EQ(child::parse_opened(result.out_lines().at(0)).device, "cpu:0");
  EXPECT_EQ(result.err_lines().size(), 2u) << result.err;
  expect_said(result.err, "GPUOPT_SMALL_OPERATIONS=maybe is none of on, off; it is ignored (default: on)");
  expect_said(result.err, "GPUOPT_PINNED_BYTES=lots is not a number of bytes");
}

}  // namespace
