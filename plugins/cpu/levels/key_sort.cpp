// plugins/cpu/levels/key_sort.cpp -- quicksort of unsigned keys by vectors.
//
// Keys below the pivot are moved to the front of the buffer in which they are wanted in the end, the others to the
// front of the other one, each vector's keys by permutations that depend on the comparison. A few vectors of keys are
// sorted in registers: each by itself, then neighbours are merged, 2, 4, 8, ... vectors at a time, by Batcher's bitonic
// networks (K. Batcher, "Sorting networks and their applications", 1968). For partitions by permutation: S. Gueron, V.
// Krasnov, "Fast quicksort implementation using AVX instructions", 2016; for both together: B. Bramas, "A novel hybrid
// quicksort algorithm vectorized using AVX-512 on Intel Skylake", 2017.
#include "plugins/cpu/levels/level.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace gpuopt::cpu {
namespace {

#ifdef __AVX512F__
constexpr int kVectorBytes = 64, kMostVectors = 32;
#else
constexpr int kVectorBytes = 32, kMostVectors = 8;
#endif

// AVX2 compares 64-bit integers with a sign alone: keys change their highest bit on the way in and out.
#ifdef __AVX512F__
template <class K>
using Ordered = K;
#else
template <class K>
using Ordered = gpo::conditional<sizeof(K) == 8, gpo::i64, gpo::u32>;
#endif

template <class K>
constexpr int kLanes = kVectorBytes / int{sizeof(K)};
template <class K>
constexpr int kSmall = kMostVectors *kLanes<K>;  // so many keys are sorted in registers
template <class K>
constexpr K kGreatest = K(-1) < K(0) ? K(~(gpo::u64(1) << 63)) : K(-1);

template <class K>
struct VectorOf {
  typedef K type __attribute__((vector_size(kVectorBytes)));
};
template <class K>
using Vector = typename VectorOf<K>::type;

template <class K>
GPO_FN Vector<K> load(const K *from) {
  Vector<K> x;
  __builtin_memcpy(&x, from, kVectorBytes);
  return x;
}
template <class K>
GPO_FN void store(K *to, const Vector<K> &x) {
  __builtin_memcpy(to, &x, kVectorBytes);
}
template <class V>
GPO_FN V least(const V &x, const V &y) {
  return x < y ? x : y;
}
template <class V>
GPO_FN V greatest(const V &x, const V &y) {
  return x < y ? y : x;
}

// ---- Few keys, in registers

// Lane i is exchanged with lane i ^ `partner`.
template <class K, int partner, int... lane>
GPO_FN Vector<K> exchanged(const Vector<K> &x, Places<lane...>) {
  return __builtin_shufflevector(x, x, (lane ^ partner)...);
}
template <class K, int partner>
GPO_FN Vector<K> exchanged(const Vector<K> &x) {
  return exchanged<K, partner>(x, places_up_to<kLanes<K>>());
}

// Puts the lesser of lanes i and i ^ partner into that in which the bit `upper` of the number is not set.
template <class K, int partner, int upper, int... lane>
GPO_FN Vector<K> ordered_lanes(const Vector<K> &x, Places<lane...>) {
  const Vector<K> y = exchanged<K, partner>(x);
  const Vector<K> takes_greater = {K(lane & upper ? -1 : 0)...};
  return takes_greater != K(0) ? greatest(x, y) : least(x, y);
}

// Sorts the lanes of runs of `length`, which are bitonic if `merged`, else two runs in order.
template <class K, int length, bool merged>
GPO_FN Vector<K> merged_lanes(Vector<K> x) {
  if constexpr (length > 1) {
    constexpr int half = length / 2;
    x = ordered_lanes < K, merged ? half : length - 1, half > (x, places_up_to<kLanes<K>>());
    x = merged_lanes<K, half, true>(x);
  }
  return x;
}
template <class K, int length = 2>
GPO_FN Vector<K> sorted_lanes(Vector<K> x) {
  if constexpr (length <= kLanes<K>) x = sorted_lanes<K, 2 * length>(merged_lanes<K, length, false>(x));
  return x;
}

// Merges two runs of `run` vectors, which are in order. Only the first `used` of the 2 * run vectors are there; what
// would follow them are greatest keys.
template <class K, int run, int used>
GPO_FN void merge_vectors(Vector<K> *x) {
  if constexpr (used > run) {
#pragma GCC unroll 32
    for (int i = 2 * run - used; i < run; i++) {
      const Vector<K> a = x[i], b = exchanged<K, kLanes<K> - 1>(x[2 * run - 1 - i]);
      x[i] = least(a, b);
      x[2 * run - 1 - i] = exchanged<K, kLanes<K> - 1>(greatest(a, b));
    }
#pragma GCC unroll 32
    for (int distance = run / 2; distance > 0; distance /= 2) {
#pragma GCC unroll 32
      for (int i = 0; i + distance < used; i++) {
        if (i & distance) continue;
        const Vector<K> a = x[i], b = x[i + distance];
        x[i] = least(a, b);
        x[i + distance] = greatest(a, b);
      }
    }
#pragma GCC unroll 32
    for (int i = 0; i < used; i++) x[i] = merged_lanes<K, kLanes<K>, true>(x[i]);
  }
}

// Merges runs of `run` vectors until all of the `count` vectors are one.
template <class K, int count, int run = 1>
GPO_FN void merge_all(Vector<K> *x) {
  if constexpr (run < count) {
    constexpr int whole = count / (2 * run) * 2 * run;
#pragma GCC unroll 32
    for (int i = 0; i < whole; i += 2 * run) merge_vectors<K, run, 2 * run>(x + i);
    merge_vectors<K, run, count - whole>(x + whole);
    merge_all<K, count, 2 * run>(x);
  }
}

// Sorts n keys, at most as many as `count` vectors have.
template <class K, int count>
GPO_SLOW void sort_vectors(K *to, const K *from, gpo::i64 n) {
  constexpr int lanes = kLanes<K>;
  const gpo::i64 whole = n / lanes, rest = n % lanes;
  K last[size_t(lanes)];
#pragma GCC unroll 32
  for (int i = 0; i < lanes; i++) last[i] = kGreatest<K>;
  for (gpo::i64 i = 0; i < rest; i++) last[i] = from[whole * lanes + i];
  Vector<K> x[size_t(count)];
#pragma GCC unroll 32
  for (int i = 0; i < count; i++) {
    x[i] = i < whole ? load(from + i * lanes) : i == whole ? load(last) : Vector<K>{} + kGreatest<K>;
    x[i] = sorted_lanes<K>(x[i]);
  }
  merge_all<K, count>(x);
#pragma GCC unroll 32
  for (int i = 0; i < count; i++) {
    if (i < whole) store(to + i * lanes, x[i]);
    if (i == whole) store(last, x[i]);
  }
  for (gpo::i64 i = 0; i < rest; i++) to[whole * lanes + i] = last[i];
}

// Sorts n keys, at most kSmall, by the least of the functions above for 1, 2, 3, 4, 6, 8, 12, ... vectors that takes
// them: each is some kilobytes of code.
template <class K, int count = 1>
GPO_FN void sort_small(K *to, const K *from, gpo::i64 n) {
  if constexpr (count < kMostVectors) {
    constexpr int step = count < 4 ? 1 : count < 8 ? 2 : count < 16 ? 4 : 8;
    if (n > count * kLanes<K>) return sort_small<K, count + step>(to, from, n);
  }
  sort_vectors<K, count>(to, from, n);
}

// ---- Partitions

#ifdef __AVX512F__

// The lanes whose bits are set come first.
GPO_FN Vector<gpo::u32> chosen_first(const Vector<gpo::u32> &x, gpo::u32 bits) {
  return Vector<gpo::u32>(_mm512_maskz_compress_epi32(__mmask16(bits), __m512i(x)));
}
GPO_FN Vector<gpo::u64> chosen_first(const Vector<gpo::u64> &x, gpo::u32 bits) {
  return Vector<gpo::u64>(_mm512_maskz_compress_epi64(__mmask8(bits), __m512i(x)));
}

GPO_FN gpo::u32 below(const Vector<gpo::u32> &x, const Vector<gpo::u32> &pivot) {
  return _mm512_cmplt_epu32_mask(__m512i(x), __m512i(pivot));
}
GPO_FN gpo::u32 below(const Vector<gpo::u64> &x, const Vector<gpo::u64> &pivot) {
  return _mm512_cmplt_epu64_mask(__m512i(x), __m512i(pivot));
}

#else

// For each pattern of chosen lanes, all lanes of 4 bytes, those of the chosen ones first. Byte i is the lane that goes
// to lane i.
template <int lanes>
struct Orders {
  gpo::u64 of[1 << lanes];
  constexpr Orders() : of{} {
    for (int pattern = 0; pattern < 1 << lanes; pattern++) {
      int next = 0;
      for (int chosen = 1; chosen >= 0; chosen--) {
        for (int lane = 0; lane < lanes; lane++) {
          if ((pattern >> lane & 1) != chosen) continue;
          for (int part = 0; part < 8 / lanes; part++) {
            of[pattern] |= gpo::u64(lane * (8 / lanes) + part) << (8 * next++);
          }
        }
      }
    }
  }
};
template <int lanes>
constexpr Orders<lanes> kOrders;

// The lanes whose bits are set come first.
template <class V>
GPO_FN V chosen_first(const V &x, gpo::u32 bits) {
  constexpr int lanes = kVectorBytes / int{sizeof(x[0])};
  return V(_mm256_permutevar8x32_epi32(__m256i(x),
                                       _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(gpo::i64(kOrders<lanes>.of[bits])))));
}

