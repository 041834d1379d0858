// core/kernels/kernel_calls.h -- calls of user kernels; each kind is implemented in a file of its own.
#pragma once
#include <span>

#include "core/kernels/kernel.h"

namespace gpuopt {

// Implement gpuopt_kernel_call() for kernels that are not composite. `results` receives new references to the outputs;
// it may be NULL if the outputs are among the arguments.
void call_elementwise(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                      const gpuopt_kernel_call_options &options, gpuopt_array *results);
void call_reduction(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                    const gpuopt_kernel_call_options &options, gpuopt_array *results);

// Implements gpuopt_raw_kernel_launch(); `grid` and `block` have three elements.
void launch_raw(gpuopt_kernel_s &kernel, const uint32_t *grid, const uint32_t *block, uint32_t shared_bytes,
                std::span<const gpuopt_raw_argument> arguments, const gpuopt_raw_launch_options &options);

// A copy of `bytes` bytes between host memory and a variable of a raw kernel's text, from byte `offset` of the variable
// on. gpuopt_raw_kernel_get_global() copies to `to`, gpuopt_raw_kernel_set_global() from `from`; the other is NULL.
struct GlobalCopy {
  const char *variable;
  uint64_t offset, bytes;
  void *to;
  const void *from;
};
// Compiles the kernel if necessary, and returns when the copy is done.
void copy_global(gpuopt_kernel_s &kernel, const GlobalCopy &copy, const gpuopt_raw_launch_options &options);

// Implements gpuopt_raw_kernel_attributes(); compiles the kernel if necessary.
gpuopt_kernel_attributes raw_attributes(gpuopt_kernel_s &kernel, gpuopt_device device);

}  // namespace gpuopt
