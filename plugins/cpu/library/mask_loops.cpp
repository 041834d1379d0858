// plugins/cpu/library/mask_loops.cpp -- counting, collecting and compressing by mask: portable, AVX2 and AVX-512.
//
// Compressing writes nothing behind the results, where memory belongs to another thread. AVX-512 stores with a mask.
// AVX2 stores whole vectors, which is cheaper there, as long as there is room, and the last elements one by one.
#include "plugins/cpu/library/mask_loops.h"

#include <array>
#include <bit>
#include <cstring>

#include "plugins/cpu/runtime/cpuid.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpuopt::cpu {
namespace {

namespace portable {

// Returns a word in which the highest bit of every nonzero byte is set.
uint64_t true_bytes(const uint8_t *mask) {
  constexpr uint64_t kLow = 0x7F7F7F7F7F7F7F7Fu;
  uint64_t word;
  std::memcpy(&word, mask, 8);
  return (((word & kLow) + kLow) | word) & ~kLow;
}

int64_t count(const uint8_t *mask, int64_t n) {
  int64_t total = 0, i = 0;
  for (; i + 8 <= n; i += 8) total += std::popcount(true_bytes(mask + i));
  for (; i < n; i++) total += mask[i] != 0;
  return total;
}

int64_t collect(const uint8_t *mask, int64_t n, int32_t *index) {
  int64_t found = 0;
  for (int64_t i = 0; i < n; i++) {
    index[found] = static_cast<int32_t>(i);
    found += mask[i] != 0;
  }
  return found;
}

template <typename T>
void compress(T *to, const T *from, const uint8_t *mask, int64_t, int64_t count) {
  for (int64_t i = 0, found = 0; found < count; i++) {
    to[found] = from[i];
    found += mask[i] != 0;
  }
}

constexpr MaskLoops kLoops{count, collect, compress<uint32_t>, compress<uint64_t>};

}  // namespace portable

#if defined(__x86_64__)

#define GPUOPT_V3 __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))
#define GPUOPT_V4 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,popcnt,lzcnt")))

namespace v3 {

// Returns the permutations that move the true lanes to the front, for each pattern of true lanes: byte i is the lane
// that goes to lane i.
template <int lanes>
constexpr std::array<uint64_t, 1 << lanes> make_orders() {
  std::array<uint64_t, 1 << lanes> orders{};
  for (unsigned pattern = 0; pattern < orders.size(); pattern++) {
    int next = 0;
    for (uint64_t lane = 0; lane < lanes; lane++) {
      if (pattern >> lane & 1) orders[pattern] |= lane << (8 * next++);
    }
  }
  return orders;
}
// Does the same for lanes of 8 bytes, each as two lanes of 4 bytes.
constexpr std::array<uint64_t, 16> make_pair_orders() {
  std::array<uint64_t, 16> orders{};
  for (unsigned pattern = 0; pattern < orders.size(); pattern++) {
    int next = 0;
    for (uint64_t lane = 0; lane < 4; lane++) {
      if (pattern >> lane & 1) orders[pattern] |= ((2 * lane + 1) << 8 | 2 * lane) << (16 * next++);
    }
  }
  return orders;
}
constexpr auto kOrders = make_orders<8>();
constexpr auto kPairOrders = make_pair_orders();

GPUOPT_V3 inline uint32_t true_bits(const uint8_t *mask) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(mask));
  return ~static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256())));
}

GPUOPT_V3 inline __m256i order(uint64_t bytes) {
  return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<int64_t>(bytes)));
}

GPUOPT_V3 int64_t count(const uint8_t *mask, int64_t n) {
  int64_t total = 0, i = 0;
  for (; i + 32 <= n; i += 32) total += std::popcount(true_bits(mask + i));
  for (; i < n; i++) total += mask[i] != 0;
  return total;
}

GPUOPT_V3 int64_t collect(const uint8_t *mask, int64_t n, int32_t *index) {
  int64_t found = 0, i = 0;
  for (; i + 32 <= n; i += 32) {
    uint32_t bits = true_bits(mask + i);
    for (int32_t base = static_cast<int32_t>(i); bits; bits >>= 8, base += 8) {
      const __m256i positions = _mm256_add_epi32(order(kOrders[bits & 0xFF]), _mm256_set1_epi32(base));
      _mm256_storeu_si256(reinterpret_cast<__m256i *>(index + found), positions);
      found += std::popcount(bits & 0xFF);
    }
  }
  for (; i < n; i++) {
    index[found] = static_cast<int32_t>(i);
    found += mask[i] != 0;
  }
  return found;
}

// Copies the elements whose bits are set, one by one. Returns how many.
template <typename T>
GPUOPT_V3 inline int64_t copy_bits(T *to, const T *from, uint32_t bits) {
  int64_t found = 0;
  for (; bits; bits &= bits - 1) to[found++] = from[std::countr_zero(bits)];
  return found;
}