GPO_FN gpo::u32 below(const Vector<gpo::u32> &x, const Vector<gpo::u32> &pivot) {
  return gpo::u32(_mm256_movemask_ps(__m256(Vector<gpo::i32>(x < pivot))));
}
GPO_FN gpo::u32 below(const Vector<gpo::i64> &x, const Vector<gpo::i64> &pivot) {
  return gpo::u32(_mm256_movemask_pd(__m256d(x < pivot)));
}

#endif

// Copies the keys below the pivot to `low` and the others to `high`, in their order, and returns how many are below.
// One of the two may be `from` itself: no more is written than has been read.
template <class K>
GPO_SLOW gpo::i64 partition(K *low, K *high, const K *from, gpo::i64 n, K pivot) {
  constexpr int lanes = kLanes<K>;
  constexpr gpo::u32 all = (gpo::u32(1) << lanes) - 1;
  const Vector<K> pivots = Vector<K>{} + pivot;
  const K *const first = low;
  gpo::i64 i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Vector<K> x = load(from + i);
    const gpo::u32 bits = below(x, pivots);
    const int count = __builtin_popcount(bits);
    store(low, chosen_first(x, bits));
    store(high, chosen_first(x, all & ~bits));
    low += count;
    high += lanes - count;
  }
  for (; i < n; i++) {
    const K key = from[i];
    if (key < pivot) {
      *low++ = key;
    } else {
      *high++ = key;
    }
  }
  return low - first;
}

