// core/kernels/cancel.cpp -- see cancel.h. Cancellations are only counted, without a lock, so that signal handlers and
// children of fork() may cancel, too.
#include "core/kernels/cancel.h"

#include <gpuopt/gpuopt.h>

#include <atomic>

namespace gpuopt {
namespace {

std::atomic<uint32_t> cancellations{0};
static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace

Cancellation::Cancellation() noexcept : before_(cancellations.load()) {}

gpuopt_kernel_stop Cancellation::link(const void *next) const noexcept {
  return {{sizeof(gpuopt_kernel_stop), GPUOPT_KERNEL_NEXT_STOP, next}, is_stopped, const_cast<Cancellation *>(this)};
}

int32_t Cancellation::is_stopped(void *self) noexcept {
  return static_cast<const Cancellation *>(self)->before_ != cancellations.load();
}

}  // namespace gpuopt

extern "C" void gpuopt_cancel_compilations(void) { gpuopt::cancellations.fetch_add(1); }
