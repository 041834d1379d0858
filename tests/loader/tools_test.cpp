// tests/loader/tools_test.cpp -- the `gpuopt` command and the discovery report: exit codes, keys, valid JSON.
#include <gpuopt/types.h>

#include <cctype>

#include "tests/loader/child.h"

namespace {

using child::Result;

// Checks that a text is one JSON value (RFC 8259), and nothing behind it.
class JsonCheck {
 public:
  explicit JsonCheck(const std::string &text) : p_(text.c_str()), end_(p_ + text.size()) {}
  bool valid() { return value() && (blank(), p_ == end_); }

 private:
  const char *p_, *end_;
  void blank() {
    while (p_ < end_ && std::isspace(static_cast<unsigned char>(*p_))) ++p_;
  }
  bool take(char c) {
    blank();
    return p_ < end_ && *p_ == c && (++p_, true);
  }
  bool word(const std::string &text) {
    return std::string(p_, std::min<size_t>(text.size(), end_ - p_)) == text && (p_ += text.size(), true);
  }
  bool string() {
    if (!take('"')) return false;
    for (; p_ < end_ && *p_ != '"'; ++p_) {
      if (static_cast<unsigned char>(*p_) < 0x20) return false;
      if (*p_ == '\\' && (++p_ == end_ || !std::strchr("\"\\/bfnrtu", *p_))) return false;
    }
    return take('"');
  }
  bool number() {
    const char *start = p_;
    while (p_ < end_ && (std::isdigit(static_cast<unsigned char>(*p_)) || *p_ == '-')) ++p_;
    return p_ > start;
  }
  bool list(char close, bool keys) {
    if (take(close)) return true;
    do {
      if (keys && !(string() && take(':'))) return false;
      if (!value()) return false;
    } while (take(','));
    return take(close);
  }
  bool value() {
    blank();
    if (take('{')) return list('}', true);
    if (take('[')) return list(']', false);
    if (p_ < end_ && *p_ == '"') return string();
    return word("true") || word("false") || word("null") || number();
  }
};

bool valid_json(const std::string &text) { return JsonCheck(text).valid(); }
bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST(JsonCheck, CanFail) {
  for (const char *good : {"{}", "[]", "{\"a\": [1, -2, \"x\\n\", true, null]}\n"})
    EXPECT_TRUE(valid_json(good)) << good;
  for (const char *bad : {"", "{", "{\"a\"}", "{\"a\": }", "[1,]", "{} {}", "\"\n\"", "\"\\x\"", "{a: 1}"})
    EXPECT_FALSE(valid_json(bad)) << bad;
}

std::string plugins(const std::string &name) { return child::plugin_directory(name); }

TEST(Report, IsTextOrJson) {
  const child::Environment environment = {
      {"GPUOPT_PLUGIN_PATH",
       child::path_list({plugins("null_api"), "relative", child::kNowhere, plugins("third_party"), plugins("good")})}};
  const Result text = child::run({LOADER_PROBE, "report"}, environment),
               json = child::run({LOADER_PROBE, "report-json"}, environment);
  EXPECT_EQ(text.err + json.err, "");
  EXPECT_TRUE(has(text.out, "gpuopt 1.0.0\ndefault request: cpu (default)\nsearch list:\n")) << text.out;
  EXPECT_TRUE(has(text.out, "refused  relative  (GPUOPT_PLUGIN_PATH): not an absolute path")) << text.out;
  EXPECT_TRUE(has(text.out, std::string("absent  ") + child::kNowhere + "  (GPUOPT_PLUGIN_PATH): no such directory"))
      << text.out;
  EXPECT_TRUE(has(text.out, "cuda: usable")) << text.out;
  EXPECT_TRUE(has(text.out, "opened only when asked for by name: foo\n")) << text.out;
  const std::string body = json.out.substr(0, json.out.find("float mode"));
  EXPECT_TRUE(valid_json(body)) << body;
  for (const char *part :
       {"\"version\": \"1.0.0\"", "\"plugin_abi\": \"1.5\"",
        "\"request\": {\"text\": \"cpu\", \"source\": \"default\", \"error\": \"\"}", "\"verdict\": \"refused\"",
        "\"name\": \"cuda\", \"state\": \"usable\", \"reason\": \"NONE\"", "\"driver\": \"test driver\"",
        "\"reason\": \"ABI_MISMATCH\", \"detail\": \"it gives no function table\"", "\"device_count\": 2",
        "\"devices\": [{\"name\": \"cuda:0\"", "\"name\": \"cpu\", \"state\": \"usable\"",
        "\"also_present\": [\"foo\"]"}) {
    EXPECT_TRUE(has(body, part)) << part << "\n" << body;
  }
}

TEST(Report, KeepsWhatWasTriedBefore) {
  const child::Environment environment = {
      {"GPUOPT_PLUGIN_PATH", child::path_list({plugins("null_api"), plugins("good")})}};
  const Result result = child::run({LOADER_PROBE, "cuda", "report"}, environment);
  EXPECT_TRUE(has(result.out, "tried " + child::plugin("null_api") + ": ABI_MISMATCH")) << result.out;
}

TEST(Report, TriesWhatTheEnvironmentNames) {
  const Result result = child::run({LOADER_PROBE, "report"},
                                   {{"GPUOPT_PLUGIN_PATH", plugins("third_party")}, {"GPUOPT_BACKEND", "foo,cpu"}});
  EXPECT_TRUE(has(result.out, "default request: foo,cpu (GPUOPT_BACKEND)")) << result.out;
  EXPECT_TRUE(has(result.out, "  foo: usable\n")) << result.out;
}

#if !defined(_WIN32)  // which has no such names
TEST(Report, IsValidJsonWhateverThePathHolds) {
  const child::Scratch place;
  const std::string odd = place.directory("a \"b\"\\\n\xFF\xC3\xA4");
  child::write_file(odd + "/libgpuopt_cuda.so", "text");
  const Result result =
      child::run({LOADER_PROBE, "report-json"}, {{"GPUOPT_PLUGIN_PATH", odd}, {"GPUOPT_BACKEND", "\"\n\xFF"}});
  EXPECT_TRUE(valid_json(result.out.substr(0, result.out.find("float mode")))) << result.out;
  EXPECT_TRUE(has(result.out, "a \\\"b\\\"\\\\\\u000a\\ufffd\xC3\xA4")) << result.out;
  const Result warned = child::run({LOADER_PROBE, "cuda"}, {{"GPUOPT_PLUGIN_PATH", odd}});
  EXPECT_EQ(warned.err_lines().size(), 1u) << warned.err;
}
#endif

#if defined(GPUOPT_COMMAND)

Result gpuopt(std::vector<std::string> arguments, const child::Environment &environment = {}) {
  arguments.insert(arguments.begin(), GPUOPT_COMMAND);
  return child::run(arguments, environment);
}

TEST(Command, InfoListsEveryDevice) {
  const child::Environment environment = {{"GPUOPT_PLUGIN_PATH", plugins("good")}};
  const Result text = gpuopt({"info"}, environment), json = gpuopt({"info", "--json"}, environment);
  EXPECT_EQ(text.exit, 0);
  EXPECT_TRUE(has(text.out, "device cuda:0: ") && has(text.out, "device cuda:1: ") && has(text.out, "device cpu:0: "))
      << text.out;
  EXPECT_EQ(json.exit, 0);
  EXPECT_TRUE(valid_json(json.out)) << json.out;
  EXPECT_TRUE(has(json.out, "{\"name\": \"cuda:1\"")) << json.out;
  EXPECT_TRUE(has(json.out, "\"cpu\": {\"level\": \"") && has(json.out, "\"settings\": {\"GPUOPT_PLUGIN_PATH\": "))
      << json.out;
  EXPECT_TRUE(has(text.out, "\ncpu backend: ") && has(text.out, "\n  GPUOPT_PLUGIN_PATH=")) << text.out;
  EXPECT_EQ(text.err + json.err, "");
}

// Where the compiler was not built, that is a finding.
const bool kHasCompiler = std::string(EXERCISE_WITH) == "kernels";
const int kContent = kHasCompiler ? 0 : 1;

TEST(Command, DoctorIsContentWithoutHardwareAndWithHardwareThatWorks) {
  const child::Environment absent = {
      {"GPUOPT_PLUGIN_PATH", plugins("probe_refuses")}, {"GPUOPT_TEST_REASON", "6"}, {"GPUOPT_TEST_HARDWARE", "0"}};
  const Result without = gpuopt({"doctor"}, absent);
  EXPECT_EQ(without.exit, kContent) << without.out;
  EXPECT_TRUE(has(without.out, "best device here:  cpu:0")) << without.out;
  EXPECT_EQ(has(without.out, "all well:"), kHasCompiler) << without.out;
  const Result with = gpuopt({"doctor"}, {{"GPUOPT_PLUGIN_PATH", plugins("good")}});
  EXPECT_EQ(with.exit, kContent) << with.out;
  EXPECT_TRUE(has(with.out, "best device here:  cuda:0")) << with.out;
  EXPECT_EQ(with.out.find('\033'), std::string::npos);  // no colours: this is no terminal
}

TEST(Command, DoctorSaysWhyHardwareIsNotUsedAndWhatToDo) {
  for (int reason = 1; reason < GPUOPT_REASON_COUNT; ++reason) {
    const child::Environment environment = {{"GPUOPT_PLUGIN_PATH", plugins("probe_refuses")},
                                            {"GPUOPT_TEST_REASON", std::to_string(reason)},
                                            {"GPUOPT_TEST_HARDWARE", "1"}};
    const Result text = gpuopt({"doctor"}, environment), json = gpuopt({"doctor", "--json"}, environment);
    if (reason == 15) continue;  // DISABLED counts as wanted
    EXPECT_EQ(text.exit, 1) << reason << text.out;
    EXPECT_TRUE(has(text.out, "problem: ") && has(text.out, "  why:    ") && has(text.out, "  means:  ") &&
                has(text.out, "  to do:  ") && has(text.out, "\n          - ") &&
                has(text.out, "refused as the test asked"))
        << text.out;
    EXPECT_FALSE(has(text.out, "<name>")) << text.out;
    EXPECT_EQ(text.err, "");
    EXPECT_EQ(json.exit, 1);
    EXPECT_TRUE(valid_json(json.out)) << json.out;
    EXPECT_TRUE(has(json.out, "{\"fine\": false, \"best\": \"cpu:0\"")) << json.out;
  }
}

TEST(Command, DoctorFindsFaultWithTheEnvironment) {
  EXPECT_EQ(gpuopt({"doctor"}, {{"GPUOPT_BACKEND", "bogus"}}).exit, 1);
  EXPECT_TRUE(has(gpuopt({"doctor"}, {{"GPUOPT_BACKEND", "bogus"}}).out, "\"bogus\" is not a known backend"));
  EXPECT_EQ(gpuopt({"doctor"}, {{"GPUOPT_PLUGIN_PATH", plugins("good")}, {"GPUOPT_BACKEND", "cuda:9"}}).exit, 1);
}

// Hardware is what the library sees from outside: on a machine without any, switching its backend off is no problem.
TEST(Command, DoctorTellsOfABackendThatIsSwitchedOff) {
  const child::Environment off = {{"GPUOPT_PLUGIN_PATH", plugins("good")}, {"GPUOPT_DISABLE", "cuda"}};
  const bool there = has(gpuopt({"info"}, off).out, "hardware: nvidia-present");
  const Result text = gpuopt({"doctor"}, off), json = gpuopt({"doctor", "--json"}, off);
  EXPECT_EQ(text.exit, there ? 1 : kContent) << text.out;
  EXPECT_TRUE(has(text.out, there ? "problem: the cuda backend is switched off" : "note: GPUOPT_DISABLE")) << text.out;
  EXPECT_EQ(has(text.out, "all well:"), !there && kHasCompiler) << text.out;
  EXPECT_TRUE(valid_json(json.out)) << json.out;
  EXPECT_EQ(has(json.out, "\"notes\": []"), there) << json.out;
}

TEST(Command, DoctorFindsSettingsThatAreIgnored) {
  const std::pair<const char *, const char *> wrong[] = {
      {"GPUOPT_NUM_THREADS", "0"}, {"GPUOPT_CPU_LEVEL", "v7"}, {"GPUOPT_BLAS", "relative.so"}};
  for (const auto &[name, value] : wrong) {
    for (const char *log : {"", "off", "error"}) {
      const child::Environment environment = {{"GPUOPT_DISABLE", "cuda"}, {name, value}, {"GPUOPT_LOG", log}};
      const Result text = gpuopt({"doctor"}, environment), json = gpuopt({"doctor", "--json"}, environment);
      EXPECT_EQ(text.exit, 1) << name << text.out;
      EXPECT_TRUE(has(text.out, std::string("problem: ") + name)) << text.out;
      EXPECT_FALSE(has(text.out, "all well:"));
      EXPECT_EQ(text.err, "");
      EXPECT_TRUE(valid_json(json.out) && has(json.out, std::string("\"problem\": \"") + name)) << json.out;
    }
  }
}

TEST(Command, InfoNamesTheCompilerOrWhatIsMissing) {
  const child::Environment off = {{"GPUOPT_DISABLE", "cuda"}};
  const Result text = gpuopt({"info"}, off), json = gpuopt({"info", "--json"}, off);
  EXPECT_TRUE(valid_json(json.out)) << json.out;
  EXPECT_TRUE(has(text.out, kHasCompiler ? "\n  compiler: " : "\n  compiler: none: ")) << text.out;
  EXPECT_EQ(has(text.out, "jit"), true) << text.out;
  EXPECT_EQ(has(json.out, "\"compiler\": {\"works\": true, "), kHasCompiler) << json.out;
  EXPECT_TRUE(has(json.out, "\"policy\": \"on\", \"tier_up\": ")) << json.out;
  EXPECT_TRUE(has(json.out, "\"bad_settings\": []")) << json.out;
}

TEST(Command, AMissingCompilerIsFoundAndThePackageNamed) {
  const child::Environment missing = {{"GPUOPT_DISABLE", "cuda"}, {"GPUOPT_JIT", child::kNowhere}};
  const Result info = gpuopt({"info"}, missing), text = gpuopt({"doctor"}, missing),
               json = gpuopt({"doctor", "--json"}, missing);
  EXPECT_TRUE(has(info.out, "\n  compiler: none: ") && has(info.out, child::kNowhere)) << info.out;
  EXPECT_EQ(text.exit, 1);
  EXPECT_FALSE(has(text.out, "all well:")) << text.out;
  EXPECT_TRUE(has(text.out, "problem: the CPU backend has no compiler") && has(text.out, child::kNowhere) &&
              has(text.out, "to do:  install the package gpuopt-plugin-jit"))
      << text.out;
  EXPECT_EQ(json.exit, 1);
  EXPECT_TRUE(valid_json(json.out) && has(json.out, "\"hint\": \"install the package gpuopt-plugin-jit")) << json.out;
}

TEST(Command, WhatLimitsTheCompilerOnPurposeIsANote) {
  if (!kHasCompiler) GTEST_SKIP() << "without the compiler there is nothing to limit";
  const child::Environment off = {{"GPUOPT_DISABLE", "cuda"}, {"GPUOPT_JIT_POLICY", "off"}};
  const Result text = gpuopt({"doctor"}, off);
  EXPECT_TRUE(has(text.out, "note: GPUOPT_JIT_POLICY=off keeps the CPU backend from compiling")) << text.out;
  EXPECT_FALSE(has(text.out, "has no compiler")) << text.out;
  EXPECT_TRUE(has(gpuopt({"info", "--json"}, off).out, "\"policy\": \"off\""));
}

TEST(Command, SettingsWithoutEffectAreFoundWhoeverReadsThem) {
  const std::pair<const char *, const char *> wrong[] = {
      {"GPUOPT_JIT_POLICY", "bogus"}, {"GPUOPT_CPU_TIER_UP", "maybe"},  {"GPUOPT_JIT_ISOLATION", "container"},
      {"GPUOPT_JIT_TIMEOUT", "soon"}, {"GPUOPT_OPEN_TIMEOUT", "-1"},    {"GPUOPT_LOG", "loud"},
      {"GPUOPT_CPU_CHECK", "2"},      {"GPUOPT_CACHE_DIR", "relative"}, {"GPUOPT_CACHE_MAX_BYTES", "1 GiB"},
      {"GPUOPT_BUNDLES", "relative"}, {"GPUOPT_JIT", "relative.so"},    {"GPUOPT_NUMBER_OF_THREADS", "4"}};
  for (const auto &[name, value] : wrong) {
    const child::Environment environment = {{"GPUOPT_DISABLE", "cuda"}, {name, value}};
    const Result doctor = gpuopt({"doctor"}, environment), info = gpuopt({"info"}, environment),
                 json = gpuopt({"info", "--json"}, environment);
    EXPECT_EQ(doctor.exit, 1) << name;
    EXPECT_FALSE(has(doctor.out, "all well:")) << name << doctor.out;
    const size_t findings = doctor.out.find("problem: ");
    ASSERT_NE(findings, std::string::npos) << name << doctor.out;
    EXPECT_NE(doctor.out.find(name, findings), std::string::npos) << doctor.out;
    EXPECT_TRUE(has(info.out, std::string("  ") + name + "=" + value + "  (ignored: ")) << info.out;
    EXPECT_TRUE(valid_json(json.out) && has(json.out, std::string("\"bad_settings\": [{\"name\": \"") + name + "\""))
        << json.out;
  }
}

TEST(Command, DoctorFindsPluginPathsThatAreNotUsed) {
  const child::Environment relative = {{"GPUOPT_PLUGIN_PATH", "plugins"}},
                           gone = {{"GPUOPT_PLUGIN_PATH", child::kNowhere}};
  const Result refused = gpuopt({"doctor"}, relative), absent = gpuopt({"doctor"}, gone);
  EXPECT_EQ(refused.exit, 1);
  EXPECT_TRUE(
      has(refused.out, "problem: a plugin path is refused: plugins  (GPUOPT_PLUGIN_PATH): not an absolute path") &&
      has(refused.out, "chmod go-w"))
      << refused.out;
  EXPECT_EQ(absent.exit, 1);
  EXPECT_TRUE(has(absent.out, std::string("problem: a plugin path leads nowhere: ") + child::kNowhere)) << absent.out;
}

#endif

}  // namespace
