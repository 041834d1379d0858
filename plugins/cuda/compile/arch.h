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

// Chooses for which of `archs`, the architectures that NVRTC knows, to compile, or says in `problem` why this NVRTC
// cannot serve the device. A cubin runs on devices of the same major version with an equal or greater minor one, and
// needs a driver of at least the compiler's major version. PTX runs on any device that is as new, and needs a driver as
// new as the compiler (CUDA Compatibility; CUDA C++ Programming Guide, "Binary Compatibility", "PTX Compatibility").
// Cubins of Tegra's architectures run on nothing else, and other cubins do not run on Tegra.
Target choose_target(int driver_version, int nvrtc_version, std::span<const int> archs, int capability);

// Returns the fewest of `archs`, which ascend, whose cubins run on every device on which the cubins of any of `archs`
// run.
std::vector<int> fewest_archs(std::span<const int> archs);

// Return "12.4" for 12040 and "9.0" for 90.
std::string version_text(int version);
std::string capability_text(int capability);

}  // namespace gpuopt::cuda
