// plugins/mpi/plugin.cpp -- the entry point, the slots and the table of libgpuopt_mpi.
#include <cstdio>

#include "plugins/mpi/job.h"
#include "plugins/shared/comm/comm_entry.h"
#include "plugins/shared/host/setting_values.h"

struct gpuopt_comm_world {
  std::unique_ptr<gpuopt::mpi::Job> job;
};

namespace gpuopt::mpi {
namespace slots {

gpuopt_status probe(gpuopt_comm_probe *probe, gpuopt_error *) {
  gpuopt_comm_probe filled{};
  const char *detail = "no launcher of MPI is at work";
  if (plugin::is_set(Setting::OMPI_COMM_WORLD_SIZE))
    filled.launched = 1, detail = "Open MPI's mpirun";
  else if (plugin::is_set(Setting::PMI_SIZE))
    filled.launched = 1, detail = "MPICH's mpiexec, or one like it";
  else if (plugin::is_set(Setting::PMIX_RANK))
    filled.launched = 1, detail = "a launcher that speaks PMIx";
  else if (is_in_use())
    filled.launched = 1, detail = "the program uses MPI itself";
  std::snprintf(filled.detail, sizeof filled.detail, "%s", detail);
  plugin::give(filled, probe);
  return GPUOPT_OK;
}

gpuopt_status world_open(const gpuopt_comm_world_options *options, gpuopt_comm_world **world,
                         gpuopt_comm_world_info *info, gpuopt_error *) {
  *world = nullptr;
  const Library &library = mpi_library();
  auto made = std::make_unique<gpuopt_comm_world>(gpuopt_comm_world{join_job(library, options->native)});
  gpuopt_comm_world_info filled{};
  filled.rank = made->job->rank();
  filled.size = made->job->size();
  std::snprintf(filled.detail, sizeof filled.detail, "%s (%s)", name_of(library.family), library.name.c_str());
  plugin::give(filled, info);
  *world = made.release();
  return GPUOPT_OK;
}

// What a job that has failed still sends must stay where it is.
void world_close(gpuopt_comm_world *world) {
  if (!world->job->has_failed()) delete world;
}

gpuopt_status exchange(gpuopt_comm_world *world, int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                       const gpuopt_comm_message *receives, double timeout, gpuopt_error *) {
  world->job->exchange(nsends, sends, nreceives, receives, timeout);
  return GPUOPT_OK;
}

constexpr std::nullptr_t exchange_on_device = nullptr;  // of devices' memory nothing is known here

void give_up(gpuopt_comm_world *world, const char *why) { world->job->give_up(why); }

gpuopt_status all_reduce(gpuopt_comm_world *world, const gpuopt_comm_reduction *call, double timeout, gpuopt_error *) {
  if (world->job->all_reduce(*call, timeout)) return GPUOPT_OK;
  throw plugin::Failure{GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0, "MPI has no such reduction of floats"};
}

}  // namespace slots

namespace {

constexpr gpuopt_comm_api kApi = {
    plugin::comm_header(),
#define GPUOPT_COMM_SLOT(need, result, name, args) plugin::Barrier<slots::name>::call,
#include <gpuopt/comm_slots.def>
};

}  // namespace
}  // namespace gpuopt::mpi

gpuopt_status gpuopt_comm_query_v1(const gpuopt_host_api *api, gpuopt_comm_desc *desc) {
  return gpuopt::plugin::answer_comm_query(api, desc, "mpi", &gpuopt::mpi::kApi);
}
