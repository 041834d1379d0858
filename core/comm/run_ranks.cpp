// core/comm/run_ranks.cpp -- gpuopt_comm_init_devices, run_devices and give_up: ranks that are threads of this process.
#include <mutex>
#include <system_error>
#include <thread>

#include "core/comm/threads.h"
#include "core/device/policy.h"

namespace gpuopt {
namespace {

constexpr int32_t kMostThreads = 1024;

std::vector<gpuopt_device> devices_of(int32_t count, const gpuopt_device *devices, const char *what) {
  if (count < 1) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %d is no number of ranks", what, count);
  if (count > kMostThreads)
    fail(GPUOPT_ERR_UNSUPPORTED, "%s: a process has at most %d ranks, not %d", what, kMostThreads, count);
  std::vector<gpuopt_device> all;
  for (int32_t r = 0; r < count; ++r)
    all.push_back(devices ? &deref(devices[r], what) : open_device("cpu", nullptr, nullptr));
  for (gpuopt_device device : all) check_usable(*device, what);
  return all;
}

using Groups = std::vector<Ref<gpuopt_comm_s>>;

// Returns the group of as many ranks as there are devices, as each of them sees it.
Groups open_threads(int32_t count, const gpuopt_device *devices, const gpuopt_comm_options *options, const char *what) {
  const auto known = options_or_default(options, what);
  check_comm_options(known, what);
  if (known.device || known.native)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: options->device and options->native belong to gpuopt_comm_init()", what);
  Groups groups;
  for (Ref<World> &world : open_thread_worlds(devices_of(count, devices, what), timeout_of(known, what)))
    groups.push_back(whole_group(std::move(world)));
  return groups;
}

// Runs the ranks of a job, each in a thread of its own, but rank 0 in the calling one.
class RankThreads {
 public:
  RankThreads(Groups groups, gpuopt_rank_function function, void *context)
      : groups_(std::move(groups)), function_(function), context_(context) {}

  // Returns when all have ended. Throws the failure of the rank that failed first.
  void run() {
    std::vector<std::thread> threads;
    start(threads);
    run_rank(0);
    for (std::thread &one : threads) one.join();
    if (failed_ < 0) return;
    failure_.message = "rank " + std::to_string(failed_) + ": " + failure_.message;
    throw failure_;
  }

 private:
  // Where the system gives no more threads, the ranks without one fail, as the others learn.
  void start(std::vector<std::thread> &threads) {
    threads.reserve(groups_.size());
    for (size_t r = 1; r < groups_.size(); ++r) {
      try {
        threads.emplace_back([this, r] { run_rank(r); });
      } catch (const std::system_error &refused) {
        end_failed(r, {GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, refused.code().value(),
                       std::string("the system gives no more threads: ") + refused.what()});
      }
    }
  }

  void run_rank(size_t rank) noexcept {
    SlotError error;
    gpuopt_status status;
    try {
      status = function_(groups_[rank].get(), context_, &error);
    } catch (...) {
      status = GPUOPT_ERR_INTERNAL;
      std::snprintf(error.message, sizeof error.message, "the rank's function has thrown a C++ exception");
    }
    error.message[sizeof error.message - 1] = '\0';
    if (status == GPUOPT_OK)
      groups_[rank] = {};  // the rank has left: who still waits for it learns of that
    else
      end_failed(rank, {status, error.reason, error.backend_code, error.message});
  }

  void end_failed(size_t rank, Failure failure) noexcept {
    try {
      if (failure.message.empty()) failure.message = gpuopt_status_name(failure.code);
      {
        const std::lock_guard lock(mutex_);
        if (failed_ < 0) failed_ = static_cast<int64_t>(rank), failure_ = failure;
      }
      give_up_group(*groups_[rank], failure.message);
    } catch (...) {  // no memory for the words: the others learn that the rank has left
    }
    groups_[rank] = {};
  }

  Groups groups_;
  const gpuopt_rank_function function_;
  void *const context_;
  std::mutex mutex_;
  int64_t failed_ = -1;  // the rank that has failed first
  Failure failure_{GPUOPT_OK, GPUOPT_REASON_NONE, 0, {}};
};

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_comm_init_devices(int32_t count, const gpuopt_device *devices, const gpuopt_comm_options *options,
                                       gpuopt_comm *results, gpuopt_error *error) {
  if (results && count > 0) std::fill_n(results, std::min(count, kMostThreads), nullptr);
  return guarded(error, [&] {
    if (!results) fail(GPUOPT_ERR_INVALID_ARGUMENT, "comm_init_devices: the pointer for the groups is NULL");
    Groups groups = open_threads(count, devices, options, "comm_init_devices");
    for (size_t r = 0; r < groups.size(); ++r) results[r] = groups[r].leave();
  });
}

gpuopt_status gpuopt_comm_run_devices(int32_t count, const gpuopt_device *devices, const gpuopt_comm_options *options,
                                      gpuopt_rank_function function, void *context, gpuopt_error *error) {
  Groups groups;
  const gpuopt_status status = guarded(error, [&] {
    if (!function) fail(GPUOPT_ERR_INVALID_ARGUMENT, "comm_run_devices: the function is NULL");
    groups = open_threads(count, devices, options, "comm_run_devices");
  });
  if (status != GPUOPT_OK) return status;
  // The function is the caller's: it runs in the caller's floating-point environment, and counts as outside.
  try {
    RankThreads(std::move(groups), function, context).run();
    return GPUOPT_OK;
  } catch (const Failure &failure) {
    return report(error, failure);
  } catch (...) {
    return report(error, {GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, 0, {}});
  }
}

gpuopt_status gpuopt_comm_give_up(gpuopt_comm comm, const char *why, gpuopt_error *error) {
  return guarded(error, [&] { give_up_group(deref(comm, "comm_give_up"), why && *why ? why : "it says no reason"); });
}

}  // extern "C"
