// plugins/cpu/program/program_run.h -- what program.cpp and the drivers of the three kinds of program share.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include "plugins/cpu/program/program_plan.h"
#include "plugins/cpu/program/tile_worker.h"

namespace gpuopt::cpu {

// Memory of the calling thread that is kept from run to run, so that none is allocated in a steady state.
class ThreadScratch {
 public:
  // `bytes` bytes aligned to 64, or NULL. Whatever was reserved before is gone.
  static char *reserve(const gpuopt_host_api *host, int64_t bytes) noexcept;
  // Gives back what is too large to hold on to.
  static void trim() noexcept;
};

// The drivers. False: scratch memory could not be had, and nothing has been written.
bool run_elementwise(Run &run, const gpuopt_host_api *host) noexcept;
bool run_reduction(Run &run, const gpuopt_host_api *host) noexcept;
bool run_scan(Run &run, const gpuopt_host_api *host) noexcept;

// Runs an elementwise pass over `n` elements if they are few and contiguous in every operand; `done` is what the
// drivers return. `compiled` as in Run. False: it is not for this driver, and nothing has been done.
bool run_small(const gpuopt_program &program, const Pass &pass, const TierCode *compiled, int64_t n,
               const gpuopt_host_api *host, bool &done) noexcept;

// Elements per tile that let a pass run in the first-level cache.
int64_t tile_elements(const Pass &pass) noexcept;

// Work below this many (rough) nanoseconds is not worth waking other threads, nor is a task much shorter than
// kTaskCost.
constexpr double kParallelCost = 30e3, kTaskCost = 25e3;

}  // namespace gpuopt::cpu
