// plugins/cpu/library/take_loops.cpp -- see take_loops.h: portable and AVX-512.
//
// How many reads a processor has under way is limited by the instructions between them. A gather of AVX-512 has eight
// reads in one instruction, which is faster where most reads miss the caches, and slower than single reads elsewhere.
// AVX2's gathers are not used, for they are slower than single reads on many processors.
#include "plugins/cpu/library/take_loops.h"

#include <algorithm>

#include "plugins/cpu/library/take_elements.h"
#include "plugins/cpu/runtime/cpuid.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpuopt::cpu {
namespace {

constexpr TakeLoops kPortable{take_elements<uint32_t>, take_elements<uint64_t>};

#if defined(__x86_64__)

#define GPUOPT_TAKE_V4 __attribute__((target("avx512f,avx512dq,avx512vl,avx2")))

namespace take_v4 {

constexpr __mmask8 kAll = 0xFF;  // GCC 12 warns of an uninitialized variable in the functions without masks

GPUOPT_TAKE_V4 inline __m512i load_wrapped(const char *index, __m512i size) {
  const __m512i at = _mm512_loadu_si512(index);
  return _mm512_mask_add_epi64(at, _mm512_movepi64_mask(at), at, size);
}

// Returns whether the elements at a few of the indices, and so perhaps at all, are within a second-level cache.
template <typename T>
bool are_near(const char *index, int64_t n) {
  constexpr int64_t kNear = (int64_t{256} << 10) / int64_t{sizeof(T)}, kSamples = 16;
  if (n < kSamples) return true;
  int64_t least = INT64_MAX, greatest = INT64_MIN;
  for (int64_t k = 0; k < kSamples; k++) {
    const int64_t at = load_index(index + (k * (n - 1) / (kSamples - 1)) * 8);
    least = std::min(least, at), greatest = std::max(greatest, at);
  }
  return static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least) <= uint64_t{kNear};
}

GPUOPT_TAKE_V4 void take4(char *to, const char *index, const char *from, int64_t size, int64_t n) {
  if (are_near<uint32_t>(index, n)) return take_elements<uint32_t>(to, index, from, size, n);
  const __m512i sizes = _mm512_set1_epi64(size);
  int64_t k = 0;
  for (; k + 8 <= n; k += 8) {
    const __m512i places = load_wrapped(index + k * 8, sizes);
    const __m256i taken = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), kAll, places, from, 4);
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + k * 4), taken);
  }
  take_elements<uint32_t>(to + k * 4, index + k * 8, from, size, n - k);
}

GPUOPT_TAKE_V4 void take8(char *to, const char *index, const char *from, int64_t size, int64_t n) {
  if (are_near<uint64_t>(index, n)) return take_elements<uint64_t>(to, index, from, size, n);
  const __m512i sizes = _mm512_set1_epi64(size);
  int64_t k = 0;
  for (; k + 8 <= n; k += 8) {
    const __m512i places = load_wrapped(index + k * 8, sizes);
    _mm512_storeu_si512(to + k * 8, _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), kAll, places, from, 8));
  }
  take_elements<uint64_t>(to + k * 8, index + k * 8, from, size, n - k);
}

constexpr TakeLoops kLoops{take4, take8};

}  // namespace take_v4

#endif

}  // namespace

const TakeLoops &take_loops([[maybe_unused]] int level) noexcept {
#if defined(__x86_64__)
  if (level >= 4) return take_v4::kLoops;
#endif
  return kPortable;
}

const TakeLoops &take_loops() noexcept { return take_loops(isa_level()); }

}  // namespace gpuopt::cpu
