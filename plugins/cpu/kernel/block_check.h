// plugins/cpu/kernel/block_check.h -- GPUOPT_CPU_CHECK: finds errors in how the threads of a launch use memory and wait
// for each other. Messages name the line, the block and the thread.
//
// It finds accesses out of bounds of __shared__ arrays, local arrays and the launch's arrays (which are then not
// carried out), reads of uninitialized shared memory, data races in shared and global memory
// (plugins/cpu/kernel/race_shadow.h), divergent barriers, lanes that meet in different warp operations or with
// different masks, shuffles from inactive lanes, and deadlocks. Threads that have returned by return or goto count as
// having arrived at a barrier, as on GPUs since Volta. Threads that have reached the end of the kernel do not: the
// barrier is in a branch that they did not take.
#pragma once

#include <gpuopt/gpuopt_plugin.h>
#include <gpuopt/kernel_next.h>

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "plugins/cpu/kernel/block_run.h"
#include "plugins/cpu/kernel/race_shadow.h"

namespace gpuopt::cpu {

// gpuopt_check() of plugins/jit/api/jit.h, for the launch that the calling thread runs.
int32_t check_thread(void *thread, const void *address, uint64_t bytes, const void *value,
                     const gpuopt_check_site *site) noexcept;

// Forgets the accesses to memory that a kernel allocates or frees, if the calling thread runs checked code.
void forget_accesses(const void *memory, uint64_t bytes) noexcept;

class BlockCheck {
 public:
  // While the object lives, the calling thread runs blocks of this launch, in order, and of no other launch.
  explicit BlockCheck(const gpuopt_kernel_launch &launch);
  ~BlockCheck();
  BlockCheck(const BlockCheck &) = delete;
  BlockCheck &operator=(const BlockCheck &) = delete;

  struct Block {
    uint64_t number = 0;
    std::span<const BlockThread> threads;
    const char *shared = nullptr;
    uint64_t shared_bytes = 0;
    std::span<const char> frames;     // memory of the threads' own,
    const char *stack_top = nullptr;  // as is the host's stack below this address
  };
  // The block must outlive its run.
  void begin_block(const Block &block);
  // These throw plugin::Failure, ERR_KERNEL_FAULT, with the message, if an error was found.
  void stop_if_found() const;
  void meet_block(const std::vector<uint8_t> &waiting);                // when all waiting threads go on
  void meet_warp(size_t thread, const std::vector<uint8_t> &waiting);  // when the lanes of this thread's operation do
  void report_deadlock(const std::vector<uint8_t> &waiting);
  void end_block();
  // Whether the launch used more memory than races are looked for in (RaceShadow::kMostWords).
  bool is_incomplete() const { return races_.is_incomplete(); }

 private:
  friend void forget_accesses(const void *, uint64_t) noexcept;
  friend int32_t check_thread(void *, const void *, uint64_t, const void *, const gpuopt_check_site *) noexcept;
  using Site = gpuopt_check_site;

  void at(const BlockThread &thread, const char *address, uint64_t bytes, const void *value, const Site &site);
  void wait(const BlockThread &thread, const Site &site);
  void access(const BlockThread &thread, const char *address, uint64_t bytes, const void *value, const Site &site);
  void read_lane(const BlockThread &thread, const char *address, const Site &site) const;
  void note_written(const BlockThread &thread, const char *address, uint64_t bytes, const Site &site);
  bool is_own(const char *address) const;
  bool is_shared(const char *address) const;
  // The address and size of the variable that is accessed; NULL if they are not known. `base` is that of a local
  // variable.
  struct Extent {
    const char *begin = nullptr;
    uint64_t bytes = 0;
  };
  Extent extent_of(const char *address, const char *base, const Site &site) const;
  void check_bounds(const BlockThread &thread, const char *address, uint64_t bytes, const char *base,
                    const Site &site) const;
  uint64_t size_of(const Site &site) const;  // of the variable
  void report_race(const BlockThread &thread, const char *address, uint64_t bytes, const Site &site,
                   const RaceShadow::Race &race) const;
  void check_masks(const std::vector<uint8_t> &waiting) const;
  void check_ended(size_t waiter, const std::vector<uint8_t> &waiting) const;

  std::string name(uint64_t block, size_t thread) const;
  std::string what(const char *address, uint64_t bytes, const Site &site) const;
  std::string waits(size_t thread) const;
  bool waits_alike(size_t a, size_t b) const;

  const gpuopt_kernel_launch &launch_;
  Block block_;
  Order order_;
  RaceShadow races_{order_};
  const gpuopt_kernel_range *ranges_ = nullptr;  // of the launch's arguments; NULL if not known
  std::vector<const Site *> waits_;              // the place where each thread waits, or waited last
  std::vector<uint8_t> returned_;                // which threads have returned by a return statement
  std::vector<uint8_t> written_;                 // which bytes of the shared memory have been written
  std::string
      unwritten_;  // the message about a read of other bytes; a race before the next barrier would explain it better
  std::exception_ptr found_;
};

}  // namespace gpuopt::cpu
