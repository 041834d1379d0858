// tests/kernels/programs/cuda_runtime.h -- as much of CUDA's runtime for hosts as the programs of public suites use
// that run.py runs: its kernels run on the CPU by the public C ABI (runtime.cpp), whose memory is the host's. run.py
// makes this header stand for all of CUDA's.
#pragma once

#if defined(__cplusplus)
#include <chrono>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#endif
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__cplusplus)
#if defined(__CUDACC__)  // run.py defines __device__ and its like when it compiles what the preprocessor made of this
#define SHIM_BOTH __attribute__((host)) __attribute__((device))
#define SHIM_DEVICE __attribute__((device))
#else
#define SHIM_BOTH
#define SHIM_DEVICE
#define __host__
#define __device__
#define __forceinline__ inline
#endif
#define CUDART_CB
#define __DRIVER_TYPES_H__  // what samples ask for
#define __CUDA_RUNTIME_H__
#define CUDARTAPI

#include "plugins/shared/words/numbers/vectors.h"
#include "tests/kernels/programs/cuda_enums.h"
typedef cudaError cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited };
struct cudaDeviceProp {
  char name[256];
  int major, minor, multiProcessorCount, maxThreadsPerBlock, warpSize, clockRate, computeMode;
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalConstMem, memPitch;
  size_t textureAlignment;
  int maxThreadsDim[3], maxGridSize[3], regsPerBlock, regsPerMultiprocessor, memoryClockRate, memoryBusWidth;
  int maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, l2CacheSize, canMapHostMemory, managedMemory,
      unifiedAddressing;
  int cooperativeLaunch, concurrentKernels, concurrentManagedAccess, integrated, asyncEngineCount, deviceOverlap;
  int pciBusID, pciDeviceID, pciDomainID, kernelExecTimeoutEnabled, ECCEnabled, tccDriver, pageableMemoryAccess;
  int persistingL2CacheMaxSize, accessPolicyMaxWindowSize, singleToDoublePrecisionPerfRatio,
      canUseHostPointerForRegisteredMem;
  int maxTexture1D, maxTexture2D[2], maxTexture3D[3], multiGpuBoardGroupID, isMultiGpuBoard, streamPrioritiesSupported;
};
typedef struct CUstream_st *cudaStream_t;
typedef std::chrono::steady_clock::time_point *cudaEvent_t;
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
typedef int CUdevice;
typedef int CUresult;
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte
};
enum cudaLimit {
  cudaLimitStackSize,
  cudaLimitPrintfFifoSize,
  cudaLimitMallocHeapSize,
  cudaLimitDevRuntimeSyncDepth,
  cudaLimitDevRuntimePendingLaunchCount,
  cudaLimitMaxL2FetchGranularity,
  cudaLimitPersistingL2CacheSize
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly,
  cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy,
  cudaMemAdviseUnsetAccessedBy
};
enum {
  cudaHostAllocDefault = 0,
  cudaHostAllocPortable = 1,
  cudaHostAllocMapped = 2,
  cudaHostAllocWriteCombined = 4,
  cudaHostRegisterDefault = 0,
  cudaHostRegisterMapped = 2,
  cudaStreamDefault = 0,
  cudaStreamNonBlocking = 1,
  cudaEventDefault = 0,
  cudaEventBlockingSync = 1,
  cudaEventDisableTiming = 2,
  cudaMemAttachGlobal = 1,
  cudaMemAttachHost = 2,
  cudaMemAttachSingle = 4,
  cudaDeviceScheduleAuto = 0,
  cudaDeviceScheduleSpin = 1,
  cudaDeviceScheduleYield = 2,
  cudaDeviceScheduleBlockingSync = 4,
  cudaDeviceBlockingSync = 4,
  cudaDeviceMapHost = 8,
  cudaCpuDeviceId = -1,
  cudaInvalidDeviceId = -2
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
};
enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost };
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};
struct cudaPitchedPtr {
  void *ptr;
  size_t pitch, xsize, ysize;
};
inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t x, size_t y) { return {p, pitch, x, y}; }

// ---- Types and functions that hosts have, too ----

extern SHIM_DEVICE const uint3 threadIdx, blockIdx;
extern SHIM_DEVICE const dim3 blockDim, gridDim;
extern SHIM_DEVICE const int warpSize;

