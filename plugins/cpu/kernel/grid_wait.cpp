// plugins/cpu/kernel/grid_wait.cpp -- see grid_wait.h.
#include "plugins/cpu/kernel/grid_wait.h"

#include <string>
#include <utility>

#include "plugins/shared/host/barrier.h"

namespace gpuopt::cpu {
namespace {

// Of a grid whose blocks wait for each other: about as many as a large GPU runs at a time.
constexpr uint64_t kMostThreads = uint64_t{1} << 18;

}  // namespace

void GridWait::add(std::unique_ptr<BlockRun> block) {
  const uint64_t blocks = volume(launch_.grid), threads = volume(launch_.block);
  if (blocks > kMostThreads / threads)
    throw plugin::Failure{GPUOPT_ERR_INVALID_ARGUMENT, GPUOPT_REASON_NONE, 0,
                          std::to_string(blocks) + " blocks of " + std::to_string(threads) +
                              " threads wait for each other (this_grid().sync()); at most " +
                              std::to_string(kMostThreads) + " threads can at a time: launch fewer blocks"};
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(block));
}

size_t GridWait::begin_round() {
  std::erase(waiting_, nullptr);
  const uint64_t blocks = volume(launch_.grid);
  if (!waiting_.empty() && waiting_.size() != blocks)
    throw plugin::Failure{GPUOPT_ERR_KERNEL_FAULT, GPUOPT_REASON_NONE, 0,
                          std::to_string(waiting_.size()) + " blocks wait for the grid, whose other " +
                              std::to_string(blocks - waiting_.size()) +
                              " have ended: this_grid().sync() that not all reach, among them block " +
                              indices_text(launch_.grid, waiting_.front()->block())};
  return waiting_.size();
}

}  // namespace gpuopt::cpu
