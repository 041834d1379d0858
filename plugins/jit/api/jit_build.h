// plugins/jit/jit_build.h -- which build of libgpuopt_jit belongs to this backend: what it makes of a text depends on
// it.
#pragma once

namespace gpuopt {

// SHA-256 of the sources of plugins/jit and of the headers kernels include, in hexadecimal (plugins/jit/build.cmake).
const char *jit_build() noexcept;

}  // namespace gpuopt
