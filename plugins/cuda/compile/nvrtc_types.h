// plugins/cuda/compile/nvrtc_types.h -- the part of NVRTC's API this backend uses, in our own words; the test
// cuda/nvrtc_headers compares them with the real <nvrtc.h> where there is one.
#pragma once

// The names are NVIDIA's: NOLINTBEGIN(readability-identifier-naming)

#include <cstddef>

enum nvrtcResult : unsigned {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7
};

typedef struct _nvrtcProgram *nvrtcProgram;

// NOLINTEND(readability-identifier-naming)
