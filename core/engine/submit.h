// core/round_trip.h -- what a backend does not offer is done by the CPU backend: operands there, the result back.
#pragma once
#include "device.h"

namespace gpuopt {

using CallSlot = gpuopt_status (*)(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *, gpuopt_error *);

// Runs a program on the stream's device. `single`: the name of its one operation; if the backend does not offer that,
// the CPU backend computes it, with the same bits. NULL: ERR_UNSUPPORTED is thrown, and the caller tries the operations
// one by one.
void run_program(gpuopt_stream stream, const char *single, const gpuopt_program &program);

// Makes a call of a library slot, likewise. `written`: which of its tensors the call writes. Its state advances only if
// that succeeds.
void run_call(gpuopt_stream stream, const char *operation, CallSlot gpuopt_plugin_api::*slot, const gpuopt_call &call,
              const std::vector<bool> &written);

}  // namespace gpuopt
