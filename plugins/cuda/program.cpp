// plugins/cuda/program.cpp -- the slot program_run.
#include "plugins/cuda/host.h"
#include "plugins/cuda/slots.h"

namespace gpuopt::cuda::slots {

gpuopt_status program_run(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_program *, gpuopt_error *) {
  fail(GPUOPT_ERR_UNSUPPORTED, "this backend runs no programs yet");
}

}  // namespace gpuopt::cuda::slots
