// plugins/cuda/arch.h -- what to compile for, given how old the driver, the compiler and the device are.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace gpuopt::cuda {

// Versions are CUDA's numbers (12040 is 12.4), architectures and capabilities 10 * major + minor (90 is 9.0).
struct Target {
  int arch = 0;
  bool ptx = false;     // the driver compiles PTX; else a cubin, which runs as it is
  std::string problem;  // why this compiler cannot serve this device; "" if it can

  std::string option() const;  // "-arch=sm_90" or "-arch=compute_90"
  std::string name() const;    // "sm_90" or "compute_90"
};

// A cubin runs on the same major version with an equal or greater minor one, and asks of the driver the compiler's
// major version only; PTX runs on anything as new, and asks for a driver as new as the compiler (CUDA Compatibility;
// CUDA C++ Programming Guide, "Binary Compatibility", "PTX Compatibility"). Cubins of Tegra's architectures and of
// others do not run on each other.
Target choose_target(int driver_version, int nvrtc_version, std::span<const int> archs, int capability);

// Those of `archs` that no other's cubins run on: cubins for these serve every device that `archs` has cubins for.
std::vector<int> fewest_archs(std::span<const int> archs);

// "12.4" for 12040 and "9.0" for 90.
std::string version_text(int version);
std::string capability_text(int capability);

}  // namespace gpuopt::cuda
