// plugins/cpu/fft/fft_rows.h -- transforms of complex numbers: several side by side, or one that is cut.
#pragma once

#include <cstdint>

#include "plugins/cpu/fft/fft_plan.h"

namespace gpuopt::cpu {

// Where the elements of some transforms are, `lanes` of them. They are read before results are written, so that both
// may be at the same places.
struct FftCall {
  FftPlaces from, to;
  double scale;
  bool inverse;      // of the transform; the scale is as given
  bool far = false;  // the numbers are likely to be in no cache
};

// Returns whether it takes less time to cut each of `lanes` transforms than to do them side by side; `side_by_side`
// says that their elements lie so in memory.
bool is_better_cut(int32_t dtype, int64_t n, int64_t lanes, bool side_by_side) noexcept;

// Returns the bytes of scratch memory that a transform takes, aligned to kFftRow, with as many workers at once.
int64_t fft_scratch(const FftPlan &plan, int64_t workers) noexcept;

// Transforms from call.from to call.to, at most a block's lanes. With workers > 1 it is parallel by itself.
void transform_fft(const FftPlan &plan, const FftCall &call, char *scratch, int64_t workers) noexcept;

// Transforms n complex numbers side by side, in parallel. Throws ERR_OUT_OF_MEMORY.
void transform_fft_row(const FftPlan &plan, char *from, char *to, double scale);

}  // namespace gpuopt::cpu
