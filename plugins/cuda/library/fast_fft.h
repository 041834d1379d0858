// plugins/cuda/library/fast_fft.h -- transforms by cuFFT, where GPUOPT_FFT is fast: the same sums in another order.
#pragma once

#include "plugins/cuda/library/library.h"

namespace gpuopt::cuda {

// Does a call of slot fft that has been checked and is not empty. Returns whether it did: not if GPUOPT_FFT is not
// fast, if there is no cuFFT that works here, or if it takes no lines of that length, which is logged. The context is
// current.
bool run_fast_fft(const Work &work, const gpuopt_call &call);

}  // namespace gpuopt::cuda
