// plugins/cpu/host.cpp -- keeps the host's service table.
#include "plugins/cpu/host.h"

#include <atomic>

namespace gpuopt::cpu {
namespace {
std::atomic<const gpuopt_host_api *> g_host{nullptr};
}

const gpuopt_host_api *host() noexcept { return g_host.load(std::memory_order_acquire); }
void set_host(const gpuopt_host_api *api) noexcept { g_host.store(api, std::memory_order_release); }

const char *setting(const char *name) noexcept {
  const gpuopt_host_api *api = host();
  return api ? api->setting(name) : nullptr;
}

void log(int32_t level, const char *event, const char *detail) noexcept {
  if (const gpuopt_host_api *api = host()) api->log(level, event, GPUOPT_REASON_NONE, detail);
}

void warn_once(const char *event, const char *key, const char *detail) noexcept {
  if (const gpuopt_host_api *api = host()) api->warn_once(event, GPUOPT_REASON_NONE, key, detail);
}

}  // namespace gpuopt::cpu
