// plugins/cpu/kernel/grid_wait.h -- the blocks of a launch that wait for each other (this_grid().sync()).
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "plugins/cpu/kernel/block_run.h"

namespace gpuopt::cpu {

// Whoever runs the blocks adds those that come to wait for the grid, and once all blocks have run so far, goes on with
// each of them, until none is left.
class GridWait {
 public:
  explicit GridWait(const gpuopt_kernel_launch &launch) : launch_(launch) {}

  // Takes a block that waits for the grid. Safe from any threads. Throws plugin::Failure if the grid has more threads
  // than may wait at a time.
  void add(std::unique_ptr<BlockRun> block);
  // How many blocks wait. Throws plugin::Failure if these are not all blocks, as they would wait forever.
  size_t begin_round();
  BlockRun &block(size_t k) { return *waiting_[k]; }
  // Block k of this round has ended.
  void end(size_t k) { waiting_[k].reset(); }

 private:
  const gpuopt_kernel_launch &launch_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<BlockRun>> waiting_;
};

}  // namespace gpuopt::cpu
