// plugins/cpu/program/reduce_fold.cpp -- see reduce_fold.h.
#include "plugins/cpu/program/reduce_fold.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/shared/reduce_shape.h"

namespace gpuopt::cpu {
namespace {

constexpr int64_t kCachePart = 4;         // of the second-level cache a tile takes that several reductions read
constexpr int64_t kUndecidedChunks = 64;  // chunks per check whether the result is decided; a power of two

// Return the number of accumulators of a reduction that are filled before they go into its tree (chunk results of a
// tile, or the lanes of a block that have elements), and the number of sequences in an entry of the tree.
int64_t lane_count(const Reduction &reduction, const SequenceCut &cut) {
  return cut.rows ? kWideChunks : filled_lanes(*reduction.loops, cut.sequence) * cut.block;
}
int64_t tree_width(const SequenceCut &cut) {
  if (!cut.rows) return cut.block;
  return cut.chunks > 1 ? cut.wide.rows : 1;
}

int64_t tree_bytes(const Reduction &reduction, const SequenceCut &cut) {
  return aligned((gpo::pending_results(cut.chunks) + 1) * tree_width(cut) * reduction.loops->accumulator_size);
}
int64_t lane_bytes(const Reduction &reduction, const SequenceCut &cut) {
  return aligned(lane_count(reduction, cut) * reduction.loops->accumulator_size);
}

}  // namespace

void Folder::Tree::begin(const ReductionLoops &loops, char *memory, int64_t n) noexcept {
  loops_ = &loops;
  memory_ = memory;
  n_ = n;
  pushed_ = 0;
  depth_ = 0;
}

void Folder::Tree::merge() noexcept {
  depth_--;
  loops_->combine(slot(depth_ - 1), slot(depth_), n_);
}

void Folder::Tree::push(const char *result) noexcept {
  std::memcpy(slot(depth_++), result, static_cast<size_t>(n_ * loops_->accumulator_size));
  for (int i = gpo::merges_after(pushed_++); i > 0; i--) merge();
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
    : run_(run),
      worker_(Worker::make(memory, cut.capacity)),
      cut_(cut),
      memory_(memory + aligned(Worker::bytes_needed(*run.plan, cut.capacity))) {}

int64_t Folder::chunk_length(int64_t chunk) const noexcept { return std::min(kChunk, cut_.sequence - chunk * kChunk); }

void Folder::evaluate(const Tile &tile) noexcept {
  worker_->load(tile);
  worker_->compute(0, static_cast<int>(pass_->code.size()), tile.elements());
}

// Returns how many columns a wide tile has if several reductions read it, one after the other: the first one brings it
// into the second-level cache. Long rows are cut into powers of two of chunks.
int64_t Folder::cached_columns(const Pass &pass) const noexcept {
  if (!cut_.rows || cut_.chunks <= 1) return cut_.wide.columns;
  int64_t row_bytes = 0;
  for (const Leaf &leaf : pass.leaves) row_bytes += cut_.wide.rows * kChunk * leaf.size;
  const int64_t fitting = std::max<int64_t>(cache_sizes().l2 / kCachePart / row_bytes, 1);
  const auto chunks = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(fitting)));
  return std::min(cut_.wide.columns, chunks * kChunk);
}

void Folder::bind(const Pass &pass, char *const *kept) noexcept {
  pass_ = &pass;
  source_ = cut_.rows && cut_.chunks > 1 ? find_reduce_source(run_, pass) : ReduceSource{};
  const bool wide = Worker::reduces_in_place(run_, pass) || (source_.loop && cut_.wide.rows == 1);
  tile_ = wide ? cut_.wide : cut_.tile;
  finds_extremes_ = wide && are_extremes(pass);
  if (wide && pass.reductions.size() > 1 && !finds_extremes_) tile_.columns = cached_columns(pass);
  worker_->bind(run_, pass, tile_, kept);
}

void Folder::run(Range kept, Range chunks, char *const *results) noexcept {
  if (!cut_.rows) {
    run_columns(kept, chunks, results);
  } else if (cut_.chunks == 1) {
    run_rows(kept, results);
  } else {
    Range rest = kept;  // the last rows, too few for a full tile, go side by side as far as they can, or one by one
    for (const int64_t together : {tile_.rows, std::min(tile_.rows, kStreams), int64_t{1}}) {
      if (may_be_decided_early() && together > 1) continue;
      const Range full = {rest.first, rest.last - rest.count() % together};
      for (const Range rows : parts_of(full, together)) run_long_rows(rows, chunks, results, rows.first - kept.first);
      rest.first = full.last;
    }
  }
}

