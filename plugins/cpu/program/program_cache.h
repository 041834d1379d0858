// plugins/cpu/program/program_cache.h -- plans of the programs this thread ran lately.
#pragma once

#include "plugins/cpu/program/program_plan.h"

namespace gpuopt::cpu {

// The plan of `program`, made now if this thread does not have it; NULL with `error` filled if there is none. It stays
// valid until the next call on this thread. A cache per thread needs no lock, and a plan costs microseconds.
const Plan *find_plan(const gpuopt_program &program, int level, plugin::ProgramError &error) noexcept;

}  // namespace gpuopt::cpu
