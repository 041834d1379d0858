// tests/loader/fifo_posix_test.cpp -- FIFOs that nobody writes to, named where a file is meant: nothing waits for them,
// and what names them is refused with the reason. A program that waits is ended by its test's limit of time.
//
// POSIX only: FIFOs
#include "tests/loader/child.h"

namespace {

using child::Result;

struct Fifo : child::Scratch {
  const std::string path = *this / "fifo";
  Fifo() {
    if (mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
  }
};

// Runs a program that multiplies, compiles a kernel and draws numbers on the CPU backend, which has the name cuda here.
Result work_with(const char *setting, const std::string &value) {
  const child::Scratch cache;
  return child::run({EXERCISE, EXERCISE_WITH}, {{"GPUOPT_PLUGIN_PATH", child::plugin_directory("faulty")},
                                                {"GPUOPT_CACHE_DIR", cache.path()},
                                                {"GPUOPT_MATMUL", "fast"},
                                                {setting, value}});
}

TEST(Fifo, NamedBySettingsIsRefusedAndNotWaitedFor) {
  const Fifo fifo;
  for (const char *setting : {"GPUOPT_BLAS", "GPUOPT_BUNDLES"}) {
    const Result result = work_with(setting, fifo.path);
    ASSERT_EQ(result.exit, 0) << result.signal;
    EXPECT_EQ(result.out_lines().at(0), "opened|cuda:0") << setting;
    EXPECT_EQ(result.out_lines().at(1), "failed|0|") << setting;
    EXPECT_NE(result.err.find(setting), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("a FIFO, not a file"), std::string::npos) << result.err;
  }
}

TEST(Fifo, AsARecordOfKernelsIsAWarning) {
  if (std::string(EXERCISE_WITH).empty()) GTEST_SKIP() << "without the compiler no kernel is recorded";
  const Fifo fifo;
  const Result result = work_with("GPUOPT_RECORD_KERNELS", fifo.path);
  ASSERT_EQ(result.exit, 0) << result.signal;
  EXPECT_EQ(result.out_lines().at(1), "failed|0|");
  EXPECT_NE(result.err.find("bundle.record"), std::string::npos) << result.err;
}

TEST(Fifo, AsCompilerIsAnErrorThatSaysSo) {
  if (std::string(EXERCISE_WITH).empty()) GTEST_SKIP() << "without the compiler no kernel is compiled";
  const Fifo fifo;
  const Result result = work_with("GPUOPT_JIT", fifo.path);
  ASSERT_EQ(result.exit, 0) << result.signal;
  EXPECT_NE(result.out_lines().at(1).find("GPUOPT_JIT names " + fifo.path + ": a FIFO, not a file"), std::string::npos)
      << result.out;
}

// ---- The same trust as for plugins

TEST(NamedFile, WhatOthersMayWriteIsNotRun) {
  const child::Scratch place;
  const std::string file = place / "library.so";
  child::write_file(file, child::read_file(child::plugin("good")));
  ASSERT_EQ(chmod(file.c_str(), 0666), 0);
  for (const char *setting : {"GPUOPT_BLAS", "GPUOPT_BUNDLES"}) {
    const Result result = work_with(setting, file);
    EXPECT_NE(result.err.find(file + " may be written by every user"), std::string::npos) << setting << result.err;
  }
  if (std::string(EXERCISE_WITH).empty()) return;
  const Result result = work_with("GPUOPT_JIT", file);
  EXPECT_NE(result.out_lines().at(1).find(file + " may be written by every user"), std::string::npos) << result.out;
}

}  // namespace
