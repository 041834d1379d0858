// plugins/cuda/text/reduce.h -- kernels that reduce sequences in the fixed shape of gpuopt_plugin.h
//
// Body is generated (plugins/cuda/source.cpp). A row is a sequence; Partial holds a partial result of every reduction.
//   Row row(u64 number)                          number of the sequence
//   Position position(u64 i)                     of element i of a sequence
//   void read(row, position, Reads &)
//   Partial evaluate(row, position, i, Reads)    the partial result of one element; also stores what is FULL
//   void finish(u64 number, Partial)             all that follows from a sequence's results
//   static Partial combine(Partial, Partial), identity(), shuffle_down(Partial, int)
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_REDUCE_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_REDUCE_H_

#include "plugins/cuda/text/rounds.h"
#include "plugins/cuda/text/shuffle.h"
#include "plugins/cuda/text/vector.h"
#include "plugins/shared/reduce_ops.h"
#include "plugins/shared/reduce_shape.h"

namespace gpo {

inline constexpr int reduce_threads = 256;
inline constexpr int reduce_groups = reduce_threads / reduce_lanes;

// The elements of a sequence that one group of chunks has: a group begins at a multiple of a power of two chunks.
struct Cut {
  u64 length, chunks_of_group, groups;

  GPO_FN u64 first_chunk(u64 group) const { return group * chunks_of_group; }
  GPO_FN u64 end_chunk(u64 group) const {
    const u64 all = (length + reduce_chunk - 1) / reduce_chunk, end = (group + 1) * chunks_of_group;
    return end < all ? end : all;
  }
  GPO_FN int size_of(u64 chunk) const {
    const u64 rest = length - chunk * reduce_chunk;
    return rest < reduce_chunk ? int(rest) : reduce_chunk;
  }
};

// A warp's chunk; the result is lane 0's. `count` elements per lane are read ahead.
template <int count, class Body>
GPO_FN typename Body::Partial fold_chunk(const Body &body, const typename Body::Row &row, u64 first, int size) {
  const int lane = threadIdx.x % reduce_lanes;
  typename Body::Partial acc = Body::identity();
  GPO_NO_UNROLL
  for (int t = 0; t * reduce_lanes < size; t += count) {
    typename Body::Reads reads[count];
    GPO_UNROLL
    for (int k = 0; k < count; k++) {
      const int i = (t + k) * reduce_lanes + lane;
      if (i < size) body.read(row, body.position(first + i), reads[k]);
    }
    GPO_UNROLL
    for (int k = 0; k < count; k++) {
      const int i = (t + k) * reduce_lanes + lane;
      if (i >= size) continue;
      const auto x = body.evaluate(row, body.position(first + i), first + i, reads[k]);
      acc = t + k == 0 ? x : Body::combine(acc, x);
    }
  }
  const int present = size < reduce_lanes ? size : reduce_lanes;
  GPO_UNROLL
  for (int s = reduce_lanes / 2; s > 0; s /= 2) {
    const auto other = Body::shuffle_down(acc, s);
    if (lane + s < present) acc = Body::combine(acc, other);
  }
  return acc;
}

// A result is final, or the partial result of a group for merge_groups.
template <bool split, class Body>
GPO_FN void give_result(const Body &body, const Cut &cut, u64 number, u64 group, typename Body::Partial x,
                        typename Body::Partial *partials) {
  if constexpr (split) {
    partials[number * cut.groups + group] = x;
  } else {
    body.finish(number, x);
  }
}

// A warp for each group of chunks: for sequences that lie along memory.
template <int count, bool split, class Body>
GPO_FN void reduce_rows(const Body &body, u64 sequences, const Cut &cut, typename Body::Partial *partials) {
  const u64 warp = (u64(blockIdx.x) * reduce_threads + threadIdx.x) / reduce_lanes;
  const u64 number = warp / cut.groups, group = warp - number * cut.groups;
  if (number >= sequences) return;
  const auto row = body.row(number);
  Rounds<Body> rounds;
  for (u64 chunk = cut.first_chunk(group); chunk < cut.end_chunk(group); chunk++) {
    const auto x = fold_chunk<count>(body, row, chunk * reduce_chunk, cut.size_of(chunk));
    rounds.add(x, chunk - cut.first_chunk(group));
  }
  if (threadIdx.x % reduce_lanes == 0) give_result<split>(body, cut, number, group, rounds.result(), partials);
}

// What a thread of a column has of a chunk: lanes `part`, part + 8, part + 16, part + 24, combined as far as they are
// its own.
template <int count, class Body>
GPO_FN typename Body::Partial fold_part(const Body &body, const typename Body::Row &row, u64 first, int size) {
  constexpr int own = reduce_lanes / reduce_groups;
  const int part = threadIdx.x / reduce_lanes;
  typename Body::Partial acc[own];
  GPO_UNROLL
  for (int q = 0; q < own; q++) acc[q] = Body::identity();
  GPO_NO_UNROLL
  for (int t = part; t < size; t += reduce_lanes * count) {
    typename Body::Reads reads[count * own];
    GPO_UNROLL
    for (int k = 0; k < count * own; k++) {
      const int i = t + k * reduce_groups;
      if (i < size) body.read(row, body.position(first + i), reads[k]);
    }
    GPO_UNROLL
    for (int k = 0; k < count * own; k++) {
      const int i = t + k * reduce_groups;
      if (i >= size) continue;
      const auto x = body.evaluate(row, body.position(first + i), first + i, reads[k]);
      acc[k % own] = i < reduce_lanes ? x : Body::combine(acc[k % own], x);
    }
  }
  GPO_UNROLL
  for (int s = own / 2; s > 0; s /= 2) {
    GPO_UNROLL
    for (int q = 0; q < s; q++) {
      if (part + (q + s) * reduce_groups < size) acc[q] = Body::combine(acc[q], acc[q + s]);
    }
  }
  return acc[0];
}

// A block for 32 sequences side by side and a group of chunks: for sequences that lie across memory.
template <int count, bool split, class Body>
GPO_FN void reduce_columns(const Body &body, u64 sequences, const Cut &cut, typename Body::Partial *partials) {
  __shared__ typename Body::Partial shared[reduce_groups][reduce_lanes];
  const int column = threadIdx.x % reduce_lanes, part = threadIdx.x / reduce_lanes;
  const u64 blocks = (sequences + reduce_lanes - 1) / reduce_lanes, group = blockIdx.x / blocks;
  const u64 number = (blockIdx.x - group * blocks) * reduce_lanes + column;
  const bool present = number < sequences;
  typename Body::Row row;
  if (present) row = body.row(number);
  Rounds<Body> rounds;
  for (u64 chunk = cut.first_chunk(group); chunk < cut.end_chunk(group); chunk++) {
    const int size = cut.size_of(chunk);
    if (present) shared[part][column] = fold_part<count>(body, row, chunk * reduce_chunk, size);
    __syncthreads();
    for (int s = reduce_groups / 2; s > 0; s /= 2) {
      if (present && part < s && part + s < size)
        shared[part][column] = Body::combine(shared[part][column], shared[part + s][column]);
      __syncthreads();
    }
    if (present && part == 0) rounds.add(shared[0][column], chunk - cut.first_chunk(group));
  }
  if (present && part == 0) give_result<split>(body, cut, number, group, rounds.result(), partials);
}

// A block for each sequence: merges the partial results of its groups in further rounds.
template <class Body>
GPO_FN void merge_groups(const Body &body, u64 groups, const typename Body::Partial *partials) {
  __shared__ typename Body::Partial shared[reduce_threads];
  const u64 number = blockIdx.x;
  u64 share = 1;  // what a thread takes: a power of two
  while (share * reduce_threads < groups) share *= 2;
  const u64 first = threadIdx.x * share, end = first + share < groups ? first + share : groups;
  Rounds<Body> rounds;
  for (u64 g = first; g < end; g++) rounds.add(partials[number * groups + g], g - first);
  if (first < groups) shared[threadIdx.x] = rounds.result();
  const u64 present = (groups + share - 1) / share;
  for (u64 s = 1; s < present; s *= 2) {
    __syncthreads();
    if (threadIdx.x % (2 * s) == 0 && threadIdx.x + s < present)
      shared[threadIdx.x] = Body::combine(shared[threadIdx.x], shared[threadIdx.x + s]);
  }
  if (threadIdx.x == 0) body.finish(number, shared[0]);
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_REDUCE_H_
