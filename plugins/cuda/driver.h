// plugins/cuda/driver.h -- the CUDA driver, found at run time: one table of its functions, made of driver_symbols.def.
#pragma once

#include "plugins/cuda/driver_types.h"
#include "plugins/cuda/host.h"

namespace gpuopt::cuda {

// Optional symbols are NULL where the driver is too old for them.
struct Driver {
  int version = 0;  // cuDriverGetVersion: 12020 is 12.2
#define GPUOPT_CUDA_SYMBOL(need, name, exported, args) CUresult(*name) args = nullptr;
#include "plugins/cuda/driver_symbols.def"
};

// The driver, opened and initialised; throws a Failure with the reason otherwise. The first failure is kept: a process
// that could not initialise CUDA never can. Does not look for hardware (hardware.h), which comes first.
const Driver &driver();

// "CUDA_ERROR_OUT_OF_MEMORY (2)", from the driver where it is open.
std::string error_name(CUresult code);
// Throws ERR_UNAVAILABLE: this call failed on the way to a device, and what that means for the user is the reason.
[[noreturn]] void fail_unusable(CUresult code, const std::string &what);
// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
std::string error_text(CUresult code);

}  // namespace gpuopt::cuda
