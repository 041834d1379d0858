// tests/unit/api_tier_up_posix_test.cpp -- where the code of hot programs comes from: the compiler, the cache, or
// nowhere; and what a fork and the end of the process find it doing. Each case is a process of its own, for the
// compiler is looked for once.
// POSIX only: fork, and the compiler is not built for Windows
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/not_here.h"
#include "tests/unit/deny_new_code.h"
#include "tests/unit/jit_process.h"

namespace {

namespace gp = gpuopt;

// The log lines about it.
std::atomic<int> g_compiled{0}, g_from_cache{0}, g_stay{0}, g_warnings{0};

void count(const gpuopt_log_record *record, void *) {
  if (record->level <= 2) g_warnings++;
  if (std::strcmp(record->event, "cpu.tier_up") != 0) return;
  g_compiled += std::strstr(record->detail, "is compiled") != nullptr;
  g_from_cache += std::strstr(record->detail, "from the cache") != nullptr;
  g_stay += std::strstr(record->detail, "stay interpreted") != nullptr;
}

struct Outcome {
  uint64_t hash = 0;  // of the numbers
  int compiled = 0, from_cache = 0, stay = 0, warnings = 0;
  bool compiler_loaded = false;
};

gp::array numbers() { return gp::arange(40000, gp::float64) * 5e-3 - 50.0; }

// Their operations are costly, so that few elements make a program hot. Under a sanitizer each element takes long.
enum class Program { product, difference };

uint64_t run(const gp::array &x, Program program = Program::product) {
  const gp::array a = gp::erf(x), b = gp::erfc(x);
  const gp::array y = (program == Program::product ? a * b : a - b) * 3.0 + x * x - 1.0;
  const std::vector<double> values = y.to_vector<double>();
  uint64_t hash = 14695981039346656037u;
  for (const double value : values) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

// Runs the program a hundred times, after which it is hot. `comes`: whether something is to be said about it.
Outcome run_often(bool comes, Program program = Program::product) {
  Outcome outcome;
  const gp::with_device scope("cpu");
  const gp::array x = numbers();
  outcome.hash = run(x, program);
  for (int i = 0; i < 100; i++) {
    if (run(x, program) != outcome.hash) outcome.hash = 0;
  }
  for (int i = 0; comes && i < 30000 && g_compiled + g_from_cache + g_stay + g_warnings == 0; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
  if (run(x, program) != outcome.hash) outcome.hash = 0;
  outcome.compiled = g_compiled, outcome.from_cache = g_from_cache;
  outcome.stay = g_stay, outcome.warnings = g_warnings;
  outcome.compiler_loaded = gpuopt::test::compiler_is_loaded();
  return outcome;
}
Outcome hears() { return run_often(true); }
Outcome hears_nothing() { return run_often(false); }

class TierUp : public gpuopt::test::JitProcess {
 protected:
  TierUp() {
    setenv("GPUOPT_CPU_TIER_UP", "on", 1);
    setenv("GPUOPT_LOG", "debug", 1);
  }

  Outcome in_process(const Variables &variables, const std::function<void()> &before = nothing,
                     const std::function<Outcome()> &body = hears) {
    return in_child<Outcome>(variables, [&] {
      gpuopt_log_set_callback(count, nullptr);
      before();
      return body();
    });
  }

  // What the interpreter says.
  uint64_t expected() { return in_process({{"GPUOPT_CPU_TIER_UP", "off"}}, nothing, hears_nothing).hash; }
  static void nothing() {}
};

TEST_F(TierUp, TheSecondProcessStartsHotAndDoesNotLoadTheCompiler) {
  const Outcome off = in_process({{"GPUOPT_CPU_TIER_UP", "off"}}, nothing, hears_nothing);
  EXPECT_NE(off.hash, 0u);
  EXPECT_EQ(off.compiled + off.from_cache + off.stay + off.warnings, 0);
  const Outcome first = in_process({}), second = in_process({{"GPUOPT_JIT", nowhere_}});
  EXPECT_EQ(first.hash, off.hash);
  EXPECT_GE(first.compiled, 1);
  EXPECT_EQ(first.from_cache, 0);
  EXPECT_TRUE(first.compiler_loaded);
  EXPECT_EQ(second.hash, off.hash);
  EXPECT_GE(second.from_cache, 1);
  EXPECT_EQ(second.compiled + second.stay + second.warnings, 0);
  EXPECT_FALSE(second.compiler_loaded);
}

// Silently: one line for those who ask for it.
TEST_F(TierUp, WithoutACompilerProgramsStayInterpreted) {
  const Outcome without = in_process({{"GPUOPT_JIT", nowhere_}});
  EXPECT_EQ(without.hash, expected());
  EXPECT_EQ(without.stay, 1);
  EXPECT_EQ(without.compiled + without.from_cache + without.warnings, 0);
}

TEST_F(TierUp, Policy) {
  for (const char *policy : {"off", "cache_only"}) {
    const Outcome none = in_process({{"GPUOPT_JIT_POLICY", policy}}, nothing, hears_nothing);
    EXPECT_EQ(none.hash, expected()) << policy;
    EXPECT_EQ(none.compiled + none.from_cache + none.stay + none.warnings, 0) << policy;
  }
  in_process({{"GPUOPT_CPU_TIER_UP", "now"}});
  EXPECT_GE(in_process({{"GPUOPT_JIT_POLICY", "cache_only"}}).from_cache, 1);
  EXPECT_EQ(in_process({{"GPUOPT_JIT_POLICY", "off"}}, nothing, hears_nothing).from_cache, 0);
}

#if defined(GPUOPT_TEST_EMULATOR)
NOT_HERE(TierUpWhereNoNewCodeMayRun, "qemu has no filters of system calls")
#else
TEST_F(TierUp, WhereNoNewCodeMayRun) {
  const Outcome denied = in_process({}, deny_new_code);
  EXPECT_EQ(denied.hash, expected());
  EXPECT_EQ(denied.compiled, 0);
  EXPECT_EQ(denied.stay, 1);
}
#endif

// Both programs are asked for once, in the background, and one warning is all there is.
TEST_F(TierUp, WhatDoesNotCompileStaysInterpreted) {
  const auto body = [] {
    Outcome outcome = hears();
    const Outcome other = run_often(false, Program::difference);
    if (other.hash == 0) outcome.hash = 0;
    void *const jit = dlopen(GPUOPT_REFUSING_JIT, RTLD_NOW | RTLD_NOLOAD);
    const auto *const refused = jit ? static_cast<const volatile int *>(dlsym(jit, "refused")) : nullptr;
    for (int i = 0; refused && i < 30000 && *refused < 2; i++)
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
    run_often(false);
    outcome.compiled = g_compiled, outcome.warnings = g_warnings;
    outcome.stay = refused ? *refused : -1;
    return outcome;
  };
  const Outcome refused =
      in_process({{"GPUOPT_JIT", GPUOPT_REFUSING_JIT}, {"GPUOPT_JIT_ISOLATION", "off"}}, nothing, body);
  EXPECT_EQ(refused.hash, expected());
  EXPECT_EQ(refused.compiled, 0);
  EXPECT_EQ(refused.warnings, 1);
  EXPECT_EQ(refused.stay, 2) << "programs it was asked to compile";
}

// The thread that compiles may end, and free its memory, while the process is copied. The child then finds the
// allocator of GCC 12's AddressSanitizer locked for ever.
#if defined(__SANITIZE_ADDRESS__)
NOT_HERE(TierUpChild, "AddressSanitizer's allocator does not survive a fork beside other threads")
#elif defined(__SANITIZE_THREAD__)
NOT_HERE(TierUpChild, "ThreadSanitizer refuses threads in the child of a multi-threaded process")
#else
// While the parent's thread compiles: the child has the right numbers, and compiles what it finds hot itself.
TEST_F(TierUp, AChildCompilesByItself) {
  const uint64_t right = expected();
  const auto body = [right] {
    const gp::with_device scope("cpu");
    const gp::array x = numbers();
    for (int i = 0; i < 60; i++) run(x);
    const pid_t child = fork();
    if (child == 0) {
      const bool same = run(x) == right;
      g_compiled = 0;
      const Outcome own = run_often(true, Program::difference);
      _exit(same && own.hash != 0 && own.compiled >= 1 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    Outcome outcome = hears();
    outcome.warnings = status;
    return outcome;
  };
#if defined(GPUOPT_TEST_EMULATOR)  // the kernel starts the compiler's process, and knows no emulator
  const std::vector<const char *> kinds = {"off"};
#else
  const std::vector<const char *> kinds = {"process", "off"};
#endif
  for (const char *isolation : kinds) {
    const Outcome parent =
        in_process({{"GPUOPT_CACHE_MAX_BYTES", "0"}, {"GPUOPT_JIT_ISOLATION", isolation}}, nothing, body);
    EXPECT_EQ(parent.hash, right);
    EXPECT_EQ(parent.warnings, 0) << "the child's status, " << isolation;
  }
}
#endif

// main returns while the compiler is at it, at one point or another, here or in a process of its own.
TEST_F(TierUp, TheProcessMayEndMeanwhile) {
  for (int k = 0; k < 12; k++) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("GPUOPT_CACHE_MAX_BYTES", "0", 1);
      setenv("GPUOPT_LOG", "warn", 1);
      setenv("GPUOPT_JIT_ISOLATION", k % 2 ? "off" : "process", 1);
      const gp::with_device scope("cpu");
      const gp::array x = numbers();
      for (int i = 0; i < 60; i++) run(x);
      std::this_thread::sleep_for(std::chrono::milliseconds(5 * k));
      std::exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << k;
  }
}

}  // namespace
