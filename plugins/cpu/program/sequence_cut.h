// plugins/cpu/program/sequence_cut.h -- how a reduction or scan is cut into tiles, blocks and tasks.
//
// The sequence of a kept index is the elements that are reduced or scanned for it, in C order. The order in which a
// reduction combines them is fixed (gpuopt_plugin.h, "Fixed reduction shape"), so that a floating-point sum has the
// same bits for any number of threads, instruction set level, layout and cut. For a float32 sum of the 5000 elements
// x[0] .. x[4999]:
//
//   chunks    5 of at most GPUOPT_CHUNK = 1024 elements, which begin at x[0], x[1024], x[2048], x[3072] and x[4096];
//             the last one has 5000 - 4096 = 904 elements
//   lanes     each chunk has GPUOPT_LANES = 32: lane l is the sum of its elements l, l + 32, l + 64, ... from left to
//             right. These are 32 elements; in the last chunk, as 904 = 28 * 32 + 8, 29 in lanes 0 to 7 and 28
//             in the others
//   halving   for s = 16, 8, 4, 2, 1: lane[l] += lane[l + s] for all l < s. Lane 0 is then the chunk's result
//   tree      neighbouring results of chunks are added in rounds, an odd last one passes through:
//               p0 p1 p2 p3 p4  ->  p0+p1  p2+p3  p4  ->  (p0+p1)+(p2+p3)  p4  ->  ((p0+p1)+(p2+p3))+p4
//
// Lanes and chunks without elements are skipped. The cut decides only who computes which part of this, and when:
//   - A task has all chunks of a sequence, or a group of 2^k chunks that begins at a multiple of 2^k. The latter is a
//     whole subtree: with groups of 2 chunks, three tasks compute p0+p1, p2+p3 and p4, and their results are added in
//     the same rounds. Tiles of many chunks are aligned groups, too (reduce_fold.h).
//   - The lanes are elements of vectors: for float32, 2 registers with AVX-512, 4 with AVX, 8 with SSE.
//   - If sequences lie side by side in memory, as in a sum along axis 0, row i of a chunk is added to row i % 32 of an
//     array of accumulators, which has a column for each sequence.
//
// Where any order gives the same bits, as for integers, argmin and argmax, loops may use another one.
#pragma once

#include "plugins/cpu/program/tile_space.h"
#include "plugins/cpu/program/tile_worker.h"
#include "plugins/cpu/runtime/range.h"

namespace gpuopt::cpu {

constexpr int64_t kChunk = GPUOPT_CHUNK, kLanes = GPUOPT_LANES;
constexpr int64_t kWideChunks = 256;  // chunks in a wide tile, all rows together; a power of two
constexpr int64_t kStreams = 4;       // long rows that are read side by side; a power of two

struct SequenceCut {
  int64_t kept, sequence, chunks;  // number of kept indices; elements and chunks of each sequence
  bool rows;                       // true: sequences lie along the rows of tiles; false: side by side, down the columns
  TileShape tile;
  TileShape wide;    // for passes that only reduce, and read their inputs in place (Worker::reduces_in_place())
  int64_t capacity;  // elements of the largest tile, not counting wide ones
  int64_t block;     // kept indices of a task
  int64_t group;     // chunks of a task: all, unless a driver sets it, to a power of two for reductions
};

inline int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// Limits that a driver sets. They are kept as far as the smallest possible tiles allow.
struct CutWishes {
  int64_t most_kept = INT64_MAX;         // kept indices in a block
  int64_t tile_elements = GPUOPT_CHUNK;  // elements in a tile of sequences side by side
  int64_t state_bytes = 0;               // bytes of accumulators per kept index, for sequences side by side
};
SequenceCut cut_sequences(const Space &space, const CutWishes &wishes) noexcept;

}  // namespace gpuopt::cpu
