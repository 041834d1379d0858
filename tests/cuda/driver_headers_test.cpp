// tests/cuda/driver_headers_test.cpp -- our declarations of the driver are those of the real <cuda.h>, where there is
// one.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if __has_include(<cuda.h>)
namespace ours {
#include "plugins/cuda/driver_types.h"
}
#include <cuda.h>

namespace {

#define SAME(name) static_assert(static_cast<long long>(ours::name) == static_cast<long long>(::name), #name)
SAME(CUDA_SUCCESS);
SAME(CUDA_ERROR_INVALID_VALUE);
SAME(CUDA_ERROR_OUT_OF_MEMORY);
SAME(CUDA_ERROR_NOT_INITIALIZED);
SAME(CUDA_ERROR_DEINITIALIZED);
SAME(CUDA_ERROR_STUB_LIBRARY);
SAME(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER);
SAME(CUDA_ERROR_DEVICE_UNAVAILABLE);
SAME(CUDA_ERROR_NO_DEVICE);
SAME(CUDA_ERROR_INVALID_DEVICE);
SAME(CUDA_ERROR_INVALID_IMAGE);
SAME(CUDA_ERROR_INVALID_CONTEXT);
SAME(CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(CUDA_ERROR_ECC_UNCORRECTABLE);
SAME(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
SAME(CUDA_ERROR_NVLINK_UNCORRECTABLE);
SAME(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME(CUDA_ERROR_INVALID_HANDLE);
SAME(CUDA_ERROR_NOT_FOUND);
SAME(CUDA_ERROR_NOT_READY);
SAME(CUDA_ERROR_ILLEGAL_ADDRESS);
SAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME(CUDA_ERROR_LAUNCH_TIMEOUT);
SAME(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
SAME(CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME(CUDA_ERROR_ASSERT);
SAME(CUDA_ERROR_TOO_MANY_PEERS);
SAME(CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME(CUDA_ERROR_ILLEGAL_INSTRUCTION);
SAME(CUDA_ERROR_MISALIGNED_ADDRESS);
SAME(CUDA_ERROR_INVALID_ADDRESS_SPACE);
SAME(CUDA_ERROR_INVALID_PC);
SAME(CUDA_ERROR_LAUNCH_FAILED);
SAME(CUDA_ERROR_NOT_PERMITTED);
SAME(CUDA_ERROR_NOT_SUPPORTED);
SAME(CUDA_ERROR_SYSTEM_NOT_READY);
SAME(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
SAME(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
SAME(CUDA_ERROR_MPS_CONNECTION_FAILED);
SAME(CUDA_ERROR_MPS_SERVER_NOT_READY);
SAME(CUDA_ERROR_EXTERNAL_DEVICE);
SAME(CUDA_ERROR_UNKNOWN);
#if CUDA_VERSION >= 12080  // the number was given then
SAME(CUDA_ERROR_CONTAINED);
#endif
SAME(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(CU_DEVICE_ATTRIBUTE_INTEGRATED);
SAME(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
SAME(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(CU_JIT_INFO_LOG_BUFFER);
SAME(CU_JIT_ERROR_LOG_BUFFER);
SAME(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
SAME(CU_MEM_ALLOCATION_TYPE_PINNED);
SAME(CU_MEM_HANDLE_TYPE_NONE);
SAME(CU_MEM_LOCATION_TYPE_DEVICE);
SAME(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
SAME(CU_STREAM_NON_BLOCKING);
SAME(CU_EVENT_DEFAULT);
SAME(CU_EVENT_DISABLE_TIMING);
#undef SAME
static_assert(ours::GPUOPT_CU_MEMHOSTALLOC_PORTABLE == CU_MEMHOSTALLOC_PORTABLE);

#define SAME_SIZE(type) static_assert(sizeof(ours::type) == sizeof(::type) && alignof(ours::type) == alignof(::type))
SAME_SIZE(CUresult);
SAME_SIZE(CUdevice_attribute);
SAME_SIZE(CUfunction_attribute);
SAME_SIZE(CUjit_option);
SAME_SIZE(CUmemPool_attribute);
SAME_SIZE(CUmemLocation);
SAME_SIZE(CUmemAccessDesc);
SAME_SIZE(CUmemPoolProps);
SAME_SIZE(CUcontext);
SAME_SIZE(CUmemoryPool);
#undef SAME_SIZE
static_assert(std::is_same_v<ours::CUdevice, ::CUdevice>);
static_assert(std::is_same_v<ours::CUdeviceptr, ::CUdeviceptr>);

#define SAME_PLACE(type, member) static_assert(offsetof(ours::type, member) == offsetof(::type, member))
SAME_PLACE(CUmemLocation, type);
SAME_PLACE(CUmemLocation, id);
SAME_PLACE(CUmemAccessDesc, location);
SAME_PLACE(CUmemAccessDesc, flags);
SAME_PLACE(CUmemPoolProps, allocType);
SAME_PLACE(CUmemPoolProps, handleTypes);
SAME_PLACE(CUmemPoolProps, location);
SAME_PLACE(CUmemPoolProps, win32SecurityAttributes);
static_assert(offsetof(ours::CUmemPoolProps, reserved) ==
              offsetof(ours::CUmemPoolProps, win32SecurityAttributes) + sizeof(void *));
#undef SAME_PLACE

// The arguments of each row, read with the real types, are those of the real function of the name that is exported.
#define CHECKED_REQUIRED true
#define CHECKED_OPTIONAL (CUDA_VERSION >= 13000)
#define GPUOPT_CUDA_SYMBOL(need, name, exported, args) \
  static_assert(!CHECKED_##need || std::is_same_v<CUresult(*) args, decltype(&exported)>, #exported);
#include "plugins/cuda/driver_symbols.def"

TEST(DriverHeaders, OurDeclarationsAreTheirs) { SUCCEED() << "by static_assert"; }

}  // namespace
#else
TEST(DriverHeaders, OurDeclarationsAreTheirs) { GTEST_SKIP() << "there is no <cuda.h>: install the CUDA Toolkit"; }
#endif
