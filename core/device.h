// core/device.h -- what the core knows of a backend, a device and a stream.
#pragma once
#include <gpuopt/gpuopt_plugin.h>

#include <memory>
#include <mutex>
#include <string>

#include "error.h"
#include "refcount.h"

namespace gpuopt {

struct Engine;  // engine.h: what is recorded on a device

// A loaded plugin; never unloaded. `api` is the host's own copy of the table, absent slots being stubs that return
// ERR_UNSUPPORTED, so a call needs no NULL test.
struct Backend {
  std::string name, path, version, build_id, toolkit;
  gpuopt_plugin_api api{};
  int op_count = 0, reduction_count = 0, scan_count = 0;
};

}  // namespace gpuopt

// One per (backend, index) and process; kept in the registry until the process ends.
struct gpuopt_device_s {
  const gpuopt::Backend *backend = nullptr;
  gpuopt_plugin_device *handle = nullptr;
  int32_t index = 0;
  std::string name;  // "cpu:0"
  gpuopt_plugin_device_info info{};
  gpuopt_stream default_stream = nullptr;
  std::unique_ptr<gpuopt::Engine> engine;
  const gpuopt_plugin_api &api() const { return backend->api; }
  bool host_memory() const { return info.flags & GPUOPT_DEVICE_HOST_MEMORY; }
  ~gpuopt_device_s();
};

struct gpuopt_stream_s : gpuopt::RefCounted<gpuopt_stream_s> {
  gpuopt_device device = nullptr;  // devices outlive streams
  gpuopt_plugin_stream *handle = nullptr;
  static void destroy(gpuopt_stream_s *stream);
};

struct gpuopt_event_s : gpuopt::RefCounted<gpuopt_event_s> {
  gpuopt_device device = nullptr;
  gpuopt_plugin_event *handle = nullptr;
  static void destroy(gpuopt_event_s *event);
};

namespace gpuopt {

// Opens through policy.cpp; throws Failure. `reason` (may be NULL) says why an earlier choice was passed over.
gpuopt_device open_device(const char *request, const gpuopt_device_options *options, gpuopt_reason *reason);

// Calls a slot and throws its failure as "<operation>: ...": call_slot(device, "matmul", device->api().matmul, stream, &call).
template <class Slot, class... Args>
void call_slot(gpuopt_device device, const char *operation, Slot slot, Args... args) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  check_slot(slot(device->handle, args..., &error), error, operation);
}

}  // namespace gpuopt
