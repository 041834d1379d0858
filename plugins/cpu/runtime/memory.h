// plugins/cpu/runtime/memory.h -- the caching allocator behind arrays on the CPU.
//
// Fresh pages are what makes a fresh result slow, so memory freed by one array is kept for the next of about its size.
// Requests are rounded up to one of eight size classes per power of two (at most 12.5% more than asked for, above 512
// bytes), and each class has a free list. Small classes have one list per shard and threads are spread over the shards;
// large blocks are pages from the system, aligned to and advised for huge pages, and shared by all. A large request
// also takes a cached block of the next class (at most 25% more). Pages of a fresh block are first touched by the loop
// that fills it, in parallel.
#pragma once

#include <gpuopt/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <unordered_map>

namespace gpuopt::cpu {

// A lock for sections of a few instructions; it gives way to whoever holds it on a crowded machine.
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
  static constexpr size_t kLargeBytes = size_t{256} << 10;  // larger blocks are pages of their own
  static constexpr size_t kClasses = 448;

  // Keeps at most `cache_cap` bytes for reuse.
  explicit Allocator(uint64_t cache_cap) noexcept : cache_cap_(cache_cap) {}
  ~Allocator() { trim(); }
  Allocator(const Allocator &) = delete;
  Allocator &operator=(const Allocator &) = delete;

  // The process's allocator, made at first use and never destroyed; it caches up to half of the usable memory.
  static Allocator &get() noexcept;

  // At least `bytes` aligned to 64, uninitialised; 0 bytes give a distinct address too. NULL if the limit or the system
  // refuses even after the cache has been given back.
  void *allocate(uint64_t bytes) noexcept;
  // Takes back what allocate gave for the same `bytes`; NULL is allowed.
  void free(void *memory, uint64_t bytes) noexcept;

  // Bounds in_use + cached; 0 for no bound. Cached memory is given back at once if it is over, memory in use stays.
  void set_limit(uint64_t bytes) noexcept;
  // Gives everything cached back to the system.
  void trim() noexcept;
  // Sizes count whole blocks, rounding included. The peak is taken when memory is obtained from the system, when a
  // large block is handed out and here, so it can miss a rise inside the small blocks that are cached anyway.
  void stats(gpuopt_memory_stats *stats) noexcept;

  // The class of a request, and the bytes of a block of a class.
  static size_t class_of(uint64_t bytes) noexcept;
  static size_t class_bytes(size_t size_class) noexcept;

 private:
  static constexpr size_t kShards = 8;  // of small blocks; the large ones are in one more
  static constexpr uint64_t kShardCache = uint64_t{8} << 20;

  struct Link {
    Link *next;
  };

  // The counters change under the lock; they are atomic so that stats needs none.
  struct alignas(64) Shard {
    SpinLock lock;
    std::atomic<int64_t> in_use{0}, cached{0};
    std::atomic<uint64_t> allocations{0}, cache_hits{0};
    Link *blocks[kClasses] = {};
  };

  static bool is_large(size_t size_class) noexcept { return class_bytes(size_class) > kLargeBytes; }
  static size_t own_shard(size_t size_class) noexcept;

  // From and to the system.
  void *take_fresh(size_t size_class) noexcept;
  static void *obtain(size_t size_class) noexcept;
  void give_back(void *memory, size_t size_class) noexcept;
  bool reserve(uint64_t bytes) noexcept;
  void evict(uint64_t wanted_held) noexcept;
  void evict_cached(uint64_t wanted_cached) noexcept;
  bool evict_one(size_t size_class) noexcept;

  // From and to the cache.
  void *take_cached(size_t size_class) noexcept;
  void *take_from(Shard &shard, size_t size_class) noexcept;
  void *borrow(size_t size_class) noexcept;
  size_t return_loan(void *memory, size_t size_class) noexcept;
  bool keep(void *memory, size_t size_class) noexcept;

  // Under the shard's lock.
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
  std::unordered_map<void *, size_t>
      loans_;                      // large blocks and their true class, where it is not the request's; large_.lock
  std::atomic<uint64_t> held_{0};  // in use + cached: what was obtained from the system
  std::atomic<uint64_t> limit_{0}, peak_{0};
  const uint64_t cache_cap_;
};

// Working memory of one call, from the process's allocator. Check the result for NULL.
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

// Throws the Failure ERR_OUT_OF_MEMORY, which says how much was asked for, is in use, is cached and is allowed.
[[noreturn]] void fail_out_of_memory(uint64_t bytes);

}  // namespace gpuopt::cpu
