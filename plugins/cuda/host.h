// plugins/cuda/host.h -- what this backend uses of plugins/shared/host, under short names, and how it fails.
#pragma once

#include <cstdarg>

#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/host.h"

namespace gpuopt::cuda {
using plugin::Failure;
using plugin::give;
using plugin::host;
using plugin::log;
using plugin::setting;
using plugin::warn_once;

// Throws a Failure; `format` as printf. The barrier in front of every slot turns it into a status and a message.
[[noreturn]] __attribute__((format(printf, 4, 5))) void fail(gpuopt_status code, gpuopt_reason reason,
                                                             int32_t backend_code, const char *format, ...);
[[noreturn]] __attribute__((format(printf, 2, 3))) void fail(gpuopt_status code, const char *format, ...);

}  // namespace gpuopt::cuda
