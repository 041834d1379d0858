// plugins/cpu/runtime/cpuid.cpp -- instruction set level, cache sizes and name from CPUID and XGETBV.
#include "plugins/cpu/runtime/cpuid.h"

#include <atomic>
#include <cstring>

#include "plugins/cpu/runtime/host.h"
#include "plugins/shared/host/setting_values.h"

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <unistd.h>

#include <fstream>
#endif

namespace gpuopt::cpu {
namespace {

#if defined(__x86_64__)

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// Returns the registers of a CPUID leaf; all zero if the processor does not have it.
Registers cpuid(unsigned leaf, unsigned subleaf = 0) noexcept {
  Registers r;
  if (static_cast<unsigned>(__get_cpuid_max(leaf & 0x80000000u, nullptr)) >= leaf)
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
  return r;
}

constexpr bool has(unsigned word, unsigned bits) noexcept { return (word & bits) == bits; }

// Returns which registers the operating system saves (XCR0). To be called only if OSXSAVE says that the instruction
// exists.
unsigned saved_state() noexcept {
  unsigned low, high;
  __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

bool has_v2(const Registers &basic, const Registers &extended) noexcept {
  return has(basic.ecx, bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT | bit_CMPXCHG16B) &&
         has(extended.ecx, bit_LAHF_LM);
}

bool has_v3(const Registers &basic, const Registers &features, const Registers &extended) noexcept {
  constexpr unsigned kSseAndAvxState = 0x6;
  return has(basic.ecx, bit_OSXSAVE | bit_AVX | bit_F16C | bit_FMA | bit_MOVBE) && has(extended.ecx, bit_LZCNT) &&
         has(features.ebx, bit_AVX2 | bit_BMI | bit_BMI2) && has(saved_state(), kSseAndAvxState);
}

bool has_v4(const Registers &features) noexcept {
  constexpr unsigned kAvx512State = 0xE0;
  return has(features.ebx, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL) &&
         has(saved_state(), kAvx512State);
}

// Reads the cache sizes from leaf 4 (Intel) or 0x8000001D (AMD), which have the same layout. Returns false if the leaf
// lists none.
bool read_caches(unsigned leaf, CacheSizes &sizes) noexcept {
  bool found = false;
  for (unsigned i = 0; i < 16; i++) {
    const Registers r = cpuid(leaf, i);
    const unsigned type = r.eax & 0x1F, level = (r.eax >> 5) & 0x7;
    if (type == 0) break;
    if (type == 2) continue;  // instruction cache
    const int64_t ways = (r.ebx >> 22) + 1, partitions = ((r.ebx >> 12) & 0x3FF) + 1, line = (r.ebx & 0xFFF) + 1;
    int64_t *const size = level == 1 ? &sizes.l1d : level == 2 ? &sizes.l2 : level == 3 ? &sizes.l3 : nullptr;
    if (size) *size = ways * partitions * line * (int64_t{r.ecx} + 1);
    found = true;
  }
  return found;
}

#endif

CacheSizes detect_caches() noexcept {
  CacheSizes sizes{32 << 10, 512 << 10, 0};
#if defined(__x86_64__)
  if (!read_caches(4, sizes)) read_caches(0x8000001D, sizes);
#elif defined(_SC_LEVEL1_DCACHE_SIZE)
  if (const long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE); l1 > 0) sizes.l1d = l1;
  if (const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE); l2 > 0) sizes.l2 = l2;
  if (const long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE); l3 > 0) sizes.l3 = l3;
#endif
  return sizes;
}

int choose_level() noexcept {
  const int detected = detected_isa_level();
  const auto word = plugin::setting_word(Setting::GPUOPT_CPU_LEVEL);  // index of the word: v2 is 0
  return word ? std::min(detected, static_cast<int>(*word) + 2) : detected;
}

}  // namespace

int detected_isa_level() noexcept {
#if defined(__x86_64__)
  const Registers basic = cpuid(1), features = cpuid(7), extended = cpuid(0x80000001);
  if (!has_v2(basic, extended)) return 0;
  if (!has_v3(basic, features, extended)) return 2;
  return has_v4(features) ? 4 : 3;
#else
  return 2;
#endif
}

int isa_level() noexcept {
  static std::atomic<int> cached{-1};
  int level = cached.load(std::memory_order_relaxed);
  if (level < 0) cached.store(level = choose_level(), std::memory_order_relaxed);
  return level;
}

const CacheSizes &cache_sizes() noexcept {
  static const CacheSizes sizes = detect_caches();
  return sizes;
}

std::string processor_name() {
#if defined(__x86_64__)
  char brand[49] = {};
  for (unsigned i = 0; i < 3; i++) {
    const Registers r = cpuid(0x80000002u + i);
    std::memcpy(brand + 16 * i, &r, 16);
  }
  const char *start = brand + std::strspn(brand, " ");
  if (*start) return start;
#else
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
#endif
  return "unknown processor";
}

}  // namespace gpuopt::cpu
