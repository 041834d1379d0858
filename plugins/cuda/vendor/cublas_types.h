// plugins/cuda/vendor/cublas_types.h -- the part of cuBLAS's API this backend uses, in our own words; the test
// cuda/cublas_headers compares them with the real <cublas_v2.h> where there is one.
#pragma once

// The names are NVIDIA's: NOLINTBEGIN(readability-identifier-naming)

#include <cstddef>
#include <cstdint>

#include "plugins/cuda/driver/driver_types.h"

enum cublasStatus_t : unsigned {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_NOT_SUPPORTED = 15
};

enum cublasOperation_t : unsigned { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasMath_t : unsigned { CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16 };
enum cublasComputeType_t : unsigned { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70 };
enum cublasGemmAlgo_t : int { CUBLAS_GEMM_DEFAULT = -1 };

enum cudaDataType : unsigned {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_C_32F = 4,
  CUDA_C_64F = 5,
  CUDA_R_16BF = 14
};
enum libraryPropertyType : unsigned { MAJOR_VERSION = 0, MINOR_VERSION = 1, PATCH_LEVEL = 2 };

typedef struct cublasContext *cublasHandle_t;

// NOLINTEND(readability-identifier-naming)