// Reduces sequences of a single chunk, several rows to a tile.
void Folder::run_rows(Range kept, char *const *results) noexcept {
  for (const Range rows : parts_of(kept, tile_.rows)) {
    const Tile tile = run_.space.tile(rows, {0, cut_.sequence});
    evaluate(tile);
    for (size_t i = 0; i < pass_->reductions.size(); i++) {
      const Reduction &r = pass_->reductions[i];
      r.loops->rows(results[i] + (rows.first - kept.first) * r.loops->accumulator_size, worker_->value(r.src),
                    tile.rows, tile.columns, worker_->pitch(r, tile), 0, 0);
    }
    worker_->store(tile);
  }
}

void Folder::begin_trees(int64_t width) noexcept {
  char *memory = memory_;
  for (size_t i = 0; i < pass_->reductions.size(); i++) {
    const Reduction &r = pass_->reductions[i];
    tree_[i].begin(*r.loops, memory, width);
    lanes_[i] = memory + tree_bytes(r, cut_);
    memory = lanes_[i] + lane_bytes(r, cut_);
  }
}

// Reduces sequences of several chunks, which lie along the rows of tiles. A tile has some chunks of each row; lanes_[i]
// receives their results. `at` is the position of the first row in results[i].
void Folder::run_long_rows(Range rows, Range chunks, char *const *results, int64_t at) noexcept {
  begin_trees(rows.count());
  const int64_t end = std::min(chunks.last * kChunk, cut_.sequence);
  const int64_t most = may_be_decided_early() ? kUndecidedChunks * kChunk : tile_.columns;
  const int64_t columns = std::min({most, tile_.columns, cut_.group * kChunk});
  for (const Range part : parts_of({chunks.first * kChunk, end}, columns)) {
    const Tile tile = run_.space.tile(rows, part);
    if (source_.loop) {
      worker_->load(tile);
      fold_source(lanes_[0], tile);
    } else {
      evaluate(tile);
    }
    const bool both = finds_extremes_ && fold_extremes(tile);
    for (size_t i = 0; i < pass_->reductions.size(); i++) {
      if (!source_.loop && !both) fold_chunks(pass_->reductions[i], lanes_[i], tile);
      tree_[i].push(lanes_[i]);
    }
    worker_->store(tile);
    if (may_be_decided_early() && pass_->reductions[0].absorbing == *lanes_[0]) break;
  }
  for (size_t i = 0; i < pass_->reductions.size(); i++) {
    tree_[i].finish(results[i] + at * pass_->reductions[i].loops->accumulator_size);
  }
}

// Combines the chunks of a tile for each of its rows, into the first tile.rows elements of `results`, which has room
// for kWideChunks accumulators. All chunks are complete except possibly the last of each row.
void Folder::fold_chunks(const Reduction &r, char *results, const Tile &tile) const noexcept {
  if (tile.rows > 1) {
    fold_rows_apart(r, results, tile);
  } else {
    const char *const x = worker_->value(r.src);
    const int64_t whole = tile.columns / kChunk, done = whole * kChunk, left = tile.columns - done;
    if (whole > 0) r.loops->rows(results, x, whole, kChunk, kChunk, tile.column, kChunk);
    char *const last = results + whole * r.loops->accumulator_size;
    if (left > 0) r.loops->rows(last, x + done * r.src_size, 1, left, 0, tile.column + done, 0);
  }
  r.loops->join(results, divide_up(tile.columns, kChunk), tile.rows);
}

