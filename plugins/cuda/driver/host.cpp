// plugins/cuda/driver/host.cpp -- a failure is thrown, with its message formatted.
#include "plugins/cuda/driver/host.h"

#include <cstdio>

namespace gpuopt::cuda {
namespace {

std::string formatted(const char *format, va_list arguments) {
  char text[sizeof(gpuopt_error::message)];
  std::vsnprintf(text, sizeof text, format, arguments);
  return text;
}

}  // namespace

void fail(gpuopt_status code, gpuopt_reason reason, int32_t backend_code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Failure failure{code, reason, backend_code, formatted(format, arguments)};
  va_end(arguments);
  throw failure;
}

void fail(gpuopt_status code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Failure failure{code, GPUOPT_REASON_NONE, 0, formatted(format, arguments)};
  va_end(arguments);
  throw failure;
}

}  // namespace gpuopt::cuda
