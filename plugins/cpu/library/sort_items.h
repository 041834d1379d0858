// plugins/cpu/library/sort_items.h -- stable sorts of items by unsigned keys, on one thread or on all.
//
// Keys alone are sorted by vectors where the processor has them (levels/key_sort.cpp); on several threads each sorts
// buckets of its own. Otherwise a few items are merged. Items that fit into a cache are distributed by the
// digits of their keys from the lowest to the highest, those digits left out that all keys have in common. More items
// are first distributed by the highest digit in which their keys differ, into buckets that are sorted in the same way
// each. A digit is counted from the smallest key, so that numbers around 0 have short keys. Since equal keys keep their
// order, or cannot be told apart, the result does not depend on the way.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "plugins/cpu/levels/loops.h"
#include "plugins/cpu/runtime/copy.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/tensor.h"

namespace gpuopt::cpu {

// What is sorted: a key alone, or one that takes an index along.
template <typename K, typename I>
struct Indexed {
  K key;
  I index;
};
template <typename K>
constexpr K key_of(const K &item) noexcept {
  return item;
}
template <typename K, typename I>
constexpr K key_of(const Indexed<K, I> &item) noexcept {
  return item.key;
}

namespace sorting {

template <typename Item>
using Key = decltype(key_of(std::declval<const Item &>()));

inline constexpr int64_t kFew = 256;                        // so many items are merged
inline constexpr int64_t kCacheBytes = int64_t{128} << 10;  // so many bytes of items are sorted by all their digits
inline constexpr int64_t kManyItems = int64_t{1} << 16;     // from here on several threads are worth it
inline constexpr int kDigitBits = 8;
inline constexpr size_t kDigits = size_t{1} << kDigitBits;

// The least and the greatest key, and whether the items are in order.
template <typename K>
struct Spread {
  K least, greatest;
  bool sorted;
  int bits() const noexcept { return static_cast<int>(std::bit_width(static_cast<K>(greatest - least))); }
};

// Looks at the items [begin, end), and at the one before them if there is any.
template <typename Item>
Spread<Key<Item>> spread_of(const Item *x, int64_t begin, int64_t end) noexcept {
  using K = Key<Item>;
  Spread<K> spread{key_of(x[begin]), key_of(x[begin]), true};
  K before = key_of(x[begin > 0 ? begin - 1 : begin]);
  for (int64_t i = begin; i < end; i++) {
    const K key = key_of(x[i]);
    spread.least = std::min(spread.least, key);
    spread.greatest = std::max(spread.greatest, key);
    spread.sorted &= before <= key;
    before = key;
  }
  return spread;
}

// A digit of the keys: the bits from `shift` on of what a key is above the least one.
template <typename K>
struct Digit {
  K least;
  int shift;
  size_t mask;
  size_t of(K key) const noexcept {
    return static_cast<size_t>(static_cast<uint64_t>(static_cast<K>(key - least)) >> shift) & mask;
  }
};

// The highest digit, of at most so many bits.
template <typename K>
Digit<K> highest_digit(const Spread<K> &spread, int bits) noexcept {
  return {spread.least, std::max(spread.bits() - bits, 0), (size_t{1} << bits) - 1};
}

template <typename Item>
void copy_items(Item *to, const Item *from, int64_t n) noexcept {
  std::memcpy(static_cast<void *>(to), from, static_cast<size_t>(n) * sizeof(Item));
}

// ---- A few items

template <typename Item>
void insert_sort(Item *x, int64_t n) noexcept {
  for (int64_t i = 1; i < n; i++) {
    const Item item = x[i];
    int64_t at = i;
    for (; at > 0 && key_of(item) < key_of(x[at - 1]); at--) x[at] = x[at - 1];
    x[at] = item;
  }
}

// Merges [0, half) and [half, n), each in order.
template <typename Item>
void merge(Item *to, const Item *x, int64_t half, int64_t n) noexcept {
  int64_t a = 0, b = half;
  while (a < half && b < n) {
    const bool second = key_of(x[b]) < key_of(x[a]);
    *to++ = x[second ? b : a];
    b += second;
    a += !second;
  }
  copy_items(to, x + a, half - a);
  copy_items(to + (half - a), x + b, n - b);
}

// Returns whether the result is in `other`.
template <typename Item>
bool merge_sort(Item *x, Item *other, int64_t n) noexcept {
  constexpr int64_t kRun = 16;
  for (int64_t begin = 0; begin < n; begin += kRun) insert_sort(x + begin, std::min(kRun, n - begin));
  bool in_other = false;
  for (int64_t run = kRun; run < n; run *= 2, in_other = !in_other, std::swap(x, other)) {
    for (int64_t begin = 0; begin < n; begin += 2 * run) {
      const int64_t count = std::min(2 * run, n - begin);
      merge(other + begin, x + begin, std::min(run, count), count);
    }
  }
  return in_other;
}

// ---- Items that fit into a cache

// Turns the counts of a digit's values into where the first item of each goes.
template <typename Count>
void counts_to_starts(Count *counts, size_t values) noexcept {
  Count start = 0;
  for (size_t v = 0; v < values; v++) start += std::exchange(counts[v], start);
}

template <typename Item, typename Count>
void scatter(const Item *from, Item *to, int64_t n, const Digit<Key<Item>> &digit, Count *starts) noexcept {
  for (int64_t i = 0; i < n; i++) to[starts[digit.of(key_of(from[i]))]++] = from[i];
}

// Returns whether the result is in `other`.
template <typename Item>
bool sort_by_digits(Item *x, Item *other, int64_t n, const Spread<Key<Item>> &spread) noexcept {
  using K = Key<Item>;
  uint32_t counts[sizeof(K)][kDigits];
  const int bits = spread.bits(), passes = (bits + kDigitBits - 1) / kDigitBits;
  if (passes == 0) return false;
  const int width = (bits + passes - 1) / passes;
  std::memset(counts, 0, static_cast<size_t>(passes) * sizeof counts[0]);
  const auto digit = [&](int pass) { return Digit<K>{spread.least, pass * width, (size_t{1} << width) - 1}; };
  for (int64_t i = 0; i < n; i++) {
    uint64_t rest = static_cast<K>(key_of(x[i]) - spread.least);
    for (int pass = 0; pass < passes; pass++, rest >>= width) counts[pass][rest & digit(0).mask]++;
  }
  bool in_other = false;
  for (int pass = 0; pass < passes; pass++) {
    if (counts[pass][digit(pass).of(key_of(x[0]))] == n) continue;  // all have this digit
    counts_to_starts(counts[pass], kDigits);
    scatter(x, other, n, digit(pass), counts[pass]);
    std::swap(x, other);
    in_other = !in_other;
  }
  return in_other;
}

// ---- Keys alone, by vectors

template <typename Item>
inline constexpr bool is_key = std::is_same_v<Item, uint32_t> || std::is_same_v<Item, uint64_t>;

// Returns the loops over keys of this type; they are NULL where the processor has none.
template <typename K>
const KeyLoops<K> &key_loops() noexcept {
  if constexpr (sizeof(K) == 4) {
    return loop_table(isa_level()).keys4;
  } else {
    return loop_table(isa_level()).keys8;
  }
}

// Returns whether sorts of such items never fail for want of memory.
template <typename Item>
bool is_sorted_without_memory() noexcept {
  if constexpr (is_key<Item>) {
    return key_loops<Item>().sort != nullptr;
  } else {
    return false;
  }
}

// Returns whether the items have been sorted.
template <typename Item>
bool sort_by_vectors(Item *x, Item *other, int64_t n, bool into_other) noexcept {
  if constexpr (is_key<Item>) {
    if (const auto sort = key_loops<Item>().sort) return sort(x, other, n, into_other), true;
  }
  return false;
}

// ---- Any number of items

template <typename Item>
void sort_serially(Item *x, Item *other, int64_t n, bool into_other) noexcept;

template <typename Item>
void sort_buckets(Item *x, Item *other, int64_t n, const Spread<Key<Item>> &spread, bool into_other) noexcept {
  const Digit<Key<Item>> digit = highest_digit(spread, kDigitBits);
  int64_t starts[kDigits] = {};
  for (int64_t i = 0; i < n; i++) starts[digit.of(key_of(x[i]))]++;
  counts_to_starts(starts, kDigits);
  scatter(x, other, n, digit, starts);  // which leaves in starts[v] where the items of digit v end
  for (size_t v = 0; v < kDigits; v++) {
    const int64_t begin = v ? starts[v - 1] : 0;
    sort_serially(other + begin, x + begin, starts[v] - begin, !into_other);
  }
}

// Sorts n items at x, with as much memory at `other`; the result goes there, or stays.
template <typename Item>
void sort_serially(Item *x, Item *other, int64_t n, bool into_other) noexcept {
  if (n == 0 || sort_by_vectors(x, other, n, into_other)) return;
  bool in_other = false;
  if (n <= kFew) {
    in_other = merge_sort(x, other, n);
  } else {
    const Spread<Key<Item>> spread = spread_of(x, 0, n);
    const bool fits = n * int64_t{sizeof(Item)} <= kCacheBytes;
    if (!spread.sorted && !fits) return sort_buckets(x, other, n, spread, into_other);
    if (!spread.sorted) in_other = sort_by_digits(x, other, n, spread);
  }
  if (in_other && !into_other) copy_items(x, other, n);
  if (!in_other && into_other) copy_items(other, x, n);
}

// ---- Many items, on all threads

// Items cut into as many pieces as keep all threads busy.
struct Pieces {
  explicit Pieces(int64_t items)
      : n(items),
        length(std::max(kManyItems / 4, n / (4 * int64_t{pool_size()}) + 1)),
        count((n + length - 1) / length) {}
  int64_t begin(int64_t piece) const noexcept { return piece * length; }
  int64_t end(int64_t piece) const noexcept { return std::min(n, (piece + 1) * length); }
  int64_t n, length, count;
};

// One table for each piece, of as many counts as there are buckets.
class BucketTables {
 public:
  static uint64_t bytes_for(const Pieces &pieces, int bits) noexcept {
    return (static_cast<uint64_t>(pieces.count) << bits) * sizeof(int64_t);
  }
  // `memory` has bytes_for(pieces, bits).
  BucketTables(const Pieces &pieces, int bits, const Scratch &memory) noexcept
      : pieces_(pieces), buckets_(size_t{1} << bits), counts_(memory.as<int64_t>()) {
    std::memset(counts_, 0, bytes_for(pieces, bits));
  }
  size_t buckets() const noexcept { return buckets_; }
  int64_t *table(int64_t piece) const noexcept { return counts_ + piece * static_cast<int64_t>(buckets_); }