namespace shim {
typedef unsigned long Unsigned;
typedef unsigned long long LongUnsigned;
typedef long long LongSigned;
}  // namespace shim
#define SHIM_EXTREMES(A, B, R)                                    \
  constexpr R min(A a, B b) { return R(a) < R(b) ? R(a) : R(b); } \
  constexpr R max(A a, B b) { return R(a) < R(b) ? R(b) : R(a); }
#define SHIM_EXTREMES_OF(I, U) \
  SHIM_EXTREMES(I, I, I) SHIM_EXTREMES(U, U, U) SHIM_EXTREMES(I, U, U) SHIM_EXTREMES(U, I, U)
SHIM_EXTREMES_OF(int, unsigned)
SHIM_EXTREMES_OF(long, shim::Unsigned)
SHIM_EXTREMES_OF(shim::LongSigned, shim::LongUnsigned)
SHIM_EXTREMES(float, float, float)
SHIM_EXTREMES(double, double, double)
SHIM_EXTREMES(float, double, double)
SHIM_EXTREMES(double, float, double)
#undef SHIM_EXTREMES_OF
#undef SHIM_EXTREMES
SHIM_BOTH inline float rsqrtf(float x) { return 1 / sqrtf(x); }
SHIM_BOTH inline double rsqrt(double x) { return 1 / sqrt(x); }
SHIM_BOTH inline float rsqrt(float x) { return 1 / sqrtf(x); }
SHIM_BOTH inline double rcbrt(double x) { return 1 / cbrt(x); }
SHIM_BOTH inline double sinpi(double x) { return sin(M_PI * x); }
SHIM_BOTH inline double cospi(double x) { return cos(M_PI * x); }
SHIM_BOTH inline float sinpif(float x) { return float(sin(M_PI * x)); }
SHIM_BOTH inline float cospif(float x) { return float(cos(M_PI * x)); }
SHIM_BOTH inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
SHIM_BOTH inline float normcdff(float x) { return float(0.5 * erfc(-x * M_SQRT1_2)); }
SHIM_BOTH inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
SHIM_BOTH inline double norm3d(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }

// ---- What runtime.cpp does ----

extern "C" {
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
cudaError_t cudaSetupArgument(const void *argument, size_t bytes, size_t offset);
cudaError_t cudaLaunch(const void *kernel);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaDeviceSynchronize();
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);
}
namespace shim {
typedef std::function<cudaError_t()> Work;
inline std::vector<Work> *recording = nullptr;  // what a stream captures, of whatever stream
// Work of a stream, which is done at once, but while a graph is recorded.
inline cudaError_t submitted(Work work) {
  if (!recording) return work();
  return recording->push_back(std::move(work)), cudaSuccess;
}
void *allocate(size_t bytes);
size_t allocated_behind(const void *memory);  // how many bytes an allocation that begins there has
cudaError_t copy_variable(const void *variable, const char *name, void *from, const void *to, size_t bytes,
                          size_t offset);
Work launch_work(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared);
void properties(cudaDeviceProp *all);
template <class T>
const char *name_of(const T &) {
  return nullptr;
}
inline const char *name_of(const char *const &name) { return name; }
}  // namespace shim

// Memory that nobody has written is not zero, as on a GPU.
template <class T>
cudaError_t cudaMalloc(T **memory, size_t bytes) {
  *memory = static_cast<T *>(shim::allocate(bytes));
  return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}
