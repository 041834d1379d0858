// plugins/shared/program/stages.h -- when each value of a program is computed, and until when it is read.
//
// The stage of a step is the largest number of REDUCE steps on a path that ends before it; pass p computes what stage p
// needs (gpuopt_plugin.h, "Passes").
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <algorithm>
#include <cstdint>

namespace gpuopt::plugin {

// Sets stage[v] for each of the steps.
inline void find_step_stages(const gpuopt_step *steps, int nsteps, int *stage) noexcept {
  for (int v = 0; v < nsteps; v++) {
    stage[v] = 0;
    for (int k = 0; k < steps[v].nsrc; k++) {
      const int u = steps[v].src[k];
      stage[v] = std::max(stage[v], stage[u] + (steps[u].kind == GPUOPT_STEP_REDUCE));
    }
  }
}

// For each step: its stage, the last pass that needs its value, and whether the value is needed for each index of the
// whole iteration space.
struct Lifetimes {
  int stage[GPUOPT_PROGRAM_MAX_STEPS], last_pass[GPUOPT_PROGRAM_MAX_STEPS];
  bool read_full[GPUOPT_PROGRAM_MAX_STEPS];
};

inline void find_lifetimes(const gpuopt_step *steps, int nsteps, Lifetimes &found) noexcept {
  find_step_stages(steps, nsteps, found.stage);
  std::fill_n(found.last_pass, nsteps, 0);
  std::fill_n(found.read_full, nsteps, false);
  for (int v = nsteps - 1; v >= 0; v--) {
    const gpuopt_step &step = steps[v];
    const bool ends = step.kind == GPUOPT_STEP_OUTPUT || step.kind == GPUOPT_STEP_REDUCE;
    const int pass = ends ? found.stage[v] : found.last_pass[v];
    const bool full = step.kind == GPUOPT_STEP_REDUCE || step.level == GPUOPT_LEVEL_FULL || found.read_full[v];
    for (int k = 0; k < step.nsrc; k++) {
      const int u = step.src[k];
      found.last_pass[u] = std::max(found.last_pass[u], pass);
      found.read_full[u] |= full;
    }
  }
}

}  // namespace gpuopt::plugin
