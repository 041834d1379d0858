// plugins/cpu/tensor.h -- the tensors of a library call, and how such a call fails.
#pragma once

#include "plugins/cpu/host.h"
#include "plugins/shared/host/tensor.h"

namespace gpuopt::cpu {
using plugin::bytes_of;
using plugin::dtype_name;
using plugin::element_size;
using plugin::product;
using plugin::size_of;

template <typename... Arguments>
gpuopt_status fail(gpuopt_error *error, gpuopt_status code, const char *format, Arguments... arguments) noexcept {
  return host()->fail(error, code, GPUOPT_REASON_NONE, 0, format, arguments...);
}

}  // namespace gpuopt::cpu