// ---- Any number of keys

template <class K>
GPO_SLOW void sink(K *x, gpo::i64 at, gpo::i64 n) {
  const K key = x[at];
  for (gpo::i64 child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && x[child] < x[child + 1]) child++;
    if (!(key < x[child])) break;
    x[at] = x[child];
  }
  x[at] = key;
}

// For keys whose samples say nothing about them: takes n log n steps, whatever they are.
template <class K>
GPO_SLOW void heap_sort(K *x, gpo::i64 n) {
  for (gpo::i64 i = n / 2; i-- > 0;) sink(x, i, n);
  for (gpo::i64 end = n - 1; end > 0; end--) {
    const K greatest_key = x[0];
    x[0] = x[end];
    x[end] = greatest_key;
    sink(x, 0, end);
  }
}

// The median of keys at equal distances.
template <class K>
GPO_SLOW K choose_pivot(const K *x, gpo::i64 n) {
  constexpr int most = kSmall<K> / 2;
  const int count = n < 16 * most ? most / 4 : most;
  const gpo::i64 step = n / count;
  K samples[size_t(most)];
  for (int i = 0; i < count; i++) samples[i] = x[i * step + step / 2];
  sort_small(samples, samples, count);
  return samples[count / 2];
}

template <class K>
GPO_FN void copy(K *to, const K *from, gpo::i64 n) {
  __builtin_memcpy(to, from, size_t(n) * sizeof(K));
}

// Sorts n keys at x, to there or to `other`. Whatever the keys are, no more than `depth` partitions are nested.
template <class K>
GPO_SLOW void quicksort(K *x, K *other, gpo::i64 n, bool into_other, int depth) {
  if (n <= kSmall<K>) return sort_small(into_other ? other : x, x, n);
  if (depth == 0) {
    heap_sort(x, n);
    if (into_other) copy(other, x, n);
    return;
  }
  const K pivot = choose_pivot(x, n);
  K *const to = into_other ? other : x, *const memory = into_other ? x : other;
  gpo::i64 low = partition(to, memory, x, n, pivot);
  if (low > 0) {
    quicksort(to, memory + (n - low), low, false, depth - 1);
  } else if (pivot == kGreatest<K>) {
    return copy(to, memory, n);
  } else {
    low = partition(to, memory, memory, n, K(pivot + 1));  // all keys that are equal to the least one
  }
  quicksort(memory, to + low, n - low, true, depth - 1);
}

template <class K>
GPO_SLOW void sort_keys(K *x, K *other, gpo::i64 n, bool into_other) {
  int depth = 8;
  for (gpo::i64 rest = n; rest > kSmall<K>; rest /= 2) depth += 2;
  using O = Ordered<K>;
  O *const keys = reinterpret_cast<O *>(x), *const memory = reinterpret_cast<O *>(other);
  if constexpr (gpo::is_same<K, O>) {
    quicksort(keys, memory, n, into_other, depth);
  } else {
    constexpr K sign = K(K(1) << (8 * sizeof(K) - 1));
    for (gpo::i64 i = 0; i < n; i++) x[i] ^= sign;
    quicksort(keys, memory, n, into_other, depth);
    K *const sorted = into_other ? other : x;
    for (gpo::i64 i = 0; i < n; i++) sorted[i] ^= sign;
  }
}

