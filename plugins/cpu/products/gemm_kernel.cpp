// plugins/cpu/products/gemm_kernel.cpp -- builds the matrix kernels for each instruction set level.
#include "plugins/cpu/products/gemm_kernel.h"

#include <gpuopt/types.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "plugins/shared/product_shape.h"

// Under a sanitizer, which looks at the text, the level whose kernels take longest to compile is left out: its text is
// that of the others, and so are its bits.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GPUOPT_HIGHEST_LEVEL 3
#else
#define GPUOPT_HIGHEST_LEVEL 4
#endif

namespace gpuopt::cpu {
namespace {

template <typename T>
inline __attribute__((always_inline)) T load(const char *place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}

// fused(x, y, sum) is x y + sum, rounded once, element by element. joined(pieces) is the vector of these pieces.
#if defined(__x86_64__)

namespace v2 {
#define GPUOPT_TARGET __attribute__((target("sse4.2,popcnt")))
#define GPUOPT_VECTOR 16
#define GPUOPT_ROWS 6
#include "plugins/cpu/products/fused_sse.h"
GPUOPT_TARGET inline __m128 joined(const __m128 (&pieces)[1]) { return pieces[0]; }
GPUOPT_TARGET inline __m128d joined(const __m128d (&pieces)[1]) { return pieces[0]; }
#include "plugins/cpu/products/gemm_level.h"
#undef GPUOPT_TARGET
#undef GPUOPT_VECTOR
#undef GPUOPT_ROWS
}  // namespace v2

namespace v3 {
#define GPUOPT_TARGET __attribute__((target("avx2,fma,bmi,bmi2")))
#define GPUOPT_VECTOR 32
#define GPUOPT_ROWS 6
GPUOPT_TARGET inline __m128 fused(__m128 x, __m128 y, __m128 sum) { return _mm_fmadd_ps(x, y, sum); }
GPUOPT_TARGET inline __m128d fused(__m128d x, __m128d y, __m128d sum) { return _mm_fmadd_pd(x, y, sum); }
GPUOPT_TARGET inline __m256 fused(__m256 x, __m256 y, __m256 sum) { return _mm256_fmadd_ps(x, y, sum); }
GPUOPT_TARGET inline __m256d fused(__m256d x, __m256d y, __m256d sum) { return _mm256_fmadd_pd(x, y, sum); }
GPUOPT_TARGET inline __m256 joined(const __m128 (&pieces)[2]) { return _mm256_set_m128(pieces[1], pieces[0]); }
GPUOPT_TARGET inline __m256d joined(const __m128d (&pieces)[2]) { return _mm256_set_m128d(pieces[1], pieces[0]); }
#include "plugins/cpu/products/gemm_level.h"
#undef GPUOPT_TARGET
#undef GPUOPT_VECTOR
#undef GPUOPT_ROWS
}  // namespace v3

#if GPUOPT_HIGHEST_LEVEL >= 4
namespace v4 {
#define GPUOPT_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2")))
#define GPUOPT_VECTOR 64
#define GPUOPT_ROWS 12
GPUOPT_TARGET inline __m128 fused(__m128 x, __m128 y, __m128 sum) { return _mm_fmadd_ps(x, y, sum); }
GPUOPT_TARGET inline __m128d fused(__m128d x, __m128d y, __m128d sum) { return _mm_fmadd_pd(x, y, sum); }
GPUOPT_TARGET inline __m256 fused(__m256 x, __m256 y, __m256 sum) { return _mm256_fmadd_ps(x, y, sum); }
GPUOPT_TARGET inline __m256d fused(__m256d x, __m256d y, __m256d sum) { return _mm256_fmadd_pd(x, y, sum); }
GPUOPT_TARGET inline __m512 fused(__m512 x, __m512 y, __m512 sum) { return _mm512_fmadd_ps(x, y, sum); }
GPUOPT_TARGET inline __m512d fused(__m512d x, __m512d y, __m512d sum) { return _mm512_fmadd_pd(x, y, sum); }
GPUOPT_TARGET inline __m512 joined(const __m128 (&pieces)[4]) {
  const __m512 first = _mm512_insertf32x4(_mm512_castps128_ps512(pieces[0]), pieces[1], 1);
  return _mm512_insertf32x4(_mm512_insertf32x4(first, pieces[2], 2), pieces[3], 3);
}
GPUOPT_TARGET inline __m512d joined(const __m128d (&pieces)[4]) {
  const __m512d first = _mm512_insertf64x2(_mm512_castpd128_pd512(pieces[0]), pieces[1], 1);
  return _mm512_insertf64x2(_mm512_insertf64x2(first, pieces[2], 2), pieces[3], 3);
}
#include "plugins/cpu/products/gemm_level.h"
#undef GPUOPT_TARGET
#undef GPUOPT_VECTOR
#undef GPUOPT_ROWS
}  // namespace v4
#endif

#else

namespace v2 {
#define GPUOPT_TARGET
#define GPUOPT_VECTOR 16
#define GPUOPT_ROWS 12
#if defined(__aarch64__)
inline float32x4_t fused(float32x4_t x, float32x4_t y, float32x4_t sum) { return vfmaq_f32(sum, x, y); }
inline float64x2_t fused(float64x2_t x, float64x2_t y, float64x2_t sum) { return vfmaq_f64(sum, x, y); }
#else
template <typename V>
inline V fused(V x, V y, V sum) {
  for (size_t i = 0; i < sizeof(V) / sizeof(x[0]); i++) sum[i] = gpo::fma(x[i], y[i], sum[i]);
  return sum;
}
#endif
template <typename V>
inline V joined(const V (&pieces)[1]) {
  return pieces[0];
}
#include "plugins/cpu/products/gemm_level.h"
#undef GPUOPT_TARGET
#undef GPUOPT_VECTOR
#undef GPUOPT_ROWS
}  // namespace v2

#endif

}  // namespace

const GemmKernel *gemm_kernel(int32_t dtype, [[maybe_unused]] int level) noexcept {
#if defined(__x86_64__)
#if GPUOPT_HIGHEST_LEVEL >= 4
  if (level >= 4) return v4::find(dtype);
#endif
  if (level >= 3) return v3::find(dtype);
#endif
  return v2::find(dtype);
}

}  // namespace gpuopt::cpu
