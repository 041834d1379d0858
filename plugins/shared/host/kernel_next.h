// plugins/shared/host/kernel_next.h -- what the host hangs on `next` of kernels' sources and launches, found by
// backends.
#pragma once

#include <gpuopt/gpuopt_plugin.h>
#include <gpuopt/kernel_next.h>

#include "plugins/shared/host/barrier.h"

namespace gpuopt::plugin {

// The first struct of this kind on a chain; NULL if there is none.
template <class Struct>
const Struct *on_chain(const void *first, uint32_t kind) {
  for (auto *at = static_cast<const gpuopt_kernel_next *>(first); at;
       at = static_cast<const gpuopt_kernel_next *>(at->next)) {
    if (at->kind == kind && at->struct_size >= sizeof(Struct)) return reinterpret_cast<const Struct *>(at);
  }
  return nullptr;
}

// Whether the host wants the compilation of `source` to end. Asked from any threads while the slot runs.
inline bool is_stopped(const gpuopt_kernel_source &source) {
  const auto *const stop = on_chain<gpuopt_kernel_stop>(source.next, GPUOPT_KERNEL_NEXT_STOP);
  return stop && stop->stopped(stop->context);
}

// Gives the host all that the compiler said, if this failure is its and the host asks for it.
inline void tell_log(const gpuopt_kernel_source &source, const Failure &failure) {
  const auto *const log = on_chain<gpuopt_kernel_log>(source.next, GPUOPT_KERNEL_NEXT_LOG);
  if (log && failure.code == GPUOPT_ERR_COMPILE) log->write(log->context, failure.message.c_str());
}

}  // namespace gpuopt::plugin
