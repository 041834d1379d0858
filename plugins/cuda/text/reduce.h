// plugins/cuda/text/reduce.h -- kernels that reduce sequences in the fixed shape of gpuopt_plugin.h
//
// Body is generated (plugins/cuda/program/source.cpp). A row is a sequence; Partial holds a partial result of every
// reduction.
//   Row row(u64 number)                          the sequence of this number
//   Position position(u64 i)                     the position of element i of a sequence
//   void read(row, position, Reads &)            reads the element there
//   Partial evaluate(row, position, i, Reads)    the partial result of one element; also stores what is FULL
//   void finish(u64 number, Partial)             computes and stores all that follows from a sequence's results
// If it reads vectors of n elements, which then are adjacent and aligned:
//   void read_wide(row, u64 i, Wide &)           reads elements i .. i + n - 1
//   static void put(Stage &, int lane, Wide)     stores them in shared memory, where a warp has one Stage of n * 32,
//   static void take(Stage, int i, Reads &)      and reads element i of it
//   static Partial combine(Partial, Partial), identity(), shuffle_down(Partial, int), shuffle(Partial, int)
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_REDUCE_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_REDUCE_H_

#include "plugins/cuda/text/rounds.h"
#include "plugins/cuda/text/shuffle.h"
#include "plugins/cuda/text/vector.h"
#include "plugins/shared/ops/reduce_ops.h"
#include "plugins/shared/reduce_shape.h"

