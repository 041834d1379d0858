// plugins/cpu/program/reduce_fold.cpp -- see reduce_fold.h.
#include "plugins/cpu/program/reduce_fold.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "plugins/shared/reduce_shape.h"

namespace gpuopt::cpu {
namespace {

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

void Folder::bind(const Pass &pass, char *const *kept) noexcept {
  pass_ = &pass;
  fuses_products_ = cut_.rows && cut_.chunks > 1 && Worker::sums_products_in_place(run_, pass);
  const bool wide = Worker::reduces_in_place(run_, pass) || (fuses_products_ && cut_.wide.rows == 1);
  tile_ = wide ? cut_.wide : cut_.tile;
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
    if (fuses_products_) {
      worker_->load(tile);
      fold_products(lanes_[0], tile);
    } else {
      evaluate(tile);
    }
    for (size_t i = 0; i < pass_->reductions.size(); i++) {
      if (!fuses_products_) fold_chunks(pass_->reductions[i], lanes_[i], tile);
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

// Does the same as computing the products of a tile of one row, and fold_chunks().
void Folder::fold_products(char *results, const Tile &tile) const noexcept {
  const Reduction &r = pass_->reductions[0];
  const Instruction &product = pass_->code[0];
  const char *const x = worker_->value(product.src[0]), *const y = worker_->value(product.src[1]);
  const int64_t whole = tile.columns / kChunk, done = whole * kChunk, left = tile.columns - done;
  if (whole > 0) r.loops->products(results, x, y, whole, kChunk);
  char *const last = results + whole * r.loops->accumulator_size;
  if (left > 0) r.loops->products(last, x + done * r.src_size, y + done * r.src_size, 1, left);
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
