// core/engine/submit.h -- programs and library calls on their way to the backend of their device.
#pragma once
#include <vector>

#include "core/engine/round_trip.h"

namespace gpuopt {

// Runs a program on the stream's device. `single`: the name of its one operation; if the backend does not offer that,
// the CPU backend computes it (round_trip.h). NULL: ERR_UNSUPPORTED is thrown, and the caller tries the operations one
// by one.
void run_program(gpuopt_stream stream, const char *single, const gpuopt_program &program);

// Makes a call of a library slot, likewise. `written`: which of its tensors the call writes. Its state advances only if
// that succeeds.
void run_call(gpuopt_stream stream, const char *operation, CallSlot gpuopt_plugin_api::*slot, const gpuopt_call &call,
              const std::vector<bool> &written);

}  // namespace gpuopt
