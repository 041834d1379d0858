// plugins/shared/words/define.h -- macros that make functions of kernels out of definitions for double and float
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_DEFINE_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_DEFINE_H_

#include "plugins/shared/user/functions.h"

// For functions that need not be inlined, and for long ones that should not: NVIDIA's compiler takes seconds otherwise.
#if defined(__CUDACC_RTC__)
#define GPO_WORDS_DEVICE __device__
#define GPO_WORDS_LONG __device__ __noinline__
#else
#define GPO_WORDS_DEVICE
#define GPO_WORDS_LONG
#endif

// Define functions::name as <math.h> has it, and name##f of float, by gpo::words::name.
#define GPO_WORD_UNARY(name)                               \
  namespace gpo::user::functions {                         \
  template <class T>                                       \
  GPO_FN auto name(T x) {                                  \
    return words::name(argument(x));                       \
  }                                                        \
  GPO_FN float name##f(float x) { return words::name(x); } \
  }
#define GPO_WORD_BINARY(name)                                          \
  namespace gpo::user::functions {                                     \
  template <class A, class B>                                          \
  GPO_FN auto name(A a, B b) {                                         \
    using T = common<decltype(argument(a)), decltype(argument(b))>;    \
    return words::name(T(argument(a)), T(argument(b)));                \
  }                                                                    \
  GPO_FN float name##f(float a, float b) { return words::name(a, b); } \
  }

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_DEFINE_H_
