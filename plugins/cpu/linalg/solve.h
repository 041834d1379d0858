// plugins/cpu/linalg/solve.h -- systems of equations with stacks of matrices.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// SOLVE, SOLVE_LU and SOLVE_TRIANGULAR. The call has been checked (linalg.cpp), and has results with elements.
void run_solve(const gpuopt_call &call);

}  // namespace gpuopt::cpu
