// plugins/cpu/program/program_run.h -- the drivers of the three kinds of program, and what they share.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include "plugins/cpu/program/program_plan.h"
#include "plugins/cpu/program/tile_worker.h"

namespace gpuopt::cpu {

// The calling thread's block of scratch memory. It stays allocated between runs, so that repeated runs need not
// allocate.
class ThreadScratch {
 public:
  // Returns at least `bytes` bytes, aligned to 64; NULL if there is no memory. Invalidates the block of earlier calls
  // on this thread.
  static char *reserve(const gpuopt_host_api *host, int64_t bytes) noexcept;
  // Frees the block if it is larger than 16 MiB.
  static void trim() noexcept;
};

// The drivers of elementwise, reduction and scan programs. They return false if there is no scratch memory; nothing has
// been written then.
bool run_elementwise(Run &run, const gpuopt_host_api *host) noexcept;
bool run_reduction(Run &run, const gpuopt_host_api *host) noexcept;
bool run_scan(Run &run, const gpuopt_host_api *host) noexcept;

// Runs an elementwise program of at most 256 elements, or 4096 if it only stores constants, or one loop's work on one
// thread, or a program that reduces all of at most 256 elements, if every operand is contiguous or, for an input, a
// single element; `done` then becomes what the drivers return. `compiled` is as in Run. Returns false, and does
// nothing, if the program does not qualify.
bool run_small(const gpuopt_program &program, const Plan &plan, const TierCode *compiled,
               const plugin::ProgramSize &size, const gpuopt_host_api *host, bool &done) noexcept;

// Returns how many elements a tile may have for the values of a pass to fit into a first-level cache of 32 KiB: a power
// of two from 256 to 2048.
int64_t tile_elements(const Pass &pass) noexcept;

// Returns the bytes of an element of the widest operand of a pass; at least 1.
int64_t widest_operand(const Pass &pass) noexcept;

// Bytes that the widest operand has in a tile of one row, if one loop reads and writes all operands where they are. The
// hardware prefetchers start anew with each loop, so that loops over shorter tiles wait for memory more often.
constexpr int64_t kLongTileBytes = 128 << 10;

// Estimated nanoseconds of work: below kParallelCost it does not pay to wake other threads, and tasks much shorter than
// kTaskCost are not worth their scheduling.
constexpr double kParallelCost = 30e3, kTaskCost = 25e3;

}  // namespace gpuopt::cpu