// ---- Buckets

#ifdef __AVX512F__
GPO_FN Vector<gpo::u32> permuted(const Vector<gpo::u32> &x, const Vector<gpo::u32> &index) {
  return Vector<gpo::u32>(_mm512_maskz_permutexvar_epi32(__mmask16(-1), __m512i(index), __m512i(x)));
}
GPO_FN Vector<gpo::u64> permuted(const Vector<gpo::u64> &x, const Vector<gpo::u64> &index) {
  return Vector<gpo::u64>(_mm512_maskz_permutexvar_epi64(__mmask8(-1), __m512i(index), __m512i(x)));
}
GPO_FN Vector<gpo::u32> permuted(const Vector<gpo::u32> &x, const Vector<gpo::u32> &y, const Vector<gpo::u32> &index) {
  return Vector<gpo::u32>(_mm512_permutex2var_epi32(__m512i(x), __m512i(index), __m512i(y)));
}
GPO_FN Vector<gpo::u64> permuted(const Vector<gpo::u64> &x, const Vector<gpo::u64> &y, const Vector<gpo::u64> &index) {
  return Vector<gpo::u64>(_mm512_permutex2var_epi64(__m512i(x), __m512i(index), __m512i(y)));
}

constexpr int kMostNodes = 128;  // of the last level of a search tree

// Looks up table[index] for each lane, in registers if the table has at most 4 vectors.
template <class K, int length>
GPO_FN Vector<K> look_up(const K *table, const Vector<K> &index) {
  constexpr int lanes = kLanes<K>;
  Vector<K> found;
  if constexpr (length == 1) {
    found = Vector<K>{} + table[0];
  } else if constexpr (length > 4 * lanes) {
    for (int i = 0; i < lanes; i++) found[i] = table[index[i]];
  } else if constexpr (length <= lanes) {
    found = permuted(load(table), index);
  } else if constexpr (length == 2 * lanes) {
    found = permuted(load(table), load(table + lanes), index);
  } else {
    const Vector<K> low = look_up<K, length / 2>(table, index),
                    high = look_up<K, length / 2>(table + length / 2, index);
    found = (index & K(length / 2)) != K(0) ? high : low;
  }
  return found;
}

// Finds the child of the last level to which each key belongs; `place` says which of the `nodes` of a level it is at.
template <class K, int nodes = 1>
GPO_FN Vector<K> descend(const Vector<K> &x, const K *tree, const Vector<K> &place, int levels) {
  if constexpr (nodes <= kMostNodes) {
    if (levels > 0) {
      const Vector<K> node = look_up<K, nodes>(tree + nodes, place);
      return descend<K, 2 * nodes>(x, tree, place + place - Vector<K>(x >= node), levels - 1);
    }
  }
  return place;
}

template <class K>
GPO_SLOW void find_buckets(const K *x, gpo::i64 n, const K *tree, int levels, gpo::u8 *buckets) {
  constexpr int lanes = kLanes<K>;
  typedef gpo::u8 Bytes __attribute__((vector_size(lanes)));
  for (gpo::i64 at = 0; at < n; at += lanes) {
    const gpo::i64 count = n - at < lanes ? n - at : lanes;
    K last[size_t(lanes)] = {};
    if (count < lanes) copy(last, x + at, count);
    const Vector<K> place = descend(load(count < lanes ? last : x + at), tree, Vector<K>{}, levels);
    const Bytes bytes = __builtin_convertvector(place, Bytes);
    __builtin_memcpy(buckets + at, &bytes, size_t(count));
  }
}

#else

template <class K>
GPO_SLOW void find_buckets(const K *x, gpo::i64 n, const K *tree, int levels, gpo::u8 *buckets) {
  constexpr int block = 64;
  const K first = K(gpo::u64(1) << levels);
  for (gpo::i64 at = 0; at < n; at += block) {
    const int count = int(n - at < block ? n - at : block);
    K keys[block] = {}, node[block];
    for (int i = 0; i < count; i++) keys[i] = x[at + i];
    for (int i = 0; i < block; i++) node[i] = 1;
    for (int level = 0; level < levels; level++) {
      for (int i = 0; i < block; i++) node[i] = K(2 * node[i] + (keys[i] >= tree[node[i]]));
    }
    for (int i = 0; i < count; i++) buckets[at + i] = gpo::u8(node[i] - first);
  }
}

#endif

}  // namespace
}  // namespace gpuopt::cpu

GPUOPT_INSTALL(key_sort) {
  table.keys4 = {sort_keys<gpo::u32>, find_buckets<gpo::u32>};
  table.keys8 = {sort_keys<gpo::u64>, find_buckets<gpo::u64>};
}

#else

GPUOPT_INSTALL(key_sort) { table.keys4 = {}, table.keys8 = {}; }

#endif