namespace shim {
inline std::vector<void *> of_graphs;  // memory that graphs allocate each time they run, at the same place
}
inline cudaError_t cudaFree(void *memory) {
  for (void *each : shim::of_graphs) {
    if (each == memory) return cudaSuccess;
  }
  return free(memory), cudaSuccess;
}
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
template <class T>
cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t = nullptr) {
  return cudaMalloc(memory, bytes);
}
// A graph may use the memory again.
inline cudaError_t cudaFreeAsync(void *memory, cudaStream_t = nullptr) {
  return shim::recording ? cudaSuccess : cudaFree(memory);
}
inline cudaError_t cudaFreeHost(void *memory) { return cudaFree(memory); }
inline cudaError_t cudaHostRegister(void *, size_t, unsigned = 0) { return cudaSuccess; }
inline cudaError_t cudaHostUnregister(void *) { return cudaSuccess; }
template <class T>
cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned = 0) {
  return *device = static_cast<T *>(host), cudaSuccess;
}
template <class T>
cudaError_t cudaMallocPitch(T **memory, size_t *pitch, size_t width, size_t height) {
  *pitch = (width + 255) / 256 * 256;
  return cudaMalloc(memory, *pitch * height);
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr *made, cudaExtent e) {
  made->xsize = e.width, made->ysize = e.height;
  return cudaMallocPitch(&made->ptr, &made->pitch, e.width, e.height * e.depth);
}
namespace shim {
// Programs go on after a copy from or to NULL, which is an error of CUDA's.
inline cudaError_t copied(void *to, const void *from, size_t bytes) {
  if (bytes && (!to || !from)) return cudaErrorInvalidValue;
  return memmove(to, from, bytes), cudaSuccess;
}
}  // namespace shim
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) {
  return shim::copied(to, from, bytes);
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t = nullptr) {
  return shim::submitted([=] { return shim::copied(to, from, bytes); });
}
inline cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes) {
  return shim::copied(to, from, bytes);
}
inline cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes, cudaStream_t = nullptr) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault);
}
inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                size_t height, cudaMemcpyKind) {
  for (size_t y = 0; y < height; ++y) memmove((char *)to + y * to_pitch, (const char *)from + y * from_pitch, width);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return shim::submitted([=] { return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind); });
}
inline cudaError_t cudaMemset(void *to, int value, size_t bytes) { return memset(to, value, bytes), cudaSuccess; }
inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t = nullptr) {
  return shim::submitted([=] { return memset(to, value, bytes), cudaSuccess; });
}
inline cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  for (size_t y = 0; y < height; ++y) memset((char *)to + y * pitch, value, width);
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &variable, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return shim::copy_variable(&variable, shim::name_of(variable), nullptr, from, bytes, offset);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T &variable, const void *from, size_t bytes, size_t offset = 0,
                                    cudaMemcpyKind = cudaMemcpyHostToDevice, cudaStream_t = nullptr) {
  return cudaMemcpyToSymbol(variable, from, bytes, offset);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &variable, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return shim::copy_variable(&variable, shim::name_of(variable), to, nullptr, bytes, offset);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &variable, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind = cudaMemcpyDeviceToHost, cudaStream_t = nullptr) {
  return cudaMemcpyFromSymbol(to, variable, bytes, offset);
}
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
// Of CUDA 13.
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation, unsigned, cudaStream_t = nullptr) {
  return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t = 0, unsigned = 0) { return cudaSuccess; }

// ---- Pools of memory ----

enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor };
struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  cudaMemAllocationHandleType handleTypes;
  cudaMemLocation location;
  void *win32SecurityAttributes;
  unsigned char reserved[64];
};
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic,
  cudaMemPoolReuseAllowInternalDependencies,
  cudaMemPoolAttrReleaseThreshold,
  cudaMemPoolAttrReservedMemCurrent,
  cudaMemPoolAttrReservedMemHigh,
  cudaMemPoolAttrUsedMemCurrent,
  cudaMemPoolAttrUsedMemHigh
};
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int) { return *pool = nullptr, cudaSuccess; }
inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int) { return *pool = nullptr, cudaSuccess; }
inline cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return cudaSuccess; }
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *) {
  return *pool = nullptr, cudaSuccess;
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
enum cudaMemAccessFlags {
  cudaMemAccessFlagsProtNone = 0,
  cudaMemAccessFlagsProtRead = 1,
  cudaMemAccessFlagsProtReadWrite = 3
};
struct cudaMemAccessDesc {
  cudaMemLocation location;
  cudaMemAccessFlags flags;
};
inline cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *, size_t) { return cudaSuccess; }
template <class T>
cudaError_t cudaMallocFromPoolAsync(T **memory, size_t bytes, cudaMemPool_t, cudaStream_t = nullptr) {
  return cudaMalloc(memory, bytes);
}

// ---- Streams and events ----

