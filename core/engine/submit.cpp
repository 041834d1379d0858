// core/engine/submit.cpp -- submits to a backend, and to the CPU backend if that refuses; see submit.h.
#include "core/engine/submit.h"

#include <algorithm>

namespace gpuopt {
namespace {

// Whether the step's operation is in ops.def as the plugin knows it.
bool in_table(const Backend &backend, const gpuopt_step &step) {
  switch (step.kind) {
    case GPUOPT_STEP_ELEMENTWISE:
      return step.index < backend.op_count;
    case GPUOPT_STEP_REDUCE:
      return step.index < backend.reduction_count;
    case GPUOPT_STEP_SCAN:
      return step.index < backend.scan_count;
    default:
      return true;
  }
}

// Runs the program unless the plugin is older than one of its operations: ERR_UNSUPPORTED.
void run_known(gpuopt_stream stream, const gpuopt_program &program) {
  const Backend &backend = *stream->device->backend;
  if (!backend.knows_all()) {
    for (int i = 0; i < program.nsteps; ++i) {
      if (!in_table(backend, program.steps[i]))
        fail(GPUOPT_ERR_UNSUPPORTED, "the plugin (version %s) is older than the operation", backend.version.c_str());
    }
  }
  call_stream(stream, "run", stream->device->api().program_run, &program);
}

}  // namespace

void run_program(gpuopt_stream stream, const char *single, const gpuopt_program &program) {
  try {
    run_known(stream, program);
  } catch (const Failure &refusal) {
    if (refusal.code != GPUOPT_ERR_UNSUPPORTED || !single) throw;
    run_program_on_cpu(stream, single, program, refusal);
  }
}

void run_call(gpuopt_stream stream, const char *operation, CallSlot gpuopt_plugin_api::*slot, const gpuopt_call &given,
              const std::vector<bool> &written) {
  char *const state = static_cast<char *>(given.state);
  std::vector<char> advanced(state, state + given.state_bytes);
  gpuopt_call call = given;
  call.state = advanced.data();
  try {
    call_stream(stream, operation, stream->device->api().*slot, static_cast<const gpuopt_call *>(&call));
  } catch (const Failure &refusal) {
    if (refusal.code != GPUOPT_ERR_UNSUPPORTED) throw;
    advanced.assign(state, state + given.state_bytes);
    run_call_on_cpu(stream, operation, slot, call, written, refusal);
  }
  std::copy(advanced.begin(), advanced.end(), state);
}

}  // namespace gpuopt
