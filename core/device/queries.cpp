// core/device/queries.cpp -- whether work is done, the vendor's handles, and facts about devices as numbers.
#include "core/device/stream.h"
#include "core/engine/engine.h"

namespace gpuopt {
namespace {

bool is_attribute(gpuopt_attribute attribute) {
  return (attribute >= GPUOPT_ATTRIBUTE_MEMORY_TOTAL && attribute <= GPUOPT_ATTRIBUTE_PROCESSORS) ||
         (attribute >= GPUOPT_ATTRIBUTE_COMPUTE_CAPABILITY && attribute <= GPUOPT_ATTRIBUTE_HOST_ACCESS) ||
         attribute == GPUOPT_ATTRIBUTE_COMPILED_KEPT || attribute == GPUOPT_ATTRIBUTE_INTERPRETER_KEPT;
}

int64_t attribute_of(gpuopt_device device, gpuopt_attribute attribute, const char *what) {
  if (!is_attribute(attribute)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %d is no attribute", what, attribute);
  check_usable(*device, what);
  if (attribute == GPUOPT_ATTRIBUTE_MEMORY_TOTAL) return static_cast<int64_t>(device->info.memory_bytes);
  if (attribute == GPUOPT_ATTRIBUTE_PROCESSORS) return device->info.processors;
  if (attribute == GPUOPT_ATTRIBUTE_HOST_ACCESS) return device->host_access() ? 1 : 0;
  int64_t value = 0;
  call_slot(device, what, device->api().device_attribute, attribute, &value);
  return value;
}

bool is_done(gpuopt_stream stream, const char *what) {
  gpuopt_device device = stream->device;
  check_usable(*device, what);
  flush(device);
  if (device->synchronous()) return true;
  int32_t done = 0;
  call_stream(stream, what, device->api().stream_query, &done);
  return done != 0;
}

bool is_done(gpuopt_event event, const char *what) {
  gpuopt_device device = event->device;
  check_usable(*device, what);
  if (device->synchronous()) return true;
  int32_t done = 0;
  call_slot(device, what, device->api().event_query, event->handle, &done);
  return done != 0;
}

void *native_handle(gpuopt_stream stream, const char *what) {
  gpuopt_device device = stream->device;
  check_usable(*device, what);
  flush(device);
  void *handle = nullptr;
  StreamLock lock(*stream);
  SlotError error;
  const gpuopt_status status = call_plugin(what, device->api().stream_native, device->handle, stream->handle, &handle,
                                           static_cast<gpuopt_error *>(&error));
  if (status == GPUOPT_ERR_UNSUPPORTED) return nullptr;
  if (status != GPUOPT_OK) fail_device(*device, status, error, what);
  return handle;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_stream_query(gpuopt_stream stream, int32_t *done, gpuopt_error *error) {
  return guarded(error, [&] {
    if (!done) fail(GPUOPT_ERR_INVALID_ARGUMENT, "stream_query: the result pointer is NULL");
    *done = is_done(&deref(stream, "stream_query"), "stream_query");
  });
}

gpuopt_status gpuopt_event_query(gpuopt_event event, int32_t *done, gpuopt_error *error) {
  return guarded(error, [&] {
    if (!done) fail(GPUOPT_ERR_INVALID_ARGUMENT, "event_query: the result pointer is NULL");
    *done = is_done(&deref(event, "event_query"), "event_query");
  });
}

gpuopt_status gpuopt_stream_native(gpuopt_stream stream, void **handle, gpuopt_error *error) {
  if (handle) *handle = nullptr;
  return guarded(error, [&] {
    if (!handle) fail(GPUOPT_ERR_INVALID_ARGUMENT, "stream_native: the result pointer is NULL");
    *handle = native_handle(&deref(stream, "stream_native"), "stream_native");
  });
}

gpuopt_status gpuopt_device_get_attribute(gpuopt_device device, gpuopt_attribute attribute, int64_t *value,
                                          gpuopt_error *error) {
  return guarded(error, [&] {
    if (!value) fail(GPUOPT_ERR_INVALID_ARGUMENT, "device_get_attribute: the result pointer is NULL");
    *value = attribute_of(&deref(device, "device_get_attribute"), attribute, "device_get_attribute");
  });
}

}  // extern "C"
