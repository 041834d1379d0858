// tests/cuda/nvrtc_headers_test.cpp -- our declarations of NVRTC are those of the real <nvrtc.h>, where there is one.
#include <gtest/gtest.h>

#include <type_traits>

#include "plugins/cuda/compile/nvrtc.h"

#if __has_include(<nvrtc.h>)
#include <cstdlib>
#include <string>

namespace real {
#include <nvrtc.h>
}

namespace {

// A type of the real header with the real names replaced by ours.
template <typename T>
struct Ours {
  using type = T;
};
template <>
struct Ours<real::nvrtcResult> {
  static_assert(sizeof(real::nvrtcResult) == sizeof(nvrtcResult));
  using type = nvrtcResult;
};
template <>
struct Ours<real::nvrtcProgram> {
  using type = nvrtcProgram;
};
template <>
struct Ours<real::nvrtcProgram *> {
  using type = nvrtcProgram *;
};
template <typename Result, typename... Arguments>
struct Ours<Result(Arguments...)> {
  using type = typename Ours<Result>::type(typename Ours<Arguments>::type...);
};

#define GPUOPT_NVRTC_SYMBOL(result, name, args) \
  static_assert(std::is_same_v<result args, Ours<decltype(real::name)>::type>, #name);
#include "plugins/cuda/compile/nvrtc_symbols.def"

#define SAME(name) static_assert(static_cast<int>(::name) == static_cast<int>(real::name), #name)
SAME(NVRTC_SUCCESS);
SAME(NVRTC_ERROR_OUT_OF_MEMORY);
SAME(NVRTC_ERROR_INVALID_OPTION);
SAME(NVRTC_ERROR_COMPILATION);
SAME(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
#undef SAME

TEST(NvrtcHeaders, OurDeclarationsAreTheirs) { SUCCEED() << "by static_assert"; }

}  // namespace
#else
TEST(NvrtcHeaders, OurDeclarationsAreTheirs) { GTEST_SKIP() << "there is no <nvrtc.h>: install the CUDA Toolkit"; }
#endif
