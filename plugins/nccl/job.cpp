// plugins/nccl/job.cpp -- see job.h.
#include "plugins/nccl/job.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace gpuopt::nccl {
namespace {

constexpr uint32_t kIntroductionTag = 0x0fff0000, kArrivedTag = 0x0fff0001;  // the plugins' own
constexpr double kLastMoment = 2;  // seconds that work which was aborted has to end

// Lets others work: at first only those that could, then for a moment.
void rest(int idle) {
  constexpr int patient = 200;
  if (idle < patient)
    sched_yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(std::min(50 * (1 + idle / patient), 1000)));
}

std::string ranks_text(const std::set<int32_t> &ranks) {
  std::string text;
  for (const int32_t r : ranks) text += (text.empty() ? "rank " : ", rank ") + std::to_string(r);
  return text;
}

// The peers of the messages that have elements: others do not go by NCCL.
std::set<int32_t> peers_of(int32_t count, const gpuopt_comm_message *messages) {
  std::set<int32_t> peers;
  for (int32_t i = 0; i < count; ++i)
    if (messages[i].bytes) peers.insert(messages[i].peer);
  return peers;
}

}  // namespace

Job::Job(ring::Place place, double timeout, int32_t ordinal) : ring_(std::move(place), timeout) {
  if (size() == 1) return;
  Introduction first;
  try {
    first = introduce(ordinal, timeout);
  } catch (const plugin::Failure &) {
    ring_.leave();  // all know why: nobody waits for this rank any more
    throw;
  }
  try {
    connect(first.id, timeout);
  } catch (const plugin::Failure &failure) {
    const std::string why = "rank " + std::to_string(rank()) + " has given up: " + failure.message;
    ring_.give_up(why.c_str());
    abort();
    throw;
  }
}

Job::~Job() { abort(); }

std::string Job::description() const {
  return nccl_ ? "NCCL " + version_text(nccl_->version) + " (" + nccl_->name + "), and " + ring_.description()
               : ring_.description();
}

void Job::prepare(Introduction &own, int32_t ordinal) {
  if (ordinal < 0)
    throw plugin::Failure{GPUOPT_ERR_INVALID_ARGUMENT, GPUOPT_REASON_NONE, 0,
                          "NCCL needs a device of CUDA's: give it as the group's device (options->device)"};
  nccl_ = &nccl_library();
  gpu_ = std::make_unique<Gpu>(ordinal);
  own.version = nccl_->version;
  if (rank() == 0) check(nccl_->ncclGetUniqueId(&own.id), "ncclGetUniqueId");
  own.is_ready = 1;
}

// Tells all ranks whether this one can take part, and returns what rank 0 says. Throws if any cannot.
Introduction Job::introduce(int32_t ordinal, double timeout) {
  std::vector<Introduction> all(static_cast<size_t>(size()));
  Introduction own;
  std::optional<plugin::Failure> failure;
  try {
    prepare(own, ordinal);
  } catch (const plugin::Failure &thrown) {
    failure = thrown;
    std::snprintf(own.why, sizeof own.why, "%s", thrown.message.c_str());
  }
  std::vector<gpuopt_comm_message> sends, receives;
  for (int32_t r = 0; r < size(); ++r) {
    if (r == rank()) continue;
    sends.push_back({r, kIntroductionTag, &own, sizeof own});
    receives.push_back({r, kIntroductionTag, &all[static_cast<size_t>(r)], sizeof own});
  }
  const auto count = static_cast<int32_t>(sends.size());
  ring_.exchange(count, sends.data(), count, receives.data(), timeout);
  if (failure) throw *failure;
  all[static_cast<size_t>(rank())] = own;
  for (int32_t r = 0; r < size(); ++r) {
    Introduction &one = all[static_cast<size_t>(r)];
    one.why[sizeof one.why - 1] = '\0';
    if (!one.is_ready) ring::fail_comm("rank " + std::to_string(r) + ": " + one.why);
    if (one.version != all[0].version)
      ring::fail_comm("rank " + std::to_string(r) + " has NCCL " + version_text(one.version) + ", rank 0 has " +
                      version_text(all[0].version));
  }
  return all[0];
}

// Waits until `done` is true. Throws if a peer has ended, given up or left, or at the time-out.
template <class Done>
void Job::await(const std::set<int32_t> &peers, double timeout, Done done) {
  const auto deadline = ring::deadline_in(timeout);
  for (int idle = 0; !done(); ++idle) {
    ring_.watch();
    for (const int32_t r : peers)
      if (ring_.has_left(r)) ring::fail_comm("rank " + std::to_string(r) + " has left the job and is waited for");
    if (ring::Clock::now() > deadline) {
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, "%g", timeout);
      ring::fail_comm("NCCL has not moved what is exchanged with " + ranks_text(peers) + " for " + seconds +
                      " seconds");
    }
    rest(idle);
  }
}

// Returns whether NCCL has done what it does on the host. Throws what has gone wrong there.
bool Job::is_connected() const {
  ncclResult_t state = ncclSuccess;
  check(nccl_->ncclCommGetAsyncError(comm_, &state), "ncclCommGetAsyncError", comm_);
  check(state, "NCCL", comm_);
  return state != ncclInProgress;
}