inline cudaError_t cudaStreamCreate(cudaStream_t *stream) { return *stream = nullptr, cudaSuccess; }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) { return cudaStreamCreate(stream); }
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned, int) {
  return cudaStreamCreate(stream);
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return *least = 0, *greatest = -5, cudaSuccess;
}
inline cudaError_t cudaStreamGetPriority(cudaStream_t, int *priority) { return *priority = 0, cudaSuccess; }
inline cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned *flags) { return *flags = 0, cudaSuccess; }
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow {
  void *base_ptr;
  size_t num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp, missProp;
};
enum cudaStreamAttrID { cudaStreamAttributeAccessPolicyWindow = 1, cudaStreamAttributeSynchronizationPolicy = 3 };
union cudaStreamAttrValue {
  char padding[64];
  cudaAccessPolicyWindow accessPolicyWindow;
};
inline cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue *) {
  return cudaSuccess;
}
inline cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaDeviceSynchronize(); }
inline cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) { return cudaSuccess; }
inline cudaError_t cudaLaunchHostFunc(cudaStream_t, void (*call)(void *), void *data) {
  return shim::submitted([=] { return call(data), cudaSuccess; });
}
inline cudaError_t cudaStreamAddCallback(cudaStream_t s, void (*call)(cudaStream_t, cudaError_t, void *), void *data,
                                         unsigned) {
  return shim::submitted([=] { return call(s, cudaSuccess, data), cudaSuccess; });
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return *event = new std::chrono::steady_clock::time_point, cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) { return cudaEventCreate(event); }
inline cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t = nullptr) {
  return *event = std::chrono::steady_clock::now(), cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float *time, cudaEvent_t begin, cudaEvent_t end) {
  return *time = std::chrono::duration<float, std::milli>(*end - *begin).count(), cudaSuccess;
}

inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int) {
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = 1024;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = 49152;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = 65536;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = 65536;
      break;
    case cudaDevAttrWarpSize:
      *value = 32;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = 4;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = 1024;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 7;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = 5;
      break;
    case cudaDevAttrComputeMode:
      *value = 0;
      break;
    default:
      *value = 1;
  }
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel, cudaFuncCache) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *all, Kernel) {
  *all = cudaFuncAttributes{0, 0, 0, 1024, 32, 75, 75};
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *count, Kernel, int, size_t) {
  return *count = 2, cudaSuccess;
}
template <class Kernel, class Shared>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, Kernel, Shared, int limit = 0) {
  return *grid = 8, *block = limit && limit < 256 ? limit : 256, cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, Kernel, size_t = 0, int limit = 0) {
  return *grid = 8, *block = limit && limit < 256 ? limit : 256, cudaSuccess;
}
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
inline cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit) { return *value = 8 << 20, cudaSuccess; }
inline cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  return *available = *total = size_t(8) << 30, cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) { return device ? cudaErrorInvalidDevice : cudaSuccess; }
inline cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
inline cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
inline cudaError_t cudaDriverGetVersion(int *version) { return *version = 11080, cudaSuccess; }
inline cudaError_t cudaRuntimeGetVersion(int *version) { return *version = 11080, cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *all, int) { return shim::properties(all), cudaSuccess; }
inline cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr, int, int) {
  return *value = 0, cudaSuccess;
}
inline cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) { return *can = 0, cudaSuccess; }
inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cudaErrorInvalidDevice; }
inline cudaError_t cudaDeviceDisablePeerAccess(int) { return cudaErrorInvalidDevice; }
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
inline cudaError_t cudaThreadExit() { return cudaSuccess; }
inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
template <class Kernel>
cudaError_t cudaLaunchKernel(Kernel kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                             cudaStream_t = nullptr) {
  return shim::submitted(shim::launch_work((const void *)kernel, grid, block, arguments, shared));
}
template <class Kernel>
cudaError_t cudaLaunchCooperativeKernel(Kernel kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                                        cudaStream_t = nullptr) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared);
}

// ---- Names that the heads of kernels and of functions for both use ----

namespace cooperative_groups {
struct thread_block;
struct thread_group;
struct grid_group;
struct coalesced_group;
template <unsigned Size, class Parent = void>
struct thread_block_tile;
}  // namespace cooperative_groups
namespace nvcuda {
namespace wmma {
namespace experimental {}
}  // namespace wmma
}  // namespace nvcuda
namespace cub {
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
}  // namespace cub
struct curandStateXORWOW {
  unsigned d, v[5];
  int flags[2];
  float extra;
  double extra_double;
};
typedef curandStateXORWOW curandState, curandState_t, curandStateXORWOW_t;

#include "tests/kernels/programs/cuda_graphs.h"
#endif
