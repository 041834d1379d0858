// plugins/cpu/program_check.h -- whether the steps of a program are well formed and have loops.
#pragma once

#include "plugins/cpu/program_plan.h"

namespace gpuopt::cpu {

// Malformed programs are ERR_INTERNAL, well-formed ones without loops here ERR_UNSUPPORTED.
PlanError check_steps(const gpuopt_program &program, const LoopTable &table);

}  // namespace gpuopt::cpu