// Compresses elements of either size. A vector has `lanes` of them, and `orders` has the permutation for each pattern.
template <int lanes, typename T>
GPUOPT_V3 inline void compress(T *to, const T *from, const uint8_t *mask, int64_t n, int64_t count,
                               const std::array<uint64_t, 1 << lanes> &orders) {
  constexpr uint32_t kPattern = (1u << lanes) - 1;
  int64_t found = 0, i = 0;
  for (; i + 32 <= n; i += 32) {
    const uint32_t bits = true_bits(mask + i);
    if (found + 32 > count) {
      found += copy_bits(to + found, from + i, bits);
      continue;
    }
    for (int j = 0; j < 32; j += lanes) {
      const uint32_t pattern = bits >> j & kPattern;
      const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from + i + j));
      _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + found),
                          _mm256_permutevar8x32_epi32(values, order(orders[pattern])));
      found += std::popcount(pattern);
    }
  }
  portable::compress(to + found, from + i, mask + i, n - i, count - found);
}

GPUOPT_V3 void compress4(uint32_t *to, const uint32_t *from, const uint8_t *mask, int64_t n, int64_t count) {
  compress<8>(to, from, mask, n, count, kOrders);
}
GPUOPT_V3 void compress8(uint64_t *to, const uint64_t *from, const uint8_t *mask, int64_t n, int64_t count) {
  compress<4>(to, from, mask, n, count, kPairOrders);
}

constexpr MaskLoops kLoops{count, collect, compress4, compress8};

}  // namespace v3

namespace v4 {

GPUOPT_V4 inline uint64_t true_bits(const uint8_t *mask) {
  const __m512i bytes = _mm512_loadu_si512(mask);
  return _mm512_test_epi8_mask(bytes, bytes);
}

GPUOPT_V4 int64_t count(const uint8_t *mask, int64_t n) {
  int64_t total = 0, i = 0;
  for (; i + 64 <= n; i += 64) total += std::popcount(true_bits(mask + i));
  for (; i < n; i++) total += mask[i] != 0;
  return total;
}

GPUOPT_V4 int64_t collect(const uint8_t *mask, int64_t n, int32_t *index) {
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  int64_t found = 0, i = 0;
  for (; i + 64 <= n; i += 64) {
    uint64_t bits = true_bits(mask + i);
    for (int32_t base = static_cast<int32_t>(i); bits; bits >>= 16, base += 16) {
      const auto pattern = static_cast<__mmask16>(bits);
      const __m512i positions = _mm512_add_epi32(lanes, _mm512_set1_epi32(base));
      _mm512_storeu_si512(index + found, _mm512_maskz_compress_epi32(pattern, positions));
      found += std::popcount(pattern);
    }
  }
  for (; i < n; i++) {
    index[found] = static_cast<int32_t>(i);
    found += mask[i] != 0;
  }
  return found;
}

GPUOPT_V4 void compress4(uint32_t *to, const uint32_t *from, const uint8_t *mask, int64_t n, int64_t count) {
  int64_t found = 0, i = 0;
  for (; i + 64 <= n; i += 64) {
    const uint64_t bits = true_bits(mask + i);
    for (int j = 0; j < 64; j += 16) {
      const auto pattern = static_cast<__mmask16>(bits >> j);
      const int kept = std::popcount(pattern);
      _mm512_mask_storeu_epi32(to + found, static_cast<__mmask16>((1u << kept) - 1),
                               _mm512_maskz_compress_epi32(pattern, _mm512_loadu_si512(from + i + j)));
      found += kept;
    }
  }
  portable::compress(to + found, from + i, mask + i, n - i, count - found);
}

GPUOPT_V4 void compress8(uint64_t *to, const uint64_t *from, const uint8_t *mask, int64_t n, int64_t count) {
  int64_t found = 0, i = 0;
  for (; i + 64 <= n; i += 64) {
    const uint64_t bits = true_bits(mask + i);
    for (int j = 0; j < 64; j += 8) {
      const auto pattern = static_cast<__mmask8>(bits >> j);
      const int kept = std::popcount(pattern);
      _mm512_mask_storeu_epi64(to + found, static_cast<__mmask8>((1u << kept) - 1),
                               _mm512_maskz_compress_epi64(pattern, _mm512_loadu_si512(from + i + j)));
      found += kept;
    }
  }
  portable::compress(to + found, from + i, mask + i, n - i, count - found);
}

constexpr MaskLoops kLoops{count, collect, compress4, compress8};

}  // namespace v4

#endif

}  // namespace

const MaskLoops &mask_loops([[maybe_unused]] int level) noexcept {
#if defined(__x86_64__)
  if (level >= 4) return v4::kLoops;
  if (level == 3) return v3::kLoops;
#endif
  return portable::kLoops;
}

const MaskLoops &mask_loops() noexcept { return mask_loops(isa_level()); }

}  // namespace gpuopt::cpu
