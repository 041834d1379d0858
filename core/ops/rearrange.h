// core/ops/rearrange.h -- elements moved along axes.
#pragma once
#include "core/array/array.h"

namespace gpuopt {

// Returns x rolled: gpuopt_roll.
ArrayRef roll(gpuopt_array x, int32_t count, const int64_t *shifts, const int64_t *axes);

}  // namespace gpuopt
