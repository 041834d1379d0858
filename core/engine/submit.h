// core/engine/submit.h -- submits programs and library calls to the backend of a device.
#pragma once
#include <vector>

#include "core/engine/round_trip.h"

namespace gpuopt {

// Submits a program to `stream`. If it has a single operation, `single` is the operation's name, and the CPU backend
// runs the program if the stream's backend does not support it (round_trip.h). Otherwise `single` is NULL and
// ERR_UNSUPPORTED is thrown, so that the caller can try the operations one by one.
void run_program(gpuopt_stream stream, const char *single, const gpuopt_program &program);

// Calls a library slot; if the backend does not support the call, the CPU backend makes it. `written` says of each
// tensor whether the call writes it. The generator state at call.state changes only if the call succeeds.
void run_call(gpuopt_stream stream, const char *operation, CallSlot gpuopt_plugin_api::*slot, const gpuopt_call &call,
              const std::vector<bool> &written);

}  // namespace gpuopt
