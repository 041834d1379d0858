// plugins/ring/plugin.cpp -- the entry point, the slots and the table of libgpuopt_ring.
#include <memory>

#include "plugins/ring/ring.h"
#include "plugins/shared/comm/comm_entry.h"
#include "plugins/shared/host/setting_values.h"

struct gpuopt_comm_world {
  gpuopt::ring::Ring job;

  static std::unique_ptr<gpuopt_comm_world> join(const gpuopt_comm_world_options &options) {
    gpuopt::plugin::refuse_native(options, "a ring");
    return std::make_unique<gpuopt_comm_world>(
        gpuopt_comm_world{gpuopt::ring::Ring(gpuopt::ring::read_place(), options.timeout)});
  }
  std::string description() const { return job.description(); }
};

namespace gpuopt::ring {
namespace {

struct Slots : plugin::CommSlots<gpuopt_comm_world> {
  static gpuopt_status probe(gpuopt_comm_probe *probe, gpuopt_error *) {
    const bool launched = plugin::is_set(Setting::GPUOPT_RING_HOSTS);
    return plugin::answer_comm_probe(
        probe, launched, launched ? "GPUOPT_RING_HOSTS is set" : "GPUOPT_RING_HOSTS is not set; gpuopt-run sets it");
  }
};

constexpr gpuopt_comm_api kApi = plugin::comm_table<Slots>();

}  // namespace
}  // namespace gpuopt::ring

gpuopt_status gpuopt_comm_query_v1(const gpuopt_host_api *api, gpuopt_comm_desc *desc) {
  return gpuopt::plugin::answer_comm_query(api, desc, "ring", &gpuopt::ring::kApi);
}