  // Turns counts into where the items of each piece and bucket go.
  void find_starts() const noexcept {
    int64_t start = 0;
    for (size_t v = 0; v < buckets_; v++) {
      for (int64_t p = 0; p < pieces_.count; p++) start += std::exchange(table(p)[v], start);
    }
  }
  // Where a bucket ends, once all items have been moved.
  int64_t end_of(size_t bucket) const noexcept { return table(pieces_.count - 1)[bucket]; }

 private:
  const Pieces pieces_;
  const size_t buckets_;
  int64_t *const counts_;
};

template <typename Item>
Spread<Key<Item>> spread_of(const Item *x, const Pieces &pieces) {
  using K = Key<Item>;
  const uint64_t bytes = static_cast<uint64_t>(pieces.count) * sizeof(Spread<K>);
  const Scratch memory(bytes);
  if (!memory) fail_out_of_memory(bytes);
  auto *const parts = memory.as<Spread<K>>();
  parallel_for(pieces.count, [&](int64_t p, int) { parts[p] = spread_of(x, pieces.begin(p), pieces.end(p)); });
  Spread<K> all = parts[0];
  for (int64_t p = 1; p < pieces.count; p++) {
    all.least = std::min(all.least, parts[p].least);
    all.greatest = std::max(all.greatest, parts[p].greatest);
    all.sorted &= parts[p].sorted;
  }
  return all;
}

// Moves the items to `other`, bucket by bucket.
template <typename Item>
void distribute(const Item *x, Item *other, const Pieces &pieces, const Digit<Key<Item>> &digit,
                const BucketTables &tables) noexcept {
  parallel_for(pieces.count, [&](int64_t p, int) {
    int64_t *const counts = tables.table(p);
    for (int64_t i = pieces.begin(p); i < pieces.end(p); i++) counts[digit.of(key_of(x[i]))]++;
  });
  tables.find_starts();
  parallel_for(pieces.count, [&](int64_t p, int) {
    const int64_t begin = pieces.begin(p);
    scatter(x + begin, other, pieces.end(p) - begin, digit, tables.table(p));
  });
}

// The keys at which buckets end, as find_buckets() takes them.
template <typename K>
class SearchTree {
 public:
  // Chooses them from samples, so that 2^levels buckets of n keys at x have about the same size, whatever the keys are,
  // but for equal ones. `memory` has room for samples_for(levels) keys twice.
  SearchTree(const K *x, int64_t n, int levels, const KeyLoops<K> &loops, K *memory) noexcept
      : first_leaf_(int64_t{1} << levels) {
    const int64_t count = samples_for(levels), step = n / count;
    for (int64_t i = 0; i < count; i++) {
      const uint64_t mixed = static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15u >> 32;  // for keys that have a period
      memory[i] = x[i * step + static_cast<int64_t>(mixed) % step];
    }
    loops.sort(memory, memory + count, count, false);
    set(1, memory, count);
  }
  static int64_t samples_for(int levels) noexcept { return int64_t{32} << levels; }
  const K *nodes() const noexcept { return nodes_; }

