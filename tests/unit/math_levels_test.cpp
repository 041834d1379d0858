// tests/unit/math_levels_test.cpp -- every op gives the same bits at every instruction set level and without
// optimisation
//
// The levels come from math_level.cpp, compiled once for each with the vectorising flags (CMakeLists.txt); this
// file is compiled like any other, for the base instruction set.
#include <gtest/gtest.h>

#include "tests/unit/math_level.h"

#if defined(__x86_64__)
int math_level_v2(MathLevelResult *);
int math_level_v3(MathLevelResult *);
int math_level_v4(MathLevelResult *);
#endif

namespace {

void expect_same(int (*level)(MathLevelResult *)) {
  static MathLevelResult expected[kMathLevelCapacity], got[kMathLevelCapacity];
  const int rows = math_level(expected);
  ASSERT_LE(rows, kMathLevelCapacity);
  ASSERT_GT(rows, 400);
  ASSERT_EQ(level(got), rows);
  for (int i = 0; i < rows; ++i) {
    EXPECT_EQ(expected[i].checksum, got[i].checksum) << expected[i].op << " of " << expected[i].type;
  }
}

#if defined(__x86_64__)

TEST(MathLevels, V2) {
  if (!__builtin_cpu_supports("sse4.2")) GTEST_SKIP() << "needs SSE4.2";
  expect_same(math_level_v2);
}

TEST(MathLevels, V3) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "needs AVX2 and FMA";
  expect_same(math_level_v3);
}

TEST(MathLevels, V4) {
  for (bool has : {!!__builtin_cpu_supports("avx512f"), !!__builtin_cpu_supports("avx512bw"),
                   !!__builtin_cpu_supports("avx512dq"), !!__builtin_cpu_supports("avx512vl")})
    if (!has) GTEST_SKIP() << "needs AVX-512";
  expect_same(math_level_v4);
}
#else
TEST(MathLevels, Repeats) { expect_same(math_level); }
#endif

}  // namespace
