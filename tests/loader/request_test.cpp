// tests/loader/request_test.cpp -- requests and the environment: who is asked, what an error is, what falls back.
#include <algorithm>

#include "tests/loader/child.h"

namespace {

using child::Opened;
using child::Result;

const std::string kGood = child::plugin_directory("good");

Opened open(const std::string &request, const child::Environment &environment) {
  return child::parse_opened(child::run({LOADER_PROBE, request}, environment).out_lines().at(0));
}

TEST(Environment, NullReadsTheVariablesInOrder) {
  EXPECT_EQ(open("-", {}).device, "cpu:0");
  EXPECT_EQ(open("-", {{"GPUOPT_PLUGIN_PATH", kGood}}).device, "cpu:0");
  EXPECT_EQ(open("-", {{"GPUOPT_PLUGIN_PATH", kGood}, {"GPUOPT_BACKEND", "cuda"}}).device, "cuda:0");
  EXPECT_EQ(open("-", {{"GPUOPT_PLUGIN_PATH", kGood}, {"GPUOPT_BACKEND", "cuda:1!"}}).device, "cuda:1");
  EXPECT_EQ(open("-", {{"GPUOPT_PLUGIN_PATH", kGood}, {"ARRAY_MODULE", "cupy"}}).device, "cuda:0");
  EXPECT_EQ(open("-", {{"GPUOPT_PLUGIN_PATH", kGood}, {"ARRAY_MODULE", "numpy"}}).device, "cpu:0");
  EXPECT_EQ(open("-", {{"GPUOPT_PLUGIN_PATH", kGood}, {"ARRAY_MODULE", "cupy"}, {"GPUOPT_BACKEND", "cpu"}}).device,
            "cpu:0");
}

TEST(Environment, IsNotReadWhereTheProgramAsks) {
  EXPECT_EQ(open("cpu", {{"GPUOPT_PLUGIN_PATH", kGood}, {"GPUOPT_BACKEND", "cuda!"}}).device, "cpu:0");
  EXPECT_EQ(open("cuda!", {{"GPUOPT_BACKEND", "cpu"}}).status, "GPUOPT_ERR_UNAVAILABLE");
  EXPECT_EQ(open("cpu", {{"GPUOPT_BACKEND", "nonsense"}}).device, "cpu:0");
}

TEST(Environment, AnEmptyOrUnknownValueIsAnErrorThatNamesTheVariable) {
  for (const char *variable : {"GPUOPT_BACKEND", "ARRAY_MODULE"}) {
    for (const char *value : {"", "gpu", "cuda,", "torch"}) {
      const Opened opened = open("-", {{variable, value}});
      EXPECT_EQ(opened.status, "GPUOPT_ERR_INVALID_ARGUMENT") << variable << "=" << value;
      EXPECT_EQ(opened.message.rfind(std::string(variable) + "=\"" + value + "\": ", 0), 0u) << opened.message;
      EXPECT_NE(opened.message.find("valid names: cpu, cuda, numpy, cupy, auto"), std::string::npos) << opened.message;
    }
  }
  EXPECT_EQ(open("-", {{"GPUOPT_BACKEND", ""}, {"ARRAY_MODULE", "numpy"}}).status, "GPUOPT_ERR_INVALID_ARGUMENT");
}

TEST(Environment, AWarningNamesTheVariableThatSilencesIt) {
  const Result result = child::run({LOADER_PROBE, "-"}, {{"GPUOPT_BACKEND", "cuda"}});
  EXPECT_NE(result.err.find("; GPUOPT_BACKEND=cpu silences this\"\n"), std::string::npos) << result.err;
  EXPECT_EQ(child::run({LOADER_PROBE, "cuda"}).err.find("silences"), std::string::npos);
}

TEST(Request, OfAListTheFirstThatWorksIsTaken) {
  EXPECT_EQ(open("cuda,cpu", {{"GPUOPT_PLUGIN_PATH", kGood}}).device, "cuda:0");
  EXPECT_EQ(open("cpu,cuda", {{"GPUOPT_PLUGIN_PATH", kGood}}).device, "cpu:0");
  EXPECT_EQ(open(" cuda:1 , cpu ", {{"GPUOPT_PLUGIN_PATH", kGood}}).device, "cuda:1");
  EXPECT_EQ(open("cuda:7,cuda:1,cpu", {{"GPUOPT_PLUGIN_PATH", kGood}}).device, "cuda:1");
  const Result result = child::run({LOADER_PROBE, "cuda:7,cuda:1,cpu"}, {{"GPUOPT_PLUGIN_PATH", kGood}});
  EXPECT_EQ(result.err_lines().size(), 1u);
  EXPECT_NE(result.err.find("reason=NO_DEVICE requested=cuda:7 using=cuda:1"), std::string::npos) << result.err;
}

TEST(Request, WarnsForEachChoiceThatDidNotWork) {
  const Result result =
      child::run({LOADER_PROBE, "cuda,foo,cpu"},
                 {{"GPUOPT_PLUGIN_PATH",
                   child::path_list({child::plugin_directory("no_entry"), child::plugin_directory("third_party")})},
                  {"GPUOPT_DISABLE", "foo"}});
  EXPECT_EQ(child::parse_opened(result.out_lines().at(0)).fallback, "NO_ENTRY");
  ASSERT_EQ(result.err_lines().size(), 2u) << result.err;
  EXPECT_NE(result.err_lines()[0].find("reason=NO_ENTRY requested=cuda using=cpu"), std::string::npos) << result.err;
  EXPECT_NE(result.err_lines()[1].find("reason=DISABLED requested=foo using=cpu"), std::string::npos) << result.err;
}

TEST(Request, NothingComesAfterARequiredChoice) {
  EXPECT_EQ(open("cuda!,cpu", {}).status, "GPUOPT_ERR_UNAVAILABLE");
  EXPECT_EQ(open("cpu,cuda!", {}).device, "cpu:0");
  const Opened opened =
      open("cuda,foo!", {{"GPUOPT_PLUGIN_PATH", child::plugin_directory("third_party")}, {"GPUOPT_DISABLE", "foo"}});
  EXPECT_EQ(opened.status, "GPUOPT_ERR_UNAVAILABLE");
  EXPECT_EQ(opened.reason, "DISABLED");
  EXPECT_NE(opened.message.find("cuda cannot be used: NOT_FOUND"), std::string::npos) << opened.message;
}

TEST(Request, MalformedOnesAreErrors) {
  for (const char *request : {"", ",", "cuda,", ",cpu", "!", ":0", "cuda:", "cuda:x", "cuda:-1", "cuda:1:2", "cuda!!",
                              "cuda!:1", "auto!", "auto:0", "auto,cpu", "cpu,auto", "cuda 1", "cuda:99999999999"}) {
    const Opened opened = open(request, {{"GPUOPT_PLUGIN_PATH", kGood}});
    EXPECT_EQ(opened.status, "GPUOPT_ERR_INVALID_ARGUMENT") << request << opened.message;
    EXPECT_NE(opened.message.find("valid names: "), std::string::npos) << opened.message;
  }
}

TEST(Disable, SwitchesABackendOff) {
  const child::Environment environment = {{"GPUOPT_PLUGIN_PATH", kGood}, {"GPUOPT_DISABLE", "rocm, cuda"}};
  const Result result = child::run({LOADER_PROBE, "cuda", "cuda!", "auto", "cupy"}, environment);
  EXPECT_EQ(child::parse_opened(result.out_lines().at(0)).fallback, "DISABLED");
  EXPECT_EQ(child::parse_opened(result.out_lines().at(1)).reason, "DISABLED");
  EXPECT_EQ(child::parse_opened(result.out_lines().at(2)).fallback, "DISABLED");
  EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
  EXPECT_EQ(open("cupy", {{"GPUOPT_PLUGIN_PATH", kGood}, {"GPUOPT_DISABLE", "cupy"}}).fallback, "DISABLED");
  EXPECT_EQ(open("cuda", {{"GPUOPT_PLUGIN_PATH", kGood}, {"GPUOPT_DISABLE", "cud,cudaa,"}}).device, "cuda:0");
  EXPECT_EQ(open("cpu", {{"GPUOPT_DISABLE", "cpu"}}).reason, "DISABLED");
}

TEST(Log, TheLevelIsReadAtEachRecord) {
  for (const char *level : {"off", "error"})
    EXPECT_EQ(child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_LOG", level}}).err, "") << level;
  for (const char *level : {"warn", "info", "nonsense", ""})
    EXPECT_EQ(child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_LOG", level}}).err_lines().size(), 1u) << level;
  EXPECT_GT(child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_LOG", "debug"}}).err_lines().size(), 1u);
}

// ---- A device that fails

TEST(Lost, OpeningItAgainGivesTheCpuAndOneWarningOrAnError) {
  const child::Environment environment = {{"GPUOPT_PLUGIN_PATH", child::plugin_directory("lost_in_program")}};
  const Result result = child::run(
      {LOADER_PROBE, "cuda", "add", "synchronize", "cuda", "add", "auto", "cuda!", "cuda", "report"}, environment);
  ASSERT_EQ(result.exit, 0) << result.err;
  const std::vector<std::string> lines = result.out_lines();
  EXPECT_EQ(child::parse_opened(lines.at(0)).device, "cuda:0");
  EXPECT_NE(lines.at(1).find("the kernel add faulted"), std::string::npos) << lines[1];
  EXPECT_EQ(lines.at(2), "synchronize|GPUOPT_ERR_DEVICE_LOST|GPUOPT_ERR_DEVICE_LOST");
  for (size_t i : {3, 5, 7}) {
    EXPECT_EQ(child::parse_opened(lines.at(i)).device, "cpu:0");
    EXPECT_EQ(child::parse_opened(lines.at(i)).fallback, "DEVICE_LOST");
  }
  EXPECT_EQ(lines.at(4), "add|cpu:0|40700000 4b800000 00800000 80000000");
  EXPECT_EQ(child::parse_opened(lines.at(6)).status, "GPUOPT_ERR_UNAVAILABLE");
  EXPECT_EQ(child::parse_opened(lines.at(6)).reason, "DEVICE_LOST");
  EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
  EXPECT_NE(result.err.find("reason=DEVICE_LOST requested=cuda using=cpu hw=nvidia-present"), std::string::npos)
      << result.err;
  EXPECT_NE(result.out.find("cuda: not usable: DEVICE_LOST"), std::string::npos) << result.out;
}

// ---- Fork

#if !defined(_WIN32)

TEST(Fork, TheCpuSurvives) {
  const Result result = child::run({LOADER_PROBE, "cpu", "fork", "cpu", "synchronize"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(child::parse_opened(result.out_lines().at(1)).device, "cpu:0");
  EXPECT_EQ(result.out_lines().at(2), "synchronize|GPUOPT_OK|GPUOPT_OK");
  EXPECT_EQ(result.err, "");
}

TEST(Fork, ADeviceThatCannotFollowIsRefusedInTheChild) {
  const child::Environment environment = {{"GPUOPT_PLUGIN_PATH", child::plugin_directory("lost_in_fork")}};
  const Result result =
      child::run({LOADER_PROBE, "cuda", "synchronize", "fork", "synchronize", "cuda", "cuda!", "auto"}, environment);
  ASSERT_EQ(result.exit, 0) << result.err;
  const std::vector<std::string> lines = result.out_lines();
  ASSERT_EQ(lines.size(), 7u) << result.out;
  EXPECT_EQ(child::parse_opened(lines[0]).device, "cuda:0");
  EXPECT_EQ(lines[1], "synchronize|GPUOPT_OK|GPUOPT_OK");
  EXPECT_EQ(lines[2], "synchronize|GPUOPT_ERR_FORKED|GPUOPT_ERR_FORKED");
  EXPECT_EQ(child::parse_opened(lines[3]).device, "cpu:0");
  EXPECT_EQ(child::parse_opened(lines[3]).fallback, "FORKED");
  EXPECT_EQ(child::parse_opened(lines[4]).reason, "FORKED");
  EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
  EXPECT_NE(result.err.find("reason=FORKED requested=cuda using=cpu"), std::string::npos) << result.err;
}

TEST(Fork, OpenedOnlyInTheChildWorks) {
  const Result result =
      child::run({LOADER_PROBE, "fork", "cuda"}, {{"GPUOPT_PLUGIN_PATH", child::plugin_directory("lost_in_fork")}});
  EXPECT_EQ(child::parse_opened(result.out_lines().at(0)).device, "cuda:0") << result.out;
}

#endif

}  // namespace
