// tests/unit/cpu_cpuid_test.cpp -- instruction set level, cache sizes, and the control word scope.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/fpu.h"
#include "tests/float_mode.h"
#include "tests/unit/cpu_test_host.h"

namespace gpuopt::cpu {
namespace {

#if defined(__x86_64__) && !defined(_WIN32)
// The kernel's own reading of the processor, an independent source: it lists a flag only if it also saves the state.
bool kernel_lists(const std::string &flag) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == flag) return true;
    }
    return false;
  }
  return false;
}

TEST(LevelTest, AgreesWithTheKernel) {
  const auto all = [](std::initializer_list<const char *> flags) {
    for (const char *flag : flags) {
      if (!kernel_lists(flag)) return false;
    }
    return true;
  };
  const bool v2 = all({"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"});
  const bool v3 = v2 && all({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"});
  const bool v4 = v3 && all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  EXPECT_EQ(detected_isa_level(), v4 ? 4 : v3 ? 3 : v2 ? 2 : 0);
}
#endif

TEST(LevelTest, IsReadOnceAndCapped) {
  test::TestHost::install();
  test::TestHost::set("GPUOPT_CPU_LEVEL", "v2");
  EXPECT_EQ(isa_level(), detected_isa_level() ? 2 : 0);
  test::TestHost::get().settings.clear();
  EXPECT_EQ(isa_level(), detected_isa_level() ? 2 : 0);
}

TEST(CacheTest, SizesAreSensible) {
  const CacheSizes &sizes = cache_sizes();
  EXPECT_GE(sizes.l1d, 8 << 10);
  EXPECT_LE(sizes.l1d, 1 << 20);
  EXPECT_GE(sizes.l2, sizes.l1d);
  EXPECT_GE(sizes.l3, 0);
  EXPECT_FALSE(processor_name().empty());
}

#if defined(GPUOPT_HAS_FLOAT_MODE)
TEST(FpuScopeTest, HidesTheCallersWordAndRestoresIt) {
  using namespace float_mode;
  const Word before = read(), odd = kDefault | kFlushesDenormals | kRoundsUp | kInvalidHappened;
  write(odd);
  volatile float denormal = 1e-40f, one = 1.0f, small = 1e-30f, doubled, sum;
  {
    const FpuScope scope;
    doubled = denormal * 2;
    sum = one + small;
  }
  const Word after = read();
  volatile float flushed = denormal * 2, raised = one + small;
  write(before);
  EXPECT_EQ(after, odd);
  EXPECT_GT(doubled, 0.0f);
  EXPECT_EQ(sum, 1.0f);
  EXPECT_EQ(flushed, 0.0f);  // the word above did matter
  EXPECT_GT(raised, 1.0f);
}
#endif

}  // namespace
}  // namespace gpuopt::cpu
