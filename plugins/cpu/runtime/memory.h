// plugins/cpu/runtime/memory.h -- the caching allocator behind arrays on the CPU.
//
// Most of the time for a new array goes into page faults, so freed memory is cached for the next array of about the
// same size. Requests are rounded up to one of eight size classes per power of two (at most 12.5% more than asked for,
// above 512 bytes), and each class has a free list. Small classes have one free list per shard, and threads are
// distributed over the shards. Large blocks are pages from the system and belong to one shard for all threads; from 2
// MiB on they are aligned to huge pages and advised to be such. A large request may also take a cached block of the
// next class (at most 25% more than asked for). The pages of a new block are touched first by the loop that fills it,
// in parallel.
#pragma once

#include <gpuopt/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <unordered_map>

namespace gpuopt::cpu {

// A lock for critical sections of a few instructions. A thread that waits yields the processor, since the holder may
// have been preempted.
class SpinLock {
 public:
  void lock() noexcept {
    while (locked_.exchange(true, std::memory_order_acquire)) give_way();
  }
  void unlock() noexcept { locked_.store(false, std::memory_order_release); }

 private:
  static void give_way() noexcept;
  std::atomic<bool> locked_{false};
};

class Allocator {
 public:
  static constexpr size_t kAlignment = 64;
  static constexpr size_t kLargeBytes = size_t{256} << 10;  // larger blocks are whole pages from the system
  static constexpr size_t kClasses = 448;

  // At most `cache_cap` bytes are cached.
  explicit Allocator(uint64_t cache_cap) noexcept : cache_cap_(cache_cap) {}
  ~Allocator() { trim(); }
  Allocator(const Allocator &) = delete;
  Allocator &operator=(const Allocator &) = delete;

  // Returns the allocator of the process, which is made at the first call and never destroyed. It caches up to half of
  // usable_memory().
  static Allocator &get() noexcept;

  // Returns at least `bytes` uninitialized bytes, aligned to 64; for 0 bytes, too, an address of its own. NULL if the
  // limit or the system refuses even after all cached memory has been freed. Safe from any threads, like all functions
  // here.
  void *allocate(uint64_t bytes) noexcept;
  // Frees what allocate() returned for the same `bytes`; `memory` may be NULL.
  void free(void *memory, uint64_t bytes) noexcept;

  // Limits in_use + cached to `bytes`; 0 removes the limit. Cached memory above the limit is freed at once, memory in
  // use stays.
  void set_limit(uint64_t bytes) noexcept;
  // Returns all cached memory to the system.
  void trim() noexcept;
  // Fills `stats`. Sizes are those of whole blocks, rounding included. The peak is updated when memory is obtained from
  // the system, when a large block is handed out, and here, so it can miss a rise that small cached blocks satisfied.
  void stats(gpuopt_memory_stats *stats) noexcept;

  // Return the size class of a request, and the bytes of a block of a class.
  static size_t class_of(uint64_t bytes) noexcept;
  static size_t class_bytes(size_t size_class) noexcept;

 private:
  static constexpr size_t kShards = 8;  // for small blocks; one more shard has the large ones
  static constexpr uint64_t kShardCache = uint64_t{8} << 20;

  struct Link {
    Link *next;
  };

  // Counters change only under the lock. They are atomic so that stats() needs no lock.
  struct alignas(64) Shard {
    SpinLock lock;
    std::atomic<int64_t> in_use{0}, cached{0};
    std::atomic<uint64_t> allocations{0}, cache_hits{0};
    Link *blocks[kClasses] = {};
  };

  static bool is_large(size_t size_class) noexcept { return class_bytes(size_class) > kLargeBytes; }
  static size_t own_shard(size_t size_class) noexcept;

  // Blocks from and to the system.
  void *take_fresh(size_t size_class) noexcept;
  static void *obtain(size_t size_class) noexcept;
  void give_back(void *memory, size_t size_class) noexcept;
  bool reserve(uint64_t bytes) noexcept;
  void evict(uint64_t wanted_held) noexcept;
  void evict_cached(uint64_t wanted_cached) noexcept;
  bool evict_one(size_t size_class) noexcept;

  // Blocks from and to the cache.
  void *take_cached(size_t size_class) noexcept;
  void *take_from(Shard &shard, size_t size_class) noexcept;
  void *borrow(size_t size_class) noexcept;
  size_t return_loan(void *memory, size_t size_class) noexcept;
  bool keep(void *memory, size_t size_class) noexcept;

  // To be called with the shard's lock held.
  static void push(Shard &shard, size_t size_class, void *memory) noexcept;
  static void *pop(Shard &shard, size_t size_class) noexcept;
  static void count_use(Shard &shard, int64_t block, bool from_cache) noexcept;
  template <typename T>
  static void add(std::atomic<T> &counter, T amount) noexcept;

  void raise_peak() noexcept;
  int64_t in_use() const noexcept;
  uint64_t cached() const noexcept;

  Shard shards_[kShards + 1];
  Shard &large_ = shards_[kShards];
  // The real class of large blocks that were taken from the class above the request's; protected by large_.lock.
  std::unordered_map<void *, size_t> loans_;
  std::atomic<uint64_t> held_{0};  // bytes obtained from the system: in use + cached
  std::atomic<uint64_t> limit_{0}, peak_{0};
  const uint64_t cache_cap_;
};

// Memory of the process's allocator for the duration of one call. operator bool is false if there was none.
class Scratch {
 public:
  explicit Scratch(uint64_t bytes) noexcept : bytes_(bytes), memory_(Allocator::get().allocate(bytes)) {}
  ~Scratch() { Allocator::get().free(memory_, bytes_); }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  explicit operator bool() const noexcept { return memory_ != nullptr; }
  template <typename T>
  T *as() const noexcept {
    return static_cast<T *>(memory_);
  }

 private:
  uint64_t bytes_;
  void *memory_;
};

// Throws ERR_OUT_OF_MEMORY with a message that says how much was requested, is in use, is cached, and is allowed.
[[noreturn]] void fail_out_of_memory(uint64_t bytes);

}  // namespace gpuopt::cpu
