// plugins/cpu/program/thread_kept.h -- what each thread keeps from call to call: plans of programs and scratch memory.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "plugins/cpu/program/program_plan.h"

namespace gpuopt::cpu {

// Memory of one thread, of the host's.
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

// No thread owns one: the process does, and a thread has the use of one until it ends. Its contents are then given
// back, and the next thread uses it. When the process ends nothing is destroyed, so that handlers of exit, destructors
// of static objects and of thread_local ones, and threads that outlive main all find what they need.
struct ThreadKept {
  static constexpr size_t kPlans = 64;

  std::unique_ptr<Plan> plans[kPlans];
  ScratchMemory scratch;

  // The calling thread's; NULL if there is no memory for one.
  static ThreadKept *mine() noexcept;

  // How many there are, used or not: for tests.
  static size_t count() noexcept;

 private:
  static ThreadKept *take() noexcept;
  static void leave(void *kept) noexcept;

  std::atomic<bool> used{true};
  ThreadKept *next = nullptr;  // of all, in a list that only grows
};

}  // namespace gpuopt::cpu
