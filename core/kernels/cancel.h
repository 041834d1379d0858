// core/kernels/cancel.h -- cancels compilations at the program's request (gpuopt_cancel_compilations).
#pragma once
#include <gpuopt/kernel_next.h>

#include <cstdint>

namespace gpuopt {

// The scope of one call that may compile. It is created where the call begins: any gpuopt_cancel_compilations() from
// then on cancels the call's compilation, even if the call is still waiting for a lock and compiles only later.
class Cancellation {
 public:
  Cancellation() noexcept;
  Cancellation(const Cancellation &) = delete;
  Cancellation &operator=(const Cancellation &) = delete;

  // Returns a link for the `next` chain of a gpuopt_kernel_source, through which the backend asks whether to stop.
  // `next` is the rest of the chain. The link refers to this object, which must live until the compilation has ended.
  gpuopt_kernel_stop link(const void *next = nullptr) const noexcept;

 private:
  static int32_t is_stopped(void *self) noexcept;

  const uint32_t before_;  // the number of cancellations in this process when the call began
};

}  // namespace gpuopt
