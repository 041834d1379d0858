// plugins/cpu/plugin/stream.cpp -- the slots for streams, events and copies. All work is finished when its call
// returns, so streams are always in order and idle.
#include <atomic>
#include <chrono>
#include <cstdint>

#include "plugins/cpu/plugin/slots.h"
#include "plugins/cpu/runtime/copy.h"
#include "plugins/cpu/runtime/host.h"
#include "plugins/cpu/runtime/tensor.h"

struct gpuopt_plugin_stream {
  uint32_t flags;
};

struct gpuopt_plugin_event {
  static constexpr int64_t kNotRecorded = INT64_MIN;
  std::atomic<int64_t> nanoseconds{kNotRecorded};
};

namespace gpuopt::cpu::slots {

gpuopt_status stream_create(gpuopt_plugin_device *, uint32_t flags, gpuopt_plugin_stream **stream, gpuopt_error *) {
  *stream = nullptr;
  *stream = new gpuopt_plugin_stream{flags};
  return GPUOPT_OK;
}

void stream_destroy(gpuopt_plugin_device *, gpuopt_plugin_stream *stream) { delete stream; }

gpuopt_status stream_synchronize(gpuopt_plugin_device *, gpuopt_plugin_stream *, gpuopt_error *) { return GPUOPT_OK; }

gpuopt_status device_synchronize(gpuopt_plugin_device *, gpuopt_error *) { return GPUOPT_OK; }

gpuopt_status event_create(gpuopt_plugin_device *, uint32_t, gpuopt_plugin_event **event, gpuopt_error *) {
  *event = nullptr;
  *event = new gpuopt_plugin_event;
  return GPUOPT_OK;
}

void event_destroy(gpuopt_plugin_device *, gpuopt_plugin_event *event) { delete event; }

gpuopt_status event_record(gpuopt_plugin_device *, gpuopt_plugin_event *event, gpuopt_plugin_stream *, gpuopt_error *) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  event->nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  return GPUOPT_OK;
}

gpuopt_status event_wait(gpuopt_plugin_device *, gpuopt_plugin_event *, gpuopt_plugin_stream *, gpuopt_error *) {
  return GPUOPT_OK;
}

gpuopt_status event_synchronize(gpuopt_plugin_device *, gpuopt_plugin_event *, gpuopt_error *) { return GPUOPT_OK; }

gpuopt_status event_elapsed(gpuopt_plugin_device *, gpuopt_plugin_event *start, gpuopt_plugin_event *end,
                            double *milliseconds, gpuopt_error *) {
  const int64_t from = start->nanoseconds, to = end->nanoseconds;
  if (from == gpuopt_plugin_event::kNotRecorded || to == gpuopt_plugin_event::kNotRecorded) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "the time between two events needs both to be recorded; the %s is not",
         from == gpuopt_plugin_event::kNotRecorded ? "first" : "second");
  }
  *milliseconds = static_cast<double>(to - from) * 1e-6;
  return GPUOPT_OK;
}

gpuopt_status event_query(gpuopt_plugin_device *, gpuopt_plugin_event *, int32_t *done, gpuopt_error *) {
  *done = 1;
  return GPUOPT_OK;
}

gpuopt_status stream_query(gpuopt_plugin_device *, gpuopt_plugin_stream *, int32_t *done, gpuopt_error *) {
  *done = 1;
  return GPUOPT_OK;
}

gpuopt_status copy_to_host(gpuopt_plugin_device *, gpuopt_plugin_stream *, void *host, const void *memory,
                           uint64_t bytes, gpuopt_error *) {
  copy_bytes(host, memory, bytes);
  return GPUOPT_OK;
}

gpuopt_status copy_from_host(gpuopt_plugin_device *, gpuopt_plugin_stream *, void *memory, const void *host,
                             uint64_t bytes, gpuopt_error *) {
  copy_bytes(memory, host, bytes);
  return GPUOPT_OK;
}

gpuopt_status copy_on_device(gpuopt_plugin_device *, gpuopt_plugin_stream *, void *to, const void *from, uint64_t bytes,
                             gpuopt_error *) {
  copy_bytes(to, from, bytes);
  return GPUOPT_OK;
}

gpuopt_status copy_peer(gpuopt_plugin_device *, gpuopt_plugin_stream *, void *to, gpuopt_plugin_device *,
                        const void *from, uint64_t bytes, gpuopt_error *) {
  copy_bytes(to, from, bytes);
  return GPUOPT_OK;
}

}  // namespace gpuopt::cpu::slots
