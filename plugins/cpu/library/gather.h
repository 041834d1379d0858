// plugins/cpu/library/gather.h -- reading and writing through masks and index arrays; see GPUOPT_CALL_MASK_COUNT and
// following.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt::cpu {

// Any strides and any dtype. Everything that can be wrong with the arguments is found before anything is written.
void run_gather(const gpuopt_call &call);
void run_scatter(const gpuopt_call &call);

}  // namespace gpuopt::cpu
