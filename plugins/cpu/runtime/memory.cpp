// plugins/cpu/runtime/memory.cpp -- size classes, free lists, limit and trimming of the caching allocator.
#include "plugins/cpu/runtime/memory.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <mutex>
#include <thread>

#include "plugins/cpu/runtime/host.h"
#include "plugins/cpu/runtime/os.h"
#include "plugins/cpu/runtime/tensor.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GPUOPT_HAS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(GPUOPT_HAS_ASAN)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#endif

namespace gpuopt::cpu {
namespace {

constexpr uint64_t kUnit = Allocator::kAlignment;
constexpr uint64_t kMaxBytes = uint64_t{1} << 60;
constexpr size_t kPage = 4096;
constexpr uint64_t kUnknownMemory = uint64_t{8} << 30;

// Classes below kExact are the multiples of kUnit; from there on there are kSteps classes per power of two.
constexpr size_t kExact = 16, kSteps = 8;

char *end_of(void *memory, size_t bytes) noexcept { return static_cast<char *>(memory) + bytes; }

// AddressSanitizer reports accesses beyond an array, and to a freed one: of a cached block everything but the link is
// poisoned, and of a block in use everything beyond the requested bytes. The link is at the end of a block, where an
// array rarely reaches.
void poison_cached(void *memory, size_t block) noexcept { ASAN_POISON_MEMORY_REGION(memory, block - sizeof(void *)); }
void unpoison(void *memory, size_t block) noexcept { ASAN_UNPOISON_MEMORY_REGION(memory, block); }
void poison_rest(void *memory, size_t bytes, size_t block) noexcept {
  ASAN_POISON_MEMORY_REGION(end_of(memory, bytes), block - bytes);
}

size_t page_alignment(size_t block) noexcept { return block >= kHugePage ? kHugePage : kPage; }

Allocator *make_allocator() noexcept {
  const uint64_t memory = usable_memory();
  // Never destroyed, since arrays may outlive main.
  static std::aligned_storage_t<sizeof(Allocator), alignof(Allocator)> place;
  return new (&place) Allocator((memory ? memory : kUnknownMemory) / 2);
}

struct Words {
  char text[32];
};

Words in_words(uint64_t bytes) noexcept {
  static constexpr const char *kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024; unit++) value /= 1024;
  Words words;
  std::snprintf(words.text, sizeof(words.text), "%.*f %s", unit == 0 ? 0 : 2, value, kUnits[unit]);
  return words;
}

}  // namespace

void SpinLock::give_way() noexcept { std::this_thread::yield(); }

Allocator &Allocator::get() noexcept {
  static Allocator *const instance = make_allocator();
  return *instance;
}

size_t Allocator::class_of(uint64_t bytes) noexcept {
  const uint64_t last_unit = bytes ? (bytes - 1) / kUnit : 0;
  if (last_unit < kExact) return last_unit;
  const auto shift = static_cast<size_t>(std::bit_width(last_unit)) - static_cast<size_t>(std::bit_width(kSteps));
  return shift * kSteps + (last_unit >> shift);
}

size_t Allocator::class_bytes(size_t size_class) noexcept {
  if (size_class < kExact) return (size_class + 1) * kUnit;
  const size_t shift = size_class / kSteps - 1;
  // class_of() shifts by less than 64: NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
  return ((size_class % kSteps + kSteps + 1) << shift) * kUnit;
}

void *Allocator::allocate(uint64_t bytes) noexcept {
  if (bytes > kMaxBytes) return nullptr;
  const size_t size_class = class_of(bytes), block = class_bytes(size_class);
  void *memory = take_cached(size_class);
  if (!memory) memory = take_fresh(size_class);
  if (!memory) {
    const uint64_t limit = limit_.load();
    evict(limit > block ? limit - block : 0);
    memory = take_fresh(size_class);
  }
  if (!memory) {
    trim();
    memory = take_fresh(size_class);
  }
  if (memory) poison_rest(memory, bytes, block);
  return memory;
}

void Allocator::free(void *memory, uint64_t bytes) noexcept {
  if (!memory) return;
  const size_t size_class = return_loan(memory, class_of(bytes));
  unpoison(memory, class_bytes(size_class));
  if (!keep(memory, size_class)) return give_back(memory, size_class);
  if (const uint64_t limit = limit_.load(); limit && held_.load() > limit) evict(limit);  // it was lowered meanwhile
}

