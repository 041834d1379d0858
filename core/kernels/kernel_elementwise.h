// core/kernels/kernel_elementwise.h -- calls of elementwise kernels.
#pragma once
#include <span>

#include "core/kernels/kernel.h"

namespace gpuopt {

// Implements gpuopt_kernel_call() for elementwise kernels. `results` receives new references to the outputs; it may be
// NULL if the outputs are among the arguments.
void call_elementwise(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                      const gpuopt_kernel_call_options &options, gpuopt_array *results);

}  // namespace gpuopt
