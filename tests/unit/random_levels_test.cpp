// tests/unit/random_levels_test.cpp -- every random fill gives the same bits at every instruction set level
//
// The levels come from random_level.cpp, compiled once for each with the vectorising flags (CMakeLists.txt); this
// file is compiled like any other.
#include <gtest/gtest.h>

#include "tests/unit/random_level.h"

#if defined(__x86_64__)
void random_level_v2(gpo::u64 *);
void random_level_v3(gpo::u64 *);
void random_level_v4(gpo::u64 *);
#endif

namespace {

void expect_same(void (*level)(gpo::u64 *)) {
  gpo::u64 expected[kRandomLevelResults], got[kRandomLevelResults];
  random_level(expected);
  level(got);
  for (int i = 0; i < kRandomLevelResults; ++i) EXPECT_EQ(expected[i], got[i]) << "fill " << i;
}

#if defined(__x86_64__)
TEST(RandomLevels, V2) {
  if (!__builtin_cpu_supports("sse4.2")) GTEST_SKIP() << "needs SSE4.2";
  expect_same(random_level_v2);
}

TEST(RandomLevels, V3) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "needs AVX2 and FMA";
  expect_same(random_level_v3);
}

TEST(RandomLevels, V4) {
  for (bool has : {!!__builtin_cpu_supports("avx512f"), !!__builtin_cpu_supports("avx512bw"),
                   !!__builtin_cpu_supports("avx512dq"), !!__builtin_cpu_supports("avx512vl")})
    if (!has) GTEST_SKIP() << "needs AVX-512";
  expect_same(random_level_v4);
}
#else
TEST(RandomLevels, Repeats) { expect_same(random_level); }
#endif

}  // namespace
