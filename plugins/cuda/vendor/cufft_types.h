// plugins/cuda/vendor/cufft_types.h -- the part of cuFFT's API this backend uses, in our own words; the test
// cuda/cufft_headers compares them with the real <cufft.h> where there is one.
#pragma once

// The names are NVIDIA's: NOLINTBEGIN(readability-identifier-naming)

#include "plugins/cuda/vendor/cublas_types.h"

enum cufftResult : unsigned {
  CUFFT_SUCCESS = 0,
  CUFFT_ALLOC_FAILED = 2,
  CUFFT_INVALID_VALUE = 4,
  CUFFT_INTERNAL_ERROR = 5,
  CUFFT_EXEC_FAILED = 6,
  CUFFT_SETUP_FAILED = 7,
  CUFFT_INVALID_SIZE = 8,
  CUFFT_NOT_IMPLEMENTED = 14,
  CUFFT_NOT_SUPPORTED = 16
};

enum cufftType : unsigned {
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_C2C = 0x29,
  CUFFT_D2Z = 0x6a,
  CUFFT_Z2D = 0x6c,
  CUFFT_Z2Z = 0x69
};

enum : int { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };

typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef struct float2 cufftComplex;
typedef struct double2 cufftDoubleComplex;

// NOLINTEND(readability-identifier-naming)
