// tests/unit/cpu_test_host.h -- a host for unit tests of the CPU plugin: settings by map, logs kept, allocation that
// can fail.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "plugins/cpu/runtime/host.h"
#include "plugins/shared/host/barrier.h"

namespace gpuopt::test {

// What a slot with this body would return, and write to `error`.
template <class Body>
gpuopt_status status_of(gpuopt_error *error, Body body) {
  try {
    body();
    return GPUOPT_OK;
  } catch (...) {
    return gpuopt::plugin::report_exception(error);
  }
}

struct LogLine {
  int32_t level;
  std::string event, detail;
};

// Everything the fake host remembers. Set `allocations_left` to n to let the n-th next allocation and all later ones
// fail.
struct TestHost {
  std::map<std::string, std::string, std::less<>> settings;  // found without an allocation
  std::vector<LogLine> lines;
  std::mutex mutex;
  std::atomic<int64_t> allocations_left{-1}, outstanding{0};

  static TestHost &get() {
    static TestHost *const instance = new TestHost;
    return *instance;
  }

  static const gpuopt_host_api *api() {
    static const gpuopt_host_api table = {
        {sizeof(gpuopt_host_api), GPUOPT_PLUGIN_ABI_MAJOR, GPUOPT_PLUGIN_ABI_MINOR, 0, 0, nullptr},
        fail,
        log,
        warn_once,
        allocate,
        deallocate,
        setting};
    return &table;
  }

  static void set(const std::string &name, std::string value) { get().settings[name] = std::move(value); }

  // Makes this the host of the plugin code linked into the test.
  static void install() { gpuopt::plugin::set_host(api()); }

  bool logged(const std::string &event) {
    const std::lock_guard lock(mutex);
    for (const LogLine &line : lines) {
      if (line.event == event) return true;
    }
    return false;
  }

 private:
  static gpuopt_status fail(gpuopt_error *error, gpuopt_status code, gpuopt_reason reason, int32_t backend_code,
                            const char *format, ...) {
    if (!error) return code;
    error->code = code;
    error->reason = reason;
    error->backend_code = backend_code;
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(error->message, sizeof(error->message), format, arguments);
    va_end(arguments);
    return code;
  }

  static void log(int32_t level, const char *event, gpuopt_reason, const char *detail) {
    const std::lock_guard lock(get().mutex);
    get().lines.push_back({level, event, detail ? detail : ""});
  }

  static void warn_once(const char *event, gpuopt_reason reason, const char *, const char *detail) {
    if (!get().logged(event)) log(GPUOPT_LOG_WARN, event, reason, detail);
  }

  static void *allocate(uint64_t bytes) {
    std::atomic<int64_t> &left = get().allocations_left;
    if (left.load() == 0 || (left.load() > 0 && left.fetch_sub(1) == 1)) return nullptr;
    const uint64_t whole = (bytes + 63) / 64 * 64 + (bytes == 0 ? 64 : 0);
#if defined(_WIN32)
    void *const memory = _aligned_malloc(whole, 64);
#else
    void *const memory = std::aligned_alloc(64, whole);
#endif
    if (memory) get().outstanding++;
    return memory;
  }

  static void deallocate(void *memory) {
    if (memory) get().outstanding--;
#if defined(_WIN32)
    _aligned_free(memory);
#else
    std::free(memory);
#endif
  }

  static const char *setting(const char *name) {
    const auto found = get().settings.find(name);
    return found == get().settings.end() ? nullptr : found->second.c_str();
  }
};

}  // namespace gpuopt::test
