// plugins/cpu/program/program_cache.h -- a cache of plans for each thread.
#pragma once

#include "plugins/cpu/program/program_plan.h"

namespace gpuopt::cpu {

// Returns the plan of `program` for the loops of instruction set level `level`, making it on a miss; NULL with `error`
// filled if the steps are malformed or unsupported, or memory runs out. The cache owns the plan, which stays valid
// until the next call on this thread. Each thread has a cache of its own, which needs no lock; making a plan takes
// microseconds.
const Plan *find_plan(const gpuopt_program &program, int level, plugin::ProgramError &error) noexcept;

}  // namespace gpuopt::cpu
