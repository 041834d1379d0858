// plugins/cpu/linalg/linalg.h -- factorizations, systems of equations, eigenvalues and singular values of stacks of
// matrices: the slot `linalg`, as specified at GPUOPT_CALL_CHOLESKY and following.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Takes any strides. Throws plugin::Failure (ERR_TYPE, ERR_SHAPE, ERR_INDEX, ERR_UNSUPPORTED, ERR_OUT_OF_MEMORY);
// nothing has been written then.
void run_linalg(const gpuopt_call &call);

}  // namespace gpuopt::cpu
