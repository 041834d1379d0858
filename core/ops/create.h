// core/ops/create.h -- what other operations create.
#pragma once
#include "core/engine/expression.h"

namespace gpuopt {

// Returns the int64 numbers 0, 1, .. n-1. They are a cumulative sum of ones, less 1, since programs have no step for
// them.
Value iota(gpuopt_stream stream, int64_t n);
// Returns `num` numbers at equal distances, computed in float64: gpuopt_linspace(). `dtype` 0 is float64.
ArrayRef linspace(gpuopt_stream stream, gpuopt_dtype dtype, double start, double stop, int64_t num, bool endpoint);

}  // namespace gpuopt
