// tests/unit/cpu_memory_test.cpp -- the caching allocator: classes, reuse, limits, statistics, threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "plugins/cpu/runtime/memory.h"
#include "tests/unit/cpu_test_host.h"

namespace gpuopt::cpu {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

gpuopt_memory_stats stats_of(Allocator &allocator) {
  gpuopt_memory_stats stats{};
  stats.struct_size = sizeof(stats);
  allocator.stats(&stats);
  return stats;
}

class MemoryTest : public testing::Test {
 protected:
  const std::unique_ptr<Allocator> owner_ = std::make_unique<Allocator>(1024 * kMiB);
  Allocator &allocator_ = *owner_;
};

TEST(SizeClassTest, BlocksFitAndWasteLittle) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; i++) {
    const uint64_t bytes = random() >> (4 + random() % 60);
    const uint64_t block = Allocator::class_bytes(Allocator::class_of(bytes));
    ASSERT_GE(block, std::max<uint64_t>(bytes, 1));
    ASSERT_EQ(block % 64, 0u);
    ASSERT_LE(block, std::max(bytes + 64, bytes + bytes / 8 + 1)) << bytes;
    ASSERT_LT(Allocator::class_of(bytes), Allocator::kClasses);
  }
}

TEST(SizeClassTest, ClassesAscendAndNameThemselves) {
  for (size_t c = 0; c + 1 < 400; c++) {
    ASSERT_LT(Allocator::class_bytes(c), Allocator::class_bytes(c + 1));
    ASSERT_EQ(Allocator::class_of(Allocator::class_bytes(c)), c);
    ASSERT_EQ(Allocator::class_of(Allocator::class_bytes(c) + 1), c + 1);
  }
}

TEST_F(MemoryTest, BlocksAreAlignedDisjointAndWritable) {
  std::vector<std::pair<unsigned char *, size_t>> blocks;
  for (size_t bytes : {0, 1, 63, 64, 65, 1000, 4096, 100000, 262144, 262145, 1 << 20, (2 << 20) + 5, 9 << 20}) {
    auto *const memory = static_cast<unsigned char *>(allocator_.allocate(bytes));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
    std::memset(memory, static_cast<int>(blocks.size()), bytes);
    blocks.emplace_back(memory, bytes);
  }
  for (size_t i = 0; i < blocks.size(); i++) {
    for (size_t j = 0; j < blocks[i].second; j++) ASSERT_EQ(blocks[i].first[j], i);
    allocator_.free(blocks[i].first, blocks[i].second);
  }
}

TEST_F(MemoryTest, ZeroBytesGiveDistinctAddresses) {
  void *const one = allocator_.allocate(0), *const two = allocator_.allocate(0);
  EXPECT_NE(one, nullptr);
  EXPECT_NE(one, two);
  allocator_.free(one, 0);
  allocator_.free(two, 0);
  allocator_.free(nullptr, 8);
}

TEST_F(MemoryTest, FreedBlocksAreReused) {
  for (uint64_t bytes : {uint64_t{100}, uint64_t{100000}, 3 * kMiB, 50 * kMiB}) {
    void *const first = allocator_.allocate(bytes);
    allocator_.free(first, bytes);
    EXPECT_EQ(allocator_.allocate(bytes), first);
    allocator_.free(first, bytes);
  }
  EXPECT_EQ(stats_of(allocator_).cache_hits, 4u);
  EXPECT_EQ(stats_of(allocator_).allocations, 8u);
}

TEST_F(MemoryTest, LargeRequestsTakeTheNextClassButNoMore) {
  const uint64_t big = 18 * kMiB, next_below = 16 * kMiB, far_below = 14 * kMiB;
  void *const block = allocator_.allocate(big);
  allocator_.free(block, big);
  void *const far = allocator_.allocate(far_below);
  EXPECT_NE(far, block);
  void *const near = allocator_.allocate(next_below);
  EXPECT_EQ(near, block);
  EXPECT_EQ(stats_of(allocator_).in_use, big + far_below);  // the loan counts whole
  allocator_.free(near, next_below);
  EXPECT_EQ(allocator_.allocate(big), block);  // and returns to its own class
  allocator_.free(block, big);
  allocator_.free(far, far_below);
  EXPECT_EQ(stats_of(allocator_).in_use, 0u);
}

