// plugins/jit/text/launch.h -- CUDA C++'s keywords for kernels that run on the host. Every kernel's text includes it.
#ifndef GPUOPT_PLUGINS_JIT_TEXT_LAUNCH_H_
#define GPUOPT_PLUGINS_JIT_TEXT_LAUNCH_H_

#define GPO_HOST_KERNELS 1
#define __global__ GPO_GLOBAL inline __attribute__((__always_inline__))
#define GPO_GLOBAL  // an annotation where the text launches kernels (plugins/jit/compile/plugin.cpp)
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __launch_bounds__(...) \
  __attribute__((              \
      __annotate__("gpuopt_launch_bounds", __VA_ARGS__)))  // read by take_launch_bounds() of lower/threads.cpp

#include "plugins/jit/text/keywords.h"
#include "plugins/shared/words/bits.h"
#include "plugins/shared/words/memory.h"
#include "plugins/shared/words/numbers/vectors.h"
#include "plugins/shared/words/rounded.h"
#include "plugins/shared/words/video.h"

// One call of a kernel runs some consecutive blocks of the launch. If n positions are divided evenly among all blocks,
// these blocks have those from gpuopt_position(n, 0) up to, but without, gpuopt_position(n, 1). The backend defines the
// function (plugins/cpu/kernel/kernel_launch.h).
extern "C" long long gpuopt_position(long long n, int at_end) __attribute__((const, nothrow));

#endif  // GPUOPT_PLUGINS_JIT_TEXT_LAUNCH_H_