// Returns the shard that this thread uses for blocks of the class. Large blocks are few and share one.
size_t Allocator::own_shard(size_t size_class) noexcept {
  static std::atomic<size_t> threads{0};
  // The shard plus 1; 0: none yet. It is initialized by a constant, so that accesses need no guard.
  GPUOPT_IN_EVERY_THREAD thread_local size_t number = 0;
  if (is_large(size_class)) return kShards;
  if (number == 0) number = threads.fetch_add(1, std::memory_order_relaxed) % kShards + 1;
  return number - 1;
}

// Takes a cached block from the thread's own shard, else from any other, since blocks may be freed
// by other threads than those that allocate.
void *Allocator::take_cached(size_t size_class) noexcept {
  const size_t own = own_shard(size_class);
  if (void *const memory = take_from(shards_[own], size_class)) return memory;
  if (is_large(size_class)) return borrow(size_class);
  for (size_t i = 1; i < kShards; i++) {
    if (void *const memory = take_from(shards_[(own + i) % kShards], size_class)) return memory;
  }
  return nullptr;
}

void *Allocator::take_from(Shard &shard, size_t size_class) noexcept {
  const size_t block = class_bytes(size_class);
  void *memory;
  {
    const std::lock_guard lock(shard.lock);
    memory = pop(shard, size_class);
    if (!memory) return nullptr;
    count_use(shard, static_cast<int64_t>(block), true);
  }
  unpoison(memory, block);
  if (is_large(size_class)) raise_peak();
  return memory;
}

// Takes a cached block of the next class for a large request. loans_ remembers it, so that free() finds its real class.
void *Allocator::borrow(size_t size_class) noexcept try {
  Shard &shard = large_;
  const size_t block = class_bytes(size_class + 1);
  void *memory;
  {
    const std::lock_guard lock(shard.lock);
    if (!shard.blocks[size_class + 1]) return nullptr;
    memory = end_of(shard.blocks[size_class + 1], sizeof(Link)) - block;
    loans_.emplace(memory, size_class + 1);  // before anything has changed, since it may throw
    pop(shard, size_class + 1);
    count_use(shard, static_cast<int64_t>(block), true);
  }
  unpoison(memory, block);
  poison_rest(memory, class_bytes(size_class), block);
  raise_peak();
  return memory;
} catch (const std::bad_alloc &) {
  return nullptr;
}

size_t Allocator::return_loan(void *memory, size_t size_class) noexcept {
  if (!is_large(size_class)) return size_class;
  const std::lock_guard lock(large_.lock);
  const auto loan = loans_.empty() ? loans_.end() : loans_.find(memory);
  if (loan == loans_.end()) return size_class;
  loans_.erase(loan);
  return size_class + 1;
}

void *Allocator::take_fresh(size_t size_class) noexcept {
  const size_t block = class_bytes(size_class);
  if (!reserve(block)) return nullptr;
  void *const memory = obtain(size_class);
  if (!memory) {
    held_.fetch_sub(block);
    return nullptr;
  }
  Shard &shard = shards_[own_shard(size_class)];
  {
    const std::lock_guard lock(shard.lock);
    count_use(shard, static_cast<int64_t>(block), false);
  }
  raise_peak();
  return memory;
}

// Caches a freed block; for a large one others are evicted if needed. Returns false if the block does not fit into the
// cache.
bool Allocator::keep(void *memory, size_t size_class) noexcept {
  const size_t block = class_bytes(size_class);
  const uint64_t cap = is_large(size_class) ? cache_cap_ : std::min(kShardCache, cache_cap_ / kShards);
  Shard &shard = shards_[own_shard(size_class)];
  if (is_large(size_class) && block <= cap) evict_cached(cap - block);
  poison_cached(memory, block);
  {
    const std::lock_guard lock(shard.lock);
    add(shard.in_use, -static_cast<int64_t>(block));
    if (static_cast<uint64_t>(shard.cached.load(std::memory_order_relaxed)) + block <= cap) {
      add(shard.cached, static_cast<int64_t>(block));
      push(shard, size_class, memory);
      return true;
    }
  }
  unpoison(memory, block);
  return false;
}

void *Allocator::obtain(size_t size_class) noexcept {
  const size_t block = class_bytes(size_class);
  if (is_large(size_class)) return map_pages(block, page_alignment(block));
  return ::operator new (block, std::align_val_t{kAlignment}, std::nothrow);
}

// Returns a block that is in no free list to the system.
void Allocator::give_back(void *memory, size_t size_class) noexcept {
  const size_t block = class_bytes(size_class);
  if (is_large(size_class)) {
    unmap_pages(memory, block);
  } else {
    ::operator delete (memory, std::align_val_t{kAlignment});
  }
  held_.fetch_sub(block);
}

