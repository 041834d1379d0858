// tests/kernels/programs/runtime.h -- what runtime.cpp offers to the other files of the runtime for run.py's programs.
#pragma once

#include <gpuopt/gpuopt.h>

namespace shim {

[[noreturn]] void give_up(const char *what, const char *why);
void check(gpuopt_status status, const gpuopt_error &error, const char *what);
gpuopt_device device();

}  // namespace shim