TEST_F(MemoryTest, StatisticsAddUp) {
  void *const a = allocator_.allocate(4 * kMiB), *const b = allocator_.allocate(1000);
  gpuopt_memory_stats stats = stats_of(allocator_);
  EXPECT_EQ(stats.in_use, 4 * kMiB + 1024);
  EXPECT_EQ(stats.cached, 0u);
  EXPECT_EQ(stats.peak_in_use, stats.in_use);
  EXPECT_EQ(stats.limit, 0u);
  allocator_.free(a, 4 * kMiB);
  stats = stats_of(allocator_);
  EXPECT_EQ(stats.in_use, 1024u);
  EXPECT_EQ(stats.cached, 4 * kMiB);
  EXPECT_EQ(stats.peak_in_use, 4 * kMiB + 1024);
  allocator_.free(b, 1000);
  allocator_.trim();
  stats = stats_of(allocator_);
  EXPECT_EQ(stats.in_use + stats.cached, 0u);
  EXPECT_EQ(stats.allocations, 2u);
}

TEST_F(MemoryTest, StatisticsRespectTheReadersSize) {
  gpuopt_memory_stats stats;
  std::memset(&stats, 0xAA, sizeof(stats));
  stats.struct_size = offsetof(gpuopt_memory_stats, limit);
  allocator_.stats(&stats);
  EXPECT_EQ(stats.in_use, 0u);
  EXPECT_EQ(stats.limit, 0xAAAAAAAAAAAAAAAAu);
}

TEST_F(MemoryTest, LimitRefusesAndRecovers) {
  allocator_.set_limit(10 * kMiB);
  void *const a = allocator_.allocate(6 * kMiB);
  EXPECT_NE(a, nullptr);
  EXPECT_EQ(allocator_.allocate(6 * kMiB), nullptr);
  EXPECT_EQ(allocator_.allocate(uint64_t{1} << 62), nullptr);
  EXPECT_EQ(allocator_.allocate(~uint64_t{0}), nullptr);
  void *const b = allocator_.allocate(4 * kMiB);
  EXPECT_NE(b, nullptr);
  EXPECT_LE(stats_of(allocator_).in_use + stats_of(allocator_).cached, 10 * kMiB);
  allocator_.free(a, 6 * kMiB);
  allocator_.free(b, 4 * kMiB);
  void *const c = allocator_.allocate(10 * kMiB);  // the cache has to give way
  EXPECT_NE(c, nullptr);
  EXPECT_EQ(stats_of(allocator_).cached, 0u);
  allocator_.free(c, 10 * kMiB);
}

TEST_F(MemoryTest, ALowerLimitGivesBackTheCacheAndKeepsWhatIsInUse) {
  void *const a = allocator_.allocate(6 * kMiB), *const b = allocator_.allocate(8 * kMiB);
  std::memset(a, 7, 6 * kMiB);
  allocator_.free(b, 8 * kMiB);
  allocator_.set_limit(kMiB);
  EXPECT_EQ(stats_of(allocator_).cached, 0u);
  EXPECT_EQ(stats_of(allocator_).in_use, 6 * kMiB);
  EXPECT_EQ(static_cast<unsigned char *>(a)[6 * kMiB - 1], 7);
  EXPECT_EQ(allocator_.allocate(64), nullptr);
  allocator_.free(a, 6 * kMiB);
  EXPECT_LE(stats_of(allocator_).cached, kMiB);
  allocator_.set_limit(0);
  void *const c = allocator_.allocate(20 * kMiB);
  EXPECT_NE(c, nullptr);
  allocator_.free(c, 20 * kMiB);
}

TEST(CacheCapTest, CachedMemoryStaysUnderTheCap) {
  Allocator allocator(16 * kMiB);
  std::vector<void *> blocks;
  for (int i = 0; i < 10; i++) blocks.push_back(allocator.allocate(4 * kMiB));
  for (void *block : blocks) allocator.free(block, 4 * kMiB);
  EXPECT_EQ(stats_of(allocator).cached, 16 * kMiB);
  void *const huge = allocator.allocate(64 * kMiB);
  allocator.free(huge, 64 * kMiB);
  EXPECT_EQ(stats_of(allocator).cached, 16 * kMiB);  // what is larger than the cap is not kept
  void *const nine = allocator.allocate(9 * kMiB);
  allocator.free(nine, 9 * kMiB);
  EXPECT_LE(stats_of(allocator).cached, 16 * kMiB);
  EXPECT_EQ(allocator.allocate(9 * kMiB), nine);  // the newest is kept, others went
  allocator.free(nine, 9 * kMiB);
}

TEST_F(MemoryTest, RefusalByTheSystemIsNull) {
  EXPECT_EQ(allocator_.allocate(uint64_t{1} << 55), nullptr);
  EXPECT_EQ(stats_of(allocator_).in_use + stats_of(allocator_).cached, 0u);
}

