// plugins/cuda/vendor/cusolver_types.h -- the part of cuSOLVER's API this backend uses, in our own words; the test
// cuda/cusolver_headers compares them with the real <cusolverDn.h> where there is one.
#pragma once

// The names are NVIDIA's: NOLINTBEGIN(readability-identifier-naming)

#include "plugins/cuda/vendor/cublas_types.h"

enum cusolverStatus_t : unsigned {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_ARCH_MISMATCH = 4,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_INTERNAL_ERROR = 7,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9
};

enum cusolverEigMode_t : unsigned { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 };
enum cublasFillMode_t : unsigned { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 };

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef struct float2 cuComplex;
typedef struct double2 cuDoubleComplex;

// NOLINTEND(readability-identifier-naming)
