// tests/fault/exit_posix_test.cpp -- arrays are used while the process ends: by handlers of exit, destructors of static
// and thread_local objects, and threads that outlive main.
//
// POSIX only: dlopen, pthread keys, signals
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/loader/child.h"

namespace {

const char *expected_last_line(const std::string &name) {
  if (name.rfind("handler", 0) == 0 || name == "main_thread_ends") return "handler of exit";
  if (name.rfind("object", 0) == 0) return "static object";
  if (name.rfind("library", 0) == 0) return "static object of a library";
  if (name.rfind("thread_local", 0) == 0) return "thread_local object";
  if (name == "key") return "key";
  if (name == "threads_that_go_on") return "threads went on";
  if (name == "kernel_in_a_handler") return "kernel";
  return "released";
}

class Exit : public testing::TestWithParam<child::Environment> {
 protected:
  void every_case_ends_well(const std::string &device) {
    const child::Result list = child::run({AT_EXIT, "list"});
    ASSERT_GE(list.out_lines().size(), 14u);
    for (const std::string &name : list.out_lines()) {
      const child::Result result = child::run({AT_EXIT, name, device, EXIT_LIBRARY}, GetParam());
      EXPECT_EQ(result.exit, 0) << name << ", signal " << result.signal << "\n" << result.out << result.err;
      const std::vector<std::string> lines = result.out_lines();
      ASSERT_FALSE(lines.empty()) << name;
      EXPECT_EQ(lines.front(), "main") << name;
      EXPECT_EQ(lines.back(), expected_last_line(name)) << name;
      if (name == "key") {
        EXPECT_EQ(lines.size(), 5u) << "three rounds of destructors";
      }
    }
  }
};

TEST_P(Exit, TheCpuWorksToTheEnd) { every_case_ends_well("cpu"); }

INSTANTIATE_TEST_SUITE_P(Modes, Exit,
                         testing::Values(child::Environment{{"GPUOPT_CPU_TIER_UP", "off"}},
                                         child::Environment{{"GPUOPT_EAGER", "1"}, {"GPUOPT_NUM_THREADS", "4"}},
                                         child::Environment{{"GPUOPT_CPU_TIER_UP", "now"},
                                                            {"GPUOPT_CACHE_MAX_BYTES", "0"},
                                                            {"GPUOPT_JIT_ISOLATION", "off"}},
                                         child::Environment{{"GPUOPT_CPU_TIER_UP", "on"},
                                                            {"GPUOPT_CACHE_MAX_BYTES", "0"}}));

}  // namespace
