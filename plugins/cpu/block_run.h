// plugins/cpu/block_run.h -- blocks of kernels that say what each thread does, run by one thread of the host.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpuopt::cpu {

// gpo::Thread of plugins/jit/text/thread.h.
struct BlockThread {
  uint32_t index[3], block[3], block_size[3], grid_size[3];
  char *shared;
  uint64_t exchange;
  uint32_t mask, number;
  int32_t waits_for, unused;
  void *frame;  // of frame_bytes, aligned to 64
};
enum { kWaitsForBlock = 1, kWaitsForWarp = 2 };

// What a raw kernel was compiled to: one of the two functions, or both, and then the first is for blocks of one row
// (plugins/jit/threads.h).
struct RawCode {
  void (*run_block)(const void *const *arguments, const BlockThread *first) = nullptr;
  void *(*run_thread)(const void *const *arguments, BlockThread *thread) = nullptr;
  uint64_t shared_bytes = 0;       // of static arrays
  uint64_t frame_bytes = 0;        // of a thread that run_thread began
  uint64_t block_frame_bytes = 0;  // for each that run_block runs
  uint64_t most_threads = 1024;    // of a block: as GPUs have, or fewer by __launch_bounds__
  bool checked = false;            // it calls check_thread() (block_check.h)
};

class BlockCheck;

class BlockRun {
 public:
  // `check`: of the launch, if the code is checked.
  BlockRun(const RawCode &code, const gpuopt_kernel_launch &launch, const void *const *arguments,
           BlockCheck *check = nullptr);
  // Block `number` of the grid. Throws plugin::Failure where threads wait for each other that will not come, and for
  // what the check finds.
  void run(uint64_t number);

 private:
  void place(uint64_t number);
  void start();
  void count_out(BlockThread &thread);
  bool release();
  bool release_warp(size_t begin, size_t end);
  void resume();

  const RawCode &code_;
  const bool in_loops_;  // by run_block
  const gpuopt_kernel_launch &launch_;
  const void *const *arguments_;
  BlockCheck *check_;
  std::vector<BlockThread> threads_;
  std::vector<uint8_t> released_;
  size_t alive_ = 0;
  std::vector<char> shared_, frames_;
  size_t frame_bytes_ = 0;  // of each, with what aligns the next
};

}  // namespace gpuopt::cpu
