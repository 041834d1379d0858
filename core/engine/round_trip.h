// core/engine/round_trip.h -- what a backend does not offer is done by the CPU backend: operands there, the result
// back.
#pragma once
#include <vector>

#include "core/device/device.h"

namespace gpuopt {

using CallSlot = gpuopt_status (*)(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *, gpuopt_error *);

// The CPU backend runs the program of one operation, which the stream's device has refused; the bits are the same. One
// warning for each backend and operation says so. Throws ERR_UNSUPPORTED, with the refusal's reason, where the device
// was required or is the CPU itself.
void run_program_on_cpu(gpuopt_stream stream, const char *operation, const gpuopt_program &program,
                        const Failure &refusal);

// The CPU backend makes a call of a library slot, likewise. `written`: which of its tensors the call writes.
void run_call_on_cpu(gpuopt_stream stream, const char *operation, CallSlot gpuopt_plugin_api::*slot,
                     const gpuopt_call &call, const std::vector<bool> &written, const Failure &refusal);

}  // namespace gpuopt
