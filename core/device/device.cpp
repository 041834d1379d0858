// core/device/device.cpp -- see device.h; and the C functions of devices: opening, properties, memory pool,
// synchronization.
#include "core/device/device.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/base/log.h"
#include "core/device/discovery.h"
#include "core/device/policy.h"
#include "core/device/stream.h"
#include "core/engine/engine.h"
#include "core/engine/transfer.h"

gpuopt_device_s::~gpuopt_device_s() {
  engines.reset();
  transfers.clear();
  if (default_stream) gpuopt_stream_s::destroy(default_stream);
  if (handle) gpuopt::call_void(this, "device_close", api().device_close);
}

namespace gpuopt {

gpuopt_device_s &deref(gpuopt_device device, const char *what) {
  if (!device) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: the device is NULL", what);
  return *device;
}

void fail_thrown(const char *operation) {
  const std::string text = std::string(operation) + ": the plugin threw a C++ exception, which no function of one may";
  try {
    throw;
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &exception) {
    throw Failure{GPUOPT_ERR_INTERNAL, GPUOPT_REASON_NONE, 0, text + ": " + exception.what()};
  } catch (...) {
    throw Failure{GPUOPT_ERR_INTERNAL, GPUOPT_REASON_NONE, 0, text};
  }
}

void log_thrown(const Backend &backend, const char *slot) noexcept try {
  const std::string name = backend.name + ": " + slot;
  if (!log_enabled(GPUOPT_LOG_ERROR) || !first_time("plugin.threw", GPUOPT_REASON_NONE, name)) return;
  LogRecord record{GPUOPT_LOG_ERROR, "plugin.threw"};
  record.detail = name + " threw a C++ exception, which no function of a plugin may; what it was to free may be lost";
  log(record);
} catch (...) {  // out of memory: not even this can be logged
}

void fail_without_output(const char *operation, const char *what) {
  fail(GPUOPT_ERR_INTERNAL, "%s: the plugin said that %s, and gave none", operation, what);
}

void *allocate_memory(gpuopt_stream stream, const char *operation, uint64_t bytes) {
  constexpr uintptr_t alignment = 16;
  void *memory = nullptr;
  call_stream(stream, operation, stream->device->api().memory_allocate, bytes, &memory);
  const auto size = static_cast<unsigned long long>(bytes);
  if (!memory)
    fail(GPUOPT_ERR_INTERNAL, "%s: the plugin said that it has allocated %llu bytes, and gave NULL", operation, size);
  if (reinterpret_cast<uintptr_t>(memory) % alignment != 0)
    fail(GPUOPT_ERR_INTERNAL, "%s: the address that the plugin gave for %llu bytes is not aligned to 16 bytes",
         operation, size);
  return memory;
}

void free_memory(gpuopt_stream stream, void *memory, uint64_t bytes) noexcept {
  call_void(stream->device, "memory_free", stream->device->api().memory_free, stream->handle, memory, bytes);
}

void fail_unusable(const gpuopt_device_s &device, const char *operation) {
  if (device.forked())
    throw Failure{
        GPUOPT_ERR_FORKED, GPUOPT_REASON_FORKED, 0,
        std::string(operation) + ": " + device.name + " was opened before this process forked; open it after the fork"};
  throw Failure{GPUOPT_ERR_DEVICE_LOST, GPUOPT_REASON_DEVICE_LOST, 0,
                std::string(operation) + ": " + device.name + " was lost, with all its arrays: " + device.lost_because};
}

namespace {
std::mutex losing;  // guards lost_because of all devices: the first failure is stored
}

void fail_device(gpuopt_device_s &device, gpuopt_status status, const gpuopt_error &error, const char *operation) {
  try {
    fail_slot(status, error, operation);
  } catch (Failure &failure) {
    if (failure.code != GPUOPT_ERR_DEVICE_LOST) throw;
    failure.reason = GPUOPT_REASON_DEVICE_LOST;
    const std::lock_guard lock(losing);
    if (!device.lost) device.lost_because = failure.message;
    device.lost = true;
    throw;
  }
}

namespace {

void wait_for_streams(gpuopt_device_s &device, const char *operation) {
  for (const auto &stream : living_streams(device)) wait_for(stream.get(), operation);
}

}  // namespace

// Waits for the streams first, since their failures name the operations that were launched on them.
void wait_for_device(gpuopt_device_s &device, const char *operation) {
  check_usable(device, operation);
  if (device.synchronous()) return;
  wait_for_streams(device, operation);
  SlotError error;
  const gpuopt_status status =
      call_plugin(operation, device.api().device_synchronize, device.handle, static_cast<gpuopt_error *>(&error));
  if (status != GPUOPT_OK && status != GPUOPT_ERR_UNSUPPORTED) fail_device(device, status, error, operation);
}

namespace {

void fill_info(const gpuopt_device_s &device, gpuopt_device_info &out) {
  const Backend &backend = *device.backend;
  out.index = device.index;
  std::snprintf(out.name, sizeof out.name, "%s", device.info.name);
  std::snprintf(out.detail, sizeof out.detail, "%s", device.info.detail);
  std::snprintf(out.plugin, sizeof out.plugin, "%s", backend.path.c_str());
  std::snprintf(out.plugin_version, sizeof out.plugin_version, "%s", backend.version.c_str());
  out.memory_bytes = device.info.memory_bytes;
  out.processors = device.info.processors;
  out.host_memory = device.host_memory();
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_device_open(const char *request, const gpuopt_device_options *options, gpuopt_device *device,
                                 gpuopt_error *error) {
  return gpuopt_device_open_report(request, options, device, nullptr, error);
}

gpuopt_status gpuopt_device_open_report(const char *request, const gpuopt_device_options *options,
                                        gpuopt_device *device, gpuopt_reason *reason, gpuopt_error *error) {
  if (device) *device = nullptr;
  if (reason) *reason = GPUOPT_REASON_NONE;
  return guarded(error, [&] {
    if (!device) fail(GPUOPT_ERR_INVALID_ARGUMENT, "device_open: the result pointer is NULL");
    const gpuopt_device_options known = read_device_options(options, "device_open");
    *device = open_device(request, &known, reason);
  });
}

// Devices live as long as the process, so that references to them are not counted.
gpuopt_device gpuopt_device_retain(gpuopt_device device) { return device; }
void gpuopt_device_release(gpuopt_device) {}

const char *gpuopt_device_name(gpuopt_device device) { return device ? device->name.c_str() : nullptr; }
const char *gpuopt_device_backend(gpuopt_device device) { return device ? device->backend->name.c_str() : nullptr; }

gpuopt_status gpuopt_device_get_info(gpuopt_device device, gpuopt_device_info *info, gpuopt_error *error) {
  return guarded(error, [&] {
    gpuopt_device_info filled{};
    fill_info(deref(device, "device_get_info"), filled);
    give(filled, info, "device_get_info");
  });
}

gpuopt_status gpuopt_device_synchronize(gpuopt_device device, gpuopt_error *error) {
  return guarded(error, [&] {
    flush(&deref(device, "device_synchronize"));
    wait_for_device(*device, "device_synchronize");
  });
}

gpuopt_status gpuopt_memory_get_stats(gpuopt_device device, gpuopt_memory_stats *stats, gpuopt_error *error) {
  return guarded(error, [&] {
    deref(device, "memory_get_stats");
    gpuopt_memory_stats filled{};
    filled.struct_size = sizeof filled;
    call_slot(device, "memory_get_stats", device->api().memory_stats, &filled);
    give(filled, stats, "memory_get_stats");
  });
}

gpuopt_status gpuopt_memory_set_limit(gpuopt_device device, uint64_t bytes, gpuopt_error *error) {
  return guarded(error, [&] {
    deref(device, "memory_set_limit");
    call_slot(device, "memory_set_limit", device->api().memory_set_limit, bytes);
  });
}

gpuopt_status gpuopt_memory_trim(gpuopt_device device, gpuopt_error *error) {
  return guarded(error, [&] {
    drop_transfer_streams(&deref(device, "memory_trim"));
    call_slot(device, "memory_trim", device->api().memory_trim);
  });
}

}  // extern "C"
