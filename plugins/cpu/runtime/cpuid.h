// plugins/cpu/runtime/cpuid.h -- what this processor can do.
//
// Nothing here, and no static initializer of the plugin, uses instructions above x86-64-v2, because the level has to be
// known first.
#pragma once

#include <cstdint>
#include <string>

namespace gpuopt::cpu {

// Returns the x86-64 microarchitecture level (System V psABI, 2021): 2, 3 or 4, or 0 if the processor is below v2. A
// level counts only if the operating system saves its registers (XGETBV), and no level above GPUOPT_CPU_LEVEL (v2, v3,
// v4) is returned. On other architectures it is 2, for the one baseline build. The result is cached.
int isa_level() noexcept;

// Returns what the hardware and the operating system offer: the same without the limit of GPUOPT_CPU_LEVEL, and not
// cached.
int detected_isa_level() noexcept;

// Sizes in bytes of the data caches that a core can use: 32 KiB, 512 KiB and 0 where the system does not tell.
struct CacheSizes {
  int64_t l1d, l2, l3;
};
const CacheSizes &cache_sizes() noexcept;

// Returns the name of the processor as its maker writes it; "unknown processor" if there is none.
std::string processor_name();

}  // namespace gpuopt::cpu
