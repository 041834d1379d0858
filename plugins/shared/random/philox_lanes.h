// plugins/shared/random/philox_lanes.h -- the vector operations of one Philox round; host only
//
// Philox is 32 x 32 -> 64 bit products, which x86 has for the low halves of 64-bit lanes. GCC does not find that
// instruction from plain loops, hence these few wrappers: a lane holds one block's word in its lower half, the upper
// half is ignored.
//
// counting() has the numbers from `from` on; upper() moves the upper halves of lanes down; pair() puts the words of b
// into the upper halves of a; store_zipped() stores lane 0 of a, lane 0 of b, lane 1 of a, and so on.
#ifndef GPUOPT_PLUGINS_SHARED_RANDOM_PHILOX_LANES_H_
#define GPUOPT_PLUGINS_SHARED_RANDOM_PHILOX_LANES_H_

#include "plugins/shared/prelude.h"

#if defined(__SSE2__)
#include <immintrin.h>
#define GPO_PHILOX_LANES 1

namespace gpo {

#if defined(__AVX512F__)
struct PhiloxLanes {
  using V = __m512i;
  static constexpr u32 count = 8;
  static GPO_FN V all(u32 x) { return _mm512_set1_epi64(x); }
  static GPO_FN V counting(u64 from) {
    return _mm512_add_epi64(_mm512_set1_epi64(i64(from)), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
  }
  // Zero-masking forms with a full mask: GCC 12 calls the plain ones' unused operand uninitialised.
  static GPO_FN V multiply(V a, V b) { return _mm512_maskz_mul_epu32(0xff, a, b); }
  // A shuffle instead of a shift: it runs beside the products, not in their place.
  static GPO_FN V upper(V a) { return _mm512_maskz_shuffle_epi32(0xffff, a, _MM_PERM_ENUM(0xf5)); }
  static GPO_FN V exclusive_or(V a, V b, V c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
  static GPO_FN V pair(V a, V b) { return _mm512_mask_shuffle_epi32(a, 0xaaaa, b, _MM_PERM_ENUM(0xa0)); }
  static GPO_FN void store_zipped(u32 *out, V a, V b) {
    const V low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), high = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    _mm512_storeu_si512(out, _mm512_permutex2var_epi64(a, low, b));
    _mm512_storeu_si512(out + 16, _mm512_permutex2var_epi64(a, high, b));
  }
};
#elif defined(__AVX2__)
struct PhiloxLanes {
  using V = __m256i;
  static constexpr u32 count = 4;
  static GPO_FN V all(u32 x) { return _mm256_set1_epi64x(x); }
  static GPO_FN V counting(u64 from) {
    return _mm256_add_epi64(_mm256_set1_epi64x(i64(from)), _mm256_set_epi64x(3, 2, 1, 0));
  }
  static GPO_FN V multiply(V a, V b) { return _mm256_mul_epu32(a, b); }
  static GPO_FN V upper(V a) { return _mm256_shuffle_epi32(a, 0xf5); }
  static GPO_FN V exclusive_or(V a, V b, V c) { return _mm256_xor_si256(_mm256_xor_si256(a, b), c); }
  static GPO_FN V pair(V a, V b) { return _mm256_blend_epi32(a, _mm256_shuffle_epi32(b, 0xa0), 0xaa); }
  static GPO_FN void store_zipped(u32 *out, V a, V b) {
    const V low = _mm256_unpacklo_epi64(a, b), high = _mm256_unpackhi_epi64(a, b);
    _mm256_storeu_si256(reinterpret_cast<V *>(out), _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256(reinterpret_cast<V *>(out + 8), _mm256_permute2x128_si256(low, high, 0x31));
  }
};
#else
struct PhiloxLanes {
  using V = __m128i;
  static constexpr u32 count = 2;
  static GPO_FN V all(u32 x) { return _mm_set1_epi64x(x); }
  static GPO_FN V counting(u64 from) { return _mm_add_epi64(_mm_set1_epi64x(i64(from)), _mm_set_epi64x(1, 0)); }
  static GPO_FN V multiply(V a, V b) { return _mm_mul_epu32(a, b); }
  static GPO_FN V upper(V a) { return _mm_shuffle_epi32(a, 0xf5); }
  static GPO_FN V exclusive_or(V a, V b, V c) { return _mm_xor_si128(_mm_xor_si128(a, b), c); }
  static GPO_FN V pair(V a, V b) {
    return _mm_or_si128(_mm_and_si128(a, _mm_set1_epi64x(0xffffffff)), _mm_slli_epi64(b, 32));
  }
  static GPO_FN void store_zipped(u32 *out, V a, V b) {
    _mm_storeu_si128(reinterpret_cast<V *>(out), _mm_unpacklo_epi64(a, b));
    _mm_storeu_si128(reinterpret_cast<V *>(out + 4), _mm_unpackhi_epi64(a, b));
  }
};
#endif

}  // namespace gpo
#endif

#endif  // GPUOPT_PLUGINS_SHARED_RANDOM_PHILOX_LANES_H_
