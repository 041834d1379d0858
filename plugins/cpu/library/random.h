// plugins/cpu/library/random.h -- the slot `random`, as specified in random_call.h.
//
// Elements drawn by Philox are independent of each other and are drawn in parallel. MT19937 is one sequence of words:
// the generator advances serially, and elements are computed from the words in parallel. PCG64 has uniform float64 and
// weighted choices alone, and is drawn serially.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Draws as the call says, and advances its state. The numbers do not depend on the level or on the number of threads.
// Throws plugin::Failure; the state is unchanged then. The second function is for tests, with a level that this
// processor supports.
void run_random(const gpuopt_call &call);
void run_random_at_level(const gpuopt_call &call, int level);

}  // namespace gpuopt::cpu
