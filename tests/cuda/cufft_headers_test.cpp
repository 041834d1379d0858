// tests/cuda/cufft_headers_test.cpp -- our declarations of cuFFT are those of the real <cufft.h>, where there is
// one.
#include <gtest/gtest.h>

#include <type_traits>

#include "plugins/cuda/vendor/cufft.h"

#if __has_include(<cufft.h>)
namespace {
constexpr int kForward = CUFFT_FORWARD, kInverse = CUFFT_INVERSE;
}

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
#include <cufft.h>
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
OURS(cufftResult)
OURS(cufftType)
OURS(libraryPropertyType)
#undef OURS
template <>
struct Ours<real::cudaStream_t> {
  using type = CUstream;
};
#define OURS_POINTED_AT(name) \
  template <>                 \
  struct Ours<real::name *> { \
    using type = name *;      \
  };
OURS_POINTED_AT(cufftComplex)
OURS_POINTED_AT(cufftDoubleComplex)
#undef OURS_POINTED_AT
template <typename Result, typename... Arguments>
struct Ours<Result(Arguments...)> {
  using type = typename Ours<Result>::type(typename Ours<Arguments>::type...);
};

#define GPUOPT_CUFFT_SYMBOL(result, name, args) \
  static_assert(std::is_same_v<result args, Ours<decltype(real::name)>::type>, #name);
#include "plugins/cuda/vendor/cufft_symbols.def"

#define SAME(name) static_assert(static_cast<int>(::name) == static_cast<int>(real::name), #name)
SAME(CUFFT_SUCCESS);
SAME(CUFFT_ALLOC_FAILED);
SAME(CUFFT_INVALID_VALUE);
SAME(CUFFT_INTERNAL_ERROR);
SAME(CUFFT_EXEC_FAILED);
SAME(CUFFT_SETUP_FAILED);
SAME(CUFFT_INVALID_SIZE);
SAME(CUFFT_NOT_IMPLEMENTED);
SAME(CUFFT_NOT_SUPPORTED);
SAME(CUFFT_R2C);
SAME(CUFFT_C2R);
SAME(CUFFT_C2C);
SAME(CUFFT_D2Z);
SAME(CUFFT_Z2D);
SAME(CUFFT_Z2Z);
SAME(MAJOR_VERSION);
SAME(MINOR_VERSION);
SAME(PATCH_LEVEL);
#undef SAME
static_assert(kForward == CUFFT_FORWARD && kInverse == CUFFT_INVERSE);  // macros of theirs

TEST(CufftHeaders, OurDeclarationsAreTheirs) { SUCCEED() << "by static_assert"; }

}  // namespace
#else
TEST(CufftHeaders, OurDeclarationsAreTheirs) { GTEST_SKIP() << "there is no <cufft.h>: install the CUDA Toolkit"; }
#endif
