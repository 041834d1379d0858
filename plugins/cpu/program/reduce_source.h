// plugins/cpu/program/reduce_source.h -- passes whose elements a reduction can compute while it reads their inputs.
#pragma once

#include "plugins/cpu/program/tile_worker.h"

namespace gpuopt::cpu {

// What a reduction reads in place of the elements of its source: those of the values x and y, with `size` bytes each.
// `loop` is NULL if the pass has to store these elements first.
struct ReduceSource {
  SourceLoop loop = nullptr;
  uint16_t x = 0, y = 0;
  int64_t size = 0;
};

// Recognizes passes that do nothing but reduce what one of SourceLoops computes from inputs whose rows are contiguous:
// sums of products or of what is not NaN, and extremes of numbers in half precision. Tiles of one row need neither
// registers nor copies then, and may have any number of columns.
ReduceSource find_reduce_source(const Run &run, const Pass &pass) noexcept;

}  // namespace gpuopt::cpu
