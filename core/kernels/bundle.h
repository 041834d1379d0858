// core/kernels/bundle.h -- kernels compiled ahead of time: sources written down, bundles made of them, bundles given to
// backends when these are loaded.
//
// What a bundle's pieces are only backends know (plugins/shared/host/bundle.h). Here it is a head, which says how long
// all of it is, and pieces.
#pragma once
#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt {

// Writes a source down in the file that GPUOPT_RECORD_KERNELS names, if it does. Failing is a warning.
void record_source(const gpuopt_kernel_source &source) noexcept;

}  // namespace gpuopt