// Random allocations and frees against a model: no overlap, contents kept, accounts exact, limit held.
TEST_F(MemoryTest, RandomUseKeepsTheInvariants) {
  struct Held {
    unsigned char *memory;
    uint64_t bytes;
    unsigned char mark;
  };
  const uint64_t limit = 64 * kMiB;
  allocator_.set_limit(limit);
  std::mt19937_64 random(7);
  std::vector<Held> held;
  for (int step = 0; step < 20000; step++) {
    if (held.empty() || random() % 5 < 3) {
      const uint64_t bytes = random() % (uint64_t{1} << (random() % 24));
      const auto mark = static_cast<unsigned char>(step);
      if (auto *const memory = static_cast<unsigned char *>(allocator_.allocate(bytes))) {
        if (bytes) memory[0] = memory[bytes - 1] = memory[bytes / 2] = mark;
        held.push_back({memory, bytes, mark});
      }
    } else {
      std::swap(held[random() % held.size()], held.back());
      const Held block = held.back();
      held.pop_back();
      if (block.bytes) {
        ASSERT_EQ(block.memory[0], block.mark);
        ASSERT_EQ(block.memory[block.bytes / 2], block.mark);
        ASSERT_EQ(block.memory[block.bytes - 1], block.mark);
      }
      allocator_.free(block.memory, block.bytes);
    }
    if (step % 4096 == 0) allocator_.trim();
    const gpuopt_memory_stats stats = stats_of(allocator_);
    ASSERT_LE(stats.in_use + stats.cached, limit);
    ASSERT_GE(stats.peak_in_use, stats.in_use);
  }
  uint64_t asked = 0;
  for (const Held &block : held) asked += block.bytes;
  EXPECT_GE(stats_of(allocator_).in_use, asked);
  for (const Held &block : held) allocator_.free(block.memory, block.bytes);
  EXPECT_EQ(stats_of(allocator_).in_use, 0u);
}

TEST_F(MemoryTest, ThreadsMayAllocateAndFreeForEachOther) {
  constexpr int kThreads = 8, kRounds = 3000, kSlots = 64;
  struct Slot {
    std::atomic<int *> memory{nullptr};
  };
  std::vector<Slot> slots(kSlots);
  std::atomic<int> mixed_up{0};
  const auto bytes_of = [](int slot) { return sizeof(int) * (16 + 700 * static_cast<size_t>(slot % 8)); };
  const auto work = [&](int seed) {
    std::mt19937 random(seed);
    for (int round = 0; round < kRounds; round++) {
      const int slot = static_cast<int>(random() % kSlots);
      auto *const fresh = static_cast<int *>(allocator_.allocate(bytes_of(slot)));
      fresh[0] = fresh[bytes_of(slot) / sizeof(int) - 1] = slot;
      int *const old = slots[slot].memory.exchange(fresh);
      if (old && old[0] + old[bytes_of(slot) / sizeof(int) - 1] != 2 * slot) mixed_up++;
      allocator_.free(old, bytes_of(slot));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) threads.emplace_back(work, i);
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(mixed_up, 0);
  for (int slot = 0; slot < kSlots; slot++) allocator_.free(slots[slot].memory.load(), bytes_of(slot));
  EXPECT_EQ(stats_of(allocator_).in_use, 0u);
  EXPECT_EQ(stats_of(allocator_).allocations, uint64_t{kThreads} * kRounds);
}

TEST(OutOfMemoryTest, TheMessageNamesTheSizes) {
  test::TestHost::install();
  Allocator::get().trim();
  void *const held = Allocator::get().allocate(3 * kMiB);
  Allocator::get().set_limit(5 * kMiB);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(test::status_of(&error, [] { fail_out_of_memory(7 * kMiB); }), GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_STREQ(error.message, "cpu:0 cannot provide 7.00 MiB: 3.00 MiB in use, 0 bytes cached, limit 5.00 MiB");
  Allocator::get().set_limit(0);
  EXPECT_EQ(test::status_of(nullptr, [] { fail_out_of_memory(100); }), GPUOPT_ERR_OUT_OF_MEMORY);
  Allocator::get().free(held, 3 * kMiB);
}

TEST(ScratchTest, ReturnsItsMemory) {
  const uint64_t before = stats_of(Allocator::get()).in_use;
  {
    const Scratch scratch(1000);
    ASSERT_TRUE(scratch);
    scratch.as<char>()[999] = 1;
    EXPECT_GT(stats_of(Allocator::get()).in_use, before);
  }
  EXPECT_EQ(stats_of(Allocator::get()).in_use, before);
}

#if defined(__SANITIZE_ADDRESS__)
TEST(PoisonTest, UseAfterReleaseAndPastTheEndAreFound) {
  auto *const memory = static_cast<volatile char *>(Allocator::get().allocate(100));
  EXPECT_DEATH(memory[100] = 1, "use-after-poison");
  Allocator::get().free(const_cast<char *>(memory), 100);
  EXPECT_DEATH(memory[0] = 1, "use-after-poison");
}
#endif

}  // namespace
}  // namespace gpuopt::cpu
