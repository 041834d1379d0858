// plugins/cpu/program/sequence_cut.cpp -- see sequence_cut.h.
#include "plugins/cpu/program/sequence_cut.h"

#include <algorithm>
#include <bit>

#include "plugins/cpu/runtime/cpuid.h"

namespace gpuopt::cpu {
namespace {

constexpr int64_t kMinColumns = 64;         // fewest columns of a block of sequences side by side
constexpr int64_t kBlockElements = 131072;  // elements of a block of rows
constexpr int64_t kMostLongRows = 32;       // long rows in a tile, and
constexpr int64_t kFewChunks = 128;         // chunks that these rows have together at least; powers of two

int64_t floor_power(int64_t x) { return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(x))); }
int64_t ceil_power(int64_t x) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(x))); }

// Rounds up to a multiple of 64 elements, so that registers of any element size begin at multiples of 64 bytes.
int64_t round_capacity(int64_t elements) { return (elements + 63) & -64; }

// Returns how many rows of several chunks a wide tile has.
int64_t wide_rows_of(const SequenceCut &cut) {
  if (cut.block < kStreams) return 1;
  const int64_t rows = std::clamp(divide_up(kFewChunks, cut.chunks), kStreams, kMostLongRows);
  return floor_power(std::min(rows, cut.block));
}

// Cuts sequences that lie along rows. A tile has several short sequences, or one chunk of a long one. A wide tile has a
// whole block of short sequences, or chunks of several long ones, of which kStreams are read side by side, because
// memory delivers several streams faster than one. While a tile begins and ends memory is idle, so that rows of a few
// chunks come in tiles of more rows.
void cut_rows(SequenceCut &cut, const CutWishes &wishes) {
  const int64_t n = std::max<int64_t>(cut.sequence, 1);
  const bool is_short = cut.chunks <= 1;
  const int64_t rows = is_short ? std::min(kChunk / n, cut.kept) : 1;
  cut.tile = {rows, std::min(n, kChunk), is_short};
  cut.block = std::clamp(std::min(wishes.most_kept, kBlockElements / n) / rows * rows, rows, cut.kept);
  const int64_t wide_rows = is_short ? cut.block : wide_rows_of(cut);
  const int64_t wide_chunks = is_short ? 1 : kWideChunks / wide_rows;
  cut.wide = {wide_rows, std::min(n, wide_chunks * kChunk), is_short};
  cut.capacity = round_capacity(std::max(rows * cut.tile.columns, std::min(cut.block, kChunk)));
}

// Returns the number of columns in a block. Wide blocks read memory in long runs, but their accumulators should take no
// more than 1/16 of the second-level cache, which is about what the first-level cache holds.
int64_t block_columns(const SequenceCut &cut, const CutWishes &wishes) {
  const int64_t fitting = cache_sizes().l2 / 16 / std::max<int64_t>(wishes.state_bytes, 1);
  const int64_t most = std::max(std::min(wishes.most_kept, fitting) & -kMinColumns, kMinColumns);
  const int64_t even = divide_up(cut.kept, divide_up(cut.kept, most));
  return std::min((even + kMinColumns - 1) & -kMinColumns, cut.kept);
}

// Cuts sequences that lie side by side. The number of rows in a tile is a multiple of the number of lanes, or a power
// of two below it, so that each tile's rows belong to consecutive lanes.
void cut_columns(SequenceCut &cut, const CutWishes &wishes) {
  cut.block = block_columns(cut, wishes);
  const int64_t columns = std::min(cut.block, wishes.tile_elements);
  const int64_t rows = std::min(wishes.tile_elements / columns, ceil_power(std::max<int64_t>(cut.sequence, 1)));
  cut.tile = {rows >= kLanes ? rows & -kLanes : floor_power(rows), columns, columns == cut.kept};
  cut.wide = {kChunk, cut.block, cut.block == cut.kept};
  cut.capacity = round_capacity(cut.tile.rows * columns);
}

}  // namespace

SequenceCut cut_sequences(const Space &space, const CutWishes &wishes) noexcept {
  SequenceCut cut;
  cut.kept = space.kept();
  cut.sequence = space.sequence();
  cut.chunks = divide_up(cut.sequence, kChunk);
  cut.rows = space.kept_is_outer();
  cut.group = std::max<int64_t>(cut.chunks, 1);
  if (cut.rows) {
    cut_rows(cut, wishes);
  } else {
    cut_columns(cut, wishes);
  }
  return cut;
}

}  // namespace gpuopt::cpu
