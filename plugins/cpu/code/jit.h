// plugins/cpu/code/jit.h -- machine code of user kernels: from a bundle, the disk cache, or compiled by libgpuopt_jit.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <memory>
#include <string>

#include "plugins/cpu/code/jit_watch.h"
#include "plugins/cpu/code/object_code.h"
#include "plugins/shared/cache/bundle.h"

namespace gpuopt::cpu {

// Returns the code of a kernel, given by name and text, for one instruction set level (cpuid.h). `kind` is
// GPUOPT_KERNEL_* or 0, and `variables` is as in ObjectCode. Throws plugin::Failure: ERR_COMPILE with the messages of
// the compiler; ERR_CANCELLED if `stopped` cancelled the compilation; ERR_JIT_UNAVAILABLE if the code is in no bundle
// and no cache and there is no compiler, GPUOPT_JIT_POLICY forbids it, or the system does not allow new code to run.
// Safe from any threads.
std::unique_ptr<ObjectCode> compile_kernel(const std::string &name, const std::string &code, uint32_t kind, int level,
                                           Variables *variables = nullptr, const Stopped &stopped = {});

// Does the same for `kind` 0, at another priority than that of a compilation that is awaited.
std::unique_ptr<ObjectCode> compile_program(const std::string &name, const std::string &code, int level,
                                            const Stopped &stopped, Urgency urgency);

// Does the same for `kind` 0, but looks in the disk cache alone and does not load libgpuopt_jit. Returns NULL on a
// miss, and if new code may not run. Throws std::runtime_error if the entry cannot be used.
std::unique_ptr<ObjectCode> cached_kernel(const std::string &name, const std::string &code, int level);

// build_bundle() compiles a kernel for each level of this architecture and passes the code to `sink`, piece by piece.
// load_bundle() takes the pieces of a bundle that was loaded. Both throw plugin::Failure as above, and ERR_FORMAT.
void build_bundle(const gpuopt_kernel_source &source, const plugin::BundleSink &sink);
void load_bundle(std::string_view pieces);

}  // namespace gpuopt::cpu