// Combines the chunks of a tile of several rows, kStreams rows at a time that are far apart: each of these streams
// goes on in memory, row after row, as the hardware prefetchers expect.
void Folder::fold_rows_apart(const Reduction &r, char *results, const Tile &tile) const noexcept {
  const char *const x = worker_->value(r.src);
  const int64_t streams = tile.rows % kStreams == 0 ? kStreams : 1, apart = tile.rows / streams;
  const int64_t pitch = worker_->pitch(r, tile), size = r.loops->accumulator_size;
  if (pitch == tile.columns && pitch % kChunk == 0 && !r.loops->finish) return fold_adjacent_rows(r, results, tile);
  char found[size_t{kStreams} * kMostAccumulator];
  for (int64_t row = 0; row < apart; row++) {
    for (const Range part : parts_of({0, tile.columns}, kChunk)) {
      const char *const from = x + (row * pitch + part.first) * r.src_size;
      r.loops->rows(found, from, streams, part.count(), pitch * apart, tile.column + part.first, 0);
      char *const to = results + (part.first / kChunk * tile.rows + row) * size;
      for (int64_t s = 0; s < streams; s++)
        std::memcpy(to + s * apart * size, found + s * size, static_cast<size_t>(size));
    }
  }
}

// Does the same for rows of whole chunks that follow each other in memory, so that all chunks are one call: between two
// calls memory is idle.
void Folder::fold_adjacent_rows(const Reduction &r, char *results, const Tile &tile) const noexcept {
  char found[size_t{kWideChunks} * kMostAccumulator];
  const int64_t chunks = tile.columns / kChunk, size = r.loops->accumulator_size;
  r.loops->rows(found, worker_->value(r.src), tile.rows * chunks, kChunk, kChunk, 0, 0);
  for (int64_t row = 0; row < tile.rows; row++) {
    for (int64_t chunk = 0; chunk < chunks; chunk++)
      std::memcpy(results + (chunk * tile.rows + row) * size, found + (row * chunks + chunk) * size,
                  static_cast<size_t>(size));
  }
}

// Returns whether the pass finds the minimum and the maximum of one input, one after the other.
bool Folder::are_extremes(const Pass &pass) const noexcept {
  if (pass.reductions.size() != 2 || !pass.reductions[0].loops->extremes) return false;
  const Reduction &a = pass.reductions[0], &b = pass.reductions[1];
  const auto index = [&](const Reduction &r) { return run_.plan->steps[r.step].index; };
  return a.src == b.src && a.loops->extremes == b.loops->extremes && index(a) != index(b);
}

// Does the same as fold_chunks() for both extremes of a tile, if it is one row of whole chunks without NaN. Otherwise
// it returns false.
bool Folder::fold_extremes(const Tile &tile) const noexcept {
  if (tile.rows > 1 || tile.columns % kChunk) return false;
  const Reduction &first = pass_->reductions[0];
  const int low = run_.plan->steps[first.step].index == GPUOPT_REDUCTION_min ? 0 : 1;
  const int64_t chunks = tile.columns / kChunk;
  if (!first.loops->extremes(lanes_[low], lanes_[1 - low], worker_->value(first.src), chunks)) return false;
  for (size_t i = 0; i < 2; i++) pass_->reductions[i].loops->join(lanes_[i], chunks, 1);
  return true;
}

// Does the same as computing the elements of a tile of one row, and fold_chunks().
void Folder::fold_source(char *results, const Tile &tile) const noexcept {
  const Reduction &r = pass_->reductions[0];
  const char *const x = worker_->value(source_.x), *const y = worker_->value(source_.y);
  const int64_t whole = tile.columns / kChunk, done = whole * kChunk, left = tile.columns - done;
  if (whole > 0) source_.loop(results, x, y, whole, kChunk);
  char *const last = results + whole * r.loops->accumulator_size;
  if (left > 0) source_.loop(last, x + done * source_.size, y + done * source_.size, 1, left);
  r.loops->join(results, divide_up(tile.columns, kChunk), 1);
}

// Returns whether the pass can stop as soon as its result is known. This holds for any and all, and for extremes of
// bools: accumulators are bools. Such sequences are reduced one row at a time, so that a row that is decided does not
// wait for others.
bool Folder::may_be_decided_early() const noexcept {
  return pass_->stores.empty() && pass_->reductions.size() == 1 && pass_->reductions[0].absorbing >= 0;
}

// Returns whether sequences that lie side by side have an element for each lane at most, which is the lane's
// accumulator as it is in memory.
bool Folder::combines_in_place() const noexcept {
  if (cut_.sequence > kLanes || !Worker::reduces_in_place(run_, *pass_)) return false;
  return std::all_of(pass_->reductions.begin(), pass_->reductions.end(), [&](const Reduction &r) {
    const bool as_it_is = run_.plan->steps[r.step].loop_dtype == r.loops->result_dtype && !r.loops->finish;
    return as_it_is && r.loops->lanes == kLanes;
  });
}