void Job::connect(const ncclUniqueId &id, double timeout) {
  const Gpu::Current current(*gpu_);
  ncclConfig_t config;
  config.blocking = 0;
  std::set<int32_t> others;
  for (int32_t r = 0; r < size(); ++r)
    if (r != rank()) others.insert(r);
  check(nccl_->ncclCommInitRankConfig(&comm_, size(), id, rank(), &config), "ncclCommInitRankConfig");
  await(others, timeout, [&] { return is_connected(); });
}

void Job::submit(int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                 const gpuopt_comm_message *receives) {
  check(nccl_->ncclGroupStart(), "ncclGroupStart", comm_);
  try {
    for (int32_t i = 0; i < nsends; ++i)
      if (sends[i].bytes)
        check(nccl_->ncclSend(sends[i].data, sends[i].bytes, ncclUint8, sends[i].peer, comm_, gpu_->stream()),
              "ncclSend", comm_);
    for (int32_t i = 0; i < nreceives; ++i)
      if (receives[i].bytes)
        check(nccl_->ncclRecv(receives[i].data, receives[i].bytes, ncclUint8, receives[i].peer, comm_, gpu_->stream()),
              "ncclRecv", comm_);
  } catch (const plugin::Failure &) {
    nccl_->ncclGroupEnd();  // the thread is in no group any more; what this group has begun is aborted
    throw;
  }
  check(nccl_->ncclGroupEnd(), "ncclGroupEnd", comm_);
}

// Tells those from which this rank has received so, and waits for the same word of those to which it has sent: nobody
// ends a communicator that a peer still reads from.
void Job::acknowledge(const std::set<int32_t> &to, const std::set<int32_t> &from, double timeout) {
  std::vector<gpuopt_comm_message> words, awaited;
  char nothing = 0;
  for (const int32_t r : to) words.push_back({r, kArrivedTag, &nothing, 0});
  for (const int32_t r : from) awaited.push_back({r, kArrivedTag, &nothing, 0});
  ring_.exchange(static_cast<int32_t>(words.size()), words.data(), static_cast<int32_t>(awaited.size()), awaited.data(),
                 timeout);
}

void Job::exchange_on_device(int32_t nsends, const gpuopt_comm_message *sends, int32_t nreceives,
                             const gpuopt_comm_message *receives, double timeout) {
  const std::set<int32_t> to = peers_of(nsends, sends), from = peers_of(nreceives, receives);
  if (to.empty() && from.empty()) return;
  std::set<int32_t> peers = to;
  peers.insert(from.begin(), from.end());
  try {
    const Gpu::Current current(*gpu_);
    submit(nsends, sends, nreceives, receives);
    await(peers, timeout, [&] { return is_connected() && gpu_->is_idle(); });
    acknowledge(from, to, timeout);
  } catch (const plugin::Failure &) {
    abort();
    throw;
  }
}

namespace {

// NCCL's number for the dtype, as whose elements the array is combined: complex numbers as pairs. Nothing if it has
// none.
std::optional<ncclDataType_t> type_of(gpuopt_dtype dtype) {
  switch (dtype) {
    case GPUOPT_FLOAT16:
      return ncclFloat16;
    case GPUOPT_BFLOAT16:
      return ncclBfloat16;
    case GPUOPT_FLOAT32:
    case GPUOPT_COMPLEX64:
      return ncclFloat32;
    case GPUOPT_FLOAT64:
    case GPUOPT_COMPLEX128:
      return ncclFloat64;
    default:
      return {};
  }
}

}  // namespace

bool Job::all_reduce(const gpuopt_comm_reduction &call, double timeout) {
  const std::optional<ncclDataType_t> type = type_of(call.dtype);
  const bool is_complex = call.dtype == GPUOPT_COMPLEX64 || call.dtype == GPUOPT_COMPLEX128;
  const bool is_sum = call.reduction == GPUOPT_REDUCTION_sum;
  if (!call.on_device || !type || (is_complex && !is_sum)) return false;
  std::set<int32_t> others;
  for (int32_t r = 0; r < size(); ++r)
    if (r != rank()) others.insert(r);
  try {
    const Gpu::Current current(*gpu_);
    const ncclResult_t result = nccl_->ncclAllReduce(call.data, call.data, call.count * (is_complex ? 2 : 1), *type,
                                                     is_sum ? ncclSum : ncclProd, comm_, gpu_->stream());
    if (result != ncclInProgress) check(result, "ncclAllReduce", comm_);
    await(others, timeout, [&] { return is_connected() && gpu_->is_idle(); });
    acknowledge(others, others, timeout);
  } catch (const plugin::Failure &) {
    abort();
    throw;
  }
  return true;
}

// Ends the communicator without waiting for the peers, and with it what it is still doing.
void Job::abort() noexcept try {
  if (!comm_) return;
  const Gpu::Current current(*gpu_);
  nccl_->ncclCommAbort(std::exchange(comm_, nullptr));
  const auto deadline = ring::deadline_in(kLastMoment);
  for (int idle = 0; !gpu_->is_idle() && ring::Clock::now() < deadline; ++idle) rest(idle);
} catch (...) {  // the device is lost: nothing runs on it
}

void Job::leave() noexcept {
  abort();
  ring_.leave();
}

}  // namespace gpuopt::nccl
