// plugins/cuda/driver/driver.h -- finds the CUDA driver at run time, and fills a table of its functions from
// driver_symbols.def.
#pragma once

#include "plugins/cuda/driver/driver_types.h"
#include "plugins/cuda/driver/host.h"

namespace gpuopt::cuda {

// The driver's functions. Those that driver_symbols.def calls OPTIONAL are NULL if the driver is too old for them.
struct Driver {
  int version = 0;  // cuDriverGetVersion: 12020 is 12.2
#define GPUOPT_CUDA_SYMBOL(need, name, exported, args) CUresult(*name) args = nullptr;
#include "plugins/cuda/driver/driver_symbols.def"
};

// Returns the driver, which the first call opens and initialises. Throws a Failure with the reason if that fails, then
// and at every later call, since a process that could not initialise CUDA never can; and one with reason FORKED in a
// child of the process that opened it. Safe from any thread. Callers look for hardware first (hardware.h).
const Driver &driver();

// Returns the name of an error, "CUDA_ERROR_OUT_OF_MEMORY (2)"; "CUDA error (2)" if no driver is open.
std::string error_name(CUresult code);
// Throws ERR_UNAVAILABLE for a call, `what`, that failed while a device was opened, with the reason that it means for
// the user.
[[noreturn]] void fail_unusable(CUresult code, const std::string &what);
// Returns the name and description of an error, "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
std::string error_text(CUresult code);

}  // namespace gpuopt::cuda
