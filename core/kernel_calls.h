// core/kernel_calls.h -- calling user kernels, each kind in a file of its own.
#pragma once
#include <span>

#include "kernel.h"

namespace gpuopt {

// As gpuopt_kernel_call. `results` may be NULL.
void call_elementwise(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                      const gpuopt_kernel_call_options &options, gpuopt_array *results);
void call_reduction(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                    const gpuopt_kernel_call_options &options, gpuopt_array *results);

}  // namespace gpuopt