void Folder::run_short_columns(Range kept, char *const *results) noexcept {
  const Tile tile = run_.space.tile({0, cut_.sequence}, kept);
  begin_trees(kept.count());
  worker_->load(tile);
  for (size_t i = 0; i < pass_->reductions.size(); i++) combine_rows(pass_->reductions[i], lanes_[i], tile, results[i]);
}

// Does the same as combine_lanes() for lanes that are the rows of the tile. Only those that change are copied: the
// first one to the result, others to `lanes`.
void Folder::combine_rows(const Reduction &r, char *lanes, const Tile &tile, char *result) const noexcept {
  const int64_t bytes = tile.columns * r.src_size;
  char *row[kLanes];
  bool copied[kLanes] = {};
  for (int64_t l = 0; l < tile.rows; l++) row[l] = worker_->value(r.src) + l * worker_->pitch(r, tile) * r.src_size;
  for (int64_t s = kLanes / 2; s > 0; s /= 2) {
    for (int64_t l = 0; l < s && l + s < tile.rows; l++) {
      if (!copied[l]) {
        char *const own = l ? lanes + l * bytes : result;
        row[l] = static_cast<char *>(std::memcpy(own, row[l], static_cast<size_t>(bytes)));
      }
      copied[l] = true;
      r.loops->combine(row[l], row[l + s], tile.columns);
    }
  }
  if (tile.rows == 1) std::memcpy(result, row[0], static_cast<size_t>(bytes));
}

// Reduces sequences that lie side by side, down the columns of tiles.
void Folder::run_columns(Range kept, Range chunks, char *const *results) noexcept {
  if (combines_in_place() && kept.count() <= tile_.columns) return run_short_columns(kept, results);
  const int64_t columns = kept.count();
  begin_trees(columns);
  for (int64_t chunk = chunks.first; chunk < chunks.last; chunk++) {
    run_chunk(kept, chunk);
    for (size_t i = 0; i < pass_->reductions.size(); i++) {
      const Reduction &r = pass_->reductions[i];
      combine_lanes(r, lanes_[i], std::min<int64_t>(chunk_length(chunk), r.loops->lanes), columns);
      if (chunks.count() > 1) tree_[i].push(lanes_[i]);
    }
  }
  if (chunks.count() == 1) {
    for (size_t i = 0; i < pass_->reductions.size(); i++) {
      std::memcpy(results[i], lanes_[i], static_cast<size_t>(columns * pass_->reductions[i].loops->accumulator_size));
    }
    return;
  }
  for (size_t i = 0; i < pass_->reductions.size(); i++) tree_[i].finish(results[i]);
}

// Combines a chunk of each sequence into the lanes: row i of the chunk goes to row i % lanes of the accumulators.
void Folder::run_chunk(Range kept, int64_t chunk) noexcept {
  const int64_t first = chunk * kChunk, width = kept.count();
  for (const Range rows : parts_of({first, first + chunk_length(chunk)}, tile_.rows)) {
    for (const Range columns : parts_of(kept, tile_.columns)) {
      const Tile tile = run_.space.tile(rows, columns);
      const Range below = {rows.last, std::min(rows.last + rows.count(), cut_.sequence)};
      worker_->load(tile);
      if (below.count() > 0) worker_->prefetch(run_.space.tile(below, columns));
      worker_->compute(0, static_cast<int>(pass_->code.size()), tile.elements());
      for (size_t i = 0; i < pass_->reductions.size(); i++) {
        const Reduction &r = pass_->reductions[i];
        r.loops->columns(lanes_[i] + (columns.first - kept.first) * r.loops->accumulator_size, width,
                         worker_->value(r.src), tile.rows, tile.columns, worker_->pitch(r, tile), tile.row);
      }
      worker_->store(tile);
    }
  }
}

// Does the same as gpo::combine_lanes, for `columns` sequences at once: combines the first `present` rows of lanes into
// the first row.
void Folder::combine_lanes(const Reduction &r, char *lanes, int64_t present, int64_t columns) const noexcept {
  for (int64_t s = r.loops->lanes / 2; s > 0; s /= 2) {
    const int64_t both = std::min(s, present - s);
    if (both > 0) r.loops->combine(lanes, lanes + s * columns * r.loops->accumulator_size, both * columns);
  }
}

}  // namespace gpuopt::cpu
