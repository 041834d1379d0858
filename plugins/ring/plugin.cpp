// plugins/ring/plugin.cpp -- the entry point, the slots and the table of libgpuopt_ring.
#include <cstdio>
#include <memory>

#include "plugins/ring/ring.h"
#include "plugins/shared/comm/comm_entry.h"
#include "plugins/shared/host/setting_values.h"

struct gpuopt_comm_world {
  gpuopt::ring::Ring ring;
};

namespace gpuopt::ring {
namespace slots {

gpuopt_status probe(gpuopt_comm_probe *probe, gpuopt_error *) {
  gpuopt_comm_probe filled{};
  filled.launched = plugin::is_set(Setting::GPUOPT_RING_HOSTS) ? 1 : 0;
  std::snprintf(filled.detail, sizeof filled.detail, "%s",
                filled.launched ? "GPUOPT_RING_HOSTS is set" : "GPUOPT_RING_HOSTS is not set; gpuopt-run sets it");
  plugin::give(filled, probe);
  return GPUOPT_OK;
}

gpuopt_status world_open(const gpuopt_comm_world_options *options, gpuopt_comm_world **world,
                         gpuopt_comm_world_info *info, gpuopt_error *) {
  *world = nullptr;
  if (options->native)
    throw plugin::Failure{GPUOPT_ERR_INVALID_ARGUMENT, GPUOPT_REASON_NONE, 0, "a ring has no native object"};
  auto made = std::make_unique<gpuopt_comm_world>(gpuopt_comm_world{Ring(read_place(), options->timeout)});
  gpuopt_comm_world_info filled{};
  filled.rank = made->ring.rank();
  filled.size = made->ring.size();
  std::snprintf(filled.detail, sizeof filled.detail, "%s", made->ring.description().c_str());
  plugin::give(filled, info);
  *world = made.release();
  return GPUOPT_OK;
}

void world_close(gpuopt_comm_world *world) {
  world->ring.leave();
  delete world;
}

gpuopt_status exchange(gpuopt_comm_world *world, int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                       const gpuopt_comm_message *receives, double timeout, gpuopt_error *) {
  world->ring.exchange(nsends, sends, nreceives, receives, timeout);
  return GPUOPT_OK;
}

constexpr std::nullptr_t all_reduce = nullptr;          // in no other order than the host's
constexpr std::nullptr_t exchange_on_device = nullptr;  // of devices' memory nothing is known here

void give_up(gpuopt_comm_world *world, const char *why) { world->ring.give_up(why); }

}  // namespace slots

namespace {

constexpr gpuopt_comm_api kApi = {
    plugin::comm_header(),
#define GPUOPT_COMM_SLOT(need, result, name, args) plugin::Barrier<slots::name>::call,
#include <gpuopt/comm_slots.def>
};

}  // namespace
}  // namespace gpuopt::ring

gpuopt_status gpuopt_comm_query_v1(const gpuopt_host_api *api, gpuopt_comm_desc *desc) {
  return gpuopt::plugin::answer_comm_query(api, desc, "ring", &gpuopt::ring::kApi);
}
