// plugins/cpu/operations.cpp -- the computing slots: each runs its operation under the default control word.
#include "plugins/cpu/fpu.h"
#include "plugins/cpu/gather.h"
#include "plugins/cpu/host.h"
#include "plugins/cpu/matmul.h"
#include "plugins/cpu/program.h"
#include "plugins/cpu/random.h"
#include "plugins/cpu/slots.h"

namespace gpuopt::cpu {
namespace slots {

gpuopt_status program_run(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_program *program,
                          gpuopt_error *error) {
  if (!program) return host()->fail(error, GPUOPT_ERR_INTERNAL, GPUOPT_REASON_NONE, 0, "no program");
  const FpuScope fpu;
  return run_program(*program, host(), error);
}

gpuopt_status matmul(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *call, gpuopt_error *error) {
  const FpuScope fpu;
  return run_matmul(*call, error);
}

gpuopt_status gather(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *call, gpuopt_error *error) {
  return run_gather(*call, error);
}

gpuopt_status scatter(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *call, gpuopt_error *error) {
  return run_scatter(*call, error);
}

gpuopt_status random(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *call, gpuopt_error *error) {
  const FpuScope fpu;
  return run_random(*call, error);
}

}  // namespace slots
}  // namespace gpuopt::cpu
