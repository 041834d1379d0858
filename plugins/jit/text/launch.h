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

namespace gpo {

// What a thread of the host does of a launch: the blocks [first, last). Known to the backend by this layout
// (plugins/cpu/kernel_launch.h).
struct Launch {
  unsigned grid[3], block[3];
  unsigned long long first, last;
};

}  // namespace gpo

// That of the calling thread; the backend's.
extern "C" const gpo::Launch *gpuopt_launch() __attribute__((const, nothrow));

#endif  // GPUOPT_PLUGINS_JIT_TEXT_LAUNCH_H_
