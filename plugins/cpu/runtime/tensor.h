// plugins/cpu/runtime/tensor.h -- the tensors of a library call, and how such a call fails.
#pragma once

#include <cstdio>

#include "plugins/cpu/runtime/host.h"
#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/tensor.h"

namespace gpuopt::cpu {
using plugin::bytes_of;
using plugin::dtype_name;
using plugin::element_size;
using plugin::product;
using plugin::size_of;

// Throws plugin::Failure, which the slot's Barrier turns into a status. `format` is as for printf.
template <typename... Arguments>
[[noreturn]] void fail(gpuopt_status code, const char *format, Arguments... arguments) {
  char message[sizeof gpuopt_error::message];
  std::snprintf(message, sizeof message, format, arguments...);
  throw plugin::Failure{code, GPUOPT_REASON_NONE, 0, message};
}

}  // namespace gpuopt::cpu
