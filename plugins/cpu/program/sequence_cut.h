// plugins/cpu/program/sequence_cut.h -- how a run along reduced or scanned axes is cut into tiles, blocks and tasks.
//
// Results do not depend on it: tiles respect chunks, and groups of chunks are aligned powers of two, so that each is
// one subtree of the fixed tree.
#pragma once

#include "plugins/cpu/program/tile_space.h"
#include "plugins/cpu/program/tile_worker.h"
#include "plugins/cpu/runtime/range.h"

namespace gpuopt::cpu {

constexpr int64_t kWideChunks = 256;  // of a wide tile

struct SequenceCut {
  int64_t kept, sequence, chunks;  // kept indices; elements and chunks of the sequence of each
  bool rows;                       // sequences lie along the rows of tiles, else down their columns
  TileShape tile;
  TileShape wide;    // of passes that only reduce, and do so where the data lies
  int64_t capacity;  // elements of the largest tile, wide ones apart
  int64_t block;     // kept indices handled together
  int64_t group;     // chunks handled together
};

inline int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// What a driver wishes of the cut, as far as tiles allow.
struct CutWishes {
  int64_t most_kept = INT64_MAX;         // kept indices in a block
  int64_t tile_elements = GPUOPT_CHUNK;  // in a tile of sequences side by side
  int64_t state_bytes = 0;               // what each takes while sequences side by side are under way
};
SequenceCut cut_sequences(const Space &space, const CutWishes &wishes) noexcept;

}  // namespace gpuopt::cpu
