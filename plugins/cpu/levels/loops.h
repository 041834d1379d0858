// plugins/cpu/levels/loops.h -- the precompiled loops: one table per instruction set level.
//
// A loop runs over n contiguous elements. Its result may lie exactly where a source of the same element size lies, and
// otherwise overlaps nothing. Pointers are aligned to their element type. Loops neither allocate nor throw.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include "plugins/cpu/levels/random_loops.h"
#include "plugins/shared/program/program_check.h"

namespace gpuopt::cpu {

using Loop = void (*)(void *out, const void *a, const void *b, const void *c, int64_t n);

// An operation's loops in one dtype; all NULL where it has none. The scalar forms, where there are any, take a single
// element for that source.
struct ElementwiseLoops {
  Loop vector, scalar_b, scalar_a;
};

// A reduction of elements of one dtype, in the fixed shape of gpuopt_plugin.h. Partial results are of one accumulator
// type of accumulator_size bytes. `first` is the position in the sequence of the first element given.
struct ReductionLoops {
  // out[r] = one chunk's result: x[r * pitch .. + length) combined over lanes; 1 <= length <= GPUOPT_CHUNK. Row r is at
  // first + r * step.
  void (*rows)(void *out, const void *x, int64_t nrows, int64_t length, int64_t pitch, int64_t first, int64_t step);
  // Takes nrows consecutive elements, all of one chunk, of ncolumns sequences side by side into `lanes` rows of partial
  // results: x[r * pitch + c] goes to acc[lane * acc_pitch + c]. A chunk's first elements start its lanes.
  void (*columns)(void *acc, int64_t acc_pitch, const void *x, int64_t nrows, int64_t ncolumns, int64_t pitch,
                  int64_t first);
  // acc[i] = combine(acc[i], later[i])
  void (*combine)(void *acc, const void *later, int64_t n);
  // Combines `count` rows of n chunk results pairwise in rounds; the first row takes the outcome.
  void (*join)(void *acc, int64_t count, int64_t n);
  // result[i] from acc[i]; NULL where the accumulator is the result.
  void (*finish)(void *result, const void *acc, int64_t n);
  // acc[i] = the result of reducing nothing.
  void (*identity)(void *acc, int64_t n);
  int32_t accumulator_size;
  int32_t result_dtype;
  int32_t lanes;  // of columns(): GPUOPT_LANES, or 1 where the order of combination is of no consequence
};

// A scan of elements of one dtype; totals are of the result's type.
struct ScanLoops {
  // nrows chunks, each `length` <= GPUOPT_CHUNK consecutive elements, one row after the other. `carry` is the
  // combination of the chunks before, NULL if there is none (always where nrows > 1). totals[r] is the chunk's own
  // total.
  void (*rows)(void *out, void *totals, const void *x, int64_t nrows, int64_t length, const void *carry);
  // nrows consecutive elements, from position `index` of their chunk on, of ncolumns scans side by side. `block` and
  // `prefix` are rows of running state: the combination inside the block and that of the blocks before it.
  void (*columns)(void *out, void *block, void *prefix, const void *x, int64_t nrows, int64_t ncolumns, int64_t index,
                  const void *carry);
  // acc[i] = combine(acc[i], later[i])
  void (*combine)(void *acc, const void *later, int64_t n);
  int32_t result_size;
  int32_t result_dtype;
};

struct LoopTable {
  ElementwiseLoops elementwise[GPUOPT_OP_COUNT][GPUOPT_DTYPE_COUNT];  // by loop dtype
  uint8_t elementwise_result[GPUOPT_OP_COUNT][GPUOPT_DTYPE_COUNT];    // dtype of the result
  Loop cast[GPUOPT_DTYPE_COUNT][GPUOPT_DTYPE_COUNT];                  // [from][to]
  ReductionLoops reduction[GPUOPT_REDUCTION_COUNT][GPUOPT_DTYPE_COUNT];
  ScanLoops scan[GPUOPT_SCAN_COUNT][GPUOPT_DTYPE_COUNT];
  RandomLoops random;
};

// The table of an instruction set level (2, 3, 4; one table for all on other processors). Built at the first call.
const LoopTable &loop_table(int level) noexcept;

// What these tables have, for the check of programs; every level has the same loops.
const plugin::LoopResults &loop_results() noexcept;

}  // namespace gpuopt::cpu
