// plugins/cuda/library/fast_linalg.h -- decompositions by cuSOLVER, where GPUOPT_LINALG is fast: results of the same
// meaning as those of our own algorithms, signs and phases of vectors apart, and other bits.
#pragma once

#include "plugins/cuda/library/library.h"

namespace gpuopt::cuda {

// Whether a call of slot linalg may be left to cuSOLVER: there is a function for its kind, and its matrices are not so
// small that the way there is not worth it. Systems of triangular equations and eigenvalues of general matrices are not
// among the kinds.
bool is_for_cusolver(const gpuopt_call &call) noexcept;

// Computes the matrices of such a call one after the other, and sets ints[0]. The context is current. Throws
// ERR_UNSUPPORTED, with what was tried, if there is no cuSOLVER that works here.
void run_fast_linalg(const Work &work, const gpuopt_call &call);

}  // namespace gpuopt::cuda
