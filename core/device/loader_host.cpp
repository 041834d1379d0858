// core/device/loader_host.cpp -- the services that plugins get from the host (gpuopt_host_api).
#include <cstdarg>
#include <cstdio>
#include <new>

#include "core/base/log.h"
#include "core/device/loader.h"

namespace gpuopt {
namespace {

constexpr std::align_val_t kAlignment{64};

gpuopt_status fail_error(gpuopt_error *error, gpuopt_status code, gpuopt_reason reason, int32_t backend_code,
                         const char *format, ...) {
  char text[sizeof error->message] = {};
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  try {
    return report(error, {code, reason, backend_code, text});
  } catch (...) {
    return report(error, {code, reason, backend_code, {}});
  }
}

// A plugin may be written in C: no exception may reach it. Without memory the record is logged without its detail, or
// not at all.
void write_log(int32_t level, const char *event, gpuopt_reason reason, const char *detail) try {
  LogRecord record{level, event ? event : "plugin"};
  record.reason = reason;
  try {
    record.detail = detail ? detail : "";
  } catch (...) {  // out of memory: the event and the reason are logged without it
  }
  log(record);
} catch (...) {
}

void warn_once(const char *event, gpuopt_reason reason, const char *key, const char *detail) try {
  if (!log_enabled(GPUOPT_LOG_WARN) || !first_time(event ? event : "plugin", reason, key ? key : "")) return;
  write_log(GPUOPT_LOG_WARN, event, reason, detail);
} catch (...) {
}

void *allocate(uint64_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  return ::operator new(static_cast<size_t>(bytes), kAlignment, std::nothrow);
}

void deallocate(void *memory) { ::operator delete(memory, kAlignment); }

const char *setting(const char *name) { return environment(name); }

constexpr gpuopt_host_api kServices = {
    {sizeof(gpuopt_host_api), GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, nullptr},
    fail_error,
    write_log,
    warn_once,
    allocate,
    deallocate,
    setting};

}  // namespace

const gpuopt_host_api &host_services() { return kServices; }

}  // namespace gpuopt
