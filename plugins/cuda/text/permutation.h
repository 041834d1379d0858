// plugins/cuda/text/permutation.h -- 0 .. n-1 in the stable order of n random words: a radix sort, four bits at a time
//
// Each pass sorts by one digit, and keeps the order of equal digits. sort_counts counts the elements of each tile by
// digit. mask_starts (gather.h) sums the counts up in the order digit, tile. sort_move moves each element to the start
// of its digit and tile, plus the number of elements with its digit before it in the tile.
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_PERMUTATION_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_PERMUTATION_H_

#include "plugins/cuda/text/walk.h"
#include "plugins/shared/random/random_philox.h"

namespace gpo {

// An element to be sorted: `low` is its random word, `high` its index.
using Ranked = Bytes16;

// Writes the unsorted elements. A thread draws the two 64-bit words of one block of Philox. Words: 0 n, 1 the elements,
// 2 to 4 the generator's key, counter and stream.
template <int n>
GPO_FN void permutation_words(const Words<n> &p) {
  const u64 block = u64(blockIdx.x) * blockDim.x + threadIdx.x;
  if (2 * block >= p.w[0]) return;
  u64 words[2];
  philox_block_of(PhiloxBits<u64>{}, Philox{p.w[2], p.w[3], p.w[4]}, block, words);
  for (u64 i = 0; i < 2; ++i) {
    if (2 * block + i < p.w[0]) at_bytes<Ranked>(p.w[1], 0)[2 * block + i] = {words[i], 2 * block + i};
  }
}

inline constexpr int sort_run = 8, sort_threads = 256, sort_tile = sort_run * sort_threads, sort_digits = 16;

// Words of the kernels that follow: 0 n, 1 the elements, 2 the counts or starts, 3 the position of the digit's lowest
// bit, 4 the number of tiles, 5 where the elements go. digit_at() returns the digit of the element at `position`.
template <int n>
GPO_FN u32 digit_at(const Words<n> &p, u64 position) {
  return u32(at_bytes<const Ranked>(p.w[1], 0)[position].low >> p.w[3]) & (sort_digits - 1);
}

// Returns how many elements this thread has of each digit, four bits each, since it has no more than eight elements.
template <int n>
GPO_FN u64 count_digits(const Words<n> &p, u64 first) {
  u64 counts = 0;
  for (u64 i = 0; i < sort_run && first + i < p.w[0]; ++i) counts += u64(1) << (4 * digit_at(p, first + i));
  return counts;
}

// Returns the counts of digits 4 group .. 4 group + 3, sixteen bits each, which are enough for those of a tile.
GPO_FN u64 spread_counts(u64 counts, int group) {
  const u64 four = counts >> (16 * group);
  return (four & 0xf) | (four & 0xf0) << 12 | (four & 0xf00) << 24 | (four & 0xf000) << 36;
}

// Writes the number of elements of each digit in this block's tile.
template <int n>
GPO_FN void sort_counts(const Words<n> &p) {
  const u64 counts = count_digits(p, u64(blockIdx.x) * sort_tile + threadIdx.x * sort_run);
  for (int group = 0; group < sort_digits / 4; ++group) {
    u64 total;
    sum_before<sort_threads>(spread_counts(counts, group), total);
    const u32 digit = 4 * u32(group) + threadIdx.x;
    if (threadIdx.x < 4) at_bytes<u64>(p.w[2], 0)[digit * p.w[4] + blockIdx.x] = total >> (16 * threadIdx.x) & 0xffff;
    __syncthreads();
  }
}

// Moves this block's elements. In the last pass (`last`) only their indices are written.
template <bool last, int n>
GPO_FN void sort_move(const Words<n> &p) {
  __shared__ u64 before[sort_digits / 4][sort_threads];
  const u64 first = u64(blockIdx.x) * sort_tile + threadIdx.x * sort_run;
  const u64 counts = count_digits(p, first);
  for (int group = 0; group < sort_digits / 4; ++group) {
    u64 total;
    before[group][threadIdx.x] = sum_before<sort_threads>(spread_counts(counts, group), total);
    __syncthreads();
  }
  u64 seen = 0;  // the thread's elements so far, by digit, as in count_digits()
  for (u64 i = 0; i < sort_run && first + i < p.w[0]; ++i) {
    const Ranked element = at_bytes<const Ranked>(p.w[1], 0)[first + i];
    const u32 digit = digit_at(p, first + i);
    const u64 place = at_bytes<const u64>(p.w[2], 0)[digit * p.w[4] + blockIdx.x] +
                      (before[digit / 4][threadIdx.x] >> (16 * (digit % 4)) & 0xffff) + (seen >> (4 * digit) & 0xf);
    seen += u64(1) << (4 * digit);
    if constexpr (last)
      at_bytes<u64>(p.w[5], 0)[place] = element.high;
    else
      at_bytes<Ranked>(p.w[5], 0)[place] = element;
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_PERMUTATION_H_
