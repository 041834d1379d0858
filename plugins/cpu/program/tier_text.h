// plugins/cpu/program/tier_text.h -- the code of a recorded program as CUDA C++, for libgpuopt_jit: one loop over a
// tile in place of one per instruction.
#pragma once

#include <string>

#include "plugins/cpu/program/program_plan.h"

namespace gpuopt::cpu {

// The kernel's name, and its parameters: (int entry, void *const *values, long long n) runs the instructions of that
// entry (Pass::entry) over the first n elements of the values, which are found by step. Constants are single elements.
// Written are only values that something outside of the entry reads.
inline constexpr char kTierKernel[] = "gpuopt_tier";

// The definitions are those of the precompiled loops (plugins/shared/ops), and so are the bits.
std::string tier_text(const Plan &plan);

}  // namespace gpuopt::cpu
