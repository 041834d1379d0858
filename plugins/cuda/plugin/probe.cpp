// plugins/cuda/plugin/probe.cpp -- can this backend work here? Hardware first, then the driver, then its devices.
#include <cstdio>
#include <cstdlib>

#include "plugins/cuda/driver/driver.h"
#include "plugins/cuda/driver/hardware.h"
#include "plugins/cuda/plugin/slots.h"
#include "plugins/shared/host/settings.h"

namespace gpuopt::cuda::slots {
namespace {

// Throws if there is no hardware, unless the user has named the driver's file: then the driver decides.
void check_hardware(const gpuopt_plugin_probe &found) {
  const char *const named = setting(Setting::GPUOPT_CUDA_DRIVER);
  if (found.hardware_present != 0 || (named && *named)) return;
  fail(GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_NO_DEVICE, 0, "this machine has no NVIDIA GPU");
}

// Returns the driver. Throws with reason NO_PERMISSION if it may not open its device files: by itself the driver then
// reports only that it finds no device, or that it is not ready.
const Driver &usable_driver() try { return driver(); } catch (const Failure &failure) {
  if (failure.reason != GPUOPT_REASON_NO_DEVICE && failure.reason != GPUOPT_REASON_DRIVER_NOT_READY) throw;
  const std::string problem = permission_problem();
  if (problem.empty()) throw;
  fail(failure.code, GPUOPT_REASON_NO_PERMISSION, failure.backend_code, "%s; %s", failure.message.c_str(),
       problem.c_str());
}

int count_devices(const Driver &cuda) {
  int count = 0;
  const CUresult code = cuda.cuDeviceGetCount(&count);
  if (code == CUDA_SUCCESS && count > 0) return count;
  if (code != CUDA_SUCCESS && code != CUDA_ERROR_NO_DEVICE) fail_unusable(code, "cuDeviceGetCount");
  const char *const visible = setting(Setting::CUDA_VISIBLE_DEVICES);
  fail(GPUOPT_ERR_UNAVAILABLE, GPUOPT_REASON_NO_DEVICE, code, "the driver finds no device%s%s%s%s",
       code == CUDA_SUCCESS ? "" : (": " + error_name(code)).c_str(), visible ? " (CUDA_VISIBLE_DEVICES=" : "",
       visible ? visible : "", visible ? ")" : "");
}

void describe(const Driver &cuda, gpuopt_plugin_probe &found) {
  found.driver_version = cuda.version;
  const std::string module = kernel_module_version();
  std::snprintf(found.driver, sizeof found.driver, "CUDA %d.%d%s%s", cuda.version / 1000, cuda.version % 1000 / 10,
                module.empty() ? "" : ", driver ", module.c_str());
}

// Fills `found` step by step; throws, with the reason, at the first step that shows that the backend cannot work.
void look(gpuopt_plugin_probe &found) {
  found.hardware_present = hardware_present();
  check_hardware(found);
  const Driver &cuda = usable_driver();
  describe(cuda, found);
  found.device_count = count_devices(cuda);
}

}  // namespace

// Fills `probe` with what was found even if the backend cannot work here.
gpuopt_status probe(gpuopt_plugin_probe *probe, gpuopt_error *) {
  gpuopt_plugin_probe found{};
  try {
    look(found);
  } catch (...) {
    give(found, probe);
    throw;
  }
  give(found, probe);
  return GPUOPT_OK;
}

}  // namespace gpuopt::cuda::slots
