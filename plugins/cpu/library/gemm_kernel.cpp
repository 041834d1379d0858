// plugins/cpu/library/gemm_kernel.cpp -- builds the matrix kernels for each instruction set level.
#include "plugins/cpu/library/gemm_kernel.h"

#include <gpuopt/types.h>

#include <cstdlib>
#include <cstring>

namespace gpuopt::cpu {
namespace {

template <typename T>
inline __attribute__((always_inline)) T load(const char *place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}

#if defined(__x86_64__)

namespace v2 {
#define GPUOPT_TARGET __attribute__((target("sse4.2,popcnt")))
#define GPUOPT_VECTOR 16
#define GPUOPT_ROWS 6
#include "plugins/cpu/library/gemm_level.h"
#undef GPUOPT_TARGET
#undef GPUOPT_VECTOR
#undef GPUOPT_ROWS
}  // namespace v2

namespace v3 {
#define GPUOPT_TARGET __attribute__((target("avx2,fma,bmi,bmi2")))
#define GPUOPT_VECTOR 32
#define GPUOPT_ROWS 6
#include "plugins/cpu/library/gemm_level.h"
#undef GPUOPT_TARGET
#undef GPUOPT_VECTOR
#undef GPUOPT_ROWS
}  // namespace v3

namespace v4 {
#define GPUOPT_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2")))
#define GPUOPT_VECTOR 64
#define GPUOPT_ROWS 12
#include "plugins/cpu/library/gemm_level.h"
#undef GPUOPT_TARGET
#undef GPUOPT_VECTOR
#undef GPUOPT_ROWS
}  // namespace v4

#else

namespace v2 {
#define GPUOPT_TARGET
#define GPUOPT_VECTOR 16
#define GPUOPT_ROWS 12
#include "plugins/cpu/library/gemm_level.h"
#undef GPUOPT_TARGET
#undef GPUOPT_VECTOR
#undef GPUOPT_ROWS
}  // namespace v2

#endif

}  // namespace

const GemmKernel *gemm_kernel(int32_t dtype, [[maybe_unused]] int level) noexcept {
#if defined(__x86_64__)
  if (level >= 4) return v4::find(dtype);
  if (level == 3) return v3::find(dtype);
#endif
  return v2::find(dtype);
}

}  // namespace gpuopt::cpu
