// plugins/cpu/block_check.h -- GPUOPT_CPU_CHECK: what is wrong with how the threads of a launch use memory and wait for
// each other, in words that name the line, block and thread.
//
// Found are: accesses to __shared__ memory outside of the array (they are not carried out), data races in shared and
// global memory (plugins/cpu/race_shadow.h), barriers at which not all threads of a block meet, lanes that meet in
// different warp operations or with different masks, and threads that wait for ever. Threads that have returned count
// as having arrived, as on GPUs since Volta.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "plugins/cpu/block_run.h"
#include "plugins/cpu/race_shadow.h"

namespace gpuopt::cpu {

// gpuopt_check() of plugins/jit/jit.h, of the launch that the calling thread runs.
int32_t check_thread(void *thread, const void *address, uint64_t bytes, const void *value,
                     const gpuopt_check_site *site) noexcept;

class BlockCheck {
 public:
  // While it lives, the calling thread runs blocks of this launch and no other's, in order.
  explicit BlockCheck(const gpuopt_kernel_launch &launch);
  ~BlockCheck();
  BlockCheck(const BlockCheck &) = delete;
  BlockCheck &operator=(const BlockCheck &) = delete;

  struct Block {
    uint64_t number = 0;
    std::span<const BlockThread> threads;
    const char *shared = nullptr;
    uint64_t shared_bytes = 0;
    std::span<const char> frames;     // the threads' own memory,
    const char *stack_top = nullptr;  // as is the host's stack below this
  };
  // The block must outlive its run.
  void begin_block(const Block &block);
  // These throw plugin::Failure, ERR_KERNEL_FAULT, with what was found.
  void stop_if_found() const;
  void meet_block(const std::vector<uint8_t> &waiting);                // all that wait go on
  void meet_warp(size_t thread, const std::vector<uint8_t> &waiting);  // so do its lanes
  void report_deadlock(const std::vector<uint8_t> &waiting);
  // Whether there was more memory than races were looked for in (RaceShadow::kMostWords).
  bool is_incomplete() const { return races_.is_incomplete(); }

 private:
  friend int32_t check_thread(void *, const void *, uint64_t, const void *, const gpuopt_check_site *) noexcept;
  using Site = gpuopt_check_site;

  void at(const BlockThread &thread, const char *address, uint64_t bytes, const void *value, const Site &site);
  void wait(const BlockThread &thread, const Site &site);
  void access(const BlockThread &thread, const char *address, uint64_t bytes, const void *value, const Site &site);
  bool is_own(const char *address) const;
  bool is_shared(const char *address) const;
  void check_bounds(const BlockThread &thread, const char *address, uint64_t bytes, const Site &site) const;
  uint64_t size_of(const Site &site) const;  // of the variable
  void report_race(const BlockThread &thread, const char *address, uint64_t bytes, const Site &site,
                   const RaceShadow::Race &race) const;
  void check_masks(const std::vector<uint8_t> &waiting) const;

  std::string name(uint64_t block, size_t thread) const;
  std::string what(const char *address, uint64_t bytes, const Site &site) const;
  std::string waits(size_t thread) const;
  bool waits_alike(size_t a, size_t b) const;

  const gpuopt_kernel_launch &launch_;
  Block block_;
  Order order_;
  RaceShadow races_{order_};
  std::vector<const Site *> waits_;  // where each thread does, or did last
  std::exception_ptr found_;
};

}  // namespace gpuopt::cpu
