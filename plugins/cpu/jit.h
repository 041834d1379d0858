// plugins/cpu/jit.h -- machine code of user kernels: from a bundle, the disk cache, or compiled by libgpuopt_jit.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <memory>
#include <string>

#include "plugins/cpu/object_code.h"
#include "plugins/shared/host/bundle.h"

namespace gpuopt::cpu {

// What a kernel's name and text become at one instruction set level (cpuid.h). `kind`: GPUOPT_KERNEL_*, or 0. Throws
// plugin::Failure: ERR_COMPILE with what the compiler said; ERR_JIT_UNAVAILABLE where the code is in no bundle and no
// cache and there is no compiler, GPUOPT_JIT_POLICY forbids it, or the system lets no new code run. Safe from any
// threads. `variables` as in ObjectCode.
std::unique_ptr<ObjectCode> compile_kernel(const std::string &name, const std::string &code, uint32_t kind, int level,
                                           Variables *variables = nullptr);

// The same of `kind` 0, from the disk cache alone: NULL where it is not there, and where new code may not run.
// libgpuopt_jit is not loaded. Throws std::runtime_error where what is there cannot be used.
std::unique_ptr<ObjectCode> cached_kernel(const std::string &name, const std::string &code, int level);

// For bundles: a kernel compiled for each level of this architecture, given away piece by piece; and the pieces of one
// that was loaded. Throw plugin::Failure as above, and ERR_FORMAT.
void build_bundle(const gpuopt_kernel_source &source, const plugin::BundleSink &sink);
void load_bundle(std::string_view pieces);

}  // namespace gpuopt::cpu
