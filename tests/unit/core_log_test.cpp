// tests/unit/core_log_test.cpp -- the log line, levels, once-only records, and the callback under many threads.
#include <gpuopt/gpuopt.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "core/base/log.h"
#include "tests/set_variable.h"

namespace {

using gpuopt::LogRecord;

TEST(LogLine, HasTheDocumentedForm) {
  LogRecord record{GPUOPT_LOG_WARN, "backend.fallback", GPUOPT_REASON_DRIVER_MISSING};
  record.requested = "cuda";
  record.used = "cpu";
  record.hardware = "nvidia-present";
  record.plugin = "/usr/lib/x86_64-linux-gnu/gpuopt/1/libgpuopt_cuda.so";
  record.detail = "libcuda.so.1: cannot open shared object file";
  record.hint = "install NVIDIA driver >= 525";
  EXPECT_EQ(gpuopt::log_line(record),
            "gpuopt[W] backend.fallback reason=DRIVER_MISSING requested=cuda using=cpu hw=nvidia-present "
            "plugin=/usr/lib/x86_64-linux-gnu/gpuopt/1/libgpuopt_cuda.so "
            "detail=\"libcuda.so.1: cannot open shared object file\" hint=\"install NVIDIA driver >= 525\"");
}

TEST(LogLine, LeavesOutWhatDoesNotApply) {
  EXPECT_EQ(gpuopt::log_line({GPUOPT_LOG_ERROR, "a.b"}), "gpuopt[E] a.b");
  EXPECT_EQ(gpuopt::log_line({GPUOPT_LOG_INFO, "a.b"}), "gpuopt[I] a.b");
  EXPECT_EQ(gpuopt::log_line({GPUOPT_LOG_DEBUG, "a.b"}), "gpuopt[D] a.b");
}

TEST(LogLine, IsOneLineWhateverTheTextHolds) {
  LogRecord record{GPUOPT_LOG_WARN, "a.b"};
  record.plugin = "/opt/my plugins/a";
  record.detail = "say \"no\"\n\tback\\slash\x01\x7f \xC3\xA4";
  EXPECT_EQ(
      gpuopt::log_line(record),
      "gpuopt[W] a.b plugin=\"/opt/my plugins/a\" detail=\"say \\\"no\\\"\\n\\tback\\\\slash\\x01\\x7f \xC3\xA4\"");
  record.plugin = "/x\ngpuopt[E] forged";
  EXPECT_EQ(gpuopt::log_line(record).find('\n'), std::string::npos);
}

TEST(FirstTime, IsPerEventReasonAndKey) {
  EXPECT_TRUE(gpuopt::first_time("e", 1, "k"));
  EXPECT_FALSE(gpuopt::first_time("e", 1, "k"));
  EXPECT_TRUE(gpuopt::first_time("e", 2, "k"));
  EXPECT_TRUE(gpuopt::first_time("e", 1, "other"));
  EXPECT_TRUE(gpuopt::first_time("f", 1, "k"));
}

TEST(FirstTime, IsTrueForOneThreadOnly) {
  std::atomic<int> first{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) first += gpuopt::first_time("threads", i, "");
    });
  }
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(first, 100);
}

struct Seen {
  std::atomic<int> count{0};
  std::string line, event;
  int level = 0;
};

void collect(const gpuopt_log_record *record, void *user) {
  Seen &seen = *static_cast<Seen *>(user);
  seen.line = record->line;
  seen.event = record->event;
  seen.level = record->level;
  ++seen.count;
}

TEST(Level, IsReadAtEachRecord) {
  Seen seen;
  gpuopt_log_set_callback(collect, &seen);
  setenv("GPUOPT_LOG", "info", 1);
  gpuopt::log({GPUOPT_LOG_DEBUG, "no"});
  EXPECT_EQ(seen.count, 0);
  gpuopt::log({GPUOPT_LOG_INFO, "yes"});
  EXPECT_EQ(seen.count, 1);
  EXPECT_EQ(seen.line, "gpuopt[I] yes");
  EXPECT_EQ(seen.event, "yes");
  EXPECT_EQ(seen.level, GPUOPT_LOG_INFO);
  setenv("GPUOPT_LOG", "off", 1);
  gpuopt::log({GPUOPT_LOG_ERROR, "no"});
  EXPECT_EQ(seen.count, 1);
  unsetenv("GPUOPT_LOG");
  gpuopt::log({GPUOPT_LOG_INFO, "no"});
  gpuopt::log({GPUOPT_LOG_WARN, "yes"});
  EXPECT_EQ(seen.count, 2);
  gpuopt_log_set_callback(nullptr, nullptr);
}

void log_again(const gpuopt_log_record *, void *user) {
  ++static_cast<Seen *>(user)->count;
  gpuopt::log({GPUOPT_LOG_WARN, "inner"});
}

TEST(Callback, IsNotEnteredAgainByARecordOfItsOwn) {
  Seen seen;
  gpuopt_log_set_callback(log_again, &seen);
  testing::internal::CaptureStderr();
  gpuopt::log({GPUOPT_LOG_WARN, "outer"});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "gpuopt[W] inner\n");
  EXPECT_EQ(seen.count, 1);
  gpuopt_log_set_callback(nullptr, nullptr);
}

void throw_out(const gpuopt_log_record *, void *) { throw 1; }

TEST(Callback, ThatThrowsHarmsNobody) {
  gpuopt_log_set_callback(throw_out, nullptr);
  testing::internal::CaptureStderr();
  gpuopt::log({GPUOPT_LOG_WARN, "outer"});
  EXPECT_EQ(testing::internal::GetCapturedStderr().rfind("gpuopt[E] log.failed", 0), 0u);
  Seen seen;
  gpuopt_log_set_callback(collect, &seen);
  gpuopt::log({GPUOPT_LOG_WARN, "next"});
  EXPECT_EQ(seen.count, 1);
  gpuopt_log_set_callback(nullptr, nullptr);
}

// After set_callback returns, the old callback is not running and will not run: its data may go.
TEST(Callback, IsNotUsedAfterItWasReplaced) {
  std::atomic<bool> stop{false};
  const auto ignore = [](const gpuopt_log_record *, void *) {};
  gpuopt_log_set_callback(ignore, nullptr);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (!stop) {
        gpuopt::log({GPUOPT_LOG_WARN, "busy"});
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
    });
  }
  const auto count = [](const gpuopt_log_record *, void *user) { ++*static_cast<std::atomic<int> *>(user); };
  for (int i = 0; i < 200; ++i) {
    auto *mine = new std::atomic<int>{0};
    gpuopt_log_set_callback(count, mine);
    gpuopt_log_set_callback(ignore, nullptr);
    const int before = *mine;
    std::this_thread::yield();
    EXPECT_EQ(*mine, before);
    delete mine;
  }
  stop = true;
  for (std::thread &thread : threads) thread.join();
  gpuopt_log_set_callback(nullptr, nullptr);
}

}  // namespace
