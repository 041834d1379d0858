// plugins/shared/host/host.h -- the services the host gave this plugin, reachable from anywhere in it.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "plugins/shared/host/settings.h"

namespace gpuopt::plugin {

inline std::atomic<const gpuopt_host_api *> host_table{nullptr};

// Returns the host's table; NULL until set_host() (only unit tests ever see that).
inline const gpuopt_host_api *host() noexcept { return host_table.load(std::memory_order_acquire); }
inline void set_host(const gpuopt_host_api *api) noexcept { host_table.store(api, std::memory_order_release); }

// Returns a setting from the environment, as the host hands it out; NULL if it is unset. Copy it at once.
inline const char *setting(const char *name) noexcept {
  const gpuopt_host_api *api = host();
  return api ? api->setting(name) : nullptr;
}
inline const char *setting(Setting which) noexcept { return setting(name_of(which)); }

// Write a line to the log; warn_once() only once in the process for each (event, reason, key).
inline void log(int32_t level, const char *event, const char *detail,
                gpuopt_reason reason = GPUOPT_REASON_NONE) noexcept {
  if (const gpuopt_host_api *api = host()) api->log(level, event, reason, detail);
}
inline void warn_once(const char *event, const char *key, const char *detail,
                      gpuopt_reason reason = GPUOPT_REASON_NONE) noexcept {
  if (const gpuopt_host_api *api = host()) api->warn_once(event, reason, key, detail);
}

// Copies a filled size-prefixed struct to the host, which may know a shorter or a longer one.
template <typename T>
void give(const T &filled, T *out) noexcept {
  const uint32_t known = out->struct_size;
  std::memcpy(out, &filled, std::min<size_t>(known, sizeof(T)));
  out->struct_size = known;
}

}  // namespace gpuopt::plugin
