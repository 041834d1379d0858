// plugins/cpu/fft/fft_mkl.h -- transforms by MKL, where GPUOPT_FFT is fast: the same sums in another order.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include "plugins/shared/host/walk.h"

namespace gpuopt::cpu {

// Does a call of slot fft that has been checked; `others` walks along the axes but that of the transform, and is not
// empty. Returns whether it did: not if GPUOPT_FFT is not fast, if the BLAS library in use (blas.h) is not MKL, if the
// elements lie in a way that MKL's descriptors cannot say, or if MKL refuses, which is logged. Safe from any threads.
bool run_mkl_fft(const gpuopt_call &call, const plugin::Walk<2> &others);

}  // namespace gpuopt::cpu
