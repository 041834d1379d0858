// plugins/cpu/program/thread_kept.h -- what each thread keeps between calls: plans of programs and scratch memory.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "plugins/cpu/program/program_plan.h"

namespace gpuopt::cpu {

// A block of memory from the host's allocator. Its address and size are kept; whoever holds the struct releases it.
struct ScratchMemory {
  const gpuopt_host_api *host = nullptr;
  char *memory = nullptr;
  int64_t bytes = 0;

  void release() noexcept {
    if (memory) host->deallocate(memory);
    memory = nullptr;
    bytes = 0;
  }
};

// The process owns all of these, in a list that only grows. A thread uses one until it ends; its contents are then
// freed, and another thread may use it. When the process ends nothing is destroyed, so that exit handlers, destructors
// of static and thread_local objects, and threads that outlive main can still use theirs.
struct ThreadKept {
  static constexpr size_t kPlans = 64;

  std::unique_ptr<Plan> plans[kPlans];
  ScratchMemory scratch;

  // Returns that of the calling thread, taking one at the first call; NULL if there is no memory for it.
  static ThreadKept *mine() noexcept;

  // Returns how many there are, in use or not. For tests.
  static size_t count() noexcept;

 private:
  static ThreadKept *take() noexcept;
  static void leave(void *kept) noexcept;

  std::atomic<bool> used_{true};
  ThreadKept *next_ = nullptr;  // in the list of all
};

}  // namespace gpuopt::cpu
