// plugins/cpu/program/tier_text.h -- the passes of a program as CUDA C++ for libgpuopt_jit: one loop over a tile
// instead of one for each instruction.
#pragma once

#include <string>

#include "plugins/cpu/program/program_plan.h"

namespace gpuopt::cpu {

// The name of the kernel. Its parameters are (int entry, void *const *values, const long long *pitches, long long rows,
// long long n): it runs the instructions of an entry (Pass::entry) over a tile of some rows of n elements. values[s] is
// the address of the value of step s, and pitches[s] the bytes from one of its rows to the next; a constant is one
// element. Only values that something outside of the entry reads are written. `pitches` is not read for one row.
inline constexpr char kTierKernel[] = "gpuopt_tier";

// Returns the text for all entries of `plan`. It uses the same scalar definitions as the precompiled loops
// (plugins/shared/ops), so the results have the same bits.
std::string tier_text(const Plan &plan);

}  // namespace gpuopt::cpu
