// tests/cuda/cusolver_headers_test.cpp -- our declarations of cuSOLVER are those of the real <cusolverDn.h>, where
// there is one.
#include <gtest/gtest.h>

#include <type_traits>

#include "plugins/cuda/vendor/cusolver.h"

#if __has_include(<cusolverDn.h>)
// What the real header includes, outside of its namespace.
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmath>
#include <cstdlib>
#include <utility>

namespace real {
#include <cusolverDn.h>
}

namespace {

// A type of the real header with the real names replaced by ours.
template <typename T>
struct Ours {
  using type = T;
};
#define OURS(name)                                     \
  template <>                                          \
  struct Ours<real::name> {                            \
    static_assert(sizeof(real::name) == sizeof(name)); \
    using type = name;                                 \
  };
OURS(cusolverStatus_t)
OURS(cusolverEigMode_t)
OURS(cublasFillMode_t)
OURS(cublasOperation_t)
OURS(cudaDataType)
OURS(libraryPropertyType)
OURS(cusolverDnHandle_t)
OURS(cusolverDnParams_t)
#undef OURS
template <>
struct Ours<real::cudaStream_t> {
  using type = CUstream;
};
#define OURS_POINTED_AT(name)       \
  template <>                       \
  struct Ours<real::name *> {       \
    using type = name *;            \
  };                                \
  template <>                       \
  struct Ours<const real::name *> { \
    using type = const name *;      \
  };
OURS_POINTED_AT(cusolverDnHandle_t)
OURS_POINTED_AT(cusolverDnParams_t)
OURS_POINTED_AT(cuComplex)
OURS_POINTED_AT(cuDoubleComplex)
#undef OURS_POINTED_AT
template <typename Result, typename... Arguments>
struct Ours<Result(Arguments...)> {
  using type = typename Ours<Result>::type(typename Ours<Arguments>::type...);
};

#define GPUOPT_CUSOLVER_SYMBOL(result, name, args) \
  static_assert(std::is_same_v<result args, Ours<decltype(real::name)>::type>, #name);
#include "plugins/cuda/vendor/cusolver_symbols.def"

#define SAME(name) static_assert(static_cast<int>(::name) == static_cast<int>(real::name), #name)
SAME(CUSOLVER_STATUS_SUCCESS);
SAME(CUSOLVER_STATUS_ALLOC_FAILED);
SAME(CUSOLVER_STATUS_INVALID_VALUE);
SAME(CUSOLVER_STATUS_ARCH_MISMATCH);
SAME(CUSOLVER_STATUS_EXECUTION_FAILED);
SAME(CUSOLVER_STATUS_INTERNAL_ERROR);
SAME(CUSOLVER_STATUS_NOT_SUPPORTED);
SAME(CUSOLVER_EIG_MODE_NOVECTOR);
SAME(CUSOLVER_EIG_MODE_VECTOR);
SAME(CUBLAS_FILL_MODE_LOWER);
SAME(CUBLAS_FILL_MODE_UPPER);
SAME(CUBLAS_OP_N);
SAME(CUBLAS_OP_T);
SAME(CUBLAS_OP_C);
SAME(CUDA_R_32F);
SAME(CUDA_R_64F);
SAME(CUDA_C_32F);
SAME(CUDA_C_64F);
SAME(MAJOR_VERSION);
SAME(MINOR_VERSION);
SAME(PATCH_LEVEL);
#undef SAME

TEST(CusolverHeaders, OurDeclarationsAreTheirs) { SUCCEED() << "by static_assert"; }

}  // namespace
#else
TEST(CusolverHeaders, OurDeclarationsAreTheirs) {
  GTEST_SKIP() << "there is no <cusolverDn.h>: install the CUDA Toolkit";
}
#endif
