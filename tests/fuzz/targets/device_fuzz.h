// tests/fuzz/targets/device_fuzz.h -- a device of the CPU backend, for targets that make arrays.
#pragma once
#include <gpuopt/gpuopt.h>

#include "tests/fuzz/targets/fuzz.h"

namespace fuzz {

// Opened once, and kept for the life of the process.
inline gpuopt_device device() {
  static const gpuopt_device opened = [] {
    gpuopt_device made = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    require(gpuopt_device_open("cpu!", nullptr, &made, &error) == GPUOPT_OK, "the CPU backend can be used",
            error.message);
    return made;
  }();
  return opened;
}

}  // namespace fuzz
