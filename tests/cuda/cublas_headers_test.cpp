// tests/cuda/cublas_headers_test.cpp -- our declarations of cuBLAS are those of the real <cublas_v2.h>, where there is
// one.
#include <gtest/gtest.h>

#include <type_traits>

#include "plugins/cuda/vendor/cublas.h"

#if __has_include(<cublas_v2.h>)
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
#include <cublas_v2.h>
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
OURS(cublasStatus_t)
OURS(cublasOperation_t)
OURS(cublasMath_t)
OURS(cublasComputeType_t)
OURS(cublasGemmAlgo_t)
OURS(cudaDataType)
OURS(libraryPropertyType)
OURS(cublasHandle_t)
#undef OURS
template <>
struct Ours<real::cudaStream_t> {
  using type = CUstream;
};
template <>
struct Ours<real::cublasHandle_t *> {
  using type = cublasHandle_t *;
};
template <typename Result, typename... Arguments>
struct Ours<Result(Arguments...)> {
  using type = typename Ours<Result>::type(typename Ours<Arguments>::type...);
};

#define GPUOPT_CUBLAS_SYMBOL(result, name, args) \
  static_assert(std::is_same_v<result args, Ours<decltype(real::name)>::type>, #name);
#include "plugins/cuda/vendor/cublas_symbols.def"

#define SAME(name) static_assert(static_cast<int>(::name) == static_cast<int>(real::name), #name)
SAME(CUBLAS_STATUS_SUCCESS);
SAME(CUBLAS_STATUS_ALLOC_FAILED);
SAME(CUBLAS_STATUS_ARCH_MISMATCH);
SAME(CUBLAS_STATUS_NOT_SUPPORTED);
SAME(CUBLAS_OP_N);
SAME(CUBLAS_OP_T);
SAME(CUBLAS_OP_C);
SAME(CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
SAME(CUBLAS_COMPUTE_32F);
SAME(CUBLAS_COMPUTE_64F);
SAME(CUBLAS_GEMM_DEFAULT);
SAME(CUDA_R_32F);
SAME(CUDA_R_64F);
SAME(CUDA_R_16F);
SAME(CUDA_C_32F);
SAME(CUDA_C_64F);
SAME(CUDA_R_16BF);
SAME(MAJOR_VERSION);
SAME(MINOR_VERSION);
SAME(PATCH_LEVEL);
#undef SAME

TEST(CublasHeaders, OurDeclarationsAreTheirs) { SUCCEED() << "by static_assert"; }

}  // namespace
#else
TEST(CublasHeaders, OurDeclarationsAreTheirs) { GTEST_SKIP() << "there is no <cublas_v2.h>: install the CUDA Toolkit"; }
#endif
