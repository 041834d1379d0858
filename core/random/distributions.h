// core/random/distributions.h -- numbers of a gpuopt_distribution.
#pragma once
#include "core/random/random.h"

namespace gpuopt::random {

// Returns what gpuopt_generator_draw says, of any generator. `what` names the calling function.
ArrayRef distribution(const Stream &stream, gpuopt_distribution which, std::span<const gpuopt_array> parameters,
                      gpuopt_dtype dtype, std::span<const int64_t> shape, const char *what);

}  // namespace gpuopt::random
