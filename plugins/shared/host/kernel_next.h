// plugins/shared/host/kernel_next.h -- finds the structs that the host chains to `next` of kernels' sources and
// launches.
#pragma once

#include <gpuopt/gpuopt_plugin.h>
#include <gpuopt/kernel_next.h>

#include "plugins/shared/host/barrier.h"

namespace gpuopt::plugin {

// Returns the first struct of this kind on a chain; NULL if there is none.
template <class Struct>
const Struct *on_chain(const void *first, uint32_t kind) {
  for (auto *at = static_cast<const gpuopt_kernel_next *>(first); at;
       at = static_cast<const gpuopt_kernel_next *>(at->next)) {
    if (at->kind == kind && at->struct_size >= sizeof(Struct)) return reinterpret_cast<const Struct *>(at);
  }
  return nullptr;
}

// Returns whether the host wants the compilation of `source` to end. May be called from any thread while the slot runs.
inline bool is_stopped(const gpuopt_kernel_source &source) {
  const auto *const stop = on_chain<gpuopt_kernel_stop>(source.next, GPUOPT_KERNEL_NEXT_STOP);
  return stop && stop->stopped(stop->context);
}

// Passes the compiler's whole log to the host, if the host asks for it and the failure is the compiler's (ERR_COMPILE).
inline void tell_log(const gpuopt_kernel_source &source, const Failure &failure) {
  const auto *const log = on_chain<gpuopt_kernel_log>(source.next, GPUOPT_KERNEL_NEXT_LOG);
  if (log && failure.code == GPUOPT_ERR_COMPILE) log->write(log->context, failure.message.c_str());
}

}  // namespace gpuopt::plugin
