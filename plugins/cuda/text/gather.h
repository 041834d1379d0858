// plugins/cuda/text/gather.h -- kernels that read through masks and index arrays
//
// The true elements of a mask are numbered by three kernels: mask_counts counts those of each tile, mask_starts sums
// the counts up to the number before each tile, and the third (for_true) lists those of each tile in shared memory and
// passes them, in order, to whatever is done with them.
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_GATHER_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_GATHER_H_

#include "plugins/cuda/text/walk.h"

namespace gpo {

// The mask elements that a thread reads, and those of a tile, which a block reads.
inline constexpr int mask_run = 16, mask_threads = 256, mask_tile = mask_run * mask_threads;

// Parameters of the masked kernels: words 0 to 2, and from word 8 on a walk, whose first operand is the mask.
//   0 the number of elements, 1 the mask's address, 2 the tiles' counts or starts
// `packed`: the mask is contiguous in C order, and aligned to 16 bytes.
inline constexpr int mask_walk = 8;

// Returns mask_run bits: bit i says that mask element first + i is true.
template <class I, int rank, int operands, bool packed, int n>
GPO_FN u32 mask_bits(const Words<n> &p, I first) {
  const I size = I(p.w[0]);
  u32 bits = 0;
  if (packed && first + mask_run <= size) {
    const Bytes16 bytes = *at_bytes<const Bytes16>(p.w[1], i64(first));
    for (int i = 0; i < 8; ++i) {
      bits |= u32((bytes.low >> (8 * i) & 0xff) != 0) << i;
      bits |= u32((bytes.high >> (8 * i) & 0xff) != 0) << (8 + i);
    }
    return bits;
  }
  for (int i = 0; i < mask_run; ++i) {
    if (first + I(i) >= size) break;
    i64 offsets[operands];
    locate<mask_walk, rank, operands>(p, I(first + I(i)), offsets);
    bits |= u32(*at_bytes<const u8>(p.w[1], offsets[0]) != 0) << i;
  }
  return bits;
}

GPO_FN u32 count_bits(u32 bits) {
  u32 count = 0;
  for (int i = 0; i < mask_run; ++i) count += bits >> i & 1;
  return count;
}

// Writes the number of true elements in this block's tile to counts[tile] (u64).
template <class I, int rank, bool packed, int n>
GPO_FN void mask_counts(const Words<n> &p) {
  const I first = I(blockIdx.x) * mask_tile + I(threadIdx.x) * mask_run;
  u32 total;
  sum_before<mask_threads>(first < I(p.w[0]) ? count_bits(mask_bits<I, rank, 1, packed>(p, first)) : 0u, total);
  if (threadIdx.x == 0) at_bytes<u64>(p.w[2], 0)[blockIdx.x] = total;
}

// Replaces counts (u64) by their exclusive prefix sums, the starts, and writes the total behind them. Runs in one
// block. Words: 0 how many, 1 their address.
inline constexpr int starts_threads = 1024, starts_run = 8;
template <int n>
GPO_FN void mask_starts(const Words<n> &p) {
  const u64 size = p.w[0];
  u64 *const counts = at_bytes<u64>(p.w[1], 0);
  u64 done = 0;
  for (u64 tile = 0; tile < size; tile += starts_threads * starts_run) {
    const u64 first = tile + threadIdx.x * starts_run;
    u64 sum = 0, total;
    for (int i = 0; i < starts_run; ++i) sum += first + i < size ? counts[first + i] : 0;
    u64 start = done + sum_before<starts_threads>(sum, total);
    // They are read again, from the cache: a thread of so large a block has no registers for them.
    for (int i = 0; i < starts_run && first + i < size; ++i) {
      const u64 own = counts[first + i];
      counts[first + i] = start;
      start += own;
    }
    done += total;
    __syncthreads();
  }
  if (threadIdx.x == 0) counts[size] = done;
}

// Calls sink(number, position) for the true elements of this block's tile: `number` counts the true elements of the
// whole mask, `position` is that in the mask. Neighbouring threads get neighbouring elements.
template <class I, int rank, int operands, bool packed, int n, class F>
GPO_FN void for_true(const Words<n> &p, F &&sink) {
  __shared__ u16 places[mask_tile];
  const I tile = I(blockIdx.x) * mask_tile, first = tile + I(threadIdx.x) * mask_run;
  const u32 bits = first < I(p.w[0]) ? mask_bits<I, rank, operands, packed>(p, first) : 0u;
  u32 total, next = sum_before<mask_threads>(count_bits(bits), total);
  for (int i = 0; i < mask_run; ++i) {
    if (bits >> i & 1) places[next++] = u16(threadIdx.x * mask_run + i);
  }
  __syncthreads();
  const u64 start = at_bytes<const u64>(p.w[2], 0)[blockIdx.x];
  for (u32 j = threadIdx.x; j < total; j += mask_threads) sink(start + j, tile + I(places[j]));
}

// Copies between the true elements of one array and consecutive elements of another: true element `number` to element
// `number`, or back if `expand`. Words: 3 the array with the mask's shape, 4 the other, 5 the other's stride in bytes,
// 6 its number of elements, beyond which nothing is accessed if the mask has changed since it was counted.
template <class I, class U, int rank, bool packed, bool expand, int n>
GPO_FN void mask_move(const Words<n> &p) {
  for_true<I, rank, 2, packed>(p, [&](u64 number, I position) {
    if (number >= p.w[6]) return;
    i64 offsets[2];
    locate<mask_walk, rank, 2>(p, position, offsets);
    U *const place = at_bytes<U>(p.w[3], offsets[1]), *const other = at_bytes<U>(p.w[4], i64(number * p.w[5]));
    if constexpr (expand)
      *place = *other;
    else
      *other = *place;
  });
}

// Writes to list[number] the byte offset of true element `number` in the walk's second operand, minus word 5. Words: 4
// the list (i64), 5 the lowest offset, 6 the list's size.
template <class I, int rank, bool packed, int n>
GPO_FN void mask_list(const Words<n> &p) {
  for_true<I, rank, 2, packed>(p, [&](u64 number, I position) {
    if (number >= p.w[6]) return;
    i64 offsets[2];
    locate<mask_walk, rank, 2>(p, position, offsets);
    at_bytes<i64>(p.w[4], 0)[number] = offsets[1] - i64(p.w[5]);
  });
}

// Writes the indices of the true elements along the `ndim` axes of a shape, whose sizes follow the walk. Words: 4 the
// output, 5 and 7 its row and column strides in bytes, 6 its number of rows.
template <class I, int rank, bool packed, int ndim, int n>
GPO_FN void mask_indices(const Words<n> &p) {
  for_true<I, rank, 1, packed>(p, [&](u64 number, I position) {
    if (number >= p.w[6]) return;
    const u64 row = p.w[4] + number * p.w[5];
#pragma unroll
    for (int axis = ndim - 1; axis >= 0; --axis) {
      const I size = I(p.w[mask_walk + walk_words<rank, 1> + axis]), rest = axis ? position / size : 0;
      *at_bytes<i64>(row, axis * i64(p.w[7])) = i64(position - rest * size);
      position = rest;
    }
  });
}

// ---- Index arrays ----

// Looks for indices outside [-size, size). Word 0 of the result becomes the largest index that is too large, plus one;
// word 1 the largest magnitude of those too small; both stay 0 if there are none. Words: 0 how many, 1 their address, 2
// size, 3 the result (two u64, zeroed); a walk from 4 on.
template <class I, int rank, int n>
GPO_FN void index_check(const Words<n> &p) {
  for_moves(I(p.w[0]), [&](I position) {
    i64 offsets[1];
    locate<4, rank, 1>(p, position, offsets);
    const i64 index = *at_bytes<const i64>(p.w[1], offsets[0]), size = i64(p.w[2]);
    if (index >= size) atomicMax(at_bytes<u64>(p.w[3], 0), u64(index) + 1);
    if (index < -size) atomicMax(at_bytes<u64>(p.w[3], 8), 0 - u64(index));
  });
}

// Computes the byte offset of an index along its axis; negative indices count from the end. Returns false if nothing is
// to be done: for negative indices if `size` is 0.
GPO_FN bool offset_of_index(i64 index, i64 size, i64 stride, i64 &offset) {
  offset = (index < 0 ? index + size : index) * stride;
  return index >= 0 || size != 0;
}

// Copies units of rows from the indexed array to its part, or back if `put`. Words: 0 the number of units, 1 the part,
// 2 the indices, 3 the indexed array, 4 the size of its axis, 5 the stride; then a walk of (part, indices, indexed).
template <class I, class U, int rank, bool put, int n>
GPO_FN void index_move(const Words<n> &p) {
  for_moves(I(p.w[0]), [&](I position) {
    i64 offsets[3], offset;
    locate<6, rank, 3>(p, position, offsets);
    const i64 index = *at_bytes<const i64>(p.w[2], offsets[1]);
    if (!offset_of_index(index, i64(p.w[4]), i64(p.w[5]), offset)) return;
    U *const part = at_bytes<U>(p.w[1], offsets[0]), *const whole = at_bytes<U>(p.w[3], offsets[2] + offset);
    if constexpr (put)
      *whole = *part;
    else
      *part = *whole;
  });
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_GATHER_H_
