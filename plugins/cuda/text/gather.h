// plugins/cuda/text/gather.h -- kernels that read through masks and index arrays
//
// The true elements of a mask are numbered in three kernels: each tile's are counted, the counts are summed up to where
// each tile starts, and then each tile lists its own in shared memory and hands them, in order, to whatever is done
// with them.
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_GATHER_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_GATHER_H_

#include "plugins/cuda/text/walk.h"

namespace gpo {

// Mask elements of a thread and of a tile, which is a block's.
inline constexpr int mask_run = 16, mask_threads = 256, mask_tile = mask_run * mask_threads;

// What the masked kernels take: words 0 to 2, and a walk of operands from word 8 on whose first is the mask.
//   0 the number of elements, 1 the mask's address, 2 the tiles' counts or starts
// `packed`: the mask lies without gaps in C order, 16-byte aligned.
inline constexpr int mask_walk = 8;

// Bit i: element first + i is true.
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

// counts[tile] = the tile's true elements.
template <class I, int rank, bool packed, int n>
GPO_FN void mask_counts(const Words<n> &p) {
  const I first = I(blockIdx.x) * mask_tile + I(threadIdx.x) * mask_run;
  u32 total;
  sum_before<mask_threads>(first < I(p.w[0]) ? count_bits(mask_bits<I, rank, 1, packed>(p, first)) : 0u, total);
  if (threadIdx.x == 0) at_bytes<u64>(p.w[2], 0)[blockIdx.x] = total;
}

// Turns counts into starts, in one block, and writes the sum of all behind them. Words: 0 how many, 1 their address.
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
    // Read again, from the cache: a thread of so large a block has no registers to keep them in.
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

// Calls sink(number, position) for the true elements of this block's tile, neighbours by neighbouring threads.
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

// Element `number` of one array is moved from, or to, the place of its true element in the other. Words 3: the array
// with the mask's shape, 4: the other, 5: the other's step, 6: its size. A mask that has changed since it was counted
// is not followed out of bounds.
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

// list[number] = the offset of the true element in the walk's second operand, less word 5. Words 4: the list, 6: its
// size.
template <class I, int rank, bool packed, int n>
GPO_FN void mask_list(const Words<n> &p) {
  for_true<I, rank, 2, packed>(p, [&](u64 number, I position) {
    if (number >= p.w[6]) return;
    i64 offsets[2];
    locate<mask_walk, rank, 2>(p, position, offsets);
    at_bytes<i64>(p.w[4], 0)[number] = offsets[1] - i64(p.w[5]);
  });
}

// The indices of the true elements along the `ndim` axes of a shape, which follows the walk. Words 4: the output, 5 and
// 7: its row and column strides, 6: its rows.
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

// Notes indices outside [-size, size): word 0 of the result the largest of those too large plus one, word 1 the largest
// of the magnitudes of those too small. Words: 0 how many, 1 their address, 2 size, 3 the result; a walk from 4 on.
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

// An index as an offset along its axis: negative ones count from the end; with a size of 0, they mean nothing is done.
GPO_FN bool offset_of_index(i64 index, i64 size, i64 stride, i64 &offset) {
  offset = (index < 0 ? index + size : index) * stride;
  return index >= 0 || size != 0;
}

// Units of rows moved from the indexed array to its part, or back if `put`. Words: 0 the number of units, 1 the part,
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
