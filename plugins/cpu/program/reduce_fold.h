// plugins/cpu/program/reduce_fold.h -- one thread's part of a reducing pass: tiles in, chunk results out, in the fixed
// cut.
#pragma once

#include "plugins/cpu/program/program_plan.h"
#include "plugins/cpu/program/sequence_cut.h"
#include "plugins/cpu/program/tile_worker.h"

namespace gpuopt::cpu {

class Folder {
 public:
  static int64_t bytes_needed(const Plan &plan, const SequenceCut &cut) noexcept;
  Folder(char *memory, const Run &run, const SequenceCut &cut) noexcept;

  Worker &worker() noexcept { return *worker_; }

  void bind(const Pass &pass, char *const *kept) noexcept;
  bool is_bound_to(const Pass &pass) const noexcept { return worker_->is_bound_to(pass); }

  // Evaluates the bound pass for some kept indices and chunks: the first chunk's number is a multiple of cut.group, and
  // no more than a group of them. results[i] takes the partial results of reduction i, one per kept index.
  void run(Range kept, Range chunks, char *const *results) noexcept;

 private:
  // Results of chunks, or of equal groups of them, on their way up the tree; n of them side by side.
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
  bool may_be_decided_early() const noexcept;
  void run_columns(Range kept, Range chunks, char *const *results) noexcept;
  void run_chunk(Range kept, int64_t chunk) noexcept;
  void combine_lanes(const Reduction &reduction, char *lanes, int64_t present, int64_t columns) const noexcept;
  void begin_trees(int64_t width) noexcept;
  void evaluate(const Tile &tile) noexcept;
  int64_t chunk_length(int64_t chunk) const noexcept;

  const Run &run_;
  Worker *worker_;
  const SequenceCut &cut_;
  char *memory_;  // of lanes and trees
  const Pass *pass_ = nullptr;
  TileShape tile_ = {};
  Tree tree_[GPUOPT_PROGRAM_MAX_STEPS];
  char *lanes_[GPUOPT_PROGRAM_MAX_STEPS];
};

}  // namespace gpuopt::cpu
