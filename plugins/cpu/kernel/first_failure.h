// plugins/cpu/kernel/first_failure.h -- the failures of a launch: which of several counts, and what a fault is called.
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

#include "plugins/cpu/code/fault_guard.h"
#include "plugins/shared/host/barrier.h"

namespace gpuopt::cpu {

// Keeps one of the exceptions that host threads throw: that of the first of the ranges of blocks.
class FirstFailure {
 public:
  // Calls body(), for a range that begins at block `first`. Returns whether it threw nothing.
  template <class Body>
  bool of(uint64_t first, Body body) {
    try {
      body();
      return true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_ || first < first_) failure_ = std::current_exception(), first_ = first;
      return false;
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  uint64_t first_ = 0;
};

[[noreturn]] inline void report_fault(const Fault &fault, const std::string &who) {
  throw plugin::Failure{GPUOPT_ERR_KERNEL_FAULT, GPUOPT_REASON_NONE, 0, "fault: " + who + " " + describe(fault)};
}

}  // namespace gpuopt::cpu
