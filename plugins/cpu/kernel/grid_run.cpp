// plugins/cpu/kernel/grid_run.cpp -- see grid_run.h.
#include "plugins/cpu/kernel/grid_run.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "plugins/cpu/code/fault_guard.h"
#include "plugins/cpu/kernel/block_check.h"
#include "plugins/cpu/kernel/block_ranges.h"
#include "plugins/cpu/kernel/device_launches.h"
#include "plugins/cpu/kernel/first_failure.h"
#include "plugins/cpu/kernel/grid_wait.h"
#include "plugins/cpu/kernel/host_calls.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/shared/host/settings.h"

namespace gpuopt::cpu {
namespace {

// One grid: which code it runs, and where its launches go.
struct Grid {
  const KernelObject &object;
  const RawCode &raw;
  const gpuopt_kernel_launch &launch;
  const void *const *arguments;
  LaunchQueue &queue;
};

// Blocks that one task runs, and the launches that they make.
struct LaunchingRun : BlockRun {
  LaunchingRun(const Grid &grid, BlockCheck *check, const LaunchTask &task)
      : BlockRun(grid.raw, grid.launch, grid.arguments, check, task), launches(grid.queue, task.first) {}
  DeviceLaunches launches;
};

// Runs `body`. If it faults, throws a message about the fault with its block and thread.
void watch_blocks(const Grid &grid, LaunchingRun &run, FunctionRef<void()> body) {
  const HostCalls::Scope scope(run.calls());
  const DeviceLaunches::Scope launching(run.launches);
  const Fault fault = run_watched(grid.object.code->memory(), body);
  if (fault.kind == Fault::kNone) return;
  const std::string thread =
      run.thread() < 0 ? "" : "thread " + indices_text(grid.launch.block, static_cast<uint64_t>(run.thread())) + " of ";
  report_fault(fault, thread + "block " + indices_text(grid.launch.grid, run.block()));
}

// The blocks of a grid.
class GridBlocks {
 public:
  explicit GridBlocks(const Grid &grid) : grid_(grid), waiting_(grid.launch) {}

  // Runs the blocks. Throws the failure of the first range that has one; of the blocks behind it some have run.
  void run() {
    for_block_ranges(volume(grid_.launch.grid), volume(grid_.launch.block), [&](BlockRange range) {
      return failure_.of(range.first, [&] { run_range(range.first, range.last); });
    });
    failure_.rethrow();
    while (const size_t count = waiting_.begin_round()) {
      parallel_for(static_cast<int64_t>(count), [&](int64_t k, int) {
        failure_.of(static_cast<uint64_t>(k), [&] { go_on(static_cast<size_t>(k)); });
      });
      failure_.rethrow();
    }
  }

 private:
  // Runs blocks one after the other, each to its end or until it waits for the grid.
  void run_range(uint64_t first, uint64_t last) {
    while (first < last) {
      auto run = std::make_unique<LaunchingRun>(grid_, nullptr, LaunchTask{&output_, first, last});
      bool ended = true;
      watch_blocks(grid_, *run, [&] {
        while (ended && first < last) ended = run->run(first++);
      });
      if (ended) return;
      run->calls().end_at(first);
      waiting_.add(std::move(run));
    }
  }
  void go_on(size_t k) {
    bool ended = false;
    auto &run = static_cast<LaunchingRun &>(waiting_.block(k));
    watch_blocks(grid_, run, [&] { ended = run.go_on(); });
    if (ended) waiting_.end(k);
  }

  const Grid &grid_;
  LaunchOutput output_;
  FirstFailure failure_;
  GridWait waiting_;
};

void warn_incomplete() {
  plugin::warn_once(
      "cpu.check_incomplete", name_of(Setting::GPUOPT_CPU_CHECK),
      "GPUOPT_CPU_CHECK: a launch used more than 16 MiB of memory; races in the rest were not looked for");
}

// Runs the blocks in order, up to the first error that the check finds.
void run_checked(const Grid &grid) {
  FirstFailure failure;
  LaunchOutput output;
  const uint64_t blocks = volume(grid.launch.grid);
  parallel_for(1, [&](int64_t, int) {
    failure.of(0, [&] {
      BlockCheck check(grid.launch);
      LaunchingRun run(grid, &check, LaunchTask{&output, 0, blocks});
      watch_blocks(grid, run, [&] {
        for (uint64_t block = 0; block < blocks; block++) run.run(block);
      });
      if (check.is_incomplete()) warn_incomplete();
    });
  });
  failure.rethrow();
}

// What a grid is called in messages: "" for one that the host has launched.
std::string name_of_grid(const char *name, uint32_t depth) {
  return depth == 0 ? ""
                    : std::string(name) + ", which a kernel has launched" +
                          (depth > 1 ? " at depth " + std::to_string(depth) : "") + ": ";
}

void run_all(const KernelObject &object, const RawCode &raw, const char *name, const gpuopt_kernel_launch &launch,
             const void *const *arguments, uint32_t depth);

// The addresses of a launch's arguments, in a copy that is aligned as they may ask for.
class LaunchArguments {
 public:
  LaunchArguments(const ChildKernel &child, const LaunchList &list, const DeviceLaunch &launch)
      : memory_(launch.bytes + kAlignment) {
    char *const begin = memory_.data() + (-reinterpret_cast<uintptr_t>(memory_.data()) & (kAlignment - 1));
    std::copy_n(list.memory.data() + launch.arguments, launch.bytes, begin);
    for (uint64_t k = 0; k < child.offsets[0]; k++) addresses_.push_back(begin + child.offsets[k + 1]);
  }
  const void *const *list() const { return addresses_.data(); }

 private:
  static constexpr size_t kAlignment = 64;
  std::vector<char> memory_;
  std::vector<const void *> addresses_;
};

void run_child(const KernelObject &object, const LaunchList &list, const DeviceLaunch &made, uint32_t depth) {
  const ChildKernel &child = object.children[made.child];
  gpuopt_kernel_launch launch{};
  launch.struct_size = sizeof launch;
  std::copy_n(made.grid, 3, launch.grid);
  std::copy_n(made.block, 3, launch.block);
  launch.shared_bytes = made.shared_bytes;
  const LaunchArguments arguments(child, list, made);
  run_all(object, child.raw, child.name, launch, arguments.list(), depth);
}

// Runs a grid and what it launches.
void run_all(const KernelObject &object, const RawCode &raw, const char *name, const gpuopt_kernel_launch &launch,
             const void *const *arguments, uint32_t depth) {
  LaunchQueue queue(object.children, depth);
  std::vector<LaunchList> lists;
  try {
    const Grid grid{object, raw, launch, arguments, queue};
    raw.checked ? run_checked(grid) : GridBlocks(grid).run();
    lists = queue.take();
  } catch (plugin::Failure &failure) {
    failure.message = name_of_grid(name, depth) + failure.message;
    throw;
  }
  for (const bool tail : {false, true})
    for (const LaunchList &list : lists)
      for (const DeviceLaunch &made : list.launches)
        if (made.tail == tail) run_child(object, list, made, depth + 1);
}

}  // namespace

void run_grid(const KernelObject &kernel, const gpuopt_kernel_launch &launch, const void *const *arguments) {
  run_all(kernel, kernel.raw, "", launch, arguments, 0);
}

}  // namespace gpuopt::cpu
