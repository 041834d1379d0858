// plugins/cuda/text/matmul.h -- matrix products, and copies between layouts
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_MATMUL_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_MATMUL_H_

#include "plugins/cuda/text/walk.h"
#include "plugins/shared/casts.h"
#include "plugins/shared/product_shape.h"

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

// A matrix product. Each block of 256 threads computes a square tile of the result, and each thread the elements of
// per / 4 by per / 4 squares of 4 by 4, from parts of a and b in shared memory. Elements of floats are sums in the
// order of plugins/shared/product_shape.h; integers wrap around, and for bool the product is the OR of ANDs, whose bits
// do not depend on the order.
inline constexpr int product_depth = 16, product_threads = 256;
template <int per>
inline constexpr int product_tile = 16 * per;

// The type of a term's factors and of sums. The low bits of integers are right whatever the signs of the operands.
template <class T>
struct product_sum_ {
  using type = conditional<is_half<T>, float,
                           conditional<is_float<T> || is_complex<T>, T, conditional<sizeof(T) == 8, u64, u32>>>;
};
template <class T>
using product_sum = typename product_sum_<T>::type;

template <class T>
GPO_FN product_sum<T> product_factor(T x) {
  if constexpr (is_half<T>) {
    return to_float(x);
  } else {
    return product_sum<T>(x);
  }
}

// Adds a term to a sum.
template <class T, class S>
GPO_FN void add_term(const S &a, const S &b, S &sum) {
  if constexpr (is_bool<T>) {
    sum |= a & b;
  } else if constexpr (is_complex<S>) {
    sum.re = fma(-a.im, b.im, fma(a.re, b.re, sum.re));
    sum.im = fma(a.im, b.re, fma(a.re, b.im, sum.im));
  } else if constexpr (is_float<S>) {
    sum = fma(a, b, sum);
  } else {
    sum += a * b;
  }
}
// Returns the sum of two blocks' sums.
template <class T, class S>
GPO_FN S added_blocks(const S &earlier, const S &later) {
  if constexpr (is_bool<T>) {
    return earlier | later;
  } else if constexpr (is_complex<S>) {
    return {earlier.re + later.re, earlier.im + later.im};
  } else {
    return S(earlier + later);
  }
}

// Some numbers that are loaded from shared memory at once.
template <class S, int n>
struct alignas(n * sizeof(S) > 16 ? 16 : n * sizeof(S)) ProductQuad {
  S value[n];
};

// A part of a matrix in shared memory: to[step][row]. The rows are longer than the tile, so that neighbouring steps lie
// in different banks.
template <class S, int per>
struct alignas(16) ProductPart {
  S at[product_depth][product_tile<per> + 4];
};

// A matrix in memory, or its transpose, with strides in bytes.
struct ProductFactor {
  u64 address;
  i64 rows, steps, row_stride, step_stride;
};

// The elements of a part that a thread loads: first all of them, from global memory, and then it stores them to shared
// memory, so that the loads of the next part can be under way while this one is multiplied.
template <class T, int per>
struct ProductLoads {
  static constexpr int count = product_tile<per> * product_depth / product_threads;
  product_sum<T> value[count];

  // Neighbouring threads load what lies closer together.
  GPO_FN static void place(const ProductFactor &m, int i, int &row, int &step) {
    const int element = int(threadIdx.x) + i * product_threads;
    const i64 across = m.row_stride < 0 ? -m.row_stride : m.row_stride;
    const i64 along = m.step_stride < 0 ? -m.step_stride : m.step_stride;
    const bool by_row = across < along;
    row = by_row ? element % product_tile<per> : element / product_depth;
    step = by_row ? element / product_tile<per> : element % product_depth;
  }
  // Loads the part [row0, row0 + tile) x [step0, step0 + depth) of a matrix, with 0 outside of [0, rows) x [0, end).
  GPO_FN void load(const ProductFactor &m, i64 row0, i64 step0, i64 end) {
    GPO_UNROLL
    for (int i = 0; i < count; ++i) {
      int row, step;
      place(m, i, row, step);
      value[i] = {};
      if (row0 + row < m.rows && step0 + step < end)
        value[i] = product_factor<T>(
            *at_bytes<const T>(m.address, (row0 + row) * m.row_stride + (step0 + step) * m.step_stride));
    }
  }
  GPO_FN void store(const ProductFactor &m, ProductPart<product_sum<T>, per> &to) const {
    GPO_UNROLL
    for (int i = 0; i < count; ++i) {
      int row, step;
      place(m, i, row, step);
      to.at[step][row] = value[i];
    }
  }
};

// Loads a thread's 4 elements of each of the per / 4 squares.
template <class S, int per>
GPO_FN void load_quads(const S *from, int position, S (&to)[per]) {
  constexpr int n = sizeof(S) >= 8 ? 2 : 4;
  GPO_UNROLL
  for (int quad = 0; quad < per; quad += n) {
    const auto values = *reinterpret_cast<const ProductQuad<S, n> *>(from + 4 * position + quad % 4 + quad / 4 * 64);
    GPO_UNROLL
    for (int i = 0; i < n; ++i) to[quad + i] = values.value[i];
  }
}

