// plugins/cuda/text/radix.h -- a stable radix sort of items by their keys, four bits at a time
//
// The items lie in rows of equal length, each of which is sorted by itself. Each pass sorts by one digit, and keeps the
// order of equal digits. radix_counts counts the items of each tile by digit. mask_starts (gather.h) sums the counts up
// in the order row, digit, tile. radix_move moves each item to the start of its digit and tile, plus the number of
// items with its digit before it in the tile.
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_RADIX_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_RADIX_H_

#include "plugins/cuda/text/walk.h"

namespace gpo {

// A key, and the position in its row that an item had at first. K is at least as wide as I.
template <class K, class I>
struct alignas(2 * sizeof(K)) Item {
  K key;
  I index;
};

inline constexpr int radix_run = 8, radix_threads = 256, radix_tile = radix_run * radix_threads, radix_digits = 16;

// Words of the kernels: 0 the items of a row, 1 the items, 2 the counts or starts, 3 the position of the digit's lowest
// bit, 4 the tiles of a row, 5 where the items go.

// The items of a thread: those of its row from `first` to `end`, or fewer, counted from the first item of all rows.
struct RadixRun {
  u64 row, tile, first, end;
};
template <int n>
GPO_FN RadixRun radix_run_of(const Words<n> &p) {
  const u32 tiles = u32(p.w[4]), row_number = blockIdx.x / tiles;  // a grid has fewer than 2^31 blocks
  const u64 row = row_number, tile = blockIdx.x - row_number * tiles, end = (row + 1) * p.w[0];
  const u64 first = row * p.w[0] + tile * radix_tile + threadIdx.x * radix_run;
  return {row, tile, first, first + radix_run < end ? first + radix_run : end};
}

template <class T, int n>
GPO_FN u32 digit_at(const Words<n> &p, u64 position) {
  return u32(at_bytes<const T>(p.w[1], 0)[position].key >> p.w[3]) & (radix_digits - 1);
}
template <int n>
GPO_FN u64 *radix_count(const Words<n> &p, const RadixRun &run, u32 digit) {
  return at_bytes<u64>(p.w[2], 0) + (run.row * radix_digits + digit) * p.w[4] + run.tile;
}

// Returns how many items this thread has of each digit, four bits each, since it has no more than eight items.
template <class T, int n>
GPO_FN u64 count_digits(const Words<n> &p, const RadixRun &run) {
  u64 counts = 0;
  for (u64 at = run.first; at < run.end; ++at) counts += u64(1) << (4 * digit_at<T>(p, at));
  return counts;
}

// Returns the counts of digits 4 group .. 4 group + 3, sixteen bits each, which are enough for those of a tile.
GPO_FN u64 spread_counts(u64 counts, int group) {
  const u64 four = counts >> (16 * group);
  return (four & 0xf) | (four & 0xf0) << 12 | (four & 0xf00) << 24 | (four & 0xf000) << 36;
}

// Writes the number of items of each digit in this block's tile. T is an Item.
template <class T, int n>
GPO_FN void radix_counts(const Words<n> &p) {
  const RadixRun run = radix_run_of(p);
  const u64 counts = count_digits<T>(p, run);
  for (int group = 0; group < radix_digits / 4; ++group) {
    u64 total;
    sum_before<radix_threads>(spread_counts(counts, group), total);
    const u32 digit = 4 * u32(group) + threadIdx.x;
    if (threadIdx.x < 4) *radix_count(p, run, digit) = total >> (16 * threadIdx.x) & 0xffff;
    __syncthreads();
  }
}

// Moves this block's items. If `only_indices`, their indices alone are written, u64 each.
template <class T, bool only_indices, int n>
GPO_FN void radix_move(const Words<n> &p) {
  __shared__ u64 before[radix_digits / 4][radix_threads];
  const RadixRun run = radix_run_of(p);
  const u64 counts = count_digits<T>(p, run);
  for (int group = 0; group < radix_digits / 4; ++group) {
    u64 total;
    before[group][threadIdx.x] = sum_before<radix_threads>(spread_counts(counts, group), total);
    __syncthreads();
  }
  u64 seen = 0;  // the thread's items so far, by digit, as in count_digits()
  for (u64 at = run.first; at < run.end; ++at) {
    const T item = at_bytes<const T>(p.w[1], 0)[at];
    const u32 digit = digit_at<T>(p, at);
    const u64 place = *radix_count(p, run, digit) + (before[digit / 4][threadIdx.x] >> (16 * (digit % 4)) & 0xffff) +
                      (seen >> (4 * digit) & 0xf);
    seen += u64(1) << (4 * digit);
    if constexpr (only_indices)
      at_bytes<u64>(p.w[5], 0)[place] = item.index;
    else
      at_bytes<T>(p.w[5], 0)[place] = item;
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_RADIX_H_
