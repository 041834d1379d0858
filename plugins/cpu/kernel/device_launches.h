// plugins/cpu/kernel/device_launches.h -- the launches that kernels make (CUDA's dynamic parallelism): they are
// recorded while the grid that makes them runs, and run when it has ended (grid_run.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "plugins/cpu/kernel/kernel_object.h"

namespace gpuopt::cpu {

// The bytes of shared memory that a block may have, as on GPUs.
constexpr uint32_t kMostShared = 227 * 1024;

struct DeviceLaunch {
  uint32_t child = 0;  // its number among KernelObject::children
  uint32_t grid[3] = {}, block[3] = {}, shared_bytes = 0;
  bool tail = false;  // cudaStreamTailLaunch: behind all others of its grid
  size_t arguments = 0, bytes = 0;
};

struct LaunchList {
  std::vector<DeviceLaunch> launches;
  std::vector<char> memory;  // of the arguments of each, from its offset `arguments` on
};

// The launches of one grid, whose blocks run in several tasks.
class LaunchQueue {
 public:
  // A grid that the host launches has depth 0, and one that this launches depth 1.
  LaunchQueue(std::span<const ChildKernel> children, uint32_t depth) : children_(children), depth_(depth) {}

  std::span<const ChildKernel> children() const { return children_; }
  uint32_t depth() const { return depth_; }
  // Whether a launch of so many bytes can wait, too. Safe from any threads.
  bool reserve(size_t bytes) noexcept;
  void note_lost() noexcept { lost_ = true; }  // a launch that could not be kept
  // Takes those of the blocks of a task, which begin at block `first`. Safe from any threads.
  void add(uint64_t first, LaunchList list) noexcept;
  // The launches in the order of the blocks, and of each block in the order in which it made them. To be called when
  // all tasks have ended. Throws plugin::Failure if some were lost.
  std::vector<LaunchList> take();

 private:
  const std::span<const ChildKernel> children_;
  const uint32_t depth_;
  std::atomic<uint64_t> bytes_{0};
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::map<uint64_t, LaunchList> lists_;
};

// Records the launches of the blocks that one task runs. Make it outside of run_watched()
// (plugins/cpu/code/fault_guard.h), so that a fault leaves it as it is.
class DeviceLaunches {
 public:
  // While the object lives, kernels that run in the calling thread use these.
  class Scope {
   public:
    explicit Scope(DeviceLaunches &launches) noexcept;
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

   private:
    DeviceLaunches *const outer_;
  };

  DeviceLaunches(LaunchQueue &queue, uint64_t first) : queue_(queue), first_(first) {}
  ~DeviceLaunches() { queue_.add(first_, std::move(list_)); }
  DeviceLaunches(const DeviceLaunches &) = delete;
  DeviceLaunches &operator=(const DeviceLaunches &) = delete;
  static DeviceLaunches *current() noexcept;  // of the calling thread; NULL outside of a launch

  // The functions of plugins/jit/text/launches.h and plugins/jit/lower/launches.h. Errors are numbers of cudaError_t.
  void configure(const uint32_t *grid_and_block, uint64_t shared_bytes, uint64_t stream, uint64_t thread) noexcept;
  void launch(uint32_t child, const void *arguments, uint64_t bytes) noexcept;
  int32_t last_error(uint64_t thread, bool reset) noexcept;
  void note_error(uint64_t thread, int32_t error) noexcept;

 private:
  int32_t record(uint32_t child, const void *arguments, uint64_t bytes);

  LaunchQueue &queue_;
  const uint64_t first_;
  LaunchList list_;
  DeviceLaunch next_;  // as configured
  uint64_t thread_ = 0;
  int32_t problem_ = 0;                 // with that configuration
  std::map<uint64_t, int32_t> errors_;  // by thread
};

}  // namespace gpuopt::cpu
