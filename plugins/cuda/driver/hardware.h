// plugins/cuda/driver/hardware.h -- looks for NVIDIA hardware without the driver. A machine without hardware then needs
// no driver call, and a failure of the driver can be told from a lack of hardware.
#pragma once

#include <string>

namespace gpuopt::cuda {

// Returns 1 if there is hardware, 0 if there is none, and -1 if this system does not say. `root` is prepended to the
// paths that are read.
int hardware_present(const std::string &root = "");

// Returns "/dev/nvidiactl: Permission denied" if a device file of the driver exists but this user may not open it, else
// "".
std::string permission_problem(const std::string &root = "");

// Returns the version of the kernel module, "580.65.06"; "" if unknown.
std::string kernel_module_version(const std::string &root = "");

}  // namespace gpuopt::cuda
