// plugins/cpu/library/random.h -- the slot `random`; see random_call.h for what it is asked.
//
// Philox elements are independent of each other and drawn in parallel. MT19937 is one sequence: it is stepped in order,
// and what follows from its words is computed in parallel. PCG64, offered for uniform float64 and weighted choices, is
// drawn in order.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// The numbers do not depend on the level or on the number of threads. The state changes only with success.
void run_random(const gpuopt_call &call);
void run_random_at_level(const gpuopt_call &call, int level);

}  // namespace gpuopt::cpu
