// tests/fake_cuda/sector_cache.h -- a cache between a kernel and device memory: tells what memory delivers.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

namespace fake_cuda {

// Sectors of 32 bytes, as NVIDIA's memory delivers them, in sets that forget what was used longest ago.
class SectorCache {
 public:
  // Empty, and of so many bytes; 0: none.
  void reset(unsigned long bytes) { sets_.assign(bytes / (kSector * kWays), {}); }
  explicit operator bool() const { return !sets_.empty(); }

  // The bytes memory delivers for a load.
  unsigned long load(unsigned long address, unsigned long bytes) {
    unsigned long delivered = 0;
    for (unsigned long sector = address / kSector; sector <= (address + bytes - 1) / kSector; ++sector) {
      Set &set = sets_[sector % sets_.size()];
      const auto found = std::find(set.begin(), set.end(), sector);
      if (found == set.end()) delivered += kSector;
      const auto place = found == set.end() ? found - 1 : found;
      std::rotate(set.begin(), place, place + 1);
      set.front() = sector;
    }
    return delivered;
  }

 private:
  static constexpr unsigned long kSector = 32, kWays = 16;
  using Set = std::array<unsigned long, kWays>;  // what was used last comes first; 0 is none
  std::vector<Set> sets_;
};

}  // namespace fake_cuda
