// plugins/cpu/reduce_fold.cpp -- see reduce_fold.h.
#include "plugins/cpu/reduce_fold.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "plugins/shared/reduce_shape.h"

namespace gpuopt::cpu {
namespace {

constexpr int64_t kChunk = GPUOPT_CHUNK, kLanes = GPUOPT_LANES;
constexpr int64_t kAlign = 64;
int64_t aligned(int64_t bytes) { return (bytes + kAlign - 1) & -kAlign; }

// Accumulators side by side that one lane of a reduction needs.
int64_t lane_width(const SequenceCut &cut) { return cut.rows ? 1 : cut.tile.columns; }

int64_t tree_bytes(const Reduction &reduction, const SequenceCut &cut) {
  return aligned((gpo::pending_results(cut.chunks) + 1) * lane_width(cut) * reduction.loops->accumulator_size);
}
int64_t lane_bytes(const Reduction &reduction, const SequenceCut &cut) {
  return aligned(kLanes * lane_width(cut) * reduction.loops->accumulator_size);
}

}  // namespace

void Folder::Tree::begin(const ReductionLoops &loops, char *memory, int64_t n) noexcept {
  loops_ = &loops;
  memory_ = memory;
  n_ = n;
  chunk_ = 0;
  depth_ = 0;
}

void Folder::Tree::merge() noexcept {
  depth_--;
  loops_->combine(slot(depth_ - 1), slot(depth_), n_);
}

void Folder::Tree::push(const char *chunk_result) noexcept {
  std::memcpy(slot(depth_++), chunk_result, static_cast<size_t>(n_ * loops_->accumulator_size));
  for (int i = gpo::merges_after(chunk_++); i > 0; i--) merge();
}

void Folder::Tree::finish(char *result) noexcept {
  while (depth_ > 1) merge();
  std::memcpy(result, slot(0), static_cast<size_t>(n_ * loops_->accumulator_size));
}

int64_t Folder::bytes_needed(const Plan &plan, const SequenceCut &cut) noexcept {
  int64_t most = 0;
  for (const Pass &pass : plan.full_passes) {
    int64_t bytes = 0;
    for (const Reduction &r : pass.reductions) bytes += tree_bytes(r, cut) + lane_bytes(r, cut);
    most = std::max(most, bytes);
  }
  return aligned(Worker::bytes_needed(plan, cut.capacity)) + most;
}

Folder::Folder(char *memory, const Run &run, const SequenceCut &cut) noexcept
    : worker_(Worker::make(memory, cut.capacity)),
      cut_(cut),
      memory_(memory + aligned(Worker::bytes_needed(*run.plan, cut.capacity))) {}

int64_t Folder::chunk_length(int64_t chunk) const noexcept { return std::min(kChunk, cut_.sequence - chunk * kChunk); }

void Folder::evaluate(const Tile &tile) noexcept {
  worker_->load(tile);
  worker_->compute(0, static_cast<int>(pass_->code.size()), tile.elements());
}

void Folder::run(const Pass &pass, Range kept, Range chunks, char *const *results) noexcept {
  pass_ = &pass;
  if (!cut_.rows) {
    run_columns(pass, kept, chunks, results);
  } else if (cut_.chunks == 1) {
    run_rows(pass, kept, results);
  } else {
    for (int64_t row = kept.first; row < kept.last; row++) run_long_row(pass, row, chunks, results, row - kept.first);
  }
}

// Sequences of one chunk, several rows to a tile.
void Folder::run_rows(const Pass &pass, Range kept, char *const *results) noexcept {
  for (int64_t row = kept.first; row < kept.last; row += cut_.tile.rows) {
    const Tile tile = {row, std::min(cut_.tile.rows, kept.last - row), 0, cut_.sequence};
    evaluate(tile);
    for (size_t i = 0; i < pass.reductions.size(); i++) {
      const Reduction &r = pass.reductions[i];
      r.loops->rows(results[i] + (row - kept.first) * r.loops->accumulator_size, worker_->value(r.src), tile.rows,
                    tile.columns, tile.columns, 0);
    }
    worker_->store(tile);
  }
}

void Folder::begin_trees(const Pass &pass, int64_t width) noexcept {
  char *memory = memory_;
  for (size_t i = 0; i < pass.reductions.size(); i++) {
    const Reduction &r = pass.reductions[i];
    tree_[i].begin(*r.loops, memory, width);
    lanes_[i] = memory + tree_bytes(r, cut_);
    memory = lanes_[i] + lane_bytes(r, cut_);
  }
}

// A row of several chunks; lanes_[i] takes a chunk's result.
void Folder::run_long_row(const Pass &pass, int64_t row, Range chunks, char *const *results, int64_t at) noexcept {
  begin_trees(pass, 1);
  for (int64_t chunk = chunks.first; chunk < chunks.last; chunk++) {
    const Tile tile = {row, 1, chunk * kChunk, chunk_length(chunk)};
    evaluate(tile);
    for (size_t i = 0; i < pass.reductions.size(); i++) {
      const Reduction &r = pass.reductions[i];
      r.loops->rows(lanes_[i], worker_->value(r.src), 1, tile.columns, tile.columns, tile.column);
      tree_[i].push(lanes_[i]);
    }
    worker_->store(tile);
    // Only any and all absorb (a bool each); another reduction's first byte says nothing.
    const bool decided = pass.stores.empty() && pass.reductions.size() == 1 && pass.reductions[0].absorbing >= 0 &&
                         pass.reductions[0].absorbing == *lanes_[0];
    if (decided) break;
  }
  for (size_t i = 0; i < pass.reductions.size(); i++) {
    tree_[i].finish(results[i] + at * pass.reductions[i].loops->accumulator_size);
  }
}

// Many sequences side by side: a tile's rows go to their lanes.
void Folder::run_columns(const Pass &pass, Range kept, Range chunks, char *const *results) noexcept {
  const int64_t columns = kept.count();
  begin_trees(pass, columns);
  for (int64_t chunk = chunks.first; chunk < chunks.last; chunk++) {
    const int64_t length = chunk_length(chunk);
    for (int64_t row = 0; row < length; row += cut_.tile.rows) {
      const Tile tile = {chunk * kChunk + row, std::min(cut_.tile.rows, length - row), kept.first, columns};
      evaluate(tile);
      for (size_t i = 0; i < pass.reductions.size(); i++) fold_columns(pass.reductions[i], lanes_[i], tile);
      worker_->store(tile);
    }
    for (size_t i = 0; i < pass.reductions.size(); i++) {
      combine_lanes(pass.reductions[i], lanes_[i], std::min(length, kLanes), columns);
      tree_[i].push(lanes_[i]);
    }
  }
  for (size_t i = 0; i < pass.reductions.size(); i++) tree_[i].finish(results[i]);
}

// A tile begins at a multiple of its rows, which divide the lanes or are a multiple of them.
void Folder::fold_columns(const Reduction &r, char *lanes, const Tile &tile) const noexcept {
  const int64_t lane_size = tile.columns * r.loops->accumulator_size;
  const char *x = worker_->value(r.src);
  for (int64_t done = 0; done < tile.rows; done += kLanes) {
    const int64_t rows = std::min(kLanes, tile.rows - done), row = (tile.row + done) % kChunk;
    const auto fold = row < kLanes ? r.loops->start : r.loops->accumulate;
    fold(lanes + row % kLanes * lane_size, x + done * tile.columns * r.src_size, rows, tile.columns, tile.row + done);
  }
}

// gpo::combine_lanes for whole rows of lanes.
void Folder::combine_lanes(const Reduction &r, char *lanes, int64_t present, int64_t columns) const noexcept {
  for (int64_t s = kLanes / 2; s > 0; s /= 2) {
    const int64_t both = std::min(s, present - s);
    if (both > 0) r.loops->combine(lanes, lanes + s * columns * r.loops->accumulator_size, both * columns);
  }
}

}  // namespace gpuopt::cpu
