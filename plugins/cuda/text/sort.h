// plugins/cuda/text/sort.h -- sorting, searching and counting, in the order of plugins/shared/sort_key.h
//
// Short rows are sorted by a block, several of them at once: sort_short. For long ones items of keys and indices are
// made (sort_items), sorted by their digits (radix.h), and what they stand for is written (sort_results).
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_SORT_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_SORT_H_

#include "plugins/cuda/text/radix.h"
#include "plugins/shared/sort_key.h"

namespace gpo {

// ---- Items for radix.h

// Which part of a key an item has: all of it or, of a complex128, whose key has 128 bits, one half.
enum KeyPart : int { whole_key, low_key, high_key };

template <class T, bool descending, int part, class K>
GPO_FN K item_key(T x) {
  if constexpr (is_same<T, c128>) {
    const key_halves<u64> halves = complex_key_halves<double, descending>(x);
    return part == high_key ? halves.high : halves.low;
  } else {
    return K(sort_key<T, descending>(x));
  }
}

// The bits that any of the keys of this thread has, and those that all have.
struct KeyBits {
  u64 any = 0, all = ~u64(0);
  GPO_FN void add(u64 key) {
    any |= key;
    all &= key;
  }
};

// Adds the bits of this block's threads to the two words at `address`. Every thread of the block calls it.
GPO_FN void note_bits(u64 address, KeyBits bits) {
  __shared__ u64 any_of_warps[move_threads / 32], all_of_warps[move_threads / 32];
  for (int lanes = 16; lanes; lanes /= 2) {
    bits.any |= __shfl_xor_sync(0xffffffffu, bits.any, lanes);
    bits.all &= __shfl_xor_sync(0xffffffffu, bits.all, lanes);
  }
  if (threadIdx.x % 32 == 0) {
    any_of_warps[threadIdx.x / 32] = bits.any;
    all_of_warps[threadIdx.x / 32] = bits.all;
  }
  __syncthreads();
  if (threadIdx.x) return;
  for (int warp = 1; warp < move_threads / 32; ++warp) {
    bits.any |= any_of_warps[warp];
    bits.all &= all_of_warps[warp];
  }
  atomicOr(at_bytes<u64>(address, 0), bits.any);
  atomicAnd(at_bytes<u64>(address, 8), bits.all);
}

// Words of the kernels for rows: 0 the elements of all rows, 1 the items, 2 the elements of a row, 3 the two words of
// note_bits, 4 x, 5 the result; then a walk of (result, x), in which rows lie along the last axis.
inline constexpr int sort_walk = 6;

template <class X, int operand, class I, int rank, int n>
GPO_FN X *sort_place(const Words<n> &p, I position) {
  i64 offsets[2];
  locate<sort_walk, rank, 2>(p, position, offsets);
  return at_bytes<X>(p.w[operand ? 4 : 5], offsets[operand]);
}

// Makes the items of all rows: item_type is an Item<K, index type>.
template <class T, bool descending, class Entry, class I, int rank, int n>
GPO_FN void sort_items(const Words<n> &p) {
  KeyBits bits;
  for_moves(I(p.w[0]), [&](I position) {
    const T element = *sort_place<const T, 1, I, rank>(p, position);
    Entry &item = at_bytes<Entry>(p.w[1], 0)[position];
    item.key = item_key < T, descending, is_same<T, c128> ? low_key : whole_key, decltype(item.key) > (element);
    item.index = decltype(item.index)(position % I(p.w[2]));
    bits.add(item.key);
  });
  note_bits(p.w[3], bits);
}

// Gives the items, sorted by the lower halves of their keys, the higher halves.
template <bool descending, class Entry, class I, int rank, int n>
GPO_FN void sort_high_keys(const Words<n> &p) {
  KeyBits bits;
  for_moves(I(p.w[0]), [&](I position) {
    Entry &item = at_bytes<Entry>(p.w[1], 0)[position];
    const I source = I(position - position % I(p.w[2]) + I(item.index));
    item.key = item_key<c128, descending, high_key, u64>(*sort_place<const c128, 1, I, rank>(p, source));
    bits.add(item.key);
  });
  note_bits(p.w[3], bits);
}

// Writes the indices of the sorted items, int64, or the elements at these indices, as units U.
template <class U, bool indices, class Entry, class I, int rank, int n>
GPO_FN void sort_results(const Words<n> &p) {
  for_moves(I(p.w[0]), [&](I position) {
    const I index = I(at_bytes<const Entry>(p.w[1], 0)[position].index);
    if constexpr (indices)
      *sort_place<i64, 0, I, rank>(p, position) = i64(index);
    else
      *sort_place<U, 0, I, rank>(p, position) =
          *sort_place<const U, 1, I, rank>(p, I(position - position % I(p.w[2]) + index));
  });
}

// ---- Short rows

inline constexpr int short_items = 1024, short_threads = 256;

// The elements of a block's rows by the order of row, key and position; those that are none are behind all.
template <class K>
struct ShortRows {
  K keys[short_items];
  u16 rows[short_items], order[short_items];

  GPO_FN bool is_before(u32 a, u32 b) const {
    if (rows[a] != rows[b]) return rows[a] < rows[b];
    return keys[a] < keys[b] || (!(keys[b] < keys[a]) && a < b);
  }

