// plugins/cuda/text/walk.h -- locates the elements of a shape by their number in C order, and shares them out among
// threads
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_WALK_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_WALK_H_

#include "plugins/cuda/text/words.h"

namespace gpo {

// Units of 1 to 16 bytes, as which elements are copied, whatever their dtype.
struct alignas(16) Bytes16 {
  u64 low, high;
};
template <int bytes>
using unit_of =
    conditional<bytes == 16, Bytes16,
                conditional<bytes == 8, u64, conditional<bytes == 4, u32, conditional<bytes == 2, u16, u8>>>>;

// Returns a pointer to the T `offset` bytes after an address.
template <class T>
GPO_FN T *at_bytes(u64 address, i64 offset) {
  return reinterpret_cast<T *>(address + u64(offset));
}

// Computes where element `position` of a shape lies: offsets[j] in bytes from the first element of operand j. The words
// from `at` on are `rank` sizes, then `rank` strides of each operand. I is wide enough for the number of elements.
template <int at, int rank, int operands, class I, int n>
GPO_FN void locate(const Words<n> &p, I position, i64 (&offsets)[operands]) {
  for (int j = 0; j < operands; ++j) offsets[j] = 0;
#pragma unroll
  for (int axis = rank - 1; axis >= 0; --axis) {
    I index = position;
    if (axis) {
      const I size = I(p.w[at + axis]);
      position /= size;
      index -= position * size;
    }
#pragma unroll
    for (int j = 0; j < operands; ++j) offsets[j] += i64(index) * i64(p.w[at + rank * (1 + j) + axis]);
  }
}
template <int rank, int operands>
inline constexpr int walk_words = rank *(1 + operands);

// Calls body(position) for this thread's positions below n. Each thread has `moves` of them, in a grid of ceil(n /
// (moves * move_threads)) blocks.
inline constexpr int moves = 4, move_threads = 256;
template <class I, class F>
GPO_FN void for_moves(I n, F &&body) {
  const I first = I(blockIdx.x) * (moves * move_threads) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < moves; ++k) {
    const I position = first + I(k * move_threads);
    if (position < n) body(position);
  }
}

// Returns the sum of x over the threads before this one in a block of `threads`; `total` becomes the sum over all.
// Every thread of the block calls it, and they synchronise before they do so again.
template <int threads, class T>
GPO_FN T sum_before(T x, T &total) {
  constexpr int warps = threads / 32;
  __shared__ T sums[warps];
  const int lane = int(threadIdx.x % 32), warp = int(threadIdx.x / 32);
  T sum = x;
  for (int step = 1; step < 32; step *= 2) {
    const T before = __shfl_up_sync(0xffffffffu, sum, step);
    if (lane >= step) sum += before;
  }
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  T before = 0;
  total = 0;
  for (int w = 0; w < warps; ++w) {
    if (w < warp) before += sums[w];
    total += sums[w];
  }
  return before + sum - x;
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_WALK_H_