template <class T, int per>
GPO_FN void multiply_parts(const ProductPart<product_sum<T>, per> &a, const ProductPart<product_sum<T>, per> &b,
                           int steps, int row, int col, product_sum<T> (&sums)[per][per]) {
#pragma unroll 4
  for (int k = 0; k < steps; ++k) {
    product_sum<T> left[per], right[per];
    load_quads<product_sum<T>, per>(a.at[k], row, left);
    load_quads<product_sum<T>, per>(b.at[k], col, right);
    GPO_UNROLL
    for (int i = 0; i < per; ++i) {
      GPO_UNROLL
      for (int j = 0; j < per; ++j) add_term<T>(left[i], right[j], sums[i][j]);
    }
  }
}

// The tile of the result that a block of threads computes: the first row and column, and the address of the matrix.
struct ProductResult {
  u64 address;
  i64 rows, cols, row_stride, col_stride, row0, col0;
};

// Stores sums into the result, or with `later` adds them to those that are there.
template <class T, int per>
GPO_FN void store_sums(const ProductResult &c, int row, int col, bool later, const product_sum<T> (&sums)[per][per]) {
  GPO_UNROLL
  for (int i = 0; i < per; ++i) {
    GPO_UNROLL
    for (int j = 0; j < per; ++j) {
      const i64 r = c.row0 + 4 * row + i % 4 + i / 4 * 64, s = c.col0 + 4 * col + j % 4 + j / 4 * 64;
      if (r >= c.rows || s >= c.cols) continue;
      T *const place = at_bytes<T>(c.address, r * c.row_stride + s * c.col_stride);
      product_sum<T> sum = sums[i][j];
      if (later) sum = added_blocks<T>(product_factor<T>(*place), sum);
      if constexpr (is_half<T>) {
        *place = cast<T>(sum);
      } else {
        *place = T(sum);
      }
    }
  }
}

template <int per>
GPO_FN void add_sums(const float (&sums)[per][per], bool later, float (&total)[per][per]) {
  GPO_UNROLL
  for (int i = 0; i < per; ++i) {
    GPO_UNROLL
    for (int j = 0; j < per; ++j) total[i][j] = later ? total[i][j] + sums[i][j] : sums[i][j];
  }
}

// Multiplies batches of matrices. Words: 0 to 2 rows, columns and depth, 3 to 5 a, b and c, 6 to 11 their row and
// column strides; then a walk of (a, b, c) over the batch. The sums of earlier blocks are kept in c, where they take no
// registers, except those of 16-bit floats, which would be rounded there.
template <class T, int per, int rank, int n>
GPO_FN void product(const Words<n> &p) {
  using S = product_sum<T>;
  // Terms of a block: a complex one takes two steps of the chain.
  constexpr int block = is_complex<T> ? product_block / 2 : product_block;
  constexpr int tile = product_tile<per>;
  __shared__ ProductPart<S, per> a_part, b_part;
  const i64 rows = i64(p.w[0]), cols = i64(p.w[1]), depth = i64(p.w[2]);
  const u64 row_tiles = (p.w[0] + tile - 1) / tile, col_tiles = (p.w[1] + tile - 1) / tile;
  const u64 which = blockIdx.x % (row_tiles * col_tiles);
  i64 offsets[3];
  locate<12, rank, 3>(p, u64(blockIdx.x / (row_tiles * col_tiles)), offsets);
  const ProductFactor a = {p.w[3] + u64(offsets[0]), rows, depth, i64(p.w[6]), i64(p.w[7])};
  const ProductFactor b = {p.w[4] + u64(offsets[1]), cols, depth, i64(p.w[9]), i64(p.w[8])};  // transposed
  const ProductResult c = {
      p.w[5] + u64(offsets[2]),     rows, cols, i64(p.w[10]), i64(p.w[11]), i64(which / col_tiles) * tile,
      i64(which % col_tiles) * tile};
  const int row = int(threadIdx.x / 16), col = int(threadIdx.x % 16);
  ProductLoads<T, per> a_next, b_next;
  a_next.load(a, c.row0, 0, depth);
  b_next.load(b, c.col0, 0, depth);
  S total[is_half<T> ? per : 1][is_half<T> ? per : 1] = {};
  for (i64 first = 0; first < depth; first += block) {
    const i64 end = first + block < depth ? first + block : depth;
    S sums[per][per] = {};
    for (i64 k = first; k < end; k += product_depth) {
      a_next.store(a, a_part);
      b_next.store(b, b_part);
      __syncthreads();
      a_next.load(a, c.row0, k + product_depth, depth);
      b_next.load(b, c.col0, k + product_depth, depth);
      const i64 steps = end - k;
      multiply_parts<T, per>(a_part, b_part, steps < product_depth ? int(steps) : product_depth, row, col, sums);
      __syncthreads();
    }
    if constexpr (is_half<T>) {
      add_sums<per>(sums, first > 0, total);
    } else {
      store_sums<T, per>(c, row, col, first > 0, sums);
    }
  }
  if constexpr (is_half<T>) store_sums<T, per>(c, row, col, false, total);
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_MATMUL_H_
