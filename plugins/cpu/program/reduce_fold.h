// plugins/cpu/program/reduce_fold.h -- one thread's part of a full pass that reduces: evaluates tiles and combines
// their elements in the fixed shape of reductions (sequence_cut.h).
#pragma once

#include <algorithm>

#include "plugins/cpu/program/program_plan.h"
#include "plugins/cpu/program/reduce_source.h"
#include "plugins/cpu/program/sequence_cut.h"
#include "plugins/cpu/program/tile_worker.h"

namespace gpuopt::cpu {

// Returns the number of rows of accumulators that sequences of this length fill where they lie side by side.
inline int64_t filled_lanes(const ReductionLoops &loops, int64_t sequence) {
  return std::clamp<int64_t>(sequence, 1, loops.lanes);
}

// Used by one thread at a time.
class Folder {
 public:
  // Returns the bytes of memory that a Folder needs for any pass of `plan`. The memory belongs to the caller and is
  // aligned to 64 bytes.
  static int64_t bytes_needed(const Plan &plan, const SequenceCut &cut) noexcept;
  Folder(char *memory, const Run &run, const SequenceCut &cut) noexcept;

  Worker &worker() noexcept { return *worker_; }

  // Prepares for a pass. kept[i] is the address of kept value i for kept index 0.
  void bind(const Pass &pass, char *const *kept) noexcept;
  bool is_bound_to(const Pass &pass) const noexcept { return worker_->is_bound_to(pass); }

  // Evaluates the bound pass for some kept indices and chunks, which are a group of cut.group chunks or a part of one:
  // chunks.first is a multiple of cut.group. results[i] receives the accumulators of reduction i, one per kept index of
  // `kept`.
  void run(Range kept, Range chunks, char *const *results) noexcept;

 private:
  // Combines results of chunks in the fixed tree while they arrive one by one, as a stack of the subtrees that are
  // complete. Push number p, counted from 0, is followed by as many merges of the top two as p has trailing 1 bits. For
  // five chunks p0 .. p4 the stack becomes
  //   p0 | p0+p1 | p0+p1, p2 | (p0+p1)+(p2+p3) | (p0+p1)+(p2+p3), p4
  // and finish() merges what is left, from the top. What is pushed may also be the combined results of 2^k chunks each
  // (the last push: of fewer). Each entry has accumulators for n sequences side by side.
  class Tree {
   public:
    void begin(const ReductionLoops &loops, char *memory, int64_t n) noexcept;
    void push(const char *result) noexcept;
    void finish(char *result) noexcept;

   private:
    char *slot(int i) const noexcept { return memory_ + i * n_ * loops_->accumulator_size; }
    void merge() noexcept;

    const ReductionLoops *loops_;
    char *memory_;
    int64_t n_, pushed_;
    int depth_;
  };

  void run_rows(Range kept, char *const *results) noexcept;
  void run_long_rows(Range rows, Range chunks, char *const *results, int64_t at) noexcept;
  void fold_chunks(const Reduction &reduction, char *results, const Tile &tile) const noexcept;
  void fold_rows_apart(const Reduction &reduction, char *results, const Tile &tile) const noexcept;
  void fold_adjacent_rows(const Reduction &reduction, char *results, const Tile &tile) const noexcept;
  void fold_source(char *results, const Tile &tile) const noexcept;
  bool are_extremes(const Pass &pass) const noexcept;
  bool fold_extremes(const Tile &tile) const noexcept;
  int64_t cached_columns(const Pass &pass) const noexcept;
  bool may_be_decided_early() const noexcept;
  void run_columns(Range kept, Range chunks, char *const *results) noexcept;
  bool combines_in_place() const noexcept;
  void run_short_columns(Range kept, char *const *results) noexcept;
  void combine_rows(const Reduction &reduction, char *lanes, const Tile &tile, char *result) const noexcept;
  void run_chunk(Range kept, int64_t chunk) noexcept;
  void combine_lanes(const Reduction &reduction, char *lanes, int64_t present, int64_t columns) const noexcept;
  void begin_trees(int64_t width) noexcept;
  void evaluate(const Tile &tile) noexcept;
  int64_t chunk_length(int64_t chunk) const noexcept;

  const Run &run_;
  Worker *worker_;
  const SequenceCut &cut_;
  char *memory_;  // lanes and trees of all reductions
  const Pass *pass_ = nullptr;
  TileShape tile_ = {};
  bool finds_extremes_ = false;  // the pass finds both extremes of an input, which are found together
  ReduceSource source_;          // of sequences of several chunks, whose elements need not be stored
  Tree tree_[GPUOPT_PROGRAM_MAX_STEPS];
  char *lanes_[GPUOPT_PROGRAM_MAX_STEPS];
};

}  // namespace gpuopt::cpu
