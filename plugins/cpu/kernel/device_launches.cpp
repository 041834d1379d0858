// plugins/cpu/kernel/device_launches.cpp -- see device_launches.h.
#include "plugins/cpu/kernel/device_launches.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "plugins/cpu/runtime/os.h"
#include "plugins/shared/host/barrier.h"

namespace gpuopt::cpu {
namespace {

constexpr uint64_t kMostLaunchBytes = uint64_t{256} << 20;  // of the launches of a grid that wait
constexpr uint32_t kMostLaunchDepth = 24;                   // as on GPUs

// Numbers of cudaError_t, with CUDA's limits of a launch ("Features and Technical Specifications" in the CUDA C++
// Programming Guide).
enum : int32_t {
  kSuccess = 0,
  kInvalidValue = 1,
  kInvalidConfiguration = 9,
  kMaxDepthExceeded = 65,
  kPendingCountExceeded = 69,
  kOutOfResources = 701
};
constexpr uint32_t kMostGrid[3] = {0x7fffffff, 65535, 65535}, kMostBlock[3] = {1024, 1024, 64},
                   kMostBlockThreads = 1024;
constexpr uint64_t kTailLaunch = 3;  // the value of cudaStreamTailLaunch

GPUOPT_IN_EVERY_THREAD thread_local DeviceLaunches *current_launches = nullptr;

int32_t problem_with(const DeviceLaunch &launch, uint64_t shared_bytes) {
  for (int d = 0; d < 3; d++) {
    if (launch.grid[d] == 0 || launch.grid[d] > kMostGrid[d]) return kInvalidConfiguration;
    if (launch.block[d] == 0 || launch.block[d] > kMostBlock[d]) return kInvalidConfiguration;
  }
  if (volume(launch.block) > kMostBlockThreads) return kInvalidConfiguration;
  return shared_bytes > kMostShared ? kInvalidValue : kSuccess;
}

}  // namespace

bool LaunchQueue::reserve(size_t bytes) noexcept {
  if (bytes_.fetch_add(bytes + sizeof(DeviceLaunch)) + bytes + sizeof(DeviceLaunch) <= kMostLaunchBytes) return true;
  note_lost();
  return false;
}

void LaunchQueue::add(uint64_t first, LaunchList list) noexcept {
  if (list.launches.empty()) return;
  const std::lock_guard lock(mutex_);
  try {
    lists_.insert_or_assign(first, std::move(list));
  } catch (...) {
    note_lost();
  }
}

std::vector<LaunchList> LaunchQueue::take() {
  if (lost_)
    throw plugin::Failure{GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, 0,
                          "its threads launch more kernels than can wait for its end: these and their arguments may "
                          "take " +
                              std::to_string(kMostLaunchBytes >> 20) + " MiB of memory. None of them has run"};
  std::vector<LaunchList> all;
  for (auto &[first, list] : lists_) all.push_back(std::move(list));
  lists_.clear();
  return all;
}

DeviceLaunches::Scope::Scope(DeviceLaunches &launches) noexcept : outer_(current_launches) {
  current_launches = &launches;
}
DeviceLaunches::Scope::~Scope() { current_launches = outer_; }

DeviceLaunches *DeviceLaunches::current() noexcept { return current_launches; }

void DeviceLaunches::configure(const uint32_t *grid_and_block, uint64_t shared_bytes, uint64_t stream,
                               uint64_t thread) noexcept {
  next_ = DeviceLaunch();
  std::copy_n(grid_and_block, 3, next_.grid);
  std::copy_n(grid_and_block + 3, 3, next_.block);
  next_.tail = stream == kTailLaunch;
  thread_ = thread;
  problem_ = problem_with(next_, shared_bytes);
  next_.shared_bytes = static_cast<uint32_t>(shared_bytes);
}

// Returns an error, or 0.
int32_t DeviceLaunches::record(uint32_t child, const void *arguments, uint64_t bytes) {
  if (problem_ != kSuccess) return problem_;
  if (queue_.depth() >= kMostLaunchDepth) return kMaxDepthExceeded;
  const RawCode &code = queue_.children()[child].raw;
  if (volume(next_.block) > code.most_threads) return kOutOfResources;
  if (!queue_.reserve(bytes)) return kPendingCountExceeded;
  next_.child = child;
  next_.arguments = list_.memory.size();
  next_.bytes = bytes;
  const auto *const from = static_cast<const char *>(arguments);
  list_.memory.insert(list_.memory.end(), from, from + bytes);
  list_.launches.push_back(next_);
  return kSuccess;
}

void DeviceLaunches::launch(uint32_t child, const void *arguments, uint64_t bytes) noexcept {
  try {
    if (const int32_t error = record(child, arguments, bytes)) errors_[thread_] = error;
  } catch (...) {  // without memory, the launch is lost, and the host's launch fails
    queue_.note_lost();
  }
}

void DeviceLaunches::note_error(uint64_t thread, int32_t error) noexcept {
  try {
    errors_[thread] = error;
  } catch (...) {  // the call that failed has returned the error, too
    return;
  }
}

int32_t DeviceLaunches::last_error(uint64_t thread, bool reset) noexcept {
  const auto place = errors_.find(thread);
  if (place == errors_.end()) return kSuccess;
  const int32_t error = place->second;
  if (reset) errors_.erase(place);
  return error;
}

}  // namespace gpuopt::cpu
