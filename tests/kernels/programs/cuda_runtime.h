// tests/kernels/programs/cuda_runtime.h -- as much of CUDA's runtime for hosts as the programs of public suites use
// that run.py runs: its kernels run on the CPU by the public C ABI, whose memory is the host's. run.py makes this
// header stand for all of CUDA's.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__cplusplus)
#include <cxxabi.h>
#include <gpuopt/gpuopt.h>

#include <chrono>
#include <map>
#include <string>
#include <typeinfo>
#include <vector>

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
enum cudaError_t { cudaSuccess = 0, cudaErrorMemoryAllocation = 2, cudaErrorUnknown = 999 };
typedef cudaError_t cudaError;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
struct cudaDeviceProp {
  char name[256];
  int major, minor, multiProcessorCount, maxThreadsPerBlock, warpSize, clockRate;
  size_t totalGlobalMem, sharedMemPerBlock;
  int maxThreadsDim[3], maxGridSize[3], regsPerBlock, memoryClockRate, memoryBusWidth;
};
typedef void *cudaStream_t;
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrClockRate,
  cudaDevAttrMemoryClockRate,
  cudaDevAttrMaxSharedMemoryPerBlock
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1 };
enum { cudaHostAllocDefault, cudaHostAllocMapped, cudaStreamNonBlocking, cudaEventDisableTiming, cudaMemAttachGlobal };
typedef std::chrono::steady_clock::time_point *cudaEvent_t;

// The vector types, as far as hosts use them.
#define SHIM_VECTORS(T, name)                                        \
  struct name##1 {                                                   \
    T x;                                                             \
  };                                                                 \
  struct alignas(2 * sizeof(T)) name##2 {                            \
    T x, y;                                                          \
  };                                                                 \
  struct name##3 {                                                   \
    T x, y, z;                                                       \
  };                                                                 \
  struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) name##4 {  \
    T x, y, z, w;                                                    \
  };                                                                 \
  inline name##1 make_##name##1(T x) { return {x}; }                 \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
SHIM_VECTORS(signed char, char)
SHIM_VECTORS(unsigned char, uchar)
SHIM_VECTORS(short, short)
SHIM_VECTORS(unsigned short, ushort)
SHIM_VECTORS(int, int)
SHIM_VECTORS(unsigned, uint)
SHIM_VECTORS(long long, longlong)
SHIM_VECTORS(unsigned long long, ulonglong)
SHIM_VECTORS(float, float)
SHIM_VECTORS(double, double)
#undef SHIM_VECTORS

namespace shim {
struct Configuration {
  dim3 grid, block;
  size_t shared = 0;
};
inline Configuration &configuration() {
  static Configuration value;
  return value;
}
inline void configure(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t = nullptr) {
  configuration() = {grid, block, shared};
}

inline void check(gpuopt_status status, const gpuopt_error &error, const char *what) {
  if (status == GPUOPT_OK) return;
  fprintf(stderr, "shim: %s: %s\n", what, error.message);
  _Exit(90);
}

inline std::string text_of_kernels() {
  std::string text;
  FILE *const file = fopen(getenv("SHIM_KERNELS"), "rb");
  char piece[4096];
  for (size_t got; file && (got = fread(piece, 1, sizeof piece, file)) > 0;) text.append(piece, got);
  if (file) fclose(file);
  return text;
}

// The name of a type, or a value, as the argument of a template.
template <class T>
std::string text() {
  char *const name = abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, nullptr);
  const std::string made = name;
  free(name);
  return made;
}
template <class T>
std::string text(T value) {
  return std::to_string(static_cast<long long>(value));
}

inline gpuopt_device device() {
  static const gpuopt_device cpu = [] {
    gpuopt_device made = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    check(gpuopt_device_open("cpu", nullptr, &made, &error), error, "gpuopt_device_open");
    return made;
  }();
  return cpu;
}

