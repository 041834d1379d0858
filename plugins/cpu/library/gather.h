// plugins/cpu/library/gather.h -- reads through masks and index arrays: the slot `gather`, as specified at
// GPUOPT_CALL_MASK_COUNT and following.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Takes any strides and dtypes. Throws plugin::Failure (ERR_SHAPE, ERR_INDEX, ERR_UNSUPPORTED, ERR_OUT_OF_MEMORY);
// nothing has been written then.
void run_gather(const gpuopt_call &call);

}  // namespace gpuopt::cpu
