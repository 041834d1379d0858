// plugins/cpu/fft/fft.h -- Fourier transforms along an axis: the slot `fft`, as specified at GPUOPT_CALL_FFT and
// following.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Takes any strides; `level` is the instruction set level whose loops run. Throws plugin::Failure (ERR_TYPE, ERR_SHAPE,
// ERR_UNSUPPORTED, ERR_OUT_OF_MEMORY); nothing has been written then.
void run_fft(const gpuopt_call &call, int level);

}  // namespace gpuopt::cpu
