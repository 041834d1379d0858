// plugins/cpu/host.h -- the services the host gave this plugin, reachable from anywhere in it.
#pragma once

#include <gpuopt/gpuopt_plugin.h>

#include <algorithm>
#include <cstring>

namespace gpuopt::cpu {

// The host's table; NULL until set_host (only unit tests ever see that).
const gpuopt_host_api *host() noexcept;
void set_host(const gpuopt_host_api *api) noexcept;

// A setting from the environment as the host hands it out, NULL if unset. Copy it at once.
const char *setting(const char *name) noexcept;

// One log line, and one that the process writes only once per (event, key).
void log(int32_t level, const char *event, const char *detail) noexcept;
void warn_once(const char *event, const char *key, const char *detail) noexcept;

// Hands a filled size-prefixed struct to a host that may know a shorter or longer one.
template <typename T>
void give(const T &filled, T *out) noexcept {
  const uint32_t known = out->struct_size;
  std::memcpy(out, &filled, std::min<size_t>(known, sizeof(T)));
  out->struct_size = known;
}

}  // namespace gpuopt::cpu
