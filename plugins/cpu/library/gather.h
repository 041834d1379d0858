// plugins/cpu/library/gather.h -- reads and writes through masks and index arrays: the slots `gather` and `scatter`, as
// specified at GPUOPT_CALL_MASK_COUNT and following.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Both take any strides and dtypes. They throw plugin::Failure (ERR_SHAPE, ERR_INDEX, ERR_UNSUPPORTED,
// ERR_OUT_OF_MEMORY); nothing has been written then.
void run_gather(const gpuopt_call &call);
void run_scatter(const gpuopt_call &call);

}  // namespace gpuopt::cpu
