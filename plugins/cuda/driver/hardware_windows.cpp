// plugins/cuda/driver/hardware_windows.cpp -- hardware.h on Windows, where only the driver knows its devices.
#if defined(_WIN32)
#include "plugins/cuda/driver/hardware.h"
#include "plugins/shared/host/text_windows.h"

namespace gpuopt::cuda {

// Returns 1 if the driver's library is in the system directory, where every NVIDIA display driver installs it, else -1:
// without it there may still be hardware.
int hardware_present(const std::string &) {
  wchar_t system[MAX_PATH];
  const UINT length = GetSystemDirectoryW(system, MAX_PATH);
  if (length == 0 || length >= MAX_PATH) return -1;
  const std::wstring driver = std::wstring(system, length) + L"\\nvcuda.dll";
  return GetFileAttributesW(driver.c_str()) == INVALID_FILE_ATTRIBUTES ? -1 : 1;
}

std::string permission_problem(const std::string &) { return {}; }     // devices are not files
std::string kernel_module_version(const std::string &) { return {}; }  // there is no kernel module

}  // namespace gpuopt::cuda
#endif
