// tests/fake_cuda/jit.h -- libgpuopt_jit for the fake NVRTC.
#pragma once

#include <string>

namespace fake_cuda {

// Whether there is one; without it users' kernels are compiled as all others are.
bool has_jit();

// The object of one kernel of a text, a name or an instance of a template, or "" with the compiler's words in `log`.
// Throws std::runtime_error where the library is not what it should be.
std::string jit_object(const std::string &text, const std::string &kernel, std::string &log);

// What it makes of texts depends on this.
std::string jit_id();

}  // namespace fake_cuda
