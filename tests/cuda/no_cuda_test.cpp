// tests/cuda/no_cuda_test.cpp -- every way in which CUDA can be absent or broken is a reason code, one warning, and the
// CPU's numbers. Each case is a process of its own, with a driver that fails as it is told (stub_driver.c).
#include "tests/loader/child.h"
#include "tests/not_here.h"

namespace {

using child::Environment;
using child::Opened;
using child::Result;

#define STUB_LIBRARY(kind) STUB kind LIBRARY_SUFFIX
const std::string kStub = STUB_LIBRARY("driver");
#if defined(_WIN32)
const char *const kAbsent = "(Windows error 126)";
#else
const char *const kAbsent = "cannot open shared object";
#endif

struct Case {
  const char *name;
  Environment environment;  // beside the plugin's directory
  const char *reason;
  const char *detail;  // part of the warning
};

std::ostream &operator<<(std::ostream &out, const Case &c) { return out << c.name; }

Environment stub(Environment settings) {
  settings.emplace("GPUOPT_CUDA_DRIVER", kStub);
  return settings;
}

#if defined(FAKE_CUDA)
// A driver for CUDA 12.4 that works, and a run-time compiler that does not.
Environment no_compiler(const char *nvrtc, const char *capability = "90") {
  return {{"GPUOPT_CUDA_DRIVER", FAKE_CUDA},    {"FAKE_CUDA_DRIVER_VERSION", "12040"},
          {"FAKE_CUDA_CAPABILITY", capability}, {"GPUOPT_NVRTC", nvrtc},
          {"GPUOPT_CUDA_COMPILER", "nvrtc"},    {"GPUOPT_CACHE_MAX_BYTES", "0"}};
}
#endif

const std::vector<Case> &cases() {
  static const auto *const all = new std::vector<Case> {
    {"no_library",
     {{"GPUOPT_CUDA_DRIVER", child::native(std::string(child::kNowhere) + "/driver")}},
     "DRIVER_MISSING",
     kAbsent},
        {"relative_path",
         {{"GPUOPT_CUDA_DRIVER", "./libcuda.so.1"}},
         "UNTRUSTED_PATH",
         "GPUOPT_CUDA_DRIVER=./libcuda.so.1 is not an absolute path"},
        {"bare_name", {{"GPUOPT_CUDA_DRIVER", "libcuda.so.1"}}, "UNTRUSTED_PATH", "is not an absolute path"},
        {"empty_library", {{"GPUOPT_CUDA_DRIVER", STUB_LIBRARY("empty")}}, "DRIVER_MISSING", "no cuInit"},
        {"garbage", {{"GPUOPT_CUDA_DRIVER", GARBAGE}}, "DRIVER_MISSING", "garbage.so"},
        {"functions_missing", {{"GPUOPT_CUDA_DRIVER", STUB_LIBRARY("short")}}, "DRIVER_TOO_OLD", "has no cuDeviceGet"},
        {"toolkit_stub", stub({{"STUB_VERSION", "0"}, {"STUB_INIT", "34"}}), "DRIVER_STUB", "(34)"},
        {"cuda_11_8", stub({{"STUB_VERSION", "11080"}}), "DRIVER_TOO_OLD",
         "supports CUDA 11.8, this backend needs 12.0"},
        {"cuda_10_2", stub({{"STUB_VERSION", "10020"}}), "DRIVER_TOO_OLD", "supports CUDA 10.2"},
        {"old_and_broken", stub({{"STUB_VERSION", "11040"}, {"STUB_INIT", "999"}}), "DRIVER_TOO_OLD", "11.4"},
        {"init_3", stub({{"STUB_INIT", "3"}}), "DRIVER_NOT_READY", "(3): usual in a process forked"},
        {"init_36", stub({{"STUB_INIT", "36"}}), "DRIVER_TOO_OLD", "(36)"},
        {"init_46", stub({{"STUB_INIT", "46"}}), "DEVICE_BUSY", "(46): another process has the device"},
        {"init_100", stub({{"STUB_INIT", "100"}}), "NO_DEVICE", "(100)"},
        {"init_101", stub({{"STUB_INIT", "101"}}), "NO_DEVICE", "(101)"},
        {"init_800", stub({{"STUB_INIT", "800"}}), "NO_PERMISSION", "(800)"},
        {"init_801", stub({{"STUB_INIT", "801"}}), "PROBE_FAILED", "(801)"},
        {"init_802", stub({{"STUB_INIT", "802"}}), "DRIVER_NOT_READY", "(802): a system service is not running"},
        {"init_803", stub({{"STUB_INIT", "803"}}), "DRIVER_MISMATCH", "(803)"},
        {"init_804", stub({{"STUB_INIT", "804"}}), "DRIVER_MISMATCH", "(804): remove the compatibility package"},
        {"init_805", stub({{"STUB_INIT", "805"}}), "DRIVER_NOT_READY", "(805): the Multi-Process Service"},
        {"init_807", stub({{"STUB_INIT", "807"}}), "DRIVER_NOT_READY", "(807): the Multi-Process Service"},
        {"init_999", stub({{"STUB_INIT", "999"}}), "DRIVER_NOT_READY", "(999): the kernel modules may not be loaded"},
        {"no_devices", stub({}), "NO_DEVICE", "the driver finds no device"},
        {"devices_hidden", stub({{"CUDA_VISIBLE_DEVICES", "-1"}}), "NO_DEVICE",
         "finds no device (CUDA_VISIBLE_DEVICES=-1)"},
        {"count_fails", stub({{"STUB_COUNT", "100"}}), "NO_DEVICE", "(100)"},
        {"count_not_ready", stub({{"STUB_COUNT", "802"}}), "DRIVER_NOT_READY", "cuDeviceGetCount: "},
#if defined(FAKE_CUDA)
        {"nvrtc_by_relative_path", no_compiler("lib/libnvrtc.so.13"), "COMPILER_MISSING",
         "lib/libnvrtc.so.13: the path is not absolute"},
        {"nvrtc_missing", no_compiler("/nonexistent"), "COMPILER_MISSING", "/nonexistent: there is no such file"},
        {"nvrtc_too_new", no_compiler(STUB_LIBRARY("nvrtc_major_13")), "COMPILER_MISSING",
         "NVRTC 13.4 is too new for the driver, which is for CUDA 12.4"},
        {"nvrtc_too_old_for_its_functions", no_compiler(STUB_LIBRARY("nvrtc_old")), "COMPILER_MISSING",
         "it has no nvrtcGetCUBINSize"},
        {"nvrtc_too_new_for_the_device", no_compiler(STUB_LIBRARY("nvrtc_good"), "75"), "COMPILER_MISSING",
         "NVRTC 12.4 no longer serves a device of compute capability 7.5"},
        {"nvrtc_without_builtins", no_compiler(STUB_LIBRARY("nvrtc_no_builtins")), "COMPILER_MISSING",
         "its libnvrtc-builtins.so.12.4 is missing"},
#endif
  };
  return *all;
}

// `gpuopt` with the plugin that was built, and as the core alone sees the machine.
Result probe(std::vector<std::string> arguments, Environment environment, bool with_plugin = true,
             const std::string &directory = "") {
  if (with_plugin) environment.emplace("GPUOPT_PLUGIN_PATH", child::native(PLUGIN_DIRECTORY));
  environment.emplace("GPUOPT_LOG", "warn");
  arguments.insert(arguments.begin(), LOADER_PROBE);
  return child::run(arguments, environment, directory);
}

// "hw=nvidia-absent" as the core finds it without any plugin.
std::string hardware_text() {
  const std::string line = probe({"cuda"}, {}, false).err;
  const size_t begin = line.find("hw=");
  return begin == std::string::npos ? "no hw= in the warning" : line.substr(begin, line.find(' ', begin) - begin);
}

std::string sums(const std::string &line) { return line.substr(line.rfind('|')); }

class NoCuda : public testing::TestWithParam<Case> {};

TEST_P(NoCuda, IsOneWarningAndTheCpusNumbers) {
  const Result cpu = probe({"cpu", "add"}, {});
  const Result result = probe({"cuda", "add", "cuda", "auto"}, GetParam().environment);
  ASSERT_EQ(result.exit, 0) << result.err;
  const std::vector<std::string> lines = result.out_lines();
  ASSERT_EQ(lines.size(), 5u) << result.out;
  const Opened opened = child::parse_opened(lines[0]);
  EXPECT_EQ(opened.status, "GPUOPT_OK");
  EXPECT_EQ(opened.device, "cpu:0");
  EXPECT_EQ(opened.fallback, GetParam().reason) << result.err;
  EXPECT_EQ(lines[1].rfind("add|cpu:0|", 0), 0u) << lines[1];
  EXPECT_EQ(sums(lines[1]), sums(cpu.out_lines().at(1)));
  ASSERT_EQ(result.err_lines().size(), 1u) << result.err;
  const std::string warning = result.err_lines()[0];
  // A driver that finds devices settles whether there is hardware.
  const std::string hardware =
      GetParam().reason == std::string("COMPILER_MISSING") ? "hw=nvidia-present" : hardware_text();
  EXPECT_EQ(warning.rfind("gpuopt[W] backend.fallback reason=" + std::string(GetParam().reason) +
                              " requested=cuda using=cpu " + hardware + " ",
                          0),
            0u)
      << warning;
  EXPECT_NE(warning.find(GetParam().detail), std::string::npos) << warning;
  EXPECT_NE(warning.find(child::plugin_file("cuda")), std::string::npos) << warning;
}

TEST_P(NoCuda, IsAnErrorWithoutAWordWhereItIsRequired) {
  const Result result = probe({"cuda!"}, GetParam().environment);
  const Opened opened = child::parse_opened(result.out_lines().at(0));
  EXPECT_EQ(opened.status, "GPUOPT_ERR_UNAVAILABLE");
  EXPECT_EQ(opened.reason, GetParam().reason);
  EXPECT_EQ(opened.device, "none");
  EXPECT_NE(opened.message.find(GetParam().detail), std::string::npos) << opened.message;
  EXPECT_EQ(result.err, "");
}

INSTANTIATE_TEST_SUITE_P(Every, NoCuda, testing::ValuesIn(cases()),
                         [](const auto &instance) { return std::string(instance.param.name); });

// What cuInit was told to return, "" where it is not the stub's to say.
std::string init_code(const Environment &environment) {
  const auto told = environment.find("STUB_INIT");
  return told == environment.end() ? "" : told->second;
}

// Every row: a reason, one line on standard error, and the CPU's result.
TEST(NoCudaTable, IsPrinted) {
  const std::string sum = sums(probe({"cpu", "add"}, {}).out_lines().at(1));
  std::printf("%-31s %-6s %-16s %-5s %-6s %s\n", "case", "cuInit", "reason", "lines", "CPU", "warning");
  for (const Case &c : cases()) {
    const Result result = probe({"cuda", "add"}, c.environment);
    const std::vector<std::string> lines = result.out_lines(), warnings = result.err_lines();
    ASSERT_GE(lines.size(), 2u) << c.name << ": " << result.err;
    ASSERT_EQ(warnings.size(), 1u) << c.name << ": " << result.err;
    const Opened opened = child::parse_opened(lines[0]);
    const bool right = opened.device == "cpu:0" && lines[1] == "add|cpu:0" + sum;
    std::printf("%-31s %-6s %-16s %-5zu %-6s %s\n", c.name, init_code(c.environment).c_str(), opened.fallback.c_str(),
                warnings.size(), right ? "OK" : "WRONG", warnings[0].c_str());
    EXPECT_EQ(opened.fallback, c.reason) << c.name;
    EXPECT_TRUE(right) << c.name << ": " << result.out;
  }
}

// The library of the toolkit that links programs where there is no driver.
TEST(NoCudaToolkit, NvidiasOwnStubIsToldFromADriver) {
  const std::string file = TOOLKIT_STUB;
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "there is no stub libcuda.so: install the CUDA Toolkit";
  const Result result = probe({"cuda"}, {{"GPUOPT_CUDA_DRIVER", file}});
  EXPECT_EQ(child::parse_opened(result.out_lines().at(0)).fallback, "DRIVER_STUB") << result.err;
  EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
}

// A driver in the working directory is nobody's choice, however it is named there.
TEST(NoCudaCalls, ARelativePathOpensNothing) {
  const child::Scratch place;
  std::filesystem::copy_file(kStub, child::file_path(place / "libcuda.so.1"));
  for (const char *name : {"libcuda.so.1", "./libcuda.so.1"}) {
    const Result result = probe({"cuda"}, {{"GPUOPT_CUDA_DRIVER", name}, {"STUB_LOG", "log"}}, true, place.path());
    EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
    EXPECT_NE(result.err.find("reason=UNTRUSTED_PATH"), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(child::file_path(place / "log"))) << child::read_file(place / "log");
  }
}

TEST(NoCudaCalls, TheCpuNeedsNone) {
  const child::Scratch place;
  const Result result = probe({"cpu", "add", "-", "numpy"}, stub({{"STUB_LOG", place / "log"}}));
  EXPECT_EQ(result.err, "");
  EXPECT_FALSE(std::filesystem::exists(place / "log")) << child::read_file(place / "log");
}

TEST(NoCudaCalls, AnOldDriverIsNotInitialised) {
  const child::Scratch place;
  probe({"cuda"}, stub({{"STUB_VERSION", "11080"}, {"STUB_LOG", place / "log"}}));
  EXPECT_EQ(child::read_file(place / "log"), "loaded\ncuDriverGetVersion\n");
}

TEST(NoCudaCalls, AFailureIsKept) {
  const child::Scratch place;
  const Result result =
      probe({"cuda", "cuda", "cuda!", "auto"}, stub({{"STUB_INIT", "999"}, {"STUB_LOG", place / "log"}}));
  EXPECT_EQ(child::read_file(place / "log"), "loaded\ncuDriverGetVersion\ncuInit\n");
  EXPECT_EQ(result.err_lines().size(), 1u) << result.err;
}

#if defined(_WIN32)
// The driver comes from the system directory alone: not from the working directory, nor from beside the program or the
// plugin, nor from PATH.
TEST(NoCudaSearch, APlantedDriverIsNotOpened) {
  const child::Scratch place;
  namespace fs = std::filesystem;
  for (const char *folder : {"here", "path", "program", "program/gpuopt/1"})
    fs::copy_file(kStub, child::file_path(place.directory(folder) + "\\nvcuda.dll"));
  const fs::path program = fs::path(LOADER_PROBE).parent_path(), copy = child::file_path(place / "program");
  fs::copy_file(LOADER_PROBE, copy / "probe.exe");
  fs::copy_file(program / LIBRARY_FILE, copy / LIBRARY_FILE);
  fs::copy_file(program / "gpuopt/1/gpuopt_cpu.dll", copy / "gpuopt/1/gpuopt_cpu.dll");
  fs::copy_file(PLUGIN_DIRECTORY "/gpuopt_cuda.dll", copy / "gpuopt/1/gpuopt_cuda.dll");
  const Result result = child::run({place / "program/probe.exe", "cuda", "auto"},
                                   {{"PATH", place / "path"}, {"STUB_LOG", "log"}}, place / "here");
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(child::parse_opened(result.out_lines().at(0)).fallback, "DRIVER_MISSING") << result.err;
  ASSERT_EQ(result.err_lines().size(), 1u) << result.err;
  EXPECT_NE(result.err.find("nvcuda.dll: "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("(Windows error 126)"), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(child::file_path(place / "here/log")));
  // The same file is opened where it is named.
  const Result named =
      child::run({place / "program/probe.exe", "cuda"},
                 {{"GPUOPT_CUDA_DRIVER", place / "here/nvcuda.dll"}, {"STUB_LOG", "log"}}, place / "here");
  EXPECT_EQ(child::parse_opened(named.out_lines().at(0)).fallback, "NO_DEVICE") << named.err;
  EXPECT_TRUE(fs::exists(child::file_path(place / "here/log")));
}

NOT_HERE(NoCudaPosix, "device files and fork")
#else
TEST(NoCudaHardware, WithoutItTheDriverIsNotEvenOpened) {
  if (hardware_text() != "hw=nvidia-absent")
    GTEST_SKIP() << "this machine is not without NVIDIA hardware: " << hardware_text();
  const child::Scratch place;
  std::filesystem::copy_file(kStub, place / "libcuda.so.1");
  const Result result = probe({"cuda", "auto"}, {{"LD_LIBRARY_PATH", place.path()}, {"STUB_LOG", place / "log"}});
  EXPECT_EQ(child::parse_opened(result.out_lines().at(0)).fallback, "NO_DEVICE");
  EXPECT_NE(result.err.find("this machine has no NVIDIA GPU"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(place / "log")) << child::read_file(place / "log");
}

TEST(NoCudaFork, AChildOfAProcessThatInitialisedCudaIsTold) {
  const child::Scratch place;
  const Result result = probe({"cuda", "fork", "cuda", "cuda!"}, stub({{"STUB_LOG", place / "log"}}));
  EXPECT_EQ(child::parse_opened(result.out_lines().at(0)).fallback, "NO_DEVICE");
  EXPECT_EQ(child::parse_opened(result.out_lines().at(1)).fallback, "FORKED") << result.err;
  EXPECT_EQ(child::parse_opened(result.out_lines().at(2)).reason, "FORKED") << result.err;
  EXPECT_EQ(child::read_file(place / "log"), "loaded\ncuDriverGetVersion\ncuInit\ncuDeviceGetCount\n");
}
#endif

}  // namespace
