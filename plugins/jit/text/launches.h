// plugins/jit/text/launches.h -- what kernels that launch kernels use of CUDA's runtime (CUDA C++ Programming Guide,
// "CUDA Dynamic Parallelism"), for kernels that run on the host.
//
// plugins/jit/compile/launch_text.cpp writes (::gpo::configure(grid, block), kernel(arguments)) for
// kernel<<<grid, block>>>(arguments), and plugins/jit/lower/launches.cpp replaces the call by one of gpuopt_launch().
#ifndef GPUOPT_PLUGINS_JIT_TEXT_LAUNCHES_H_
#define GPUOPT_PLUGINS_JIT_TEXT_LAUNCHES_H_

#include "plugins/jit/text/host_calls.h"
#include "plugins/jit/text/thread.h"

struct CUstream_st;
typedef CUstream_st *cudaStream_t;
enum : unsigned { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };

// Streams that are numbers. They are no macros, so that authors may give these names to things of their own.
namespace gpo {
struct NamedStream {
  unsigned long long number;
  operator cudaStream_t() const { return (cudaStream_t)number; }
  explicit operator unsigned long long() const { return number; }
};
}  // namespace gpo
static constexpr gpo::NamedStream cudaStreamTailLaunch = {3};
static constexpr gpo::NamedStream cudaStreamFireAndForget = {4};

enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorLaunchMaxDepthExceeded = 65,
  cudaErrorLaunchPendingCountExceeded = 69,
  cudaErrorLaunchOutOfResources = 701
};
typedef cudaError cudaError_t;

// The backend defines these (plugins/cpu/kernel/device_launches.cpp). `thread` tells the threads of a grid apart: the
// number of the block, and in the lower 16 bits that of the thread in its block. `stream` is the value of a
// cudaStream_t.
extern "C" {
// The configuration of the launch that this thread makes next.
void gpuopt_configure(const unsigned *grid_and_block, unsigned long long shared_bytes, unsigned long long stream,
                      unsigned long long thread) __attribute__((nothrow));
// The thread's last error, which is forgotten if `reset`.
int gpuopt_last_error(unsigned long long thread, int reset) __attribute__((nothrow));
// Makes this the thread's last error.
void gpuopt_note_error(unsigned long long thread, int error) __attribute__((nothrow));
}

namespace gpo {

inline __attribute__((__always_inline__)) unsigned long long thread_of_grid() {
  const uint3 at = blockIdx;
  const dim3 grid = gridDim;
  return (((unsigned long long)at.z * grid.y + at.y) * grid.x + at.x) << 16 | gpuopt_thread()->number;
}

inline __attribute__((__always_inline__)) void configure(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                         cudaStream_t stream = nullptr) {
  const unsigned sizes[6] = {grid.x, grid.y, grid.z, block.x, block.y, block.z};
  gpuopt_configure(sizes, shared_bytes, (unsigned long long)stream, thread_of_grid());
}

}  // namespace gpo

inline __attribute__((__always_inline__)) cudaError_t cudaGetLastError() {
  return cudaError_t(gpuopt_last_error(gpo::thread_of_grid(), 1));
}
inline __attribute__((__always_inline__)) cudaError_t cudaPeekAtLastError() {
  return cudaError_t(gpuopt_last_error(gpo::thread_of_grid(), 0));
}

// Memory of the heap of kernels, as malloc() gives it; launches of this kernel's may use it, too.
template <class T>
inline __attribute__((__always_inline__)) cudaError_t cudaMalloc(T **memory, size_t bytes) {
  *memory = static_cast<T *>(malloc(bytes));
  if (*memory || !bytes) return cudaSuccess;
  gpuopt_note_error(gpo::thread_of_grid(), cudaErrorMemoryAllocation);
  return cudaErrorMemoryAllocation;
}
inline __attribute__((__always_inline__)) cudaError_t cudaFree(void *memory) {
  free(memory);
  return cudaSuccess;
}

#define GPO_CUDA_ERRORS(each)                                                                                 \
  each(cudaSuccess, "no error") each(cudaErrorInvalidValue, "invalid argument")                               \
      each(cudaErrorMemoryAllocation, "out of memory")                                                        \
          each(cudaErrorInvalidConfiguration, "invalid configuration argument")                               \
              each(cudaErrorLaunchMaxDepthExceeded, "launch would exceed maximum depth of nested launches")   \
                  each(cudaErrorLaunchPendingCountExceeded, "launch failed as too many launches are pending") \
                      each(cudaErrorLaunchOutOfResources, "too many resources requested for launch")
inline const char *cudaGetErrorName(cudaError_t error) {
#define GPO_CUDA_ERROR(name, text) \
  if (error == name) return #name;
  GPO_CUDA_ERRORS(GPO_CUDA_ERROR)
#undef GPO_CUDA_ERROR
  return "unrecognized error code";
}
inline const char *cudaGetErrorString(cudaError_t error) {
#define GPO_CUDA_ERROR(name, text) \
  if (error == name) return text;
  GPO_CUDA_ERRORS(GPO_CUDA_ERROR)
#undef GPO_CUDA_ERROR
  return "unrecognized error code";
}
#undef GPO_CUDA_ERRORS

// All launches of a block run in their order, so that any stream is as good as another.
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  if (flags != cudaStreamNonBlocking) return cudaErrorInvalidValue;  // kernels have no other streams
  *stream = (cudaStream_t)16;
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }

#endif  // GPUOPT_PLUGINS_JIT_TEXT_LAUNCHES_H_
