// core/kernels/kernel_reduction.h -- calls of reduction kernels.
#pragma once
#include <span>

#include "core/kernels/kernel.h"

namespace gpuopt {

// Implements gpuopt_kernel_call() for reduction kernels. `results` receives new references to the outputs; it may be
// NULL if the outputs are among the arguments.
void call_reduction(gpuopt_kernel_s &kernel, std::span<const gpuopt_array> arguments,
                    const gpuopt_kernel_call_options &options, gpuopt_array *results);

}  // namespace gpuopt
