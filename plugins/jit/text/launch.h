// plugins/jit/text/launch.h -- CUDA C++'s words where kernels run on the host; stands before the text of every kernel.
#ifndef GPUOPT_PLUGINS_JIT_TEXT_LAUNCH_H_
#define GPUOPT_PLUGINS_JIT_TEXT_LAUNCH_H_

#define GPO_HOST_KERNELS 1
#define __global__ inline __attribute__((always_inline))
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((annotate("gpuopt_launch_bounds", __VA_ARGS__)))  // the compiler's to read

// Of the launch's blocks a call of a kernel does some that follow each other: where these begin among n positions that
// all blocks share out evenly, or, at_end, where they end. The backend's (plugins/cpu/kernel_launch.h).
extern "C" long long gpuopt_position(long long n, int at_end) __attribute__((const, nothrow));

#endif  // GPUOPT_PLUGINS_JIT_TEXT_LAUNCH_H_
