// plugins/cpu/race_shadow.h -- who read and wrote what memory in a launch that is checked, and what came before what.
//
// Two accesses by different threads race if one of them writes, they are not both atomic or volatile, and nothing
// orders them. What orders: a barrier of the block; __syncwarp() among its lanes; a thread's fence followed by its
// atomic or volatile write, for those who then read that place by an atomic or volatile access. The last is not looked
// at closely: what such a reader does then counts as ordered after all that was written before the fence, so that races
// may be missed in kernels with fences, and none is made up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plugins/jit/jit.h"

namespace gpuopt::cpu {

// What a thread did to some bytes of a word of 4, and when.
struct Access {
  const gpuopt_check_site *site = nullptr;
  uint32_t block = 0, thread = 0;
  uint32_t epoch = 0;  // how many barriers blocks had passed
  uint32_t clock = 0;  // the thread's own
  uint32_t stamp = 0;  // how many fences there had been
  uint8_t bytes = 0;   // a bit for each

  bool writes() const { return site->kind & GPUOPT_SITE_WRITE; }
  bool is_strong() const { return site->kind & GPUOPT_SITE_STRONG; }
};

// What came before what, of threads that run one at a time, block after block.
class Order {
 public:
  void begin_block(uint32_t block, size_t threads);
  void meet_block() { epoch_++; }
  void meet_warp(size_t begin, uint32_t lanes);  // of the warp whose first thread `begin` is
  void fence(uint32_t thread);
  void strong_access(uint32_t thread, uintptr_t address, bool reads, bool writes);
  void forget(uintptr_t begin, uintptr_t end);  // memory that becomes another block's

  Access now(uint32_t thread, const gpuopt_check_site *site) const;
  // Whether what was done then is before what this thread does now.
  bool is_before(const Access &then, uint32_t thread) const;

 private:
  struct Thread {
    uint32_t fence = 0, published = 0;  // stamps
    bool acquired = false;
  };
  static constexpr uint32_t kWarp = 32;

  uint32_t block_ = 0, epoch_ = 0, stamp_ = 0, block_fence_ = 0;
  bool block_acquired_ = false;
  std::vector<Thread> threads_;
  std::vector<uint32_t> clocks_;  // of each thread: one of each lane of its warp, up to which it knows
  std::unordered_map<uint32_t, uint32_t> published_;  // of blocks
  std::unordered_set<uintptr_t> places_;              // where something was published
};

class RaceShadow {
 public:
  static constexpr size_t kMostWords = size_t{1} << 22, kMostPerWord = 4;
  explicit RaceShadow(const Order &order, size_t most_words = kMostWords) : order_(order), most_words_(most_words) {}

  // An access of this thread to `bytes` bytes from `address` on, unless an earlier one races with it: that one then,
  // with the first address both are of. `changes`: whether it writes what is not there already; threads that write the
  // same do not race.
  struct Race {
    bool found = false;
    Access with;
    uintptr_t address = 0;
  };
  Race access(uint32_t thread, uintptr_t address, uint64_t bytes, const gpuopt_check_site *site, bool changes);
  void forget(uintptr_t begin, uintptr_t end);  // memory that becomes another block's
  // Whether there was more memory than is looked at.
  bool is_incomplete() const { return incomplete_; }

 private:
  using Word = std::vector<Access>;
  Word *word_at(uintptr_t address);
  void add(Word &word, const Access &now) const;

  const Order &order_;
  const size_t most_words_;
  std::unordered_map<uintptr_t, Word> words_;
  bool incomplete_ = false;
};

}  // namespace gpuopt::cpu