inline gpuopt_kernel kernel(const char *name) {
  static std::map<std::string, gpuopt_kernel> kernels;
  gpuopt_kernel &found = kernels[name];
  if (found) return found;
  static const std::string text = text_of_kernels();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  check(gpuopt_raw_kernel(text.c_str(), name, &found, &error), error, name);
  return found;
}

// Runs a kernel and waits for it. With SHIM_LAUNCHES=none nothing runs, so that a program's own comparison of results
// is seen to fail.
template <class... Arguments>
void launch(const char *name, Arguments... arguments) {
  const char *const launches = getenv("SHIM_LAUNCHES");
  if (launches && !strcmp(launches, "none")) return;
  const gpuopt_raw_argument list[] = {{nullptr, &arguments, sizeof arguments}..., {}};
  const gpuopt_dtype dtypes[] = {((void)arguments, gpuopt_dtype(GPUOPT_RAW_ANY))..., gpuopt_dtype(GPUOPT_RAW_ANY)};
  gpuopt_raw_launch_options options = GPUOPT_RAW_LAUNCH_OPTIONS_INIT;
  options.flags = GPUOPT_RAW_REINTERPRET;
  options.device = device();
  options.dtypes = dtypes;
  const Configuration &how = configuration();
  const unsigned grid[] = {how.grid.x, how.grid.y, how.grid.z}, block[] = {how.block.x, how.block.y, how.block.z};
  if (!(grid[0] && grid[1] && grid[2])) return;  // CUDA refuses such a launch, which programs do not notice
  gpuopt_error error = GPUOPT_ERROR_INIT;
  check(gpuopt_raw_kernel_launch(kernel(name), grid, block, unsigned(how.shared), int(sizeof...(Arguments)), list,
                                 &options, &error),
        error, name);
  check(gpuopt_device_synchronize(device(), &error), error, name);
}
}  // namespace shim

// Memory that nobody has written is not zero, as on a GPU.
inline cudaError_t cudaMalloc(void **memory, size_t bytes) {
  *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*memory) memset(*memory, 0xa5, bytes);
  return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}
template <class T>
cudaError_t cudaMalloc(T **memory, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
inline cudaError_t cudaFree(void *memory) { return free(memory), cudaSuccess; }
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) {
  return memmove(to, from, bytes), cudaSuccess;
}
inline cudaError_t cudaMemset(void *to, int value, size_t bytes) { return memset(to, value, bytes), cudaSuccess; }
template <class T>
cudaError_t cudaMallocManaged(T **memory, size_t bytes, unsigned = 0) {
  return cudaMalloc(memory, bytes);
}
template <class T>
cudaError_t cudaMallocHost(T **memory, size_t bytes, unsigned = 0) {
  return cudaMalloc(memory, bytes);
}
template <class T>
cudaError_t cudaHostAlloc(T **memory, size_t bytes, unsigned = 0) {
  return cudaMalloc(memory, bytes);
}
inline cudaError_t cudaFreeHost(void *memory) { return cudaFree(memory); }
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t = nullptr) {
  return memmove(to, from, bytes), cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t = nullptr) {
  return memset(to, value, bytes), cudaSuccess;
}
inline cudaError_t cudaStreamCreate(cudaStream_t *stream) { return *stream = nullptr, cudaSuccess; }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) { return cudaStreamCreate(stream); }
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return *event = new std::chrono::steady_clock::time_point, cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t = nullptr) {
  return *event = std::chrono::steady_clock::now(), cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float *time, cudaEvent_t begin, cudaEvent_t end) {
  return *time = std::chrono::duration<float, std::milli>(*end - *begin).count(), cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int) { return *value = 1, cudaSuccess; }
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel, cudaFuncCache) {
  return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  return *available = *total = size_t(8) << 30, cudaSuccess;
}
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  *properties = cudaDeviceProp{"gpuopt on the CPU", 7, 5, 1, 1024, 32, 1000, size_t(8) << 30, 49152};
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaThreadSynchronize() { return cudaSuccess; }
inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
inline cudaError_t cudaThreadExit() { return cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
inline const char *cudaGetErrorString(cudaError_t) { return "no error"; }
#endif
