// tests/unit/cpu_program_random_test.cpp -- random programs: the backend against the literal reference, bit for bit, at
// every instruction set level and for several numbers of threads.
#include <cstdlib>

#include "tests/unit/random_program.h"

namespace gpuopt::test {
namespace {

// The pool's size is fixed in a process; GPUOPT_NUM_THREADS reaches it through the test host.
class Threads : public testing::Environment {
  void SetUp() override {
    if (const char *threads = std::getenv("GPUOPT_NUM_THREADS")) TestHost::set("GPUOPT_NUM_THREADS", threads);
    TestHost::install();
  }
};
[[maybe_unused]] testing::Environment *const threads = testing::AddGlobalTestEnvironment(new Threads);

void check_many(Family family, uint64_t first_seed, int count, int64_t elements) {
  for (uint64_t seed = first_seed; seed < first_seed + static_cast<uint64_t>(count / GPUOPT_TEST_SHARE); seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomProgram(family, seed, elements).builder().check();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(CpuProgramRandom, Elementwise) {
  check_many(Family::kElementwise, 1, 1500, 3000);
  check_many(Family::kElementwise, 100000, 40, 150000);
}

TEST(CpuProgramRandom, Reduction) {
  check_many(Family::kReduction, 200000, 1500, 6000);
  check_many(Family::kReduction, 300000, 60, 150000);
}

TEST(CpuProgramRandom, Scan) {
  check_many(Family::kScan, 400000, 1000, 6000);
  check_many(Family::kScan, 500000, 60, 150000);
}

}  // namespace
}  // namespace gpuopt::test
