// core/kernels/bundle.h -- kernels compiled ahead of time: records sources, builds bundles from the record, and passes
// bundles to backends when these are loaded.
//
// To the core a bundle is a head with the total size (core/kernels/bundle_format.h), followed by pieces. Only backends
// know what is in a piece (plugins/shared/cache/bundle.h).
#pragma once
#include <gpuopt/gpuopt_plugin.h>

namespace gpuopt {

// Appends a source that was compiled to the file named by GPUOPT_RECORD_KERNELS, if that is set. A failure is logged as
// a warning. Any thread may call this.
void record_source(const gpuopt_kernel_source &source) noexcept;

}  // namespace gpuopt
