// plugins/cuda/driver/driver.h -- finds the CUDA driver at run time, and fills a table of its functions from
// driver_symbols.def.
#pragma once

#include "plugins/cuda/driver/driver_types.h"
#include "plugins/cuda/driver/host.h"

namespace gpuopt::cuda {

// Optional symbols are NULL if the driver is too old for them.
struct Driver {
  int version = 0;  // cuDriverGetVersion: 12020 is 12.2
#define GPUOPT_CUDA_SYMBOL(need, name, exported, args) CUresult(*name) args = nullptr;
#include "plugins/cuda/driver/driver_symbols.def"
};

// Opens and initialises the driver; throws a Failure with the reason if that fails. The first failure is kept, since a
// process that could not initialise CUDA never can. Callers look for hardware first (hardware.h).
const Driver &driver();

// The name of an error, "CUDA_ERROR_OUT_OF_MEMORY (2)", from the driver if it is open.
std::string error_name(CUresult code);
// Throws ERR_UNAVAILABLE for a call that failed while a device was opened, with the reason that it means for the user.
[[noreturn]] void fail_unusable(CUresult code, const std::string &what);
// The name and description of an error, "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
std::string error_text(CUresult code);

}  // namespace gpuopt::cuda
