// plugins/cuda/driver/hardware.cpp -- device files, PCI identifiers and the device tree of Linux.
#if !defined(_WIN32)
#include "plugins/cuda/driver/hardware.h"

#include "plugins/cuda/driver/os.h"

namespace gpuopt::cuda {
namespace {

bool begins_with(const std::string &text, const char *start) { return text.rfind(start, 0) == 0; }

// Returns whether a device file of the driver exists, which is the case in containers, too. /dev/dxg is the GPU of the
// Windows host under WSL.
bool has_device_file(const std::string &root) {
  for (const char *name : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"}) {
    if (file_exists(root + name)) return true;
  }
  return false;
}

// Returns whether a PCI device has vendor NVIDIA and class 03 (display controller). The sound and USB functions of the
// same card have other classes.
bool is_nvidia_display(const std::string &directory) {
  return begins_with(head_of(directory + "/vendor"), "0x10de") && begins_with(head_of(directory + "/class"), "0x03");
}

// Returns whether this is a Tegra, whose GPU is not on PCI.
bool is_tegra(const std::string &root) {
  return head_of(root + "/sys/firmware/devicetree/base/compatible").find("nvidia,tegra") != std::string::npos;
}

}  // namespace

int hardware_present(const std::string &root) {
  if (has_device_file(root) || is_tegra(root)) return 1;
  const std::string devices = root + "/sys/bus/pci/devices";
  if (!file_exists(devices)) return -1;
  for (const std::string &name : names_in(devices)) {
    if (is_nvidia_display(devices + "/" + name)) return 1;
  }
  return 0;
}

std::string permission_problem(const std::string &root) {
  for (const char *name : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm", "/dev/dxg"}) {
    const std::string path = root + name;
    if (!file_exists(path)) continue;
    const std::string problem = opening_problem(path);
    if (!problem.empty()) return path + ": " + problem;
  }
  return {};
}

std::string kernel_module_version(const std::string &root) {
  const std::string text = head_of(root + "/sys/module/nvidia/version");
  return text.substr(0, text.find('\n'));
}

}  // namespace gpuopt::cuda
#endif
