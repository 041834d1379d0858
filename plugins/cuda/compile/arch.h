// plugins/cuda/compile/arch.h -- chooses the architecture to compile for from the versions of the driver, the compiler
// and the device.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace gpuopt::cuda {

// Versions are CUDA's numbers (12040 is 12.4), architectures and capabilities 10 * major + minor (90 is 9.0).
struct Target {
  int arch = 0;
  bool ptx = false;     // PTX, which the driver compiles, instead of a cubin
  std::string problem;  // why this compiler cannot serve this device; "" if it can

  std::string option() const;  // "-arch=sm_90" or "-arch=compute_90"
  std::string name() const;    // "sm_90" or "compute_90"
};

// A cubin runs on the same major version with an equal or greater minor one, and asks of the driver the compiler's
// major version only; PTX runs on anything as new, and asks for a driver as new as the compiler (CUDA Compatibility;
// CUDA C++ Programming Guide, "Binary Compatibility", "PTX Compatibility"). Cubins of Tegra's architectures and of
// others do not run on each other.
Target choose_target(int driver_version, int nvrtc_version, std::span<const int> archs, int capability);

// The fewest of `archs` whose cubins run on every device on which the cubins of any of `archs` run.
std::vector<int> fewest_archs(std::span<const int> archs);

// "12.4" for 12040 and "9.0" for 90.
std::string version_text(int version);
std::string capability_text(int capability);

}  // namespace gpuopt::cuda
