// plugins/cuda/hardware.h -- is there NVIDIA hardware? Looked for without the driver, so that a machine without it
// needs no driver call, and so that the reason why the driver fails can be told from there being nothing to drive.
#pragma once

#include <string>

namespace gpuopt::cuda {

// 1 if there is, 0 if there is not, -1 if this system does not say. `root` stands before the paths that are looked at.
int hardware_present(const std::string &root = "");

// "/dev/nvidiactl: Permission denied" if a file of the driver's is there and may not be used by this user, else "".
std::string permission_problem(const std::string &root = "");

// The version of the kernel module, "580.65.06"; "" if unknown.
std::string kernel_module_version(const std::string &root = "");

}  // namespace gpuopt::cuda
