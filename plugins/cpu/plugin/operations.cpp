// plugins/cpu/plugin/operations.cpp -- the slots that compute, except those of kernels.
#include "plugins/cpu/library/gather.h"
#include "plugins/cpu/library/matmul.h"
#include "plugins/cpu/library/random.h"
#include "plugins/cpu/plugin/slots.h"
#include "plugins/cpu/program/program.h"
#include "plugins/cpu/runtime/host.h"
#include "plugins/cpu/runtime/tensor.h"

namespace gpuopt::cpu {
namespace slots {

gpuopt_status program_run(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_program *program,
                          gpuopt_error *error) {
  if (!program) fail(GPUOPT_ERR_INTERNAL, "no program");
  return run_program(*program, host(), error);
}

gpuopt_status matmul(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *call, gpuopt_error *) {
  run_matmul(*call);
  return GPUOPT_OK;
}

gpuopt_status gather(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *call, gpuopt_error *) {
  run_gather(*call);
  return GPUOPT_OK;
}

gpuopt_status scatter(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *call, gpuopt_error *) {
  run_scatter(*call);
  return GPUOPT_OK;
}

gpuopt_status random(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *call, gpuopt_error *) {
  run_random(*call);
  return GPUOPT_OK;
}

}  // namespace slots
}  // namespace gpuopt::cpu
