// plugins/nccl/plugin.cpp -- the entry point, the slots and the table of libgpuopt_nccl.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "plugins/nccl/job.h"
#include "plugins/shared/comm/comm_entry.h"

namespace gpuopt::nccl {
namespace {

// The number of the group's device if that is CUDA's; a host of version 1.0 does not tell it.
int32_t device_of(const gpuopt_comm_world_options &options) {
  constexpr size_t known = offsetof(gpuopt_comm_world_options, device_index) + sizeof options.device_index;
  if (options.struct_size < known || !options.backend || std::strcmp(options.backend, "cuda") != 0) return -1;
  return options.device_index;
}

}  // namespace
}  // namespace gpuopt::nccl

struct gpuopt_comm_world {
  gpuopt::nccl::Job job;

  static std::unique_ptr<gpuopt_comm_world> join(const gpuopt_comm_world_options &options) {
    gpuopt::plugin::refuse_native(options, "a job of NCCL's");
    return std::unique_ptr<gpuopt_comm_world>(new gpuopt_comm_world{
        gpuopt::nccl::Job(gpuopt::ring::read_place(), options.timeout, gpuopt::nccl::device_of(options))});
  }
  std::string description() const { return job.description(); }
};

namespace gpuopt::nccl {
namespace {

struct Slots : plugin::CommSlots<gpuopt_comm_world> {
  // A job that a ring's settings describe is a ring's, unless NCCL is asked for by name.
  static gpuopt_status probe(gpuopt_comm_probe *probe, gpuopt_error *) {
    return plugin::answer_comm_probe(probe, false, "taken where it is asked for by name, with the settings of a ring");
  }

  static gpuopt_status exchange_on_device(gpuopt_comm_world *world, int32_t nsends, const gpuopt_comm_message *sends,
                                          int32_t nreceives, const gpuopt_comm_message *receives, double timeout,
                                          gpuopt_error *) {
    world->job.exchange_on_device(nsends, sends, nreceives, receives, timeout);
    return GPUOPT_OK;
  }

  static gpuopt_status all_reduce(gpuopt_comm_world *world, const gpuopt_comm_reduction *call, double timeout,
                                  gpuopt_error *) {
    if (world->job.all_reduce(*call, timeout)) return GPUOPT_OK;
    throw plugin::Failure{GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0, "NCCL has no such reduction of floats"};
  }
};

constexpr gpuopt_comm_api kApi = plugin::comm_table<Slots>();

}  // namespace
}  // namespace gpuopt::nccl

gpuopt_status gpuopt_comm_query_v1(const gpuopt_host_api *api, gpuopt_comm_desc *desc) {
  return gpuopt::plugin::answer_comm_query(api, desc, "nccl", &gpuopt::nccl::kApi);
}
