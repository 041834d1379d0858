// plugins/mpi/job.h -- a job of MPI's: messages by MPI_Isend, MPI_Iprobe and MPI_Irecv.
#pragma once

#include <memory>
#include <string>

#include "plugins/mpi/library.h"

namespace gpuopt::mpi {

class Job {
 public:
  virtual ~Job() = default;
  virtual void exchange(int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                        const gpuopt_comm_message *receives, double timeout) = 0;
  // Does what the slot of this name does. Returns false if MPI has no such reduction.
  virtual bool all_reduce(const gpuopt_comm_reduction &call, double timeout) = 0;
  // Tells the peers why this rank has failed. Afterwards MPI is not finalized, which would wait for them.
  virtual void give_up(const char *why) noexcept = 0;
  virtual bool has_failed() const noexcept = 0;  // whether give_up() was called
  virtual int32_t rank() const = 0;
  virtual int32_t size() const = 0;
};

// Initializes MPI, unless the program has done so, and returns a copy of its communicator, or of that at `native`
// (the address of an MPI_Comm). What is initialized here is finalized when the process exits.
std::unique_ptr<Job> join_job(const Library &library, const void *native);

}  // namespace gpuopt::mpi
