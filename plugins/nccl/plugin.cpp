// plugins/nccl/plugin.cpp -- the entry point, the slots and the table of libgpuopt_nccl.
#include <cstddef>
#include <cstdio>

#include "plugins/nccl/job.h"
#include "plugins/shared/comm/comm_entry.h"

struct gpuopt_comm_world {
  gpuopt::nccl::Job job;
};

namespace gpuopt::nccl {
namespace slots {

// A job that a ring's settings describe is a ring's, unless NCCL is asked for by name.
gpuopt_status probe(gpuopt_comm_probe *probe, gpuopt_error *) {
  gpuopt_comm_probe filled{};
  std::snprintf(filled.detail, sizeof filled.detail,
                "taken where it is asked for by name, with the settings of a ring");
  plugin::give(filled, probe);
  return GPUOPT_OK;
}

// The number of the group's device if that is CUDA's; a host of version 1.0 does not tell it.
int32_t device_of(const gpuopt_comm_world_options &options) {
  constexpr size_t known = offsetof(gpuopt_comm_world_options, device_index) + sizeof options.device_index;
  if (options.struct_size < known || !options.backend || std::strcmp(options.backend, "cuda") != 0) return -1;
  return options.device_index;
}

gpuopt_status world_open(const gpuopt_comm_world_options *options, gpuopt_comm_world **world,
                         gpuopt_comm_world_info *info, gpuopt_error *) {
  *world = nullptr;
  if (options->native)
    throw plugin::Failure{GPUOPT_ERR_INVALID_ARGUMENT, GPUOPT_REASON_NONE, 0,
                          "a job of NCCL's begins without a native object"};
  std::unique_ptr<gpuopt_comm_world> made(
      new gpuopt_comm_world{Job(ring::read_place(), options->timeout, device_of(*options))});
  gpuopt_comm_world_info filled{};
  filled.rank = made->job.rank();
  filled.size = made->job.size();
  std::snprintf(filled.detail, sizeof filled.detail, "%s", made->job.description().c_str());
  plugin::give(filled, info);
  *world = made.release();
  return GPUOPT_OK;
}

void world_close(gpuopt_comm_world *world) {
  world->job.leave();
  delete world;
}

gpuopt_status exchange(gpuopt_comm_world *world, int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                       const gpuopt_comm_message *receives, double timeout, gpuopt_error *) {
  world->job.exchange(nsends, sends, nreceives, receives, timeout);
  return GPUOPT_OK;
}

void give_up(gpuopt_comm_world *world, const char *why) { world->job.give_up(why); }

gpuopt_status exchange_on_device(gpuopt_comm_world *world, int32_t nsends, const gpuopt_comm_message *sends,
                                 int32_t nreceives, const gpuopt_comm_message *receives, double timeout,
                                 gpuopt_error *) {
  world->job.exchange_on_device(nsends, sends, nreceives, receives, timeout);
  return GPUOPT_OK;
}

gpuopt_status all_reduce(gpuopt_comm_world *world, const gpuopt_comm_reduction *call, double timeout, gpuopt_error *) {
  if (world->job.all_reduce(*call, timeout)) return GPUOPT_OK;
  throw plugin::Failure{GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0, "NCCL has no such reduction of floats"};
}

}  // namespace slots

namespace {

constexpr gpuopt_comm_api kApi = {
    plugin::comm_header(),
#define GPUOPT_COMM_SLOT(need, result, name, args) plugin::Barrier<slots::name>::call,
#include <gpuopt/comm_slots.def>
};

}  // namespace
}  // namespace gpuopt::nccl

gpuopt_status gpuopt_comm_query_v1(const gpuopt_host_api *api, gpuopt_comm_desc *desc) {
  return gpuopt::plugin::answer_comm_query(api, desc, "nccl", &gpuopt::nccl::kApi);
}
