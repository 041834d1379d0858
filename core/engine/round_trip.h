// core/engine/round_trip.h -- lets the CPU backend compute what another backend does not support: copies the operands
// to the CPU device and the results back.
#pragma once
#include <vector>

#include "core/device/stream.h"

namespace gpuopt {

using CallSlot = gpuopt_status (*)(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *, gpuopt_error *);

// Lets the CPU backend run a program of one operation on the memory of the stream's device, whose backend has refused
// it with the failure `refusal`. The results have the same bits. Returns when copies of the results back to the
// device have been submitted to `stream`. Logs one warning for each backend and operation. Throws ERR_UNSUPPORTED, with
// the refusal's reason, if somebody has opened the device with "!", or if it is the CPU itself.
void run_program_on_cpu(gpuopt_stream stream, const char *operation, const gpuopt_program &program,
                        const Failure &refusal);

// Lets the CPU backend make a call of a library slot, likewise. `written` says of each tensor whether the call writes
// it. Draws from MT19937 and PCG64 are always allowed here, also for a device opened with "!", and not warned about.
void run_call_on_cpu(gpuopt_stream stream, const char *operation, CallSlot gpuopt_plugin_api::*slot,
                     const gpuopt_call &call, const std::vector<bool> &written, const Failure &refusal);

}  // namespace gpuopt
