// plugins/jit/api/jit_build.h -- identifies the build of libgpuopt_jit that belongs to this backend. Cached code is
// valid for one build only.
#pragma once

namespace gpuopt {

// SHA-256 of the sources of plugins/jit and of the headers kernels include, in hexadecimal (plugins/jit/build.cmake).
const char *jit_build() noexcept;

}  // namespace gpuopt
