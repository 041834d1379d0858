// plugins/shared/user/raw.h -- what stands before a raw kernel's text: the names of types; built-in variables are the
// compiler's
#ifndef GPUOPT_PLUGINS_SHARED_USER_RAW_H_
#define GPUOPT_PLUGINS_SHARED_USER_RAW_H_

#include "plugins/shared/user/signature.h"
#include "plugins/shared/user/types.h"

// What core/kernels/text/kernel_text.cpp writes in place of `alignas` behind `__shared__`, where NVIDIA's compiler
// takes it and C++, by whose grammar it would stand in front, does not.
#if defined(__clang__)
#define gpuopt_alignas(...) _Alignas(__VA_ARGS__)
#else
#define gpuopt_alignas(...) alignas(__VA_ARGS__)
#endif

// C++17 has no `register` any more, and nvcc ignores it. Clang is told so by an option.
#if defined(GPO_USES_register) && defined(__CUDACC_RTC__) && !defined(__clang__)
#define register
#endif
// NVIDIA's run-time compiler refuses functions that are marked for the host alone, which nvcc only leaves out of the
// device's code. As on the CPU, the mark means nothing.
#if defined(GPO_USES___host__) && defined(__CUDACC_RTC__) && !defined(__clang__)
#undef __host__
#define __host__
#endif
// A keyword of GCC's, which nvcc takes.
#if defined(GPO_USES___const__) && defined(__CUDACC_RTC__) && !defined(__clang__)
#define __const__ const
#endif

#endif  // GPUOPT_PLUGINS_SHARED_USER_RAW_H_
