// plugins/cpu/sequence_cut.cpp -- see sequence_cut.h.
#include "plugins/cpu/sequence_cut.h"

#include <algorithm>
#include <bit>

namespace gpuopt::cpu {
namespace {

constexpr int64_t kChunk = GPUOPT_CHUNK, kLanes = GPUOPT_LANES;
constexpr int64_t kMinColumns = 64, kMaxColumns = 512;  // of a block of sequences side by side
constexpr int64_t kBlockElements = 65536;               // of a block of rows

int64_t floor_power(int64_t x) { return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(x))); }
int64_t ceil_power(int64_t x) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(x))); }

// Registers of any element size, one after the other, stay aligned.
int64_t round_capacity(int64_t elements) { return (elements + 63) & -64; }

// Several short sequences to a tile, or one chunk of a long one.
void cut_rows(SequenceCut &cut, int64_t most_kept) {
  const int64_t n = std::max<int64_t>(cut.sequence, 1);
  const int64_t rows = cut.chunks <= 1 ? std::min(kChunk / n, cut.kept) : 1;
  cut.tile = {rows, std::min(n, kChunk), cut.chunks <= 1};
  cut.block = std::clamp(std::min(most_kept, kBlockElements / n) / rows * rows, rows, cut.kept);
  cut.capacity = round_capacity(std::max(rows * cut.tile.columns, std::min(cut.block, kChunk)));
}

// A tile's rows divide the lanes or are a multiple of them.
void cut_columns(SequenceCut &cut, int64_t most_kept) {
  const int64_t columns = std::min(std::clamp(most_kept & -kMinColumns, kMinColumns, kMaxColumns), cut.kept);
  const int64_t rows = std::min(kChunk / columns, ceil_power(std::max<int64_t>(cut.sequence, 1)));
  cut.tile = {rows >= kLanes ? rows & -kLanes : floor_power(rows), columns, columns == cut.kept};
  cut.block = columns;
  cut.capacity = round_capacity(cut.tile.rows * columns);
}

}  // namespace

SequenceCut cut_sequences(const Space &space, int64_t most_kept) noexcept {
  SequenceCut cut;
  cut.kept = space.kept();
  cut.sequence = space.sequence();
  cut.chunks = divide_up(cut.sequence, kChunk);
  cut.rows = space.kept_is_outer();
  cut.group = std::max<int64_t>(cut.chunks, 1);
  if (cut.rows) {
    cut_rows(cut, most_kept);
  } else {
    cut_columns(cut, most_kept);
  }
  return cut;
}

}  // namespace gpuopt::cpu
