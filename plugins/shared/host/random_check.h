// plugins/shared/host/random_check.h -- what a call of the slot `random` must bring.
#pragma once

#include <gpuopt/random_call.h>

#include "plugins/shared/host/tensor.h"

namespace gpuopt::plugin {

constexpr int kRandomDistributions = GPUOPT_RANDOM_PERMUTATION + 1;

// The least number of tensors (with the output), integers and doubles of a call, by distribution.
struct RandomNeeds {
  int32_t ntensors, nints, nfloats;
};
constexpr RandomNeeds kRandomNeeds[kRandomDistributions] = {
    {}, {1, 1, 2}, {1, 1, 2}, {1, 1, 1}, {1, 3, 0}, {2, 1, 0}, {3, 1, 0}, {1, 1, 0},
};

inline bool is_vector(const gpuopt_tensor &tensor, int32_t dtype, int64_t least) noexcept {
  return tensor.dtype == dtype && tensor.ndim == 1 && tensor.shape[0] >= least;
}

// Returns what is wrong with a call of a known distribution whose output is not empty; NULL if nothing is.
inline const char *find_bad_argument(const gpuopt_call &call) noexcept {
  const int64_t distribution = call.ints[0];
  const RandomNeeds &needs = kRandomNeeds[distribution];
  const gpuopt_tensor *const t = call.tensors;
  if (call.ntensors < needs.ntensors) return "a tensor is missing";
  if (call.nints < needs.nints || call.nfloats < needs.nfloats) return "a parameter is missing";
  if (needs.ntensors > 1 && !is_vector(t[1], t[0].dtype, 1)) return "the table is not 1-d, empty or of another dtype";
  if (needs.ntensors > 2 && !is_vector(t[2], GPUOPT_FLOAT64, t[1].shape[0])) return "the cdf does not fit the table";
  if (distribution == GPUOPT_RANDOM_PERMUTATION && t[0].ndim != 1) return "a permutation is not 1-d";
  return nullptr;
}

}  // namespace gpuopt::plugin
