// plugins/cpu/code/fault_guard_windows.cpp -- does not catch faults of kernels: kernels given as text are compiled on
// POSIX systems only, and a fault of a kernel from a bundle ends the process.
#if defined(_WIN32)
#include "plugins/cpu/code/fault_guard.h"

namespace gpuopt::cpu {

bool catches_faults() { return false; }

Fault run_watched(std::span<const char>, FunctionRef<void()> body) {
  body();
  return {};
}

}  // namespace gpuopt::cpu

#endif