void Allocator::push(Shard &shard, size_t size_class, void *memory) noexcept {
  auto *const link = reinterpret_cast<Link *>(end_of(memory, class_bytes(size_class)) - sizeof(Link));
  link->next = shard.blocks[size_class];
  shard.blocks[size_class] = link;
}

void *Allocator::pop(Shard &shard, size_t size_class) noexcept {
  Link *const link = shard.blocks[size_class];
  if (!link) return nullptr;
  shard.blocks[size_class] = link->next;
  const size_t block = class_bytes(size_class);
  add(shard.cached, -static_cast<int64_t>(block));
  return end_of(link, sizeof(Link)) - block;
}

// The caller holds the shard's lock, so a load and a store are enough.
template <typename T>
void Allocator::add(std::atomic<T> &counter, T amount) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

void Allocator::count_use(Shard &shard, int64_t block, bool from_cache) noexcept {
  add(shard.in_use, block);
  add(shard.allocations, uint64_t{1});
  if (from_cache) add(shard.cache_hits, uint64_t{1});
}

bool Allocator::reserve(uint64_t bytes) noexcept {
  uint64_t held = held_.load();
  do {
    const uint64_t limit = limit_.load();
    if (limit && (bytes > limit || held > limit - bytes)) return false;
  } while (!held_.compare_exchange_weak(held, held + bytes));
  return true;
}

void Allocator::set_limit(uint64_t bytes) noexcept {
  limit_.store(bytes);
  if (bytes) evict(bytes);
}

void Allocator::trim() noexcept { evict(0); }

// Evicts the largest blocks first: this takes the fewest calls, and small blocks cost the most per byte to obtain
// again.
void Allocator::evict(uint64_t wanted_held) noexcept {
  for (size_t size_class = kClasses; size_class-- > 0;) {
    while (held_.load() > wanted_held && evict_one(size_class)) {
    }
  }
}

void Allocator::evict_cached(uint64_t wanted_cached) noexcept {
  const uint64_t cached_now = cached();
  if (cached_now > wanted_cached) evict(held_.load() - std::min(held_.load(), cached_now - wanted_cached));
}

bool Allocator::evict_one(size_t size_class) noexcept {
  for (Shard &shard : shards_) {
    void *memory;
    {
      const std::lock_guard lock(shard.lock);
      memory = pop(shard, size_class);
    }
    if (!memory) continue;
    unpoison(memory, class_bytes(size_class));
    give_back(memory, size_class);
    return true;
  }
  return false;
}

int64_t Allocator::in_use() const noexcept {
  int64_t sum = 0;
  for (const Shard &shard : shards_) sum += shard.in_use.load(std::memory_order_relaxed);
  return sum;
}

uint64_t Allocator::cached() const noexcept {
  int64_t sum = 0;
  for (const Shard &shard : shards_) sum += shard.cached.load(std::memory_order_relaxed);
  return static_cast<uint64_t>(sum);
}

void Allocator::raise_peak() noexcept {
  const uint64_t now = static_cast<uint64_t>(std::max<int64_t>(in_use(), 0));
  uint64_t peak = peak_.load();
  while (peak < now && !peak_.compare_exchange_weak(peak, now)) {
  }
}

void Allocator::stats(gpuopt_memory_stats *stats) noexcept {
  raise_peak();
  gpuopt_memory_stats now{};
  now.in_use = static_cast<uint64_t>(std::max<int64_t>(in_use(), 0));
  now.cached = cached();
  now.peak_in_use = peak_.load();
  now.limit = limit_.load();
  for (const Shard &shard : shards_) {
    now.allocations += shard.allocations.load(std::memory_order_relaxed);
    now.cache_hits += shard.cache_hits.load(std::memory_order_relaxed);
  }
  give(now, stats);
}

void fail_out_of_memory(uint64_t bytes) {
  gpuopt_memory_stats stats{sizeof(stats), 0, 0, 0, 0, 0, 0, 0};
  Allocator::get().stats(&stats);
  const Words limit = stats.limit ? in_words(stats.limit) : Words{"none"};
  fail(GPUOPT_ERR_OUT_OF_MEMORY, "cpu:0 cannot provide %s: %s in use, %s cached, limit %s", in_words(bytes).text,
       in_words(stats.in_use).text, in_words(stats.cached).text, limit.text);
}

}  // namespace gpuopt::cpu
