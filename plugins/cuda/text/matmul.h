// plugins/cuda/text/matmul.h -- products of integers, and copies between layouts
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_MATMUL_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_MATMUL_H_

#include "plugins/cuda/text/walk.h"

namespace gpo {

// Copies units between two layouts. Words: 0 the number of units, 1 the destination, 2 the source; then a walk of
// (destination, source).
template <class I, class U, int rank, int n>
GPO_FN void copy_units(const Words<n> &p) {
  for_moves(I(p.w[0]), [&](I position) {
    i64 offsets[2];
    locate<3, rank, 2>(p, position, offsets);
    *at_bytes<U>(p.w[1], offsets[0]) = *at_bytes<const U>(p.w[2], offsets[1]);
  });
}

// A matrix product of integers, which wrap around, or of bool, where it is the OR of ANDs. Each block computes a square
// tile of the result, and each thread 4 by 4 elements of it, from parts of a and b in shared memory.
inline constexpr int product_tile = 64, product_depth = 16, product_threads = 256;

// The type of sums. Its low bits are right whatever the signs of the operands.
template <class T>
using product_sum = conditional<sizeof(T) == 8, u64, u32>;

// A matrix in memory, or its transpose, with strides in bytes.
struct ProductPart {
  u64 address;
  i64 rows, cols, row_stride, col_stride;
};
// Loads the part [row0, row0 + 64) x [col0, col0 + 16) of a matrix to to[col][row], with 0 outside of the matrix.
template <class T>
GPO_FN void load_part(const ProductPart &m, i64 row0, i64 col0, product_sum<T> (&to)[product_depth][product_tile + 1]) {
#pragma unroll
  for (int i = 0; i < product_tile * product_depth / product_threads; ++i) {
    const int element = int(threadIdx.x) + i * product_threads;
    const int col = element % product_depth, row = element / product_depth;
    product_sum<T> value = 0;
    if (row0 + row < m.rows && col0 + col < m.cols)
      value = product_sum<T>(*at_bytes<const T>(m.address, (row0 + row) * m.row_stride + (col0 + col) * m.col_stride));
    to[col][row] = value;
  }
}

// Adds the product of two parts to the sums of elements (row + 16 i, col + 16 j) of the tile.
template <class T>
GPO_FN void multiply_parts(const product_sum<T> (&a)[product_depth][product_tile + 1],
                           const product_sum<T> (&b)[product_depth][product_tile + 1], int row, int col,
                           product_sum<T> (&sums)[4][4]) {
  for (int k = 0; k < product_depth; ++k) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if constexpr (is_bool<T>)
          sums[i][j] |= a[k][row + 16 * i] & b[k][col + 16 * j];
        else
          sums[i][j] += a[k][row + 16 * i] * b[k][col + 16 * j];
      }
    }
  }
}

// Multiplies batches of matrices. Words: 0 to 2 rows, columns and depth, 3 to 5 a, b and c, 6 to 11 their row and
// column strides; then a walk of (a, b, c) over the batch.
template <class T, int rank, int n>
GPO_FN void product(const Words<n> &p) {
  using S = product_sum<T>;
  __shared__ S a_part[product_depth][product_tile + 1], b_part[product_depth][product_tile + 1];
  const i64 rows = i64(p.w[0]), cols = i64(p.w[1]), depth = i64(p.w[2]);
  const u64 row_tiles = (p.w[0] + product_tile - 1) / product_tile,
            col_tiles = (p.w[1] + product_tile - 1) / product_tile;
  const u64 tile = blockIdx.x % (row_tiles * col_tiles);
  const i64 row0 = i64(tile / col_tiles) * product_tile, col0 = i64(tile % col_tiles) * product_tile;
  i64 offsets[3];
  locate<12, rank, 3>(p, u64(blockIdx.x / (row_tiles * col_tiles)), offsets);
  const ProductPart a = {p.w[3] + u64(offsets[0]), rows, depth, i64(p.w[6]), i64(p.w[7])};
  const ProductPart b = {p.w[4] + u64(offsets[1]), cols, depth, i64(p.w[9]), i64(p.w[8])};  // transposed
  const int row = int(threadIdx.x / 16), col = int(threadIdx.x % 16);
  S sums[4][4] = {};
  for (i64 k = 0; k < depth; k += product_depth) {
    load_part<T>(a, row0, k, a_part);
    load_part<T>(b, col0, k, b_part);
    __syncthreads();
    multiply_parts<T>(a_part, b_part, row, col, sums);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const i64 r = row0 + row + 16 * i, c = col0 + col + 16 * j;
      if (r < rows && c < cols) *at_bytes<T>(p.w[5], offsets[2] + r * i64(p.w[10]) + c * i64(p.w[11])) = T(sums[i][j]);
    }
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_MATMUL_H_
