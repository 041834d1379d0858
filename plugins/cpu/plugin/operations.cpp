// plugins/cpu/plugin/operations.cpp -- the slots that compute, except those of kernels.
#include "plugins/cpu/fft/fft.h"
#include "plugins/cpu/levels/loops.h"
#include "plugins/cpu/library/gather.h"
#include "plugins/cpu/library/scatter.h"
#include "plugins/cpu/library/sort.h"
#include "plugins/cpu/linalg/linalg.h"
#include "plugins/cpu/plugin/slots.h"
#include "plugins/cpu/products/matmul.h"
#include "plugins/cpu/program/program.h"
#include "plugins/cpu/random/random.h"
#include "plugins/cpu/runtime/cpuid.h"
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

gpuopt_status linalg(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *call, gpuopt_error *) {
  run_linalg(*call);
  return GPUOPT_OK;
}

gpuopt_status fft(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *call, gpuopt_error *) {
  run_fft(*call, isa_level());
  return GPUOPT_OK;
}

gpuopt_status sort(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *call, gpuopt_error *) {
  run_sort(*call);
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

gpuopt_status elementwise_loop(gpuopt_plugin_device *, int32_t op, int32_t dtype, gpuopt_elementwise_loop *loop,
                               int32_t *result_dtype, gpuopt_error *) {
  *loop = nullptr;
  *result_dtype = 0;
  if (op < 0 || op >= GPUOPT_OP_COUNT || dtype < 0 || dtype >= GPUOPT_DTYPE_COUNT) return GPUOPT_OK;
  const LoopTable &table = loop_table(isa_level());
  *loop = table.elementwise[op][dtype].vector;
  if (*loop) *result_dtype = table.elementwise_result[op][dtype];
  return GPUOPT_OK;
}

}  // namespace slots
}  // namespace gpuopt::cpu
