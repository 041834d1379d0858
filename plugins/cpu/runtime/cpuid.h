// plugins/cpu/runtime/cpuid.h -- what this processor can do.
//
// Nothing here or in a static initialiser of the plugin uses an instruction above x86-64-v2: the level is asked first.
#pragma once

#include <cstdint>
#include <string>

namespace gpuopt::cpu {

// The x86-64 microarchitecture level (System V psABI, 2021): 2, 3 or 4, counting only what the operating system also
// saves (XGETBV), and no more than GPUOPT_CPU_LEVEL (v2, v3, v4) allows; 0 below v2. Other processors: 2, the one
// baseline build. Found once, then one load.
int isa_level() noexcept;

// The same without the cap and the memory: what the hardware and operating system offer.
int detected_isa_level() noexcept;

// Bytes of the data caches a core sees, with plain defaults where the processor does not say. L3 may be 0.
struct CacheSizes {
  int64_t l1d, l2, l3;
};
const CacheSizes &cache_sizes() noexcept;

// The processor's name for people, "unknown processor" if there is none.
std::string processor_name();

}  // namespace gpuopt::cpu
