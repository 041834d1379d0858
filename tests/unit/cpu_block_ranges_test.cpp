// tests/unit/cpu_block_ranges_test.cpp -- how blocks are divided among the threads of the pool: each of them once, in
// launches of few threads, too, and several at a time if they take long.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "plugins/cpu/kernel/block_ranges.h"
#include "tests/unit/cpu_test_host.h"

namespace gpuopt::cpu {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class BlockRanges : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    test::TestHost::install();
    test::TestHost::set("GPUOPT_NUM_THREADS", "3");
  }
};

TEST_F(BlockRanges, EachBlockRunsOnce) {
  std::mt19937 random(1);
  for (int k = 0; k < 300; ++k) {
    const uint64_t blocks = 1 + random() % (k % 2 ? 9 : 3000), threads = 1 + random() % 1024;
    const auto slow = std::chrono::microseconds(k % 3 == 0 ? random() % 30 : 0);
    std::vector<std::atomic<int>> runs(blocks);
    for_block_ranges(blocks, threads, [&](BlockRange range) {
      EXPECT_LT(range.first, range.last);
      EXPECT_LE(range.last, blocks);
      if (slow.count()) std::this_thread::sleep_for(slow);
      for (uint64_t block = range.first; block < range.last; ++block) runs[block]++;
      return true;
    });
    for (uint64_t block = 0; block < blocks; ++block)
      ASSERT_EQ(runs[block], 1) << block << " of " << blocks << " x " << threads;
  }
}

// Of 8 blocks of one thread that take long, two run at the same time: one waits until another has begun.
TEST_F(BlockRanges, FewThreadsThatTakeLongAreShared) {
  std::atomic<int> running{0};
  std::atomic<bool> met{false};
  const auto end = steady_clock::now() + std::chrono::seconds(60);
  for_block_ranges(8, 1, [&](BlockRange range) {
    if (range.first == 0) {
      std::this_thread::sleep_for(milliseconds(5));
      return true;
    }
    running++;
    while (!met && steady_clock::now() < end) {
      if (running > 1) met = true;
      std::this_thread::yield();
    }
    running--;
    return true;
  });
  EXPECT_TRUE(met);
}

TEST_F(BlockRanges, NothingRunsAfterAFirstRangeThatFails) {
  std::vector<std::atomic<int>> runs(100);
  for_block_ranges(100, 1, [&](BlockRange range) {
    for (uint64_t block = range.first; block < range.last; ++block) runs[block]++;
    return false;
  });
  EXPECT_EQ(runs[0], 1);
  for (size_t block = 1; block < 100; ++block) EXPECT_EQ(runs[block], 0) << block;
}

}  // namespace
}  // namespace gpuopt::cpu
