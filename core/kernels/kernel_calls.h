// core/kernels/kernel_calls.h -- calling user kernels, each kind in a file of its own.
#pragma once
#include <span>

#include "core/kernels/kernel.h"

namespace gpuopt {

// As gpuopt_kernel_call. `results` may be NULL.
void call_elementwise(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                      const gpuopt_kernel_call_options &options, gpuopt_array *results);
void call_reduction(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                    const gpuopt_kernel_call_options &options, gpuopt_array *results);

// As gpuopt_raw_kernel_launch.
void launch_raw(gpuopt_kernel_s &kernel, const uint32_t *grid, const uint32_t *block, uint32_t shared_bytes,
                std::span<const gpuopt_raw_argument> arguments, const gpuopt_raw_launch_options &options);

// As gpuopt_raw_kernel_get_global and gpuopt_raw_kernel_set_global: one of `to` and `from` is the host's, the other
// NULL.
struct GlobalCopy {
  const char *variable;
  uint64_t offset, bytes;
  void *to;
  const void *from;
};
void copy_global(gpuopt_kernel_s &kernel, const GlobalCopy &copy, const gpuopt_raw_launch_options &options);

gpuopt_kernel_attributes raw_attributes(gpuopt_kernel_s &kernel, gpuopt_device device);

}  // namespace gpuopt
