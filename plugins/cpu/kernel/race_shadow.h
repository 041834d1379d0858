// plugins/cpu/kernel/race_shadow.h -- shadow memory, which holds the accesses of a checked launch, and the
// happens-before order of its threads.
//
// Two accesses by different threads race if one of them writes, they are not both atomic or volatile, and nothing
// orders them. Volatile accesses to shared memory by lanes of one warp race, too, although older GPUs ran these in
// lockstep. Accesses are ordered by a barrier of the block, by __syncwarp() for its lanes, and by a thread's fence
// followed by its atomic or volatile write, for threads that then read that place by an atomic or volatile access. The
// last is approximated: such a reader counts as ordered after everything that was written before the fence. In kernels
// with fences, races may therefore be missed, but no race is reported that is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plugins/jit/api/jit.h"

namespace gpuopt::cpu {

// An access of a thread to some bytes of a 4-byte word, and its time.
struct Access {
  const gpuopt_check_site *site = nullptr;
  uint32_t block = 0, thread = 0;
  uint32_t epoch = 0;  // the number of barriers that blocks had passed
  uint32_t clock = 0;  // of the thread
  uint32_t stamp = 0;  // the number of fences so far
  uint8_t bytes = 0;   // one bit for each byte

  bool writes() const { return site->kind & GPUOPT_SITE_WRITE; }
  bool is_strong() const { return site->kind & GPUOPT_SITE_STRONG; }
  bool is_volatile() const { return site->kind & GPUOPT_SITE_VOLATILE; }
};

// The happens-before order of threads that run one at a time, block after block.
class Order {
 public:
  void begin_block(uint32_t block, size_t threads);
  void meet_block() { epoch_++; }
  void meet_warp(size_t begin, uint32_t lanes);  // `begin` is the first thread of the warp
  void fence(uint32_t thread);
  void strong_access(uint32_t thread, uintptr_t address, bool reads, bool writes);
  void forget(uintptr_t begin, uintptr_t end);  // as the memory is given to another block

  Access now(uint32_t thread, const gpuopt_check_site *site) const;
  // Whether an earlier access happens before what this thread does now.
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
  std::vector<uint32_t> clocks_;  // a vector clock for each thread: the clocks of its warp's lanes that it has seen
  std::unordered_map<uint32_t, uint32_t> published_;  // by block: the last fence before a write
  std::unordered_set<uintptr_t> places_;              // addresses of writes behind a fence
};

class RaceShadow {
 public:
  static constexpr size_t kMostWords = size_t{1} << 22, kMostPerWord = 4;
  explicit RaceShadow(const Order &order, size_t most_words = kMostWords) : order_(order), most_words_(most_words) {}

  // Records an access of this thread to `bytes` bytes from `address` on. If an earlier access races with it, returns
  // that one and the first address of both. `changes` says whether the access writes other values than are there, since
  // threads that write the same value do not race. `shared` says whether the memory is the block's shared memory.
  struct Race {
    bool found = false;
    Access with;
    uintptr_t address = 0;
  };
  Race access(uint32_t thread, uintptr_t address, uint64_t bytes, const gpuopt_check_site *site, bool changes,
              bool shared = false);
  void forget(uintptr_t begin, uintptr_t end);  // as the memory is given to another block
  // Whether there were more words than are recorded.
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
