// core/kernels/cancel.h -- compilations that end before they are done, because the program wants it.
#pragma once
#include <gpuopt/kernel_next.h>

#include <cstdint>

namespace gpuopt {

// Made where a call begins that may compile: gpuopt_cancel_compilations() after that is meant for it, whether it
// compiles then or waits for another thread's lock.
class Cancellation {
 public:
  Cancellation() noexcept;
  Cancellation(const Cancellation &) = delete;
  Cancellation &operator=(const Cancellation &) = delete;

  // For the chain of a gpuopt_kernel_source that is compiled while this object lives; `next` is what follows.
  gpuopt_kernel_stop link(const void *next = nullptr) const noexcept;

 private:
  static int32_t is_stopped(void *self) noexcept;

  const uint32_t before_;  // how often anybody had cancelled
};

}  // namespace gpuopt
