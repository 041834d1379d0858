// plugins/cpu/random/random_elements.h -- the distributions of plugins/shared/distributions, whose numbers are drawn
// one by one.
//
// MT19937 and PCG64 are drawn serially. Philox draws elements, or rows, in parallel, each from blocks of its own.
#pragma once

#include <gpuopt/gpuopt_plugin.h>
#include <gpuopt/random_call.h>

namespace gpuopt::cpu {

// Whether draw_elements() draws the call: distributions from GPUOPT_RANDOM_DISTRIBUTION on, and those before it by
// PCG64.
bool draws_by_element(const gpuopt_call &call) noexcept;

// Draws a call whose state and output have been checked, with n >= 1 elements, and advances the state. Throws
// plugin::Failure if the generator does not offer the distribution or the dtype, or an argument is missing; the state
// is unchanged then.
void draw_elements(const gpuopt_call &call, int64_t n);

}  // namespace gpuopt::cpu
