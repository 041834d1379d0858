// plugins/cpu/kernel/block_run.h -- runs the blocks of raw kernels, which are written for one thread, in one host
// thread.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plugins/cpu/kernel/host_calls.h"

namespace gpuopt::cpu {

// The same struct as gpo::Thread of plugins/jit/text/thread.h.
struct BlockThread {
  uint32_t index[3], block[3], block_size[3], grid_size[3];
  char *shared;
  uint64_t exchange;
  uint32_t mask, number;
  int32_t waits_for, polls;
  void *frame;  // memory of frame_bytes, aligned to 64
};
enum { kWaitsForBlock = 1, kWaitsForWarp = 2, kWaitsForGrid = 3, kWaitsConverged = 4 };
constexpr size_t kWarp = 32;  // threads

inline uint64_t volume(const uint32_t (&sizes)[3]) { return uint64_t{sizes[0]} * sizes[1] * sizes[2]; }

// "(x, y, z)" of thread or block number k.
inline std::string indices_text(const uint32_t (&sizes)[3], uint64_t k) {
  return "(" + std::to_string(k % sizes[0]) + ", " + std::to_string(k / sizes[0] % sizes[1]) + ", " +
         std::to_string(k / sizes[0] / sizes[1]) + ")";
}

// The functions that a raw kernel was compiled to. If there are both, the first is for blocks of one row of threads
// (plugins/jit/lower/threads.h).
struct RawCode {
  void (*run_block)(const void *const *arguments, const BlockThread *first) = nullptr;
  void *(*run_thread)(const void *const *arguments, BlockThread *thread) = nullptr;
  uint64_t shared_bytes = 0;       // of static __shared__ variables
  uint64_t frame_bytes = 0;        // of each thread that run_thread starts
  uint64_t block_frame_bytes = 0;  // for each thread that run_block runs
  uint64_t most_threads = 1024;    // of a block: the limit of GPUs, or less by __launch_bounds__
  bool checked = false;            // whether the code calls check_thread() (block_check.h)
};

class BlockCheck;

class BlockRun {
 public:
  // `check` is that of the launch, or NULL if the code is not checked.
  BlockRun(const RawCode &code, const gpuopt_kernel_launch &launch, const void *const *arguments,
           BlockCheck *check = nullptr, const LaunchTask &task = {});
  virtual ~BlockRun() = default;
  BlockRun(const BlockRun &) = delete;
  BlockRun &operator=(const BlockRun &) = delete;
  // Runs block `number` of the grid. False if its threads wait for those of all other blocks: go_on() goes on with it,
  // from any thread of the host, and nothing else may be run before. Both throw plugin::Failure on a deadlock of its
  // threads, if they wrote behind the block's shared memory, if the kernel was ended by a function that it called, and
  // for what the check finds.
  bool run(uint64_t number);
  bool go_on();
  HostCalls &calls() { return calls_; }
  // The block that runs, or that a fault interrupted, and its thread; -1 where all threads run in loops.
  uint64_t block() const { return block_; }
  int64_t thread() const { return thread_; }

 private:
  void prepare_threads();
  void place(uint64_t number);
  bool run_watching(bool begin);
  void run_threads(bool begin);
  void start();
  bool waits_for_grid() const;
  void leave_grid_wait();
  void count_out(BlockThread &thread);
  bool release();
  bool release_warp(size_t begin, size_t end);
  bool release_converged(size_t begin, size_t end);
  void resume();
  void note_polls();
  [[noreturn]] void report_deadlock();
  std::string first_waiting(int32_t waits_for) const;
  void mark_end();
  void check_end() const;

  const RawCode &code_;
  const bool in_loops_;  // whether run_block runs all threads
  const gpuopt_kernel_launch &launch_;
  const void *const *arguments_;
  BlockCheck *check_;
  HostCalls calls_;
  std::vector<BlockThread> threads_;
  std::vector<uint8_t> released_;
  size_t alive_ = 0;
  bool goes_on_ = false;       // whether, in this round, some thread did more than to look whether others have come
  uint32_t quiet_rounds_ = 0;  // in which none did
  uint64_t idle_looks_ = 0;    // of threads, since one did
  uint64_t block_ = 0;
  int64_t thread_ = -1;
  std::vector<char> shared_, frames_;
  size_t frame_bytes_ = 0;  // of each frame, with padding
};

}  // namespace gpuopt::cpu
