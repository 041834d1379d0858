// plugins/nccl/nccl_types.h -- the part of NCCL's API and of the CUDA driver's that this plugin uses, in our own words.
//
// No header of NVIDIA's is needed to build. Names, numbers and layouts are those of the libraries' ABIs, which only add
// to them (NCCL's user guide, "Types"; the CUDA driver's reference).
#pragma once

// The names are NVIDIA's: NOLINTBEGIN(readability-identifier-naming)

#include <cstddef>

using ncclComm_t = struct ncclComm *;
struct ncclUniqueId {
  char internal[128];
};
enum ncclResult_t : int { ncclSuccess = 0, ncclInProgress = 7 };
enum ncclDataType_t : int { ncclUint8 = 1, ncclFloat16 = 6, ncclFloat32 = 7, ncclFloat64 = 8, ncclBfloat16 = 9 };
enum ncclRedOp_t : int { ncclSum = 0, ncclProd = 1 };
// What version 2.14 knows of it. NCCL takes the rest of a longer one from its defaults, by `size` and `version`.
struct ncclConfig_t {
  size_t size = sizeof(ncclConfig_t);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 1;
};
static_assert(sizeof(ncclConfig_t) == 24);

using CUresult = int;
using CUdevice = int;
using CUcontext = struct CUctx_st *;
using CUstream = struct CUstream_st *;
constexpr CUresult CUDA_SUCCESS = 0, CUDA_ERROR_NOT_READY = 600;
constexpr unsigned CU_STREAM_NON_BLOCKING = 1;

// NOLINTEND(readability-identifier-naming)
