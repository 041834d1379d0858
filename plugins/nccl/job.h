// plugins/nccl/job.h -- a job whose ranks are connected by sockets, as a ring's are, and whose devices are by NCCL.
//
// Records and memory of the host go by the sockets. So do NCCL's unique id, what a rank says before it gives up, and a
// word after each exchange of a device's memory, by which a sender knows that its message has arrived. No function of
// NCCL blocks: while it is at work the sockets are listened to, so that the end of a peer is noticed at once.
#pragma once

#include <memory>
#include <optional>
#include <set>

#include "plugins/nccl/gpu.h"
#include "plugins/nccl/library.h"
#include "plugins/ring/ring.h"

namespace gpuopt::nccl {

// What a rank tells the others when it joins.
struct Introduction {
  int32_t is_ready = 0;  // whether it has NCCL and a device; if not, `why`
  int32_t version = 0;   // NCCL's
  ncclUniqueId id{};     // rank 0 chooses it
  char why[256] = {};
};

class Job {
 public:
  // Joins the job, and lets NCCL connect its devices if it has several ranks. `ordinal` is the number of this rank's
  // device, -1 if it has none of CUDA's.
  Job(ring::Place place, double timeout, int32_t ordinal);
  ~Job();
  // Do what the slots of these names do.
  void exchange(int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                const gpuopt_comm_message *receives, double timeout) {
    ring_.exchange(nsends, sends, nreceives, receives, timeout);
  }
  void exchange_on_device(int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                          const gpuopt_comm_message *receives, double timeout);
  // Returns false if NCCL has no such reduction.
  bool all_reduce(const gpuopt_comm_reduction &call, double timeout);
  void give_up(const char *why) noexcept { ring_.give_up(why); }
  void leave() noexcept;
  int32_t rank() const { return ring_.rank(); }
  int32_t size() const { return ring_.size(); }
  std::string description() const;

 private:
  Introduction introduce(int32_t ordinal, double timeout);
  void prepare(Introduction &own, int32_t ordinal);
  void connect(const ncclUniqueId &id, double timeout);
  void submit(int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives, const gpuopt_comm_message *receives);
  void acknowledge(const std::set<int32_t> &to, const std::set<int32_t> &from, double timeout);
  bool is_connected() const;
  template <class Done>
  void await(const std::set<int32_t> &peers, double timeout, Done done);
  void abort() noexcept;

  ring::Ring ring_;
  const Library *nccl_ = nullptr;
  std::unique_ptr<Gpu> gpu_;
  ncclComm_t comm_ = nullptr;
};

}  // namespace gpuopt::nccl
