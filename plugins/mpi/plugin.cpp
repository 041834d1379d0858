// plugins/mpi/plugin.cpp -- the entry point, the slots and the table of libgpuopt_mpi.
#include <memory>

#include "plugins/mpi/job.h"
#include "plugins/shared/comm/comm_entry.h"
#include "plugins/shared/host/setting_values.h"

struct gpuopt_comm_world {
  const std::unique_ptr<gpuopt::mpi::Job> kept;
  gpuopt::mpi::Job &job = *kept;

  static std::unique_ptr<gpuopt_comm_world> join(const gpuopt_comm_world_options &options) {
    return std::unique_ptr<gpuopt_comm_world>(
        new gpuopt_comm_world{gpuopt::mpi::join_job(gpuopt::mpi::mpi_library(), options.native)});
  }
  static std::string description() {
    const gpuopt::mpi::Library &library = gpuopt::mpi::mpi_library();
    return name_of(library.family) + std::string(" (") + library.name + ")";
  }
};

namespace gpuopt::mpi {
namespace {

struct Slots : plugin::CommSlots<gpuopt_comm_world> {
  static gpuopt_status probe(gpuopt_comm_probe *probe, gpuopt_error *) {
    const char *launcher = nullptr;
    if (plugin::is_set(Setting::OMPI_COMM_WORLD_SIZE))
      launcher = "Open MPI's mpirun";
    else if (plugin::is_set(Setting::PMI_SIZE))
      launcher = "MPICH's mpiexec, or one like it";
    else if (plugin::is_set(Setting::PMIX_RANK))
      launcher = "a launcher that speaks PMIx";
    else if (is_in_use())
      launcher = "the program uses MPI itself";
    return plugin::answer_comm_probe(probe, launcher, launcher ? launcher : "no launcher of MPI is at work");
  }

  // What a job that has failed still sends must stay where it is.
  static void world_close(gpuopt_comm_world *world) {
    if (!world->job.has_failed()) delete world;
  }

  static gpuopt_status all_reduce(gpuopt_comm_world *world, const gpuopt_comm_reduction *call, double timeout,
                                  gpuopt_error *) {
    if (world->job.all_reduce(*call, timeout)) return GPUOPT_OK;
    throw plugin::Failure{GPUOPT_ERR_UNSUPPORTED, GPUOPT_REASON_NONE, 0, "MPI has no such reduction of floats"};
  }
};

constexpr gpuopt_comm_api kApi = plugin::comm_table<Slots>();

}  // namespace
}  // namespace gpuopt::mpi

gpuopt_status gpuopt_comm_query_v1(const gpuopt_host_api *api, gpuopt_comm_desc *desc) {
  return gpuopt::plugin::answer_comm_query(api, desc, "mpi", &gpuopt::mpi::kApi);
}