  // Sorts `order` by Batcher's bitonic network for `count` elements, a power of two.
  GPO_FN void sort(u32 count) {
    for (u32 size = 2; size <= count; size *= 2) {
      for (u32 stride = size / 2; stride > 0; stride /= 2) {
        __syncthreads();
        for (u32 pair = threadIdx.x; pair < count / 2; pair += short_threads) {
          const u32 low = 2 * pair - (pair & (stride - 1)), high = low + stride;
          const u16 a = order[low], b = order[high];
          if (is_before(b, a) == ((low & size) == 0)) {
            order[low] = b;
            order[high] = a;
          }
        }
      }
    }
    __syncthreads();
  }
};

// Sorts rows of up to short_items elements. Words 1 and 3 are the elements of a block's rows, and the power of two that
// they are sorted among.
template <class T, class U, bool descending, bool indices, class I, int rank, int n>
GPO_FN void sort_short(const Words<n> &p) {
  __shared__ ShortRows<sort_key_of<T>> block;
  const I first = I(I(blockIdx.x) * I(p.w[1])), left = I(p.w[0]) - first, row = I(p.w[2]);
  const u32 used = left < I(p.w[1]) ? u32(left) : u32(p.w[1]), count = u32(p.w[3]);
  for (u32 slot = threadIdx.x; slot < count; slot += short_threads) {
    block.order[slot] = u16(slot);
    block.rows[slot] = slot < used ? u16(slot / u32(row)) : u16(0xffff);
    block.keys[slot] = {};
    if (slot < used) block.keys[slot] = sort_key<T, descending>(*sort_place<const T, 1, I, rank>(p, I(first + slot)));
  }
  block.sort(count);
  for (u32 slot = threadIdx.x; slot < used; slot += short_threads) {
    const u32 source = block.order[slot];
    if constexpr (indices)
      *sort_place<i64, 0, I, rank>(p, I(first + slot)) = i64(source % u32(row));
    else
      *sort_place<U, 0, I, rank>(p, I(first + slot)) = *sort_place<const U, 1, I, rank>(p, I(first + source));
  }
}

// ---- Searching

// Writes how many of the sorted elements are less than a value or, on the right side, not greater. Words: 0 the number
// of values, 1 the values, 2 the result, 3 the sorted elements, 4 how many, 5 the stride between them; then a walk of
// (values, result).
template <class T, bool right, class I, int rank, int n>
GPO_FN void search_sorted(const Words<n> &p) {
  for_moves(I(p.w[0]), [&](I position) {
    i64 offsets[2];
    locate<6, rank, 2>(p, position, offsets);
    const auto key = sort_key<T, false>(*at_bytes<const T>(p.w[1], offsets[0]));
    u64 first = 0, size = p.w[4];
    while (size > 0) {
      const u64 half = (size + 1) / 2;
      const auto other = sort_key<T, false>(*at_bytes<const T>(p.w[3], i64((first + half - 1) * p.w[5])));
      if (right ? !(key < other) : other < key) first += half;
      size -= half;
    }
    *at_bytes<i64>(p.w[2], offsets[1]) = i64(first);
  });
}

// ---- Counting. Words: 0 how many integers, 1 the integers, 2 their stride, 3 the bins, 4 their stride, 5 their
// number, 6 the weights, 7 their stride, 8 the items, 9 the two words of note_bits.

// Clears the bins: 0 has the same bytes as an integer and as a double.
template <class I, int n>
GPO_FN void bins_clear(const Words<n> &p) {
  for_moves(I(p.w[5]), [&](I bin) { *at_bytes<u64>(p.w[3], i64(bin * p.w[4])) = 0; });
}

template <class I, int n>
GPO_FN void bins_count(const Words<n> &p) {
  for_moves(I(p.w[0]), [&](I position) {
    const u64 bin = *at_bytes<const u64>(p.w[1], i64(position * p.w[2]));
    if (bin < p.w[5]) atomicAdd(at_bytes<u64>(p.w[3], i64(bin * p.w[4])), u64(1));
  });
}

// Makes items with the bins as keys; what has no bin comes behind all.
template <class Entry, class I, int n>
GPO_FN void bins_items(const Words<n> &p) {
  KeyBits bits;
  for_moves(I(p.w[0]), [&](I position) {
    const u64 bin = *at_bytes<const u64>(p.w[1], i64(position * p.w[2])), key = bin < p.w[5] ? bin : p.w[5];
    at_bytes<Entry>(p.w[8], 0)[position] = {key, position};
    bits.add(key);
  });
  note_bits(p.w[9], bits);
}

// Adds up the weights of each bin's items, which are sorted: in their order.
template <class Entry, class I, int n>
GPO_FN void bins_sum(const Words<n> &p) {
  for_moves(I(p.w[5]), [&](I bin) {
    const Entry *const items = at_bytes<const Entry>(p.w[8], 0);
    u64 first = 0, size = p.w[0];
    while (size > 0) {
      const u64 half = (size + 1) / 2;
      if (items[first + half - 1].key < bin) first += half;
      size -= half;
    }
    double sum = 0;
    for (; first < p.w[0] && items[first].key == bin; ++first)
      sum += *at_bytes<const double>(p.w[6], i64(items[first].index * p.w[7]));
    *at_bytes<double>(p.w[3], i64(bin * p.w[4])) = sum;
  });
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_SORT_H_
