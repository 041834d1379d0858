// tests/kernels/programs/cuda_half.h -- this project's 16-bit floats in place of cuda_fp16.h and cuda_bf16.h on hosts,
// for the programs that run.py runs.
#pragma once

#include "tests/kernels/programs/cuda_runtime.h"

// Named by functions of the types that only kernels call.
inline unsigned short atomicCAS(unsigned short *, unsigned short, unsigned short) { return abort(), 0; }
template <class T>
T __ldg(const T *address) {
  return *address;
}
#pragma push_macro("__CUDACC__")
#undef __CUDACC__
#include "plugins/shared/words/numbers/half.h"
#pragma pop_macro("__CUDACC__")
using gpuopt_kernel::half;
using gpuopt_kernel::half2;
using gpuopt_kernel::nv_bfloat16;
using gpuopt_kernel::nv_bfloat162;