 private:
  // Sets a node, and those below it, to medians of samples in order.
  void set(int64_t node, const K *samples, int64_t count) noexcept {
    if (node >= first_leaf_) return;
    nodes_[node] = samples[count / 2];
    set(2 * node, samples, count / 2);
    set(2 * node + 1, samples + count / 2, count / 2);
  }

  const int64_t first_leaf_;
  K nodes_[256];
};

// Sorts keys by vectors on all threads, in buckets, of which there are many for each thread: most fit into its cache.
// Calls finish(begin, end) for the keys of each bucket once they are where they belong. Returns false, and has done
// nothing, if there are no loops or no memory for it.
template <typename K, typename Finish>
bool sort_keys_in_parallel(K *x, K *other, int64_t n, bool into_other, const Finish &finish) {
  const KeyLoops<K> &loops = key_loops<K>();
  if (!loops.sort) return false;
  const int levels = std::clamp(static_cast<int>(std::bit_width(static_cast<unsigned>(pool_size()))) + 2, 6, 8);
  const Pieces pieces(n);
  const Scratch bucket_memory(static_cast<uint64_t>(n)), counts(BucketTables::bytes_for(pieces, levels)),
      samples(2 * static_cast<uint64_t>(SearchTree<K>::samples_for(levels)) * sizeof(K));
  if (!bucket_memory || !counts || !samples) return false;
  uint8_t *const buckets = bucket_memory.as<uint8_t>();
  const BucketTables tables(pieces, levels, counts);
  const SearchTree<K> tree(x, n, levels, loops, samples.as<K>());
  parallel_for(pieces.count, [&](int64_t p, int) {
    const int64_t begin = pieces.begin(p), end = pieces.end(p);
    loops.find_buckets(x + begin, end - begin, tree.nodes(), levels, buckets + begin);
    int64_t *const counts_of_piece = tables.table(p);
    for (int64_t i = begin; i < end; i++) counts_of_piece[buckets[i]]++;
  });
  tables.find_starts();
  parallel_for(pieces.count, [&](int64_t p, int) {
    constexpr int64_t kAhead = 128 / sizeof(K);  // the lines of memory that are written next are there by then
    int64_t *const starts = tables.table(p);
    const int64_t end = pieces.end(p);
    for (int64_t i = pieces.begin(p); i < end; i++) {
      const int64_t to = starts[buckets[i]]++;
      __builtin_prefetch(other + to + kAhead, 1);
      other[to] = x[i];
    }
  });
  parallel_for(static_cast<int64_t>(tables.buckets()), [&](int64_t v, int) {
    const int64_t begin = v ? tables.end_of(static_cast<size_t>(v) - 1) : 0;
    const int64_t end = tables.end_of(static_cast<size_t>(v));
    loops.sort(other + begin, x + begin, end - begin, !into_other);
    finish(begin, end);
  });
  return true;
}

// Returns whether a sort of so many items is worth several threads, and there are some.
inline bool is_parallel(int64_t n) noexcept { return n >= kManyItems && pool_size() > 1; }

// As sort_serially(), on all threads. Throws if there is no memory for tables.
template <typename Item>
void sort_in_parallel(Item *x, Item *other, int64_t n, bool into_other) {
  if (!is_parallel(n)) return sort_serially(x, other, n, into_other);
  if constexpr (is_key<Item>) {
    if (sort_keys_in_parallel(x, other, n, into_other, [](int64_t, int64_t) {})) return;
    if (sort_by_vectors(x, other, n, into_other)) return;
  }
  const Pieces pieces(n);
  const Spread<Key<Item>> spread = spread_of(x, pieces);
  if (spread.sorted) {
    if (into_other) copy_bytes(other, x, static_cast<uint64_t>(n) * sizeof(Item));
    return;
  }
  const int bits = std::clamp(static_cast<int>(std::bit_width(static_cast<uint64_t>(n))) - 13, kDigitBits, 11);
  const uint64_t bytes = BucketTables::bytes_for(pieces, bits);
  const Scratch memory(bytes);
  if (!memory) fail_out_of_memory(bytes);
  const BucketTables tables(pieces, bits, memory);
  distribute(x, other, pieces, highest_digit(spread, bits), tables);
  // A bucket with much of all the items is sorted by all threads, the others by one each.
  const auto is_large = [&](int64_t count) { return count > n / 8 && count >= kManyItems; };
  const auto for_bucket = [&](size_t v, auto sort) {
    const int64_t begin = v ? tables.end_of(v - 1) : 0;
    sort(other + begin, x + begin, tables.end_of(v) - begin);
  };
  for (size_t v = 0; v < tables.buckets(); v++) {
    for_bucket(v, [&](Item *from, Item *to, int64_t count) {
      if (is_large(count)) sort_in_parallel(from, to, count, !into_other);
    });
  }
  parallel_for(static_cast<int64_t>(tables.buckets()), [&](int64_t v, int) {
    for_bucket(static_cast<size_t>(v), [&](Item *from, Item *to, int64_t count) {
      if (!is_large(count)) sort_serially(from, to, count, !into_other);
    });
  });
}

}  // namespace sorting
}  // namespace gpuopt::cpu
