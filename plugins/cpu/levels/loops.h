// plugins/cpu/levels/loops.h -- the precompiled loops: one table per instruction set level.
//
// A loop processes n contiguous elements. Its result may be at the same address as a source of the same element size,
// and otherwise overlaps no source. Pointers are aligned to their element type. Loops neither allocate nor throw.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include "plugins/cpu/levels/fft_loops.h"
#include "plugins/cpu/levels/random_loops.h"
#include "plugins/shared/program/program_check.h"

namespace gpuopt::cpu {

using Loop = void (*)(void *out, const void *a, const void *b, const void *c, int64_t n);

// The loops of an operation in one dtype; all NULL if it has none. scalar_b and scalar_a take a single element for
// source b or a; NULL if the operation has no such loops.
struct ElementwiseLoops {
  Loop vector, scalar_b, scalar_a;
};

// Reduces nrows chunks of `length` elements, as ReductionLoops::rows() would, which it computes itself: element i of
// chunk r from x[r * length + i], or from that and y[r * length + i].
using SourceLoop = void (*)(void *out, const void *x, const void *y, int64_t nrows, int64_t length);
struct SourceLoops {
  SourceLoop products;                     // x * y; sums of floats and doubles
  SourceLoop without_nan;                  // x, or 0 where it is NaN; sums of floats and doubles
  SourceLoop from_float16, from_bfloat16;  // x, converted to float; extremes
};

inline constexpr int32_t kMostAccumulator = 16;  // bytes of the largest accumulator of a reduction

// The loops of a reduction of one dtype, in the fixed shape of gpuopt_plugin.h. Accumulators have accumulator_size
// bytes. `first` is the position in the sequence of the first element that is passed; only argmin and argmax need it in
// rows().
struct ReductionLoops {
  // Reduces nrows chunks: out[r] becomes the result of the `length` elements from x[r * pitch] on, combined over lanes;
  // 1 <= length <= GPUOPT_CHUNK. Row r begins at position first + r * step of its sequence. If step is GPUOPT_CHUNK,
  // the rows are chunks of one sequence whose results will be combined. Then each row's extreme may be that of all
  // rows, and for a chunk that cannot contain the result, since an earlier row has a better or an equal extreme, argmin
  // and argmax may give the position of its first element instead of that of its extreme.
  void (*rows)(void *out, const void *x, int64_t nrows, int64_t length, int64_t pitch, int64_t first, int64_t step);
  // Combines nrows consecutive elements, all of one chunk, of ncolumns sequences side by side into `lanes` rows of
  // accumulators: x[r * pitch + c] goes to acc[lane * acc_pitch + c]. The first elements of a chunk set their lanes.
  void (*columns)(void *acc, int64_t acc_pitch, const void *x, int64_t nrows, int64_t ncolumns, int64_t pitch,
                  int64_t first);
  // acc[i] = combine(acc[i], later[i])
  void (*combine)(void *acc, const void *later, int64_t n);
  // Combines `count` rows of n accumulators by pairing neighbouring rows in rounds. The result is in the first row.
  void (*join)(void *acc, int64_t count, int64_t n);
  // Computes result[i] from acc[i]. NULL if the accumulator is the result.
  void (*finish)(void *result, const void *acc, int64_t n);
  // Sets acc[i] to the result for no elements.
  void (*identity)(void *acc, int64_t n);
  int32_t accumulator_size;
  int32_t result_dtype;
  int32_t lanes;       // rows of accumulators of columns(): GPUOPT_LANES, or 1 if any order gives the same bits
  SourceLoops source;  // NULL where there is no such loop
  // Does what rows() of the minimum and rows() of the maximum do for nrows chunks of GPUOPT_CHUNK elements that follow
  // each other in one sequence, and reads them once. Returns false if one of them is NaN; the results are undefined
  // then. NULL for all but minima and maxima of floats and doubles.
  bool (*extremes)(void *minimum, void *maximum, const void *x, int64_t nrows);
};

// The loops of a scan of one dtype. Totals have the type of the result.
struct ScanLoops {
  // Scans nrows chunks, which follow each other; each has `length` <= GPUOPT_CHUNK elements. `carry` is the combination
  // of the chunks before in the sequence, or NULL for a first chunk; with nrows > 1 it is NULL. totals[r] becomes the
  // total of chunk r alone.
  void (*rows)(void *out, void *totals, const void *x, int64_t nrows, int64_t length, const void *carry);
  // Scans nrows consecutive elements of ncolumns sequences side by side, from position `index` of their chunk on.
  // `block` and `prefix` are rows of state, kept by the caller between calls for one chunk: the combination inside the
  // current block of GPUOPT_LANES elements, and that of the blocks before it.
  void (*columns)(void *out, void *block, void *prefix, const void *x, int64_t nrows, int64_t ncolumns, int64_t index,
                  const void *carry);
  // acc[i] = combine(acc[i], later[i])
  void (*combine)(void *acc, const void *later, int64_t n);
  int32_t result_size;
  int32_t result_dtype;
};

// Loops over unsigned keys that are sorted.
template <typename K>
struct KeyLoops {
  // Sorts n keys at x in ascending order, to there or to `other`, which has memory for as many and is overwritten.
  void (*sort)(K *x, K *other, int64_t n, bool into_other);
  // Finds the buckets of n keys by a search tree of so many levels: node i, from 1 on, has the children 2 i and 2 i +
  // 1, of which the second is for keys that are not below tree[i]. Buckets are the nodes below the last level.
  void (*find_buckets)(const K *x, int64_t n, const K *tree, int levels, uint8_t *buckets);
};

struct LoopTable {
  ElementwiseLoops elementwise[GPUOPT_OP_COUNT][GPUOPT_DTYPE_COUNT];  // by loop dtype
  uint8_t elementwise_result[GPUOPT_OP_COUNT][GPUOPT_DTYPE_COUNT];    // dtype of the result; 0 if there is no loop
  Loop cast[GPUOPT_DTYPE_COUNT][GPUOPT_DTYPE_COUNT];                  // [from][to]
  ReductionLoops reduction[GPUOPT_REDUCTION_COUNT][GPUOPT_DTYPE_COUNT];
  ScanLoops scan[GPUOPT_SCAN_COUNT][GPUOPT_DTYPE_COUNT];
  RandomLoops random;
  FftLoops fft_float32, fft_float64;
  KeyLoops<uint32_t> keys4;  // NULL at levels without vectors for them
  KeyLoops<uint64_t> keys8;
};

// Returns the table of an instruction set level (2, 3 or 4), which is built at the first call. Other architectures have
// one set of loops for all levels.
const LoopTable &loop_table(int level) noexcept;

// Returns which loops the tables have, for the check of programs. All levels have the same.
const plugin::LoopResults &loop_results() noexcept;

}  // namespace gpuopt::cpu
