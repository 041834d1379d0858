// plugins/cuda/text/map.h -- kernels that compute every element on its own
//
// Body is generated (plugins/cuda/program/source.cpp). Outer coordinates select a row: Row holds pointers to the row's
// first elements, and the values that are the same in the whole row.
//   Row row(u64 number)                              the row of this number, in C order
//   void read(row, u64 i, Reads<n> &)                reads elements i .. i + n - 1 of what varies along the row
//   void evaluate(row, Reads<n>, Writes<n> &, int j) computes element j of these
//   void write(row, u64 i, Writes<n>)                stores them
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_MAP_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_MAP_H_

#include "plugins/cuda/text/vector.h"

namespace gpo {

inline constexpr int map_threads = 256;

// Computes and stores n elements that have been read.
template <int n, class Body>
GPO_FN void map_vector(const Body &body, const typename Body::Row &row, u64 i,
                       const typename Body::template Reads<n> &reads) {
  typename Body::template Writes<n> writes;
  GPO_UNROLL
  for (int j = 0; j < n; j++) body.evaluate(row, reads, writes, j);
  body.write(row, i, writes);
}

// Processes rows of `width` contiguous elements. `blocks_of_row` blocks share a row; each of their threads takes
// `count` vectors of n elements.
template <int n, int count, class Body>
GPO_FN void map_rows(const Body &body, u64 width, u32 blocks_of_row) {
  constexpr u64 step = u64(map_threads) * n;
  const u32 number = blockIdx.x / blocks_of_row;
  const auto row = body.row(number);
  const u64 start = (blockIdx.x - number * blocks_of_row) * (step * count), first = start + threadIdx.x * n;
  typename Body::template Reads<n> reads[count];
  GPO_UNROLL
  for (int k = 0; k < count; k++) {
    if (first + k * step + n <= width) body.read(row, first + k * step, reads[k]);
  }
  GPO_UNROLL
  for (int k = 0; k < count; k++) {
    if (first + k * step + n <= width) map_vector<n>(body, row, first + k * step, reads[k]);
  }
  if constexpr (n > 1) {
    // The end of the row is shorter than a vector. In the block that has it, each of the first threads takes one
    // element.
    const u64 i = width / n * n + threadIdx.x;
    if (i < width && i - start < step * count) {
      typename Body::template Reads<1> read;
      body.read(row, i, read);
      map_vector<1>(body, row, i, read);
    }
  }
}

// Processes elements that may lie anywhere: each is a row of its own. A thread takes `count` of them. I is the type of
// their numbers.
template <int count, class I, class Body>
GPO_FN void map_points(const Body &body, u64 elements) {
  const I first = I(blockIdx.x) * I(map_threads * count) + threadIdx.x;
  typename Body::Row rows[count];
  GPO_UNROLL
  for (int k = 0; k < count; k++) {
    if (first + I(k * map_threads) < I(elements)) rows[k] = body.row(first + I(k * map_threads));
  }
  GPO_UNROLL
  for (int k = 0; k < count; k++) {
    const typename Body::template Reads<1> none = {};
    if (first + I(k * map_threads) < I(elements)) map_vector<1>(body, rows[k], 0, none);
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_MAP_H_
