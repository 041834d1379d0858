// plugins/cuda/driver/host.h -- what this backend uses of plugins/shared/host, under short names, and how it fails.
#pragma once

#include <cstdarg>

#include "plugins/shared/host/barrier.h"
#include "plugins/shared/host/host.h"

// The format rules of std::vsnprintf, for the attribute below. They are C99's; on Windows, `printf` means Microsoft's.
#if defined(__MINGW32__)
#define GPUOPT_CUDA_PRINTF gnu_printf
#else
#define GPUOPT_CUDA_PRINTF printf
#endif

namespace gpuopt::cuda {
using plugin::Failure;
using plugin::give;
using plugin::host;
using plugin::log;
using plugin::setting;
using plugin::warn_once;

// Throws a Failure whose message is formatted as by printf. The barrier in front of every slot turns it into a status
// and a message.
[[noreturn]] __attribute__((format(GPUOPT_CUDA_PRINTF, 4, 5))) void fail(gpuopt_status code, gpuopt_reason reason,
                                                                         int32_t backend_code, const char *format, ...);
[[noreturn]] __attribute__((format(GPUOPT_CUDA_PRINTF, 2, 3))) void fail(gpuopt_status code, const char *format, ...);

}  // namespace gpuopt::cuda
