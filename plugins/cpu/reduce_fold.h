// plugins/cpu/reduce_fold.h -- one thread's part of a reducing pass: tiles in, chunk results out, in the fixed cut.
#pragma once

#include "plugins/cpu/program_plan.h"
#include "plugins/cpu/sequence_cut.h"
#include "plugins/cpu/tile_worker.h"

namespace gpuopt::cpu {

class Folder {
 public:
  static int64_t bytes_needed(const Plan &plan, const SequenceCut &cut) noexcept;
  Folder(char *memory, const Run &run, const SequenceCut &cut) noexcept;

  Worker &worker() noexcept { return *worker_; }

  // Evaluates a full pass for some kept indices and chunks. results[i] takes the partial results of the pass's
  // reduction i, one per kept index.
  void run(const Pass &pass, Range kept, Range chunks, char *const *results) noexcept;

 private:
  // Chunk results on their way up the tree; n of them side by side.
  class Tree {
   public:
    void begin(const ReductionLoops &loops, char *memory, int64_t n) noexcept;
    void push(const char *chunk_result) noexcept;
    void finish(char *result) noexcept;

   private:
    char *slot(int i) const noexcept { return memory_ + i * n_ * loops_->accumulator_size; }
    void merge() noexcept;

    const ReductionLoops *loops_;
    char *memory_;
    int64_t n_, chunk_;
    int depth_;
  };

  void run_rows(const Pass &pass, Range kept, char *const *results) noexcept;
  void run_long_row(const Pass &pass, int64_t row, Range chunks, char *const *results, int64_t at) noexcept;
  void run_columns(const Pass &pass, Range kept, Range chunks, char *const *results) noexcept;
  void fold_columns(const Reduction &reduction, char *lanes, const Tile &tile) const noexcept;
  void combine_lanes(const Reduction &reduction, char *lanes, int64_t present, int64_t columns) const noexcept;
  void begin_trees(const Pass &pass, int64_t width) noexcept;
  void evaluate(const Tile &tile) noexcept;
  int64_t chunk_length(int64_t chunk) const noexcept;

  Worker *worker_;
  const SequenceCut &cut_;
  char *memory_;  // of lanes and trees
  const Pass *pass_ = nullptr;
  Tree tree_[GPUOPT_PROGRAM_MAX_STEPS];
  char *lanes_[GPUOPT_PROGRAM_MAX_STEPS];
};

}  // namespace gpuopt::cpu
