// plugins/cuda/plugin/plugin.cpp -- the entry point and the function table, every slot behind a barrier that stops
// exceptions.
#include "plugins/cuda/plugin/slots.h"
#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/entry.h"

namespace gpuopt::cuda {
namespace {

constexpr gpuopt_plugin_api kApi = {
    plugin::header_of(sizeof(gpuopt_plugin_api)),
#define GPUOPT_SLOT(need, result, name, args) plugin::Barrier<slots::name>::call,
#include <gpuopt/plugin_slots.def>
};

}  // namespace
}  // namespace gpuopt::cuda

gpuopt_status gpuopt_plugin_query_v1(const gpuopt_host_api *api, gpuopt_plugin_desc *desc) {
  return gpuopt::plugin::answer_query(api, desc, "cuda", "CUDA driver API 12.0", &gpuopt::cuda::kApi);
}
