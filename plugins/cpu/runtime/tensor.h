// plugins/cpu/runtime/tensor.h -- the tensors of a library call, and how such a call fails.
#pragma once

#include <cstdarg>
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

#if defined(__MINGW32__)
#define GPUOPT_CPU_PRINTF_FORMAT gnu_printf
#else
#define GPUOPT_CPU_PRINTF_FORMAT printf
#endif

// Throws plugin::Failure, which the slot's Barrier turns into a status. `format` is as for printf.
[[noreturn, gnu::format(GPUOPT_CPU_PRINTF_FORMAT, 2, 3)]] inline void fail(gpuopt_status code, const char *format,
                                                                           ...) {
  char message[sizeof gpuopt_error::message];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  throw plugin::Failure{code, GPUOPT_REASON_NONE, 0, message};
}

}  // namespace gpuopt::cpu
