// plugins/cpu/levels/random_table.h -- looks up random positions, or uniform numbers, in a table.
#pragma once

#include "plugins/cpu/levels/level.h"
#include "plugins/cpu/levels/random_loops.h"
#include "plugins/shared/random/random_legacy.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace gpuopt::cpu {
namespace {

inline constexpr gpo::u32 kTableTile = 1024;

// An element of 16 bytes. bits_of<T> is a type of the size of T, for elements that are only copied.
struct Bits128 {
  gpo::u64 low, high;
};
template <class T>
using bits_of = gpo::conditional<sizeof(T) == 16, Bits128, gpo::uint_of<T>>;

#if defined(__AVX512F__)
// Looks up positions in a table that fits into one vector register, by permuting that register. Returns how many were
// looked up: whole vectors, or 0 if the table is too large.
template <class U>
GPO_FN gpo::u32 look_up_in_register(const U *table, gpo::u64 size, const gpo::i32 *k, gpo::u32 n, U *out) {
  gpo::u32 i = 0;
  if constexpr (sizeof(U) == 8) {
    if (size > 8) return 0;
    const __m512i entries = _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << size) - 1), table);
    for (; i + 8 <= n; i += 8) {
      const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(k + i));
      _mm512_storeu_si512(out + i,
                          _mm512_maskz_permutexvar_epi64(0xff, _mm512_maskz_cvtepi32_epi64(0xff, half), entries));
    }
  } else if constexpr (sizeof(U) == 4) {
    if (size > 16) return 0;
    const __m512i entries = _mm512_maskz_loadu_epi32(static_cast<__mmask16>((1u << size) - 1), table);
    for (; i + 16 <= n; i += 16)
      _mm512_storeu_si512(out + i, _mm512_maskz_permutexvar_epi32(0xffff, _mm512_loadu_si512(k + i), entries));
  }
  return i;
}
#endif

// out[i] = table[k[i]] for a table of `size` entries.
template <class U, class I>
GPO_FN void look_up(const U *__restrict table, [[maybe_unused]] gpo::u64 size, const I *__restrict k, gpo::u32 n,
                    U *__restrict out) {
  gpo::u32 i = 0;
#if defined(__AVX512F__)
  if constexpr (sizeof(I) == 4) i = look_up_in_register(table, size, k, n, out);
#endif
  for (; i < n; i++) out[i] = table[k[i]];
}

// Looks up, for each u[i], the table entry of the first cumulative sum that exceeds it; n <= kTableTile / 2.
template <class U>
GPO_FN void look_up_by_sums(const RandomDraw &draw, const double *__restrict u, gpo::u32 n, U *__restrict out) {
  gpo::i64 k[kTableTile / 2] = {};
  // The last sum is 1, which exceeds every u, and need not be compared.
  if (draw.span) gpo::legacy_search(draw.cdf, draw.span, n, u, k);
  look_up(static_cast<const U *>(draw.table), draw.span + 1, k, n, out);
}

// Returns whether positions in a table of span + 1 entries can be drawn as int32. The numbers are the same, of half the
// size.
GPO_FN bool fits_int32(gpo::u64 span) { return span <= 0x7fffffffu; }

}  // namespace
}  // namespace gpuopt::cpu
