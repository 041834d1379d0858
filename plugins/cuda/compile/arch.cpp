// plugins/cuda/compile/arch.cpp -- the table of version skews, as a function.
#include "plugins/cuda/compile/arch.h"

#include <algorithm>
#include <limits>

namespace gpuopt::cuda {
namespace {

// Returns whether an architecture is that of a Tegra (Jetson and its like). Each is of one chip, and its cubins run on
// no other.
bool is_tegra(int arch) {
  constexpr int kTegra[] = {53, 62, 72, 87, 101, 110};
  return std::find(std::begin(kTegra), std::end(kTegra), arch) != std::end(kTegra);
}

// Returns the greatest of `archs` that is at most `capability` and for which fits() is true; 0 if there is none.
template <typename Fits>
int greatest(std::span<const int> archs, int capability, Fits fits) {
  int best = 0;
  for (const int arch : archs) {
    if (arch <= capability && arch > best && fits(arch)) best = arch;
  }
  return best;
}

Target no_target(std::string problem) { return {0, false, std::move(problem)}; }

}  // namespace

std::string Target::name() const { return (ptx ? "compute_" : "sm_") + std::to_string(arch); }
std::string Target::option() const { return "-arch=" + name(); }

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}
std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

std::vector<int> fewest_archs(std::span<const int> archs) {
  constexpr int kAnyDriver = std::numeric_limits<int>::max();
  std::vector<int> needed;
  for (const int arch : archs) {
    const Target served = choose_target(kAnyDriver, 0, needed, arch);
    if (served.ptx || !served.problem.empty()) needed.push_back(arch);
  }
  return needed;
}

Target choose_target(int driver_version, int nvrtc_version, std::span<const int> archs, int capability) {
  const std::string nvrtc = "NVRTC " + version_text(nvrtc_version);
  const std::string driver = "the driver, which is for CUDA " + version_text(driver_version);
  const std::string device = "a device of compute capability " + capability_text(capability);
  if (nvrtc_version / 1000 > driver_version / 1000) return no_target(nvrtc + " is too new for " + driver);
  const bool tegra = is_tegra(capability);
  const int binary = greatest(archs, capability, [&](int arch) {
    return arch == capability || (arch / 10 == capability / 10 && !tegra && !is_tegra(arch));
  });
  if (binary) return {binary, false, ""};
  const int portable = greatest(archs, capability, [](int arch) { return !is_tegra(arch); });
  if (!portable) return no_target(nvrtc + " no longer serves " + device);
  if (nvrtc_version > driver_version) {
    return no_target(nvrtc + " knows no cubin for " + device + ", and is too new to give PTX to " + driver);
  }
  return {portable, true, ""};
}

}  // namespace gpuopt::cuda
