// plugins/cuda/text/scan.h -- kernels that scan sequences in the fixed shape of gpuopt_plugin.h
//
// Body is generated (plugins/cuda/program/source.cpp). A row is a sequence; A is the type of the scan's results.
//   Row row(u64 number)                the sequence of this number
//   Position position(u64 i)           the position of element i of a sequence
//   A source(row, position)            the element to be scanned
//   void result(row, position, A)      computes and stores all that follows from the scan's result there
//   static A combine(A, A)
//
// A sequence of one chunk takes one kernel (kWhole), a longer one three: kTotals computes the total of each chunk,
// scan_carries the running combination of the totals before each chunk, and kApply the results.
#ifndef GPUOPT_PLUGINS_CUDA_TEXT_SCAN_H_
#define GPUOPT_PLUGINS_CUDA_TEXT_SCAN_H_

#include "plugins/cuda/text/shuffle.h"
#include "plugins/cuda/text/vector.h"
#include "plugins/shared/ops/reduce_ops.h"
#include "plugins/shared/reduce_shape.h"

namespace gpo {

enum class ScanPhase { kWhole, kTotals, kApply };

inline constexpr int scan_threads = 64;
inline constexpr int scan_blocks = reduce_chunk / reduce_lanes;  // blocks of reduce_lanes elements in a chunk

// A chunk: its sequence, its number in that, and its elements.
struct Chunk {
  u64 sequence, number, first;
  int size;
};

// Returns chunk number `index` of all sequences, each of which has `chunks` of them.
GPO_FN Chunk chunk_of(u64 index, u64 length, u64 chunks) {
  const u64 sequence = index / chunks, number = index - sequence * chunks, first = number * reduce_chunk;
  return {sequence, number, first, length - first < reduce_chunk ? int(length - first) : reduce_chunk};
}

// Returns the running combination of the totals of the blocks before this lane's block; that of lane 0 means nothing.
// `total` is that of this lane's block, `blocks` the number of blocks. `whole` becomes the total of the chunk.
template <class Body, class A>
GPO_FN A scan_blocks_of(A total, int blocks, A &whole) {
  const int lane = threadIdx.x % reduce_lanes;
  A before = total, running = shuffle(total, 0);
  GPO_UNROLL
  for (int j = 1; j < scan_blocks; j++) {
    if (lane == j) before = running;
    const A next = shuffle(total, j);
    if (j < blocks) running = Body::combine(running, next);
  }
  whole = running;
  return before;
}

// A warp's chunk in shared memory, block by block.
template <class A>
struct Tile {
  A at[scan_blocks][reduce_lanes + 1];  // padding, so that lanes that each traverse a block have no bank conflicts
};

// Scans a lane's own block in place. Returns the block's total.
template <class Body, class A>
GPO_FN A scan_own_block(A *block, int size) {
  A total = A();
  for (int i = 0; i < size; i++) {
    total = i == 0 ? block[0] : Body::combine(total, block[i]);
    block[i] = total;
  }
  return total;
}

// Combines the elements of a lane's own block with what comes before it: first with the blocks before it in the chunk,
// then, if there are chunks before (`carried`), with these.
template <class Body, class A>
GPO_FN void put_before(A *block, int size, A before, bool carried, A carry) {
  for (int i = 0; i < size; i++) {
    A x = block[i];
    if (threadIdx.x % reduce_lanes > 0) x = Body::combine(before, x);
    block[i] = carried ? Body::combine(carry, x) : x;
  }
}

// Scans sequences whose elements are adjacent in memory, with a warp for each chunk and a lane for each of its blocks.
// Elements pass through shared memory, so that neighbouring lanes read and write neighbouring elements.
template <ScanPhase phase, class Body>
GPO_FN void scan_rows(const Body &body, u64 sequences, u64 length, u64 chunks, typename Body::A *totals) {
  using A = typename Body::A;
  constexpr int warps = scan_threads / reduce_lanes;
  __shared__ Tile<A> tiles[warps];
  const int lane = threadIdx.x % reduce_lanes, warp = threadIdx.x / reduce_lanes;
  const u64 index = u64(blockIdx.x) * warps + warp;
  if (index >= sequences * chunks) return;
  const Chunk chunk = chunk_of(index, length, chunks);
  const auto row = body.row(chunk.sequence);
  auto &tile = tiles[warp].at;
  GPO_UNROLL_SOME
  for (int t = 0; t < scan_blocks; t++) {
    const int i = t * reduce_lanes + lane;
    if (i < chunk.size) tile[t][lane] = body.source(row, body.position(chunk.first + i));
  }
  __syncwarp();
  const int rest = chunk.size - lane * reduce_lanes, size = rest < reduce_lanes ? rest : reduce_lanes;
  const A total = scan_own_block<Body>(tile[lane], size);
  A whole;
  const A before = scan_blocks_of<Body>(total, (chunk.size + reduce_lanes - 1) / reduce_lanes, whole);
  if constexpr (phase == ScanPhase::kTotals) {
    if (lane == 0) totals[index] = whole;
  } else {
    const bool carried = phase == ScanPhase::kApply && chunk.number > 0;
    put_before<Body>(tile[lane], size, before, carried, carried ? totals[index] : A());
    __syncwarp();
    GPO_UNROLL_SOME
    for (int t = 0; t < scan_blocks; t++) {
      const int i = t * reduce_lanes + lane;
      if (i < chunk.size) body.result(row, body.position(chunk.first + i), tile[t][lane]);
    }
  }
}

// Scans sequences that are adjacent to each other in memory, with a thread for each chunk. Neighbouring threads take
// neighbouring sequences.
template <ScanPhase phase, class Body>
GPO_FN void scan_columns(const Body &body, u64 sequences, u64 length, u64 chunks, typename Body::A *totals) {
  using A = typename Body::A;
  const u64 thread = u64(blockIdx.x) * scan_threads + threadIdx.x, number = thread / sequences;
  if (number >= chunks) return;
  const u64 sequence = thread - number * sequences, index = sequence * chunks + number;
  const Chunk chunk = chunk_of(index, length, chunks);
  const auto row = body.row(sequence);
  const bool carried = phase == ScanPhase::kApply && number > 0;
  const A carry = carried ? totals[index] : A();
  A inside = A(), before = A();
  GPO_NO_UNROLL
  for (int i = 0; i < chunk.size; i++) {
    if (i % reduce_lanes == 0 && i > 0) before = i == reduce_lanes ? inside : Body::combine(before, inside);
    const auto position = body.position(chunk.first + i);
    const A x = body.source(row, position);
    inside = i % reduce_lanes == 0 ? x : Body::combine(inside, x);
    if constexpr (phase != ScanPhase::kTotals) {
      A y = i < reduce_lanes ? inside : Body::combine(before, inside);
      if (carried) y = Body::combine(carry, y);
      body.result(row, position, y);
    }
  }
  if constexpr (phase == ScanPhase::kTotals)
    totals[index] = chunk.size <= reduce_lanes ? inside : Body::combine(before, inside);
}

// Replaces the totals of the chunks of a sequence by the running combination of those before each; that of the first
// chunk means nothing. There is a warp for each sequence.
template <class Body>
GPO_FN void scan_carries(u64 chunks, typename Body::A *totals) {
  using A = typename Body::A;
  A *const own = totals + u64(blockIdx.x) * chunks;
  const int lane = threadIdx.x;
  A running = A();
  for (u64 first = 0; first < chunks; first += reduce_lanes) {
    const A total = first + lane < chunks ? own[first + lane] : A();
    A before = running;
    for (int j = 0; j < reduce_lanes; j++) {
      if (lane == j) before = running;
      const A next = shuffle(total, j);
      running = first + j == 0 ? next : Body::combine(running, next);
    }
    if (first + lane < chunks) own[first + lane] = before;
  }
}

}  // namespace gpo

#endif  // GPUOPT_PLUGINS_CUDA_TEXT_SCAN_H_