namespace gpo {

inline constexpr int reduce_threads = 256;
inline constexpr int reduce_groups = reduce_threads / reduce_lanes;
static_assert(round_levels <= reduce_lanes && round_levels <= reduce_groups, "each level has its thread");

// How a sequence is cut into chunks, and these into groups. A group has a power of two of chunks, so that its result is
// one of those that the fixed shape has in between.
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

// Folds the first elements of a chunk by vectors of n elements, and returns how many. Each lane reads `count` vectors
// before it passes them on: the fixed shape has a lane take every 32nd element, which neighbouring lanes read.
template <int count, int n, class Body, class Stage>
GPO_FN int fold_wide(const Body &body, const typename Body::Row &row, u64 first, int size, Stage *stages,
                     typename Body::Partial &acc) {
  constexpr int step = reduce_lanes * n;
  const int lane = threadIdx.x % reduce_lanes, end = size / step * step;
  GPO_NO_UNROLL
  for (int begin = 0; begin < end; begin += count * step) {
    typename Body::Wide wide[count];
    GPO_UNROLL
    for (int k = 0; k < count; k++) {
      if (begin + k * step < end) body.read_wide(row, first + (begin + k * step + lane * n), wide[k]);
    }
    GPO_UNROLL
    for (int k = 0; k < count; k++) {
      if (begin + k * step >= end) continue;
      // Two stages in turn: when all lanes have come to the barrier, none reads the other one any more.
      Stage &stage = stages[count % 2 ? begin / step % 2 : k % 2];
      Body::put(stage, lane, wide[k]);
      __syncwarp();
      GPO_UNROLL
      for (int r = 0; r < n; r++) {
        const u64 i = first + (begin + k * step + r * reduce_lanes + lane);
        typename Body::Reads reads;
        Body::take(stage, r * reduce_lanes + lane, reads);
        const auto x = body.evaluate(row, body.position(i), i, reads);
        acc = begin + k + r == 0 ? x : Body::combine(acc, x);
      }
    }
  }
  __syncwarp();
  return end;
}

// Reduces a chunk of `size` elements from element `first` on, by a warp; lane 0 gets the result. Each lane reads
// `count` elements, or `count` vectors of n, before it combines them.
template <int count, int n, class Body, class Stage>
GPO_FN typename Body::Partial fold_chunk(const Body &body, const typename Body::Row &row, u64 first, int size,
                                         Stage *stages) {
  const int lane = threadIdx.x % reduce_lanes;
  typename Body::Partial acc = Body::identity();
  int begin = 0;
  if constexpr (n > 1) begin = fold_wide<count, n>(body, row, first, size, stages, acc) / reduce_lanes;
  GPO_NO_UNROLL
  for (int t = begin; t * reduce_lanes < size; t += count) {
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

// Finishes a sequence with its result or, if `split`, stores the result of one group for merge_groups().
template <bool split, class Body>
GPO_FN void give_result(const Body &body, const Cut &cut, u64 number, u64 group, typename Body::Partial x,
                        typename Body::Partial *partials) {
  if constexpr (split) {
    partials[number * cut.groups + group] = x;
  } else {
    body.finish(number, x);
  }
}

// Keeps the results that wait (rounds.h) in the lanes of a warp, that of level j in lane j. All lanes call take(), and
// all get what it returns.
template <class Body>
struct WarpKeeper {
  typename Body::Partial own = Body::identity();

  GPO_FN typename Body::Partial take(int level) const { return Body::shuffle(own, level); }
  GPO_FN void keep(int level, const typename Body::Partial &x) {
    if (int(threadIdx.x % reduce_lanes) == level) own = x;
  }
};

// What is in shared memory for vectors of n elements. Without them there is none.
template <int n, class Body>
struct StagesOf {
  GPO_FN static typename Body::Stage *of_warp() {
    __shared__ typename Body::Stage stages[reduce_groups][2];
    return stages[threadIdx.x / reduce_lanes];
  }
};
template <class Body>
struct StagesOf<1, Body> {
  GPO_FN static char *of_warp() { return nullptr; }
};

// Reduces sequences whose elements are adjacent in memory. A warp takes a group of chunks or, if not `split`, a whole
// sequence. With n above 1 every sequence begins at a multiple of the size of n elements.
template <int count, bool split, int n = 1, class Body>
GPO_FN void reduce_rows(const Body &body, u64 sequences, const Cut &cut, typename Body::Partial *partials) {
  auto *const stages = StagesOf<n, Body>::of_warp();
  const u64 warp = (u64(blockIdx.x) * reduce_threads + threadIdx.x) / reduce_lanes;
  const u64 number = split ? warp / cut.groups : warp, group = split ? warp - number * cut.groups : 0;
  if (number >= sequences) return;
  const auto row = body.row(number);
  WarpKeeper<Body> keeper;
  Rounds<Body, WarpKeeper<Body>> rounds = {keeper};
  for (u64 chunk = cut.first_chunk(group); chunk < cut.end_chunk(group); chunk++) {
    const auto x = fold_chunk<count, n>(body, row, chunk * reduce_chunk, cut.size_of(chunk), stages);
    rounds.add(Body::shuffle(x, 0));
  }
  const auto result = rounds.result();
  if (threadIdx.x % reduce_lanes == 0) give_result<split>(body, cut, number, group, result, partials);
}

// Reduces a thread's part of a chunk of its column: the elements of lanes part, part + 8, part + 16 and part + 24 of
// the fixed shape. `part` is the number of the thread's warp. The four lanes are then combined, as far as halving does
// that without other threads.
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

// Keeps the results that wait (rounds.h) for each column of a block, that of level j in the thread of part j. All
// threads of a block call take(). The threads of a column get what is taken from it, by way of `place` in shared
// memory.
template <class Body>
struct ColumnKeeper {
  typename Body::Partial &place;
  typename Body::Partial own = Body::identity();

  GPO_FN typename Body::Partial take(int level) {
    __syncthreads();
    if (int(threadIdx.x / reduce_lanes) == level) place = own;
    __syncthreads();
    return place;
  }
  GPO_FN void keep(int level, const typename Body::Partial &x) {
    if (int(threadIdx.x / reduce_lanes) == level) own = x;
  }
};

// Reduces sequences that are adjacent to each other in memory. A block takes a group of chunks of 32 sequences, its
// columns; each of its warps takes a part of every chunk.
template <int count, bool split, class Body>
GPO_FN void reduce_columns(const Body &body, u64 sequences, const Cut &cut, typename Body::Partial *partials) {
  __shared__ typename Body::Partial shared[reduce_groups][reduce_lanes];
  const int column = threadIdx.x % reduce_lanes, part = threadIdx.x / reduce_lanes;
  const u32 blocks = u32((sequences + reduce_lanes - 1) / reduce_lanes), group = split ? blockIdx.x / blocks : 0;
  const u64 number = u64(blockIdx.x - group * blocks) * reduce_lanes + column;
  const bool present = number < sequences;
  typename Body::Row row;
  if (present) row = body.row(number);
  ColumnKeeper<Body> keeper = {shared[0][column]};
  Rounds<Body, ColumnKeeper<Body>> rounds = {keeper};
  for (u64 chunk = cut.first_chunk(group); chunk < cut.end_chunk(group); chunk++) {
    const int size = cut.size_of(chunk);
    const auto own = present ? fold_part<count>(body, row, chunk * reduce_chunk, size) : Body::identity();
    __syncthreads();  // shared[0] of the chunk before has been read
    shared[part][column] = own;
    __syncthreads();
    for (int s = reduce_groups / 2; s > 0; s /= 2) {
      if (part < s && part + s < size)
        shared[part][column] = Body::combine(shared[part][column], shared[part + s][column]);
      __syncthreads();
    }
    rounds.add(shared[0][column]);
  }
  const auto result = rounds.result();
  if (present && part == 0) give_result<split>(body, cut, number, group, result, partials);
}

// Merges the results of the groups of a sequence in further rounds, in place, and finishes it. There is a block for
// each sequence.
template <class Body>
GPO_FN void merge_groups(const Body &body, u64 groups, typename Body::Partial *partials) {
  typename Body::Partial *const own = partials + u64(blockIdx.x) * groups;
  for (u64 s = 1; s < groups; s *= 2) {
    for (u64 g = threadIdx.x * 2 * s; g + s < groups; g += reduce_threads * 2 * s)
      own[g] = Body::combine(own[g], own[g + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) body.finish(blockIdx.x, own[0]);
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_REDUCE_H_
